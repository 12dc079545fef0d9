# mypy: allow-untyped-defs
"""The rows of a node in the order of a column's codes."""

from __future__ import annotations

import numpy as np
from numba import types
from numba.extending import intrinsic

from tamis.engine.kernel import njit

FEWEST = 8  # rows up to which insertion is quickest
FEW = 32  # rows up to which each is compared with each: no branch to mispredict, 8 comparisons an instruction


@intrinsic
def _lowest_bit(typing, word):
    """Position of the lowest bit that is set in a uint64 that is not zero."""

    def code(context, builder, signature, args):
        one = context.get_constant(types.boolean, True)
        return builder.cttz(args[0], one)

    return types.uint64(types.uint64), code


@njit(error_model="numpy", forceinline=True)
def _order_fewest(code, m, key, order):
    for i in range(m):
        mine = (np.int32(code[i]) << np.int32(15)) | np.int32(i)
        j = i
        while j > 0 and key[j - 1] > mine:
            key[j] = key[j - 1]
            j -= 1
        key[j] = mine
    for i in range(m):
        order[i] = key[i] & np.int32(0x7FFF)


@njit(error_model="numpy", forceinline=True)
def _order_few(code, m, key, order):
    for i in range(m):
        key[i] = (np.int32(code[i]) << np.int32(15)) | np.int32(i)
    for j in range(m):
        mine = key[j]
        place = np.int32(0)
        for i in range(m):
            place += np.int32(key[i] < mine)
        order[place] = j


@njit(error_model="numpy", forceinline=True)
def _order_many(code, m, bits, summary, head, after, order):
    """order: positions 0 … m - 1 by their codes, whatever the number of rows.

    Every code sets its bit; reading the bits in turn gives the codes in order, and a chain leads through the rows of a
    code. `summary` has a bit for each word of `bits` that holds one. bits and summary are zero and head is -1 before
    and after.
    """
    for i in range(m):
        c = code[i]
        word = c >> np.uint16(6)
        bits[word] |= np.uint64(1) << np.uint64(c & np.uint16(63))
        summary[word >> np.uint16(6)] |= np.uint64(1) << np.uint64(word & np.uint16(63))
        after[i] = head[c]
        head[c] = i
    n = 0
    for s in range(len(summary)):
        outer = summary[s]
        summary[s] = 0
        while outer != 0:
            word = np.uint64(s << 6) + _lowest_bit(outer)
            outer &= outer - np.uint64(1)
            inner = bits[word]
            bits[word] = 0
            while inner != 0:
                c64 = (word << np.uint64(6)) + _lowest_bit(inner)
                inner &= inner - np.uint64(1)
                i = head[c64]
                head[c64] = -1
                while i >= 0:
                    order[n] = i
                    n += 1
                    i = after[i]


@njit(error_model="numpy", forceinline=True)
def by_code(code, m, key, bits, summary, head, after, order):
    """order: positions 0 … m - 1 in the order of their codes."""
    if m <= FEWEST:
        _order_fewest(code, m, key, order)
    elif m <= FEW:
        _order_few(code, m, key, order)
    else:
        _order_many(code, m, bits, summary, head, after, order)
