# mypy: allow-untyped-defs
"""The best cut of one numeric column at one node: by sorting its rows, or by a table where codes repeat."""

from __future__ import annotations

import numpy as np

from tamis.engine.kernel import njit
from tamis.tree.criterion import enough, goodness
from tamis.tree.layout import CHI2
from tamis.tree.sort import PLACE


@njit
def add(criterion, s, classes, values, weight, i, stats):
    """Add the node's row i to a heap's statistics."""
    w = weight[i]
    if criterion <= CHI2:
        stats[classes[i]] += w
    else:
        stats[0] += w
        for k in range(s - 1):
            stats[k + 1] += w * values[i, k]


@njit
def scan_sorted(criterion, s, keys, j, start, n, classes, values, weight, left, total, min_leaf, least, slack):
    """Best cut of the sorted keys[j, start : start + n]: goodness, last code on the left (-2: none), next one."""
    for k in range(s):
        left[k] = 0.0
    best, cut, upper = -np.inf, -2, -2
    code = keys[j, start] >> 32
    for p in range(n - 1):
        add(criterion, s, classes, values, weight, keys[j, start + p] & PLACE, left)
        after = keys[j, start + p + 1] >> 32
        if code != after:
            if p + 1 >= min_leaf and n - p - 1 >= min_leaf:
                found = goodness(criterion, left, total, s)
                if found > best + slack and enough(criterion, left, total, s, least):
                    best, cut, upper = found, code, after
            code = after
    return best, cut, upper


@njit
def scan_gini(keys, j, start, n, classes, weight, left, total, min_leaf, least, slack):
    """`scan_sorted` for Gini: sums of squares kept up to date, fractions compared crosswise; 3 times faster."""
    wl = wr = sl = sr = 0.0
    for c in range(len(total)):
        left[c] = 0.0
        wr += total[c]
        sr += total[c] * total[c]
    best, bar, where = -np.inf, -1.0, -1
    for p in range(n - 1):
        i = keys[j, start + p] & PLACE
        w, c = weight[i], classes[i]
        a = left[c]
        b = total[c] - a
        left[c] = a + w
        sl += w * (a + a + w)
        sr -= w * (b + b - w)
        wl += w
        wr -= w
        if sl * wr + sr * wl > bar * wl * wr and keys[j, start + p] >> 32 != keys[j, start + p + 1] >> 32:  # noqa: SIM102
            if p + 1 >= min_leaf and n - p - 1 >= min_leaf and wl >= least and wr >= least:
                best, where = sl / wl + sr / wr, p
                bar = best + slack
    if where < 0:
        return best, -2, -2
    return best, keys[j, start + where] >> 32, keys[j, start + where + 1] >> 32


@njit
def scan_squares(keys, j, start, n, values, weight, mean, total, min_leaf, least, slack):
    """`scan_sorted` for the squared error of one target, in the same way."""
    wl, wr, yl, yr = 0.0, total[0], 0.0, total[1]
    best, bar, where = -np.inf, -1.0, -1
    for p in range(n - 1):
        i = keys[j, start + p] & PLACE
        w = weight[i]
        wy = w * (values[i, 0] - mean)
        wl += w
        wr -= w
        yl += wy
        yr -= wy
        if yl * yl * wr + yr * yr * wl > bar * wl * wr and keys[j, start + p] >> 32 != keys[j, start + p + 1] >> 32:  # noqa: SIM102
            if p + 1 >= min_leaf and n - p - 1 >= min_leaf and wl >= least and wr >= least:
                best, where = yl * yl / wl + yr * yr / wr, p
                bar = best + slack
    if where < 0:
        return best, -2, -2
    return best, keys[j, start + where] >> 32, keys[j, start + where + 1] >> 32


@njit
def fill_table(criterion, s, keys, n, low, high, classes, values, weight, table, table_rows):
    """Statistics of every code between low and high."""
    for code in range(high - low + 1):
        table_rows[code] = 0
        for k in range(s):
            table[code, k] = 0.0
    for p in range(n):
        code = (keys[p] >> 32) - low
        add(criterion, s, classes, values, weight, keys[p] & PLACE, table[code])
        table_rows[code] += 1


@njit
def scan_table(criterion, s, n, low, high, table, table_rows, left, total, min_leaf, least, slack):
    """As `scan_sorted`, from the statistics of each code."""
    for k in range(s):
        left[k] = 0.0
    rows, best, cut, upper, last = 0, -np.inf, -2, -2, low
    for code in range(high - low + 1):
        if table_rows[code] == 0:
            continue
        if rows >= min_leaf and n - rows >= min_leaf:
            found = goodness(criterion, left, total, s)
            if found > best + slack and enough(criterion, left, total, s, least):
                best, cut, upper = found, last, code + low
        for k in range(s):
            left[k] += table[code, k]
        rows += table_rows[code]
        last = code + low
    return best, cut, upper
