# mypy: allow-untyped-defs
"""Sets of rows as bits, 64 rows a word: rows in two sets are counted by one AND and one population count a word."""

from __future__ import annotations

import numpy as np

from tamis.engine.kernel import inner, njit

_PAIRS, _FOURS, _BYTES = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333), np.uint64(0x0F0F0F0F0F0F0F0F)
_ONES, _TOP = np.uint64(0x0101010101010101), np.uint64(56)
_ONE, _TWO, _FOUR, _SIX, _LOW = np.uint64(1), np.uint64(2), np.uint64(4), np.uint64(6), np.uint64(63)


@inner
def popcount(word):
    """Number of bits that are set; LLVM knows these four lines and makes one instruction of them."""
    word = word - ((word >> _ONE) & _PAIRS)
    word = (word & _FOURS) + ((word >> _TWO) & _FOURS)
    word = (word + (word >> _FOUR)) & _BYTES
    return (word * _ONES) >> _TOP


@njit
def pack(codes, first, bits):
    """Set in `bits` (levels, words) the bit of each row in the line first[j] + code of every line j of `codes`.

    A code beyond the lines of j, first[j + 1] − first[j] of them, sets none.
    """
    for j in range(len(codes)):
        lines = first[j + 1] - first[j]
        for r in range(codes.shape[1]):
            code = np.int64(codes[j, r])
            if code < lines:
                row = np.uint64(r)
                bits[first[j] + code, np.int64(row >> _SIX)] |= _ONE << (row & _LOW)
