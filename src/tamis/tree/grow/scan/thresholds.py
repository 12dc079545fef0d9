# mypy: allow-untyped-defs
"""The best cut of one numeric column at one node: by sorting its rows, or by a table where codes repeat."""

from __future__ import annotations

import numpy as np

from tamis.engine.kernel import inner
from tamis.tree.grow.layout import CHI2, HIGH, PLACE
from tamis.tree.grow.scan.criterion import enough, goodness


@inner
def add(criterion, target, i, stats):
    """Add row i of the RowTargets to statistics."""
    w = target.weight[i]
    if criterion <= CHI2:
        stats[target.classes[i]] += w
    else:
        stats[0] += w
        for k in range(len(stats) - 1):
            stats[k + 1] += w * target.values[i, k]


@inner
def scan_sorted(criterion, keys, target, left, total, limits):
    """Best cut of sorted keys: goodness, last code on the left (-2: none), next one. left: a buffer for statistics."""
    n, s, min_leaf, slack = len(keys), len(total), limits.min_leaf, limits.slack
    for k in range(s):
        left[k] = 0.0
    best, cut, upper = -np.inf, -2, -2
    code = keys[0] >> HIGH
    for p in range(n - 1):
        add(criterion, target, keys[p] & PLACE, left)
        after = keys[p + 1] >> HIGH
        if code != after:
            if p + 1 >= min_leaf and n - p - 1 >= min_leaf:
                found = goodness(criterion, left, total, s)
                if found > best + slack and enough(criterion, left, total, s, limits.min_weight):
                    best, cut, upper = found, code, after
            code = after
    return best, cut, upper


@inner
def scan_gini(keys, target, left, total, bar, limits):
    """`scan_sorted` for Gini: sums of squares kept up to date, fractions compared crosswise; 3 times faster.

    Only cuts whose goodness is above `bar` count.
    """
    n, classes, weight, min_leaf, least = len(keys), target.classes, target.weight, limits.min_leaf, limits.min_weight
    wl = wr = sl = sr = 0.0
    for c in range(len(total)):
        left[c] = 0.0
        wr += total[c]
        sr += total[c] * total[c]
    best, where = -np.inf, -1
    for p in range(n - 1):
        i = keys[p] & PLACE
        w, c = weight[i], classes[i]
        a = left[c]
        b = total[c] - a
        left[c] = a + w
        sl += w * (a + a + w)
        sr -= w * (b + b - w)
        wl += w
        wr -= w
        if sl * wr + sr * wl > bar * wl * wr and keys[p] >> HIGH != keys[p + 1] >> HIGH:  # noqa: SIM102
            if p + 1 >= min_leaf and n - p - 1 >= min_leaf and wl >= least and wr >= least:
                best, where = sl / wl + sr / wr, p
                bar = best + limits.slack
    if where < 0:
        return best, -2, -2
    return best, keys[where] >> HIGH, keys[where + 1] >> HIGH


@inner
def scan_squares(keys, target, mean, total, bar, limits):
    """`scan_sorted` for the squared error of one target, in the same way."""
    n, values, weight, min_leaf, least = len(keys), target.values, target.weight, limits.min_leaf, limits.min_weight
    wl, wr, yl, yr = 0.0, total[0], 0.0, total[1]
    best, where = -np.inf, -1
    for p in range(n - 1):
        i = keys[p] & PLACE
        w = weight[i]
        wy = w * (values[i, 0] - mean)
        wl += w
        wr -= w
        yl += wy
        yr -= wy
        if yl * yl * wr + yr * yr * wl > bar * wl * wr and keys[p] >> HIGH != keys[p + 1] >> HIGH:  # noqa: SIM102
            if p + 1 >= min_leaf and n - p - 1 >= min_leaf and wl >= least and wr >= least:
                best, where = yl * yl / wl + yr * yr / wr, p
                bar = best + limits.slack
    if where < 0:
        return best, -2, -2
    return best, keys[where] >> HIGH, keys[where + 1] >> HIGH


@inner
def fill_table(criterion, keys, span, target, table, table_rows):
    """Statistics of every code between low and high."""
    for code in range(span.high - span.low + 1):
        table_rows[code] = 0
        for k in range(table.shape[1]):
            table[code, k] = 0.0
    for p in range(span.n):
        code = (keys[p] >> HIGH) - span.low
        add(criterion, target, keys[p] & PLACE, table[code])
        table_rows[code] += 1


@inner
def scan_table(criterion, span, table, table_rows, left, total, limits):
    """As `scan_sorted`, from the statistics of each code."""
    n, low, high = span
    s, min_leaf = len(total), limits.min_leaf
    for k in range(s):
        left[k] = 0.0
    rows, best, cut, upper, last = 0, -np.inf, -2, -2, low
    for code in range(high - low + 1):
        if table_rows[code] == 0:
            continue
        if rows >= min_leaf and n - rows >= min_leaf:
            found = goodness(criterion, left, total, s)
            if found > best + limits.slack and enough(criterion, left, total, s, limits.min_weight):
                best, cut, upper = found, last, code + low
        for k in range(s):
            left[k] += table[code, k]
        rows += table_rows[code]
        last = code + low
    return best, cut, upper
