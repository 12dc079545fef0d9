# mypy: ignore-errors
"""The rows of a node in the order of a column's codes."""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from tamis.engine.kernel import inner

FEW = 64  # rows up to which each is compared with each, as many at a time as the processor can


def _places(lanes):
    """A kernel: place[j] = how many of the first m keys are smaller than key[j], for j below `lanes`.

    Written as vectors, because the compiler does not find them: a third of the time of the same loops, and no branch
    that could be mispredicted.
    """

    @intrinsic
    def places(typing, key, m, place):
        def code(context, builder, signature, args):
            i32, i64 = ir.IntType(32), ir.IntType(64)
            vector = ir.VectorType(i32, lanes)
            read, written = (context.make_array(signature.args[k])(context, builder, args[k]).data for k in (0, 2))
            keys = builder.load(builder.bitcast(read, vector.as_pointer()), align=4)
            before, loop, after = builder.block, builder.append_basic_block(), builder.append_basic_block()
            builder.branch(loop)
            builder.position_at_end(loop)
            i, found = builder.phi(i64), builder.phi(vector)
            one = builder.insert_element(
                ir.Constant(vector, ir.Undefined), builder.load(builder.gep(read, [i])), ir.Constant(i32, 0)
            )
            everywhere = builder.shuffle_vector(one, ir.Constant(vector, ir.Undefined), ir.Constant(vector, None))
            smaller = builder.sext(builder.icmp_signed("<", everywhere, keys), vector)  # -1 where it is
            more, following = builder.sub(found, smaller), builder.add(i, ir.Constant(i64, 1))
            i.add_incoming(ir.Constant(i64, 0), before)
            i.add_incoming(following, loop)
            found.add_incoming(ir.Constant(vector, None), before)
            found.add_incoming(more, loop)
            builder.cbranch(builder.icmp_signed("<", following, args[1]), loop, after)
            builder.position_at_end(after)
            builder.store(more, builder.bitcast(written, vector.as_pointer()), align=4)
            return context.get_dummy_value()

        return types.void(key, types.int64, place), code

    return places


_places_8, _places_16, _places_32, _places_64 = (_places(lanes) for lanes in (8, 16, 32, FEW))


@inner(forceinline=True)
def by_comparison(code, m, key, place, order):
    """order: positions 0 … m - 1 in the order of their codes, for m up to FEW."""
    for i in range(m):
        key[i] = (np.int32(code[i]) << np.int32(7)) | np.int32(i)
    if m <= 8:
        _places_8(key, m, place)
    elif m <= 16:
        _places_16(key, m, place)
    elif m <= 32:
        _places_32(key, m, place)
    else:
        _places_64(key, m, place)
    for i in range(m):
        order[place[i]] = i


@inner(forceinline=True)
def by_bucket(code, m, n_buckets, begins, order):
    """order: positions 0 … m - 1 in the order of their codes, which are below n_buckets."""
    for k in range(n_buckets + 1):
        begins[k] = 0
    for i in range(m):
        begins[code[i] + 1] += 1
    for k in range(n_buckets):
        begins[k + 1] += begins[k]
    for i in range(m):
        at = begins[code[i]]
        order[at] = i
        begins[code[i]] = at + 1
