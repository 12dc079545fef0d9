# mypy: allow-untyped-defs
"""Thresholds: midway between the values on either side of a split, worked out when a tree is grown.

All nodes in one go: the values are far apart in memory, and the processor fetches those of several nodes at a time.
"""

from __future__ import annotations

import numpy as np

from tamis.engine.kernel import njit
from tamis.forest.layout import CATEGORY, COLUMN


@njit(error_model="numpy")
def write_thresholds(binned, nodes, cuts, following):
    """The threshold of every split of a numeric column.

    cuts and following hold the node's own largest code on the left and smallest on the right (the code for missing:
    none).
    """
    n_values, first, lows, highs = binned.n_values, binned.first, binned.low, binned.high
    for k in range(len(nodes)):
        if nodes[k].left >= 0 and nodes[k].column & CATEGORY == 0:
            column = nodes[k].column & COLUMN
            begin, low, high = first[column], np.int64(cuts[k]), np.int64(following[k])
            if high == n_values[column]:
                nodes[k].threshold = np.inf
            else:
                a, b = highs[begin + low], lows[begin + high]
                middle = 0.5 * a + 0.5 * b
                nodes[k].threshold = middle if a <= middle < b else a


@njit(error_model="numpy")
def widen_cuts(binned, nodes, cuts, following):
    """Make every cut the last code whose values go left: rows that were not drawn lie between the node's own values."""
    first, lows = binned.first, binned.low
    for k in range(len(nodes)):
        if nodes[k].left >= 0 and nodes[k].column & CATEGORY == 0:
            begin = first[nodes[k].column & COLUMN]
            cuts[k] = _last_code(lows, begin, nodes[k].threshold, np.int64(cuts[k]), np.int64(following[k]))


@njit(error_model="numpy", forceinline=True)
def _last_code(lows, first, threshold, low, high):
    """The last code from `low` up, below `high`, whose values go left.

    Looked for from the middle outwards, where it mostly is: near places share a line of the cache.
    """
    at, step = (low + high) >> 1, 1
    if lows[first + at] <= threshold:
        low = at
        while low + step < high and lows[first + low + step] <= threshold:
            low += step
            step <<= 1
        high = min(high, low + step)
    else:
        high = at
        while high - step > low and lows[first + high - step] > threshold:
            high -= step
            step <<= 1
        low = max(low, high - step)
    while low + 1 < high:
        middle = (low + high) >> 1
        if lows[first + middle] <= threshold:
            low = middle
        else:
            high = middle
    return low
