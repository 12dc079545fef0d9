# mypy: allow-untyped-defs
"""The compiled half of the Relief family: what nearest hits and misses say about each column."""

from __future__ import annotations

import numpy as np

from tamis.engine.kernel import njit
from tamis.views.neighbours import differences


@njit
def hits_and_misses(points, rows, codes, found, priors, weights):
    """ReliefF: add to `weights` (targets, columns) what the nearest rows of each class say."""
    n_targets, n_classes, k = found.shape[1], found.shape[2], found.shape[3]
    for q in range(len(rows)):
        for t in range(n_targets):
            row_class = codes[t, rows[q]]
            for c in range(n_classes):
                size = 0
                while size < k and found[q, t, c, size] >= 0:
                    size += 1
                factor = -1.0 if c == row_class else priors[c] / (1.0 - priors[row_class])
                for a in range(size):
                    differences(points, rows[q], found[q, t, c, a], factor / size, weights[t])


@njit
def near_and_far(points, rows, y, found, apart, changed, both):
    """RReliefF: add up differing targets (`apart`), differing columns (`changed`) and both at once, over neighbours."""
    k = found.shape[3]
    change = np.empty(len(changed))
    for q in range(len(rows)):
        size = 0
        while size < k and found[q, 0, 0, size] >= 0:
            size += 1
        for a in range(size):
            other = found[q, 0, 0, a]
            change[:] = 0.0
            differences(points, rows[q], other, 1.0 / size, change)
            for j in range(len(change)):
                changed[j] += change[j]
            for t in range(len(y)):
                gap = abs(y[t, rows[q]] - y[t, other])
                apart[t] += gap / size
                for j in range(len(change)):
                    both[t, j] += gap * change[j]
