# mypy: allow-untyped-defs
"""The compiled half of the stump: the best single split of a contingency table whose last line is missing values."""

from __future__ import annotations

import numpy as np

from tamis.engine.kernel import njit


@njit
def weigh(codes, classes, weights, counts):
    """Weight of each value and class."""
    for i in range(len(codes)):
        counts[codes[i], classes[i]] += weights[i]


@njit
def threshold(counts):
    """Weight that the best {x ≤ t} gets right, missing values on either side; 0 where nothing can be split."""
    n_values, n_classes = len(counts) - 1, counts.shape[1]
    right = np.empty(n_classes)
    best = 0.0
    for missing_left in range(2):
        left = counts[n_values] * missing_left
        right[:] = counts.sum(axis=0) - left
        for v in range(-1, n_values):
            if v >= 0:
                for c in range(n_classes):
                    left[c] += counts[v, c]
                    right[c] -= counts[v, c]
            if left.max() > 0 and right.max() > 0:
                best = max(best, left.max() + right.max())
    return best


@njit
def levels(counts):
    """Weight that the best set of levels gets right; 0 where only one level has rows."""
    used = 0
    for v in range(len(counts)):
        if counts[v].sum() > 0:
            used += 1
    if used < 2:
        return 0.0
    n_classes = counts.shape[1]
    best = 0.0
    for a in range(n_classes):
        for b in range(a):
            right = 0.0
            for v in range(len(counts)):
                right += max(counts[v, a], counts[v, b])
            best = max(best, right)
    return best
