# mypy: allow-untyped-defs
"""The best division of a categorical column's levels into two at one node.

Two classes or one number: levels ordered by their mean, of which the best cut is the best of all 2^(k-1) - 1 divisions
(Fisher 1958; Breiman et al. 1984, theorem 4.5). Several classes or numbers: all divisions up to ten levels; beyond,
levels ordered along the first principal direction of their class shares (Coppersmith, Hong and Hosking 1999).
"""

from __future__ import annotations

import numpy as np

from tamis.engine.kernel import inner
from tamis.tree.grow.layout import ARRANGED, CHI2, CODE, DIR0, DIR1, DIR2, HIGH, ON_LEFT, PLACE, ROWS, SPARE
from tamis.tree.grow.scan.criterion import enough, goodness
from tamis.tree.grow.scan.sort import sort_by, sort_keys
from tamis.tree.grow.scan.thresholds import add, fill_table

EXHAUSTIVE = 10


@inner
def group_levels(criterion, s, keys, spare, digits, n, low, high, classes, values, weight, table, group):
    """One entry a level present, by ascending code: group[CODE], group[ROWS], table; returns their number."""
    span, g = high - low + 1, 0
    if span <= n:
        fill_table(criterion, s, keys, n, low, high, classes, values, weight, table, group[ROWS])
        for c in range(span):
            if group[ROWS, c]:
                group[CODE, g] = c + low
                group[ROWS, g] = group[ROWS, c]
                for k in range(s):
                    table[g, k] = table[c, k]
                g += 1
        return g
    sort_keys(keys, spare, digits, n, low, high)
    last = -2
    for p in range(n):
        code = keys[p] >> HIGH
        if code != last:
            group[CODE, g] = code
            group[ROWS, g] = 0
            for k in range(s):
                table[g, k] = 0.0
            last = code
            g += 1
        add(criterion, s, classes, values, weight, keys[p] & PLACE, table[g - 1])
        group[ROWS, g - 1] += 1
    return g


@inner
def arrange(criterion, s, n_groups, table, group, score, heap):
    """group[ARRANGED]: the levels in the order whose cuts are worth trying."""
    if s == 2:
        for g in range(n_groups):
            below = table[g, 0] + table[g, 1] if criterion <= CHI2 else table[g, 0]
            score[g] = table[g, 1] / below
    else:
        _project(criterion, s, n_groups, table, score, heap[DIR0], heap[DIR1], heap[DIR2])
    sort_by(score, n_groups, group[ARRANGED], group[SPARE])


@inner
def _weight(criterion, s, table, g):
    w = table[g, 0]
    if criterion <= CHI2:
        for k in range(1, s):
            w += table[g, k]
    return w


@inner
def _project(criterion, s, n_groups, table, score, centre, v, new):
    """Scores of the levels along the first principal direction of their shares, by power iteration."""
    first = 0 if criterion <= CHI2 else 1
    weight = 0.0
    for c in range(s):
        centre[c] = 0.0
        v[c] = 1.0 + c  # a fixed start that is hardly orthogonal to anything, so that answers repeat
    for g in range(n_groups):
        weight += _weight(criterion, s, table, g)
        for c in range(first, s):
            centre[c] += table[g, c]
    for c in range(first, s):
        centre[c] /= weight
    for turn in range(31):
        for c in range(s):
            new[c] = 0.0
        for g in range(n_groups):
            w = _weight(criterion, s, table, g)
            dot = 0.0
            for c in range(first, s):
                dot += v[c] * (table[g, c] / w - centre[c])
            score[g] = dot
            for c in range(first, s):
                new[c] += dot * (table[g, c] - w * centre[c])
        norm = 0.0
        for c in range(first, s):
            norm += new[c] * new[c]
        if norm == 0.0 or turn == 30:
            return
        for c in range(first, s):
            v[c] = new[c] / np.sqrt(norm)


@inner
def divide(criterion, s, n, n_groups, table, group, score, heap, total, min_leaf, least, slack):
    """Best division: goodness, and how many of group[ARRANGED] go left."""
    if s > 2 and n_groups <= EXHAUSTIVE:
        return _exhaustive(criterion, s, n, n_groups, table, group, heap[ON_LEFT], total, min_leaf, least, slack)
    arrange(criterion, s, n_groups, table, group, score, heap)
    left, rows, best, prefix = heap[ON_LEFT], 0, -np.inf, 0
    for k in range(s):
        left[k] = 0.0
    for q in range(n_groups - 1):
        g = group[ARRANGED, q]
        rows += group[ROWS, g]
        for k in range(s):
            left[k] += table[g, k]
        if rows >= min_leaf and n - rows >= min_leaf:
            found = goodness(criterion, left, total, s)
            if found > best + slack and enough(criterion, left, total, s, least):
                best, prefix = found, q + 1
    return best, prefix


@inner
def _exhaustive(criterion, s, n, n_groups, table, group, left, total, min_leaf, least, slack):
    """Every division, one level changing sides at a time (Gray code); the last level stays on the right."""
    rows, best, best_mask, mask = 0, -np.inf, 0, 0
    for k in range(s):
        left[k] = 0.0
    for i in range(1, 1 << (n_groups - 1)):
        g = 0
        while not (i >> g) & 1:
            g += 1
        mask ^= 1 << g
        sign = 1 if (mask >> g) & 1 else -1
        rows += sign * group[ROWS, g]
        for k in range(s):
            left[k] += sign * table[g, k]
        if rows >= min_leaf and n - rows >= min_leaf:
            found = goodness(criterion, left, total, s)
            if found > best + slack and enough(criterion, left, total, s, least):
                best, best_mask = found, mask
    prefix, back = 0, n_groups - 1
    for g in range(n_groups):
        if (best_mask >> g) & 1:
            group[ARRANGED, prefix] = g
            prefix += 1
        else:
            group[ARRANGED, back] = g
            back -= 1
    return best, prefix
