# mypy: allow-untyped-defs
"""The best set of levels of a categorical column.

Levels are put in the order of the target's mean in the node (two classes: of a class's share; more: of the share of one
class drawn by its weight), and the order is cut like numbers are: for numbers and two classes no set is better
(Fisher 1958). A missing value is a level of its own. Levels of pure noise scatter around the node's mean, and a cut of
their order captures 2/π of that scatter: each level beyond the tenth is charged for it.
"""

from __future__ import annotations

import numpy as np

from tamis.engine.kernel import njit
from tamis.forest.chance import share
from tamis.forest.layout import CLASSES, NUMBER
from tamis.forest.scan import MARGIN

FREE = 10  # levels that are not charged for


@njit(error_model="numpy")
def best_levels(kind, m, total, impurity, n_count, least, floor, random, state, work, best):
    """Improvement of the best set; the levels that go left are work.level[:n]; n is 0 when none is better.

    impurity is that of the node, per unit of weight.
    """
    n_sums = 1 if kind == NUMBER else len(work.left)
    n_levels = _gather(kind, m, n_sums, work)
    if n_levels < 2:
        _forget(n_levels, n_sums, work)
        return best, 0
    _arrange(kind, n_levels, n_sums, total, random, state, work)
    charge = 0.0
    if n_levels > FREE and not random:
        directions = n_sums - 1 if kind == CLASSES else 1
        charge = 2.0 / np.pi * (n_levels - FREE) * impurity / (n_count * directions)
        if kind == CLASSES:
            charge *= total  # gains of classes are sums, those of numbers per unit of weight
    v, n_left = 0.0, 0.0
    work.left[:] = 0.0
    found = 0
    stop = n_levels - 1
    pick = 1 + int(share(state) * stop) if random else 0
    for i in range(stop):
        level = work.level[i]
        v += work.heap[level, 0]
        n_left += work.heap[level, 2]
        for t in range(n_sums):
            work.left[t] += work.table[level * n_sums + t]
        if n_left < least or n_count - n_left < least or v < floor or total - v < floor or (random and i + 1 != pick):
            continue
        gain = _worth(kind, n_sums, v, total, work) - charge
        if gain > best * MARGIN and (charge == 0.0 or gain > _undivided(kind, total, work)):
            best = gain
            found = i + 1
    _forget(n_levels, n_sums, work)
    return best, found


@njit(error_model="numpy")
def _undivided(kind, total, work):
    if kind != CLASSES:
        return 0.0
    out = 0.0
    for c in range(len(work.sums)):
        out += work.sums[c] * work.sums[c]
    return out / total


@njit(error_model="numpy")
def _worth(kind, n_sums, v, total, work):
    rest = total - v
    squares = other = 0.0
    for t in range(n_sums):
        squares += work.left[t] * work.left[t]
        if kind == CLASSES:
            off = work.sums[t] - work.left[t]
            other += off * off
    if kind == CLASSES:
        return squares / v + other / rest
    return squares / (v * rest)


@njit(error_model="numpy")
def _gather(kind, m, n_sums, work):
    """Sums of each level: weight and count in heap, the target's in table; the levels met, in work.level."""
    n = 0
    for i in range(m):
        level = np.int64(work.code[i])
        if work.heap[level, 2] == 0.0:
            work.level[n] = level
            n += 1
        work.heap[level, 0] += work.weight[i]
        work.heap[level, 2] += work.counts[i]
        if kind == NUMBER:
            work.table[level] += work.z[i]
        elif kind == CLASSES:
            work.table[level * n_sums + work.classes[i]] += work.weight[i]
        else:
            for t in range(n_sums):
                work.table[level * n_sums + t] += work.zs[i, t]
    return n


@njit(error_model="numpy")
def _forget(n_levels, n_sums, work):
    for i in range(n_levels):
        level = work.level[i]
        work.heap[level, 0] = 0.0
        work.heap[level, 2] = 0.0
        for t in range(n_sums):
            work.table[level * n_sums + t] = 0.0


@njit(error_model="numpy")
def _arrange(kind, n, n_sums, total, random, state, work):
    """Sort work.level by mean, then by level; at random when the cut is."""
    which = 0
    if kind == CLASSES:
        at = share(state) * total
        while which < n_sums - 1 and at >= work.sums[which]:
            at -= work.sums[which]
            which += 1
    level, mean = work.level, work.mean
    for i in range(n):
        if random:
            mean[level[i]] = share(state)
        else:
            mean[level[i]] = work.table[level[i] * n_sums + which] / max(work.heap[level[i], 0], 1e-300)
    gap = 1
    while gap < n // 3:
        gap = 3 * gap + 1
    while gap >= 1:
        for i in range(gap, n):
            mine = level[i]
            at_ = i
            while at_ >= gap and _after(mean, level[at_ - gap], mine):
                level[at_] = level[at_ - gap]
                at_ -= gap
            level[at_] = mine
        gap //= 3


@njit(error_model="numpy")
def _after(mean, a, b):
    return mean[a] > mean[b] or (mean[a] == mean[b] and a > b)
