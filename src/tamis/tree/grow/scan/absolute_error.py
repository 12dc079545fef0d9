# mypy: allow-untyped-defs
"""Absolute error: the best cut when each side answers with its median.

Two Fenwick trees over the ranks of the node's targets, one of all rows and one of those on the left, give the median
and the absolute deviation of both sides after every move in O(log n).
"""

from __future__ import annotations

import numpy as np

from tamis.engine.kernel import inner
from tamis.tree.grow.layout import HIGH, PLACE
from tamis.tree.grow.scan.sort import sort_by

# rows of the buffer `fenwick`
ALL, ALL_SUM, LEFT, LEFT_SUM, RANKED = range(5)


@inner
def rank_targets(values, m, median):
    """Ranks 1 … m of the node's targets, and the targets in that order, into the MedianBuffers."""
    rank, fenwick, order = median.rank, median.fenwick, median.rank[1]
    sort_by(values[:, 0], m, order, rank[2])
    for r in range(m):
        rank[0, order[r]] = r + 1
        fenwick[RANKED, r + 1] = values[order[r], 0]


@inner
def median_of(weight, rank, fenwick, m):
    """Weighted median of the node's targets, midway where the weight splits evenly; after `rank_targets`."""
    total = 0.0
    for i in range(m):
        fenwick[ALL, rank[i]] = weight[i]
        total += weight[i]
    below = 0.0
    for r in range(1, m + 1):
        below += fenwick[ALL, r]
        if below > 0.5 * total * (1.0 + 1e-14):
            return fenwick[RANKED, r]
        if below >= 0.5 * total * (1.0 - 1e-14):
            return 0.5 * (fenwick[RANKED, r] + fenwick[RANKED, min(r + 1, m)])
    return fenwick[RANKED, m]


@inner
def _add(fenwick, which, m, r, w, wy):
    while r <= m:
        fenwick[which, r] += w
        fenwick[which + 1, r] += wy
        r += r & -r


@inner
def _deviation(fenwick, m, sign, weight, total, base):
    """Σ w |y - median| of the left rows (sign 0), or of all but them (sign 1); sums are of y - base."""
    step = 1
    while step * 2 <= m:
        step *= 2
    place, below, sum_below = 0, 0.0, 0.0
    while step:
        nxt = place + step
        if nxt <= m:
            w = fenwick[ALL, nxt] - fenwick[LEFT, nxt] if sign else fenwick[LEFT, nxt]
            if below + w < 0.5 * weight:
                below += w
                sum_below += fenwick[ALL_SUM, nxt] - fenwick[LEFT_SUM, nxt] if sign else fenwick[LEFT_SUM, nxt]
                place = nxt
        step //= 2
    median = fenwick[RANKED, min(place + 1, m)] - base
    return median * (2.0 * below - weight) + total - 2.0 * sum_below


@inner
def scan_absolute(keys, m, target, median, limits):
    """Best cut of sorted keys: improvement, and the codes around the cut (-2: none). m: rows of the node."""
    n, min_leaf, least = len(keys), limits.min_leaf, limits.min_weight
    values, weight, rank, fenwick = target.values, target.weight, median.rank[0], median.fenwick
    for r in range(m + 1):
        fenwick[ALL, r] = fenwick[ALL_SUM, r] = fenwick[LEFT, r] = fenwick[LEFT_SUM, r] = 0.0
    all_weight = all_sum = left_weight = left_sum = 0.0
    base = fenwick[RANKED, (m + 1) // 2]  # about the middle: no digits lost to a large mean
    for p in range(n):
        i = keys[p] & PLACE
        all_weight += weight[i]
        all_sum += weight[i] * (values[i, 0] - base)
        _add(fenwick, ALL, m, rank[i], weight[i], weight[i] * (values[i, 0] - base))
    parent = _deviation(fenwick, m, 1, all_weight, all_sum, base)
    best, cut, upper = -np.inf, -2, -2
    for p in range(n - 1):
        i = keys[p] & PLACE
        left_weight += weight[i]
        left_sum += weight[i] * (values[i, 0] - base)
        _add(fenwick, LEFT, m, rank[i], weight[i], weight[i] * (values[i, 0] - base))
        code, after = keys[p] >> HIGH, keys[p + 1] >> HIGH
        if code == after or p + 1 < min_leaf or n - p - 1 < min_leaf:
            continue
        found = parent - _deviation(fenwick, m, 0, left_weight, left_sum, base)
        found -= _deviation(fenwick, m, 1, all_weight - left_weight, all_sum - left_sum, base)
        heavy = left_weight >= least and all_weight - left_weight >= least
        if found > best + limits.slack and heavy:
            best, cut, upper = found, code, after
    return best, cut, upper
