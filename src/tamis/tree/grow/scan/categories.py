# mypy: allow-untyped-defs
"""The best division of a categorical column's levels into two at one node.

Two classes or one number: levels ordered by their mean, of which the best cut is the best of all 2^(k-1) - 1 divisions
(Fisher 1958; Breiman et al. 1984, theorem 4.5). Several classes or numbers: all divisions up to ten levels; beyond,
levels ordered along the first principal direction of their class shares (Coppersmith, Hong and Hosking 1999).
"""

from __future__ import annotations

import numpy as np

from tamis.engine.kernel import inner
from tamis.tree.grow.layout import ARRANGED, CHI2, CODE, DIR0, DIR1, DIR2, HIGH, ON_LEFT, PLACE, ROWS, SORTING
from tamis.tree.grow.scan.criterion import enough, goodness
from tamis.tree.grow.scan.sort import sort_by, sort_keys
from tamis.tree.grow.scan.thresholds import add, fill_table

EXHAUSTIVE = 10


@inner
def group_levels(criterion, span, sort, target, levels):
    """One entry a level present, by ascending code: group[CODE], group[ROWS], table; returns their number."""
    keys, table, group = sort.keys[0], levels.table, levels.group
    n_codes, g = span.high - span.low + 1, 0
    if n_codes <= span.n:
        fill_table(criterion, keys, span, target, table, group[ROWS])
        for c in range(n_codes):
            if group[ROWS, c]:
                group[CODE, g] = c + span.low
                group[ROWS, g] = group[ROWS, c]
                for k in range(table.shape[1]):
                    table[g, k] = table[c, k]
                g += 1
        return g
    sort_keys(keys, sort.keys[1], sort.digits, span)
    last = -2
    for p in range(span.n):
        code = keys[p] >> HIGH
        if code != last:
            group[CODE, g] = code
            group[ROWS, g] = 0
            for k in range(table.shape[1]):
                table[g, k] = 0.0
            last = code
            g += 1
        add(criterion, target, keys[p] & PLACE, table[g - 1])
        group[ROWS, g - 1] += 1
    return g


@inner
def arrange(criterion, n_groups, levels, stats):
    """group[ARRANGED]: the levels in the order whose cuts are worth trying. stats: GrowBuffers.stats."""
    table, score, s = levels.table, levels.score, stats.shape[1]
    if s == 2:
        for g in range(n_groups):
            below = table[g, 0] + table[g, 1] if criterion <= CHI2 else table[g, 0]
            score[g] = table[g, 1] / below
    else:
        _project(criterion, s, n_groups, table, score, stats[DIR0], stats[DIR1], stats[DIR2])
    sort_by(score, n_groups, levels.group[ARRANGED], levels.group[SORTING])


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
def divide(criterion, n, n_groups, levels, stats, total, limits):
    """Best division of n rows in n_groups levels: goodness, and how many of group[ARRANGED] go left."""
    left, s, table, group, min_leaf = stats[ON_LEFT], len(total), levels.table, levels.group, limits.min_leaf
    if s > 2 and n_groups <= EXHAUSTIVE:
        return _exhaustive(criterion, n, n_groups, levels, left, total, limits)
    arrange(criterion, n_groups, levels, stats)
    rows, best, prefix = 0, -np.inf, 0
    for k in range(s):
        left[k] = 0.0
    for q in range(n_groups - 1):
        g = group[ARRANGED, q]
        rows += group[ROWS, g]
        for k in range(s):
            left[k] += table[g, k]
        if rows >= min_leaf and n - rows >= min_leaf:
            found = goodness(criterion, left, total, s)
            if found > best + limits.slack and enough(criterion, left, total, s, limits.min_weight):
                best, prefix = found, q + 1
    return best, prefix


@inner
def _exhaustive(criterion, n, n_groups, levels, left, total, limits):
    """Every division, one level changing sides at a time (Gray code); the last level stays on the right."""
    table, group, s, min_leaf = levels.table, levels.group, len(total), limits.min_leaf
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
            if found > best + limits.slack and enough(criterion, left, total, s, limits.min_weight):
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
