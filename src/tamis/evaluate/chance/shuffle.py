"""The target of another row for every row."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis.engine import generator

__all__ = ["permuted"]


def permuted(y: np.ndarray, seed: int, number: int, groups: Any = None, time: Any = None) -> np.ndarray:
    """The target of another row for every row.

    Rows in time order are shifted round by a random stretch, so that neighbours stay neighbours; where all rows of a
    group share one target, whole groups swap theirs; else rows are shuffled.

    >>> sorted(permuted(np.array([1, 2, 3]), 0, 0).tolist())
    [1, 2, 3]
    """
    draw = generator(seed, "permutation", number)
    if time is not None:
        order = np.argsort(np.asarray(time), kind="stable")
        shifted = y.copy()
        shifted[order] = np.roll(y[order], int(draw.integers(1, len(y))))
        return shifted
    if groups is not None:
        first, codes = np.unique(np.asarray(groups), return_index=True, return_inverse=True)[1:]
        if np.array_equal(y[first][codes], y):
            return np.asarray(draw.permutation(y[first])[codes])
    return np.asarray(draw.permutation(y))
