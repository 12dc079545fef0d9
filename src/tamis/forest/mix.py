# mypy: allow-untyped-defs
"""A 64-bit digest of every row, a column at a time."""

from __future__ import annotations

import numpy as np

from tamis.engine.kernel import njit


@njit
def _stir(x):
    x ^= x >> np.uint64(32)
    x *= np.uint64(0xD6E8FEB86659FD93)
    x ^= x >> np.uint64(29)
    return x * np.uint64(0xA0761D6478BD642F)


@njit
def mix_codes(codes, digest):
    """Stir a column of codes into the digests of the rows."""
    for i in range(len(codes)):
        digest[i] = _stir(digest[i] + np.uint64(codes[i]) + np.uint64(0x9E3779B97F4A7C15))


@njit
def mix_numbers(bits, digest):
    """Stir a column of doubles, given as their bits, into the digests of the rows."""
    for i in range(len(bits)):
        digest[i] = _stir(digest[i] ^ bits[i])
