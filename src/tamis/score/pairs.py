# mypy: allow-untyped-defs
"""The compiled half of the interaction score: contingency tables of pairs of columns."""

from __future__ import annotations

import numpy as np

from tamis.engine.kernel import njit


@njit
def cells(codes, sizes, used):
    """Fill `used` (d, d) with the number of value pairs that occur, for i < j."""
    d, n = codes.shape
    for i in range(d):
        for j in range(i + 1, d):
            seen = np.zeros(sizes[i] * sizes[j], dtype=np.bool_)
            for r in range(n):
                seen[np.int64(codes[i, r]) * sizes[j] + codes[j, r]] = True
            used[i, j] = seen.sum()


@njit
def synergy(codes, sizes, classes, n_classes, xlogx, single, out):
    """Fill `out` (d, d), i < j, with I(pair; y) − I(i; y) − I(j; y); `xlogx[c]` is c log c, `single` the last two."""
    d, n = codes.shape
    counts = np.zeros((sizes.max() ** 2, n_classes), dtype=np.int32)
    totals = np.zeros(n_classes, dtype=np.int64)
    for r in range(n):
        totals[classes[r]] += 1
    base = xlogx[n]
    for c in range(n_classes):
        base -= xlogx[totals[c]]
    for i in range(d):
        for j in range(i + 1, d):
            width = np.int64(sizes[j])
            table = counts[: sizes[i] * width]
            table[:] = 0
            left, right = codes[i], codes[j]
            for r in range(n):
                table[left[r] * width + right[r], classes[r]] += 1
            inside = 0.0
            for line in range(len(table)):
                total = 0
                for c in range(n_classes):
                    total += table[line, c]
                    inside += xlogx[table[line, c]]
                inside -= xlogx[total]
            out[i, j] = (inside + base) / n - single[i] - single[j]
