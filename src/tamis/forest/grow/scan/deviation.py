# mypy: ignore-errors
"""The best cut of a node's rows along one column by the fall of the standard deviation (Quinlan's M5).

With z = w (y - mean of the node), a cut whose left side has the sums s of z, q of z² / w and v of w leaves

    √(v q - s²) + √((W - v) (Q - q) - s²) = v · deviation on the left + (W - v) · deviation on the right,

W and Q being those of the node. Two sides of equal mean bring no squared error down, but their deviations fall together
as soon as they differ: a column that acts only in a product with another (y = a b scatters with |a|) is seen. Squares
are compared with squares, so that a root is only taken for a cut that is better than the best so far:
√A + √B < c when t = c² - A - B > 0 and t² > 4 A B.
"""

from __future__ import annotations

import numpy as np

from tamis.engine.kernel import inner
from tamis.forest.grow.scan.sums import count_drawn, sum_number

#: A side whose squares are a smaller part of the node's has none: its root would be one of rounding, and decide between
#: equal cuts differently for a row given twice and one that weighs 2.
NONE = 1e-12
LESS = 1.0 - 1e-8  # a cut must be better than the one before by more than rounding, a root of it


@inner(forceinline=True)
def square(m, work):
    """work.zs = w (y - mean)², from z and w."""
    for i in range(m):
        work.zs[i, 0] = work.z[i] * work.z[i] / work.weight[i]


@inner(forceinline=True)
def bar_of(best, node):
    """The square of what a better cut must stay below; best: the fall so far, below 0 for none."""
    if best < 0.0:
        return np.inf
    most = node.total * (np.sqrt(node.impurity) - best) * LESS
    return most * most


@inner(forceinline=True)
def squared_sides(s, q, v, node):
    """The squares of weight times deviation on either side."""
    rest, whole = node.total - v, node.impurity * node.total
    left, right = v * q - s * s, rest * (whole - q) - s * s
    return left if left > NONE * v * whole else 0.0, right if right > NONE * rest * whole else 0.0


@inner(forceinline=True)
def fall(s, q, v, node):
    """By how much the deviation falls, the two sides by their weights."""
    left, right = squared_sides(s, q, v, node)
    after = np.sqrt(left) + np.sqrt(right)
    return max(np.sqrt(node.impurity) - after / node.total, 0.0)


@inner(forceinline=True)
def is_below(s, q, v, node, bar):
    """Whether a cut is better than the one that `bar` stands for."""
    left, right = squared_sides(s, q, v, node)
    apart = bar - left - right
    return apart > 0.0 and apart * apart > 4.0 * left * right


@inner(forceinline=True)
def scan_deviation(end, code, node, limits, work, s, q, v, n_left, best):
    """As scan_number of ordered.py, with q on the left from the beginning, too."""
    order, weight, count, z, zs, least = work.order, work.weight, work.counts, work.z, work.zs, limits.min_leaf
    at, bar = -1, bar_of(best, node)
    for i in range(end - 1):
        p = order[i]
        s += z[p]
        q += zs[p, 0]
        v += weight[p]
        n_left += count[p]
        if (
            code[p] != code[order[i + 1]]
            and is_below(s, q, v, node, bar)
            and v >= limits.min_weight
            and node.total - v >= limits.min_weight
            and n_left >= least
            and node.n_count - n_left >= least
        ):
            best = fall(s, q, v, node)
            bar, at = bar_of(best, node), i
    return best, at


@inner
def sum_squares(m, work):
    """bucket[k, 2]: sum of z² / w of the rows with the code k; they are 0 before."""
    code, zs, bucket = work.code, work.zs, work.bucket
    for i in range(m):
        bucket[code[i], 2] += zs[i, 0]


@inner(forceinline=True)
def counted_deviation(m, n, may_miss, node, limits, best, work):
    """As best_cut of split.py, for codes that are buckets: sums of every bucket, no order."""
    bucket, table, least = work.bucket, work.table, limits.min_leaf
    sum_number(m, n if may_miss else n - 1, work)
    sum_squares(m, work)
    count_drawn(m, work)
    with_missing = may_miss and bucket[n, 0] > 0.0
    cut, missing_left = np.int64(-1), False
    for side in range(1 + with_missing):
        v, s, q, n_left, last = 0.0, 0.0, 0.0, 0.0, n + with_missing - 1
        if side:
            v, s, q, n_left, last = bucket[n, 0], table[n], bucket[n, 2], bucket[n, 1], n - 1
        bar = bar_of(best, node)
        for k in range(last):
            v += bucket[k, 0]
            s += table[k]
            q += bucket[k, 2]
            n_left += bucket[k, 1]
            if (
                is_below(s, q, v, node, bar)
                and v >= limits.min_weight
                and node.total - v >= limits.min_weight
                and n_left >= least
                and node.n_count - n_left >= least
            ):
                best = fall(s, q, v, node)
                bar = bar_of(best, node)
                cut, missing_left = k, side == 1
    for k in range(n + with_missing):
        bucket[k, 0] = bucket[k, 1] = bucket[k, 2] = table[k] = 0.0
    return best, cut, missing_left
