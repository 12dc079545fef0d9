# mypy: ignore-errors
"""Arrays made inside kernels.

`np.empty` in a kernel is a function that is typed, lowered and optimised anew for every dtype, for one and for two
dimensions, and for every number written out in the call: 32 of the 160 functions of a growing forest.
"""

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.core.typing.npydecl import parse_dtype
from numba.extending import intrinsic

from tamis.engine.internals.views import structure

_TOO_MANY = 1 << 62  # bytes that nobody has


def _array_of(shape, dtype):
    """The type of an array, C order, and how to make one: 20 instructions instead of Numba's 70."""
    kind = types.Array(parse_dtype(dtype), len(shape), "C")

    def code(context, builder, signature, args):
        number = context.get_value_type(types.intp)
        itemsize = context.get_abi_sizeof(context.get_data_type(kind.dtype))
        lengths, size, strides, overflow = args[: len(shape)], number(itemsize), [], ir.IntType(1)(0)
        for one in reversed(lengths):
            strides.insert(0, size)
            product = builder.smul_with_overflow(size, one)
            size, overflow = builder.extract_value(product, 0), builder.or_(overflow, builder.extract_value(product, 1))
        size = builder.select(overflow, number(_TOO_MANY), size)
        meminfo = context.nrt.meminfo_alloc_aligned(builder, size, context.get_preferred_array_alignment(kind.dtype))
        data = context.nrt.meminfo_data(builder, meminfo)
        n_items = lengths[0] if len(lengths) == 1 else builder.mul(*lengths, flags=["nsw"])
        array = context.get_value_type(kind)
        return structure(builder, array, (meminfo, None), n_items, number(itemsize), data, lengths, strides)

    return kind(*(types.intp for _ in shape), dtype), code


@intrinsic
def vector(typing, n, dtype):
    """An array of n elements, not set."""
    return _array_of((n,), dtype)


@intrinsic
def matrix(typing, n, m, dtype):
    """An array of n × m elements, C order, not set."""
    return _array_of((n, m), dtype)
