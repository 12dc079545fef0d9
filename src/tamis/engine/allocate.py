# mypy: ignore-errors
"""Arrays made inside kernels, without a function of Numba's for each kind of shape and dtype.

`np.empty` in a kernel is a function that is typed, lowered and optimised anew for every dtype, for one and for two
dimensions, and for every number written out in the call: 32 of the 160 functions of a growing forest.
"""

from __future__ import annotations

from numba import types
from numba.core.typing.npydecl import parse_dtype
from numba.extending import intrinsic
from numba.np.arrayobj import _empty_nd_impl


def _array_of(shape, dtype):
    """The type of an array, C order, and how to make one."""
    kind = types.Array(parse_dtype(dtype), len(shape), "C")

    def code(context, builder, signature, args):
        return _empty_nd_impl(context, builder, kind, args[: len(shape)])._getvalue()

    return kind(*(types.intp for _ in shape), dtype), code


@intrinsic
def vector(typing, n, dtype):
    """An array of n elements, not set."""
    return _array_of((n,), dtype)


@intrinsic
def matrix(typing, n, m, dtype):
    """An array of n × m elements, C order, not set."""
    return _array_of((n, m), dtype)
