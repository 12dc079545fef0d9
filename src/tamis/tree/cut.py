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
def scan_sorted(criterion, s, keys, n, classes, values, weight, left, total, min_leaf, least, slack):
    """Best cut of sorted keys: goodness, last code on the left (-2: none), first code on the right."""
    for k in range(s):
        left[k] = 0.0
    best, cut, upper = -np.inf, -2, -2
    code = keys[0] >> 32
    for p in range(n - 1):
        add(criterion, s, classes, values, weight, keys[p] & PLACE, left)
        after = keys[p + 1] >> 32
        if code != after:
            if p + 1 >= min_leaf and n - p - 1 >= min_leaf:
                found = goodness(criterion, left, total, s)
                if found > best + slack and enough(criterion, left, total, s, least):
                    best, cut, upper = found, code, after
            code = after
    return best, cut, upper


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
