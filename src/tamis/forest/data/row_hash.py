"""Numbers stirred into the digest of every row, as the core stirs in codes; and the order of the digests."""

from __future__ import annotations

from typing import Any

import numpy as np


def _mixed(x: Any) -> Any:
    """The mixer of `_core/row_order.hpp`."""
    x ^= x >> np.uint64(32)
    x *= np.uint64(0xD6E8FEB86659FD93)
    x ^= x >> np.uint64(29)
    return x * np.uint64(0xA0761D6478BD642F)


def hash_numbers(bits: np.ndarray, digest: np.ndarray) -> None:
    """Stir a column of doubles, given as their bits, into the digests of the rows: one or two a fit, no kernel."""
    digest[:] = _mixed(digest ^ bits)


def order_of(digest: np.ndarray) -> np.ndarray:
    """`np.argsort(digest, kind="stable")`, row numbers in the last bits of the digests: a tenth of the time.

    >>> order_of(np.array([7, 2**60, 2**59, 2**60, 0], dtype=np.uint64)).tolist()
    [4, 0, 2, 1, 3]
    """
    bits = np.uint64(max(len(digest) - 1, 1).bit_length())
    rows = np.arange(len(digest), dtype=np.uint64)
    order = np.sort((digest >> bits << bits) | rows) & ((np.uint64(1) << bits) - np.uint64(1))
    inner = digest[order]
    if (inner[1:] < inner[:-1]).any():  # different in the last bits only
        return np.argsort(digest, kind="stable")
    return order.astype(np.int64)
