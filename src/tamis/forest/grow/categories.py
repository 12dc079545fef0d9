# mypy: allow-untyped-defs
"""The best set of levels of a categorical column.

Levels are put in the order of the target's mean in the node (two classes: of a class's share; more: of the share of one
class drawn by its weight), and the order is cut like numbers are: for numbers and two classes no set is better
(Fisher 1958). A missing value is a level of its own. Levels of pure noise scatter around the node's mean, and a cut of
their order captures 2/π of that scatter: each level beyond the tenth is charged for it.
"""

from __future__ import annotations

import numpy as np

from tamis.engine.kernel import inner
from tamis.forest.data.rng import uniform
from tamis.forest.grow.scan.deviation import fall, sum_squares
from tamis.forest.grow.scan.ordered import MARGIN
from tamis.forest.grow.scan.sums import count_drawn, sum_classes, sum_number
from tamis.forest.layout import CLASSES

FREE = 10  # levels that are not charged for
DENSE = 64  # levels of which all are looked at, met or not
COMPARED = 16  # levels up to which each is compared with each: no branch that could be mispredicted


@inner(forceinline=True)
def best_levels(kind, part, m, absent, node, limits, best, work):
    """Improvement of the best set; the levels that go left are work.level[:n]; n is 0 when none is better."""
    bucket, table, level = work.bucket, work.table, work.level
    n_sums, random = 1 if kind is None else len(work.left), limits.random_cut
    n_levels = _gather(kind, m, absent, n_sums, limits.min_leaf, work)
    if part is not None:  # noqa: SIM102 - what is None is known when it is compiled
        if limits.by_deviation:
            sum_squares(m, work)
    found = 0
    if n_levels > 1:
        _arrange(kind, n_levels, n_sums, node.total, random, work)
        pick = 1 + int(uniform(work.state) * (n_levels - 1)) if random else 0
        best, found = _cut_order(kind, part, n_levels, n_sums, pick, node, limits, best, work)
    for i in range(n_levels):
        bucket[level[i], 0] = 0.0
        bucket[level[i], 1] = bucket[level[i], 2] = 0.0
        for t in range(n_sums):
            table[level[i] * n_sums + t] = 0.0
    return best, found


@inner(forceinline=True)
def _cut_order(kind, part, n_levels, n_sums, pick, node, limits, best, work):
    """Improvement, and how many levels in their order go left; 0 when no cut is better. pick: the only one tried."""
    left, bucket, table, level, sums, total = work.left, work.bucket, work.table, work.level, work.sums, node.total
    charge, undivided = _charge(kind, n_levels, n_sums, pick > 0, node)
    if part is not None:  # noqa: SIM102 - what is None is known when it is compiled
        if limits.by_deviation:  # a small fall of the variance is one of the deviation by half of it over the deviation
            charge /= 2.0 * np.sqrt(node.impurity)
    found, v, q, n_left, least = 0, 0.0, 0.0, 0.0, limits.min_leaf
    for t in range(n_sums):
        left[t] = 0.0
    for i in range(n_levels - 1):
        at = level[i]
        v += bucket[at, 0]
        q += bucket[at, 2]
        n_left += bucket[at, 1]
        squares = other = 0.0
        for t in range(n_sums):
            one = left[t] + table[at * n_sums + t]
            left[t] = one
            squares += one * one
            if kind == CLASSES:
                other += (sums[t] - one) * (sums[t] - one)
        rest = total - v
        if v < limits.min_weight or rest < limits.min_weight or (pick and i + 1 != pick):
            continue
        if least > 1 and (n_left < least or node.n_count - n_left < least):
            continue
        gain = (squares / v + other / rest if kind == CLASSES else squares / (v * rest)) - charge
        if part is not None:  # noqa: SIM102 - what is None is known when it is compiled
            if limits.by_deviation:
                gain = fall(left[0], q, v, node) - charge
        if gain > best * MARGIN and (charge == 0.0 or gain > undivided):
            best = gain
            found = i + 1
    return best, found


@inner(forceinline=True)
def _charge(kind, n_levels, n_sums, random, node):
    """What noise would bring with so many levels, and the score of no split at all."""
    if n_levels <= FREE or random:
        return 0.0, 0.0
    directions = n_sums - 1 if kind == CLASSES else 1
    charge = 2.0 / np.pi * (n_levels - FREE) * node.impurity / (node.n_count * directions)
    if kind == CLASSES:  # gains of classes are sums, those of numbers per unit of weight
        return charge * node.total, node.whole / node.total
    return charge, 0.0


@inner(forceinline=True)
def _gather(kind, m, absent, n_sums, least, work):
    """bucket: weight (and drawn rows, if needed) of each level; table: sums of the target; returns the levels met."""
    code, weight, bucket, table, level = work.code, work.weight, work.bucket, work.table, work.level
    n, stride, dense = 0, np.uint64(n_sums), absent < max(m, DENSE)
    if kind == CLASSES:
        sum_classes(m, absent, n_sums, work)
    if dense and kind is None:
        sum_number(m, absent, work)
    elif kind != CLASSES or not dense:
        for i in range(m):
            at = code[i]
            level[n] = at
            n += bucket[at, 0] == 0.0
            bucket[at, 0] += weight[i]
            if kind is None:
                table[at] += work.z[i]
    if kind is not None and kind != CLASSES:
        for i in range(m):
            for t in range(n_sums):
                table[code[i] * stride + np.uint64(t)] += work.zs[i, t]
    elif dense:
        for k in range(absent + 1):
            if kind == CLASSES:  # the weight of a level is that of its classes
                v = 0.0
                for c in range(n_sums):
                    v += table[k * n_sums + c]
                bucket[k, 0] = v
            level[n] = k
            n += bucket[k, 0] > 0.0
    if least > 1:
        if work.unit_weights[0]:
            for i in range(n):
                bucket[level[i], 1] = bucket[level[i], 0]
        else:
            count_drawn(m, work)
    return n


@inner(forceinline=True)
def _arrange(kind, n, n_sums, total, random, work):
    """Sort work.level by mean, then by level; at random when the cut is."""
    sums, bucket, table, mean, level = work.sums, work.bucket, work.table, work.mean, work.level
    which = 0
    if kind == CLASSES:
        at = uniform(work.state) * total
        while which < n_sums - 1 and at >= sums[which]:
            at -= sums[which]
            which += 1
    if n <= COMPARED and not random:
        for i in range(n):
            mean[i] = table[level[i] * n_sums + which] / bucket[level[i], 0]
        _by_comparison(n, mean, level, work.begins)
        return
    for i in range(n):
        one = level[i]
        mean[one] = uniform(work.state) if random else table[one * n_sums + which] / bucket[one, 0]
    gap = 1
    while gap < n // 3:
        gap = 3 * gap + 1
    while gap >= 1:
        for i in range(gap, n):
            moved = level[i]
            mean_moved = mean[moved]
            to = i
            while to >= gap:
                other = level[to - gap]
                if mean[other] < mean_moved or (mean[other] == mean_moved and other < moved):
                    break
                level[to] = other
                to -= gap
            level[to] = moved
        gap //= 3


@inner(forceinline=True)
def _by_comparison(n, mean, level, ordered):
    """Sort n levels by mean[i], the mean of level[i], then by level; `ordered` is a buffer."""
    for i in range(n):
        mean_i, level_i, place = mean[i], level[i], 0
        for q in range(n):
            place += (mean[q] < mean_i) | ((mean[q] == mean_i) & (level[q] < level_i))
        ordered[place] = level_i
    for i in range(n):
        level[i] = ordered[i]
