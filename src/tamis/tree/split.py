# mypy: allow-untyped-defs
"""The best split of a node: every column tried, the best kept."""

from __future__ import annotations

import numpy as np

from tamis.engine.kernel import njit
from tamis.tree.absolute import scan_absolute
from tamis.tree.criterion import excess, split_information, undivided
from tamis.tree.cut import add, fill_table, scan_gini, scan_sorted, scan_squares, scan_table
from tamis.tree.layout import (
    ABSOLUTE_ERROR,
    ARRANGED,
    CATEGORY,
    CHI2,
    CODE,
    GAIN_RATIO,
    GINI,
    IS_CATEGORICAL,
    LEFT,
    LEVEL,
    LEVEL_SIDE,
    N_VALUES,
    ON_LEFT,
    ORDER,
    PRESENT,
    RIGHT,
    ROWS,
    SQUARED_ERROR,
    TOTAL,
    UNKNOWN,
)
from tamis.tree.levels import arrange, divide, group_levels
from tamis.tree.sort import PLACE, SKIP, gather, sort_keys


@njit
def try_column(columns, target, work, rows, start, stop, j, own, min_leaf, least, impurity, slack):
    """Best split of the node by column j: (rank, improvement, cut, upper, side of missing, n_left, n_groups).

    `rank` is what columns compete by; -inf when there is no split. With `own`, missing values take part: as one more
    level, or below or above all numbers. A categorical split is left in work.group: the first n_left of n_groups
    arranged levels go left.
    """
    missing = columns.about[N_VALUES, j]
    n, low, high = gather(columns, j, rows, start, stop, missing if own else SKIP, work.keys[0])
    if n == 0 or low == high:
        return -np.inf, 0.0, -2, -2, UNKNOWN, 0, 0
    total = work.heap[TOTAL]
    if n < stop - start:
        total = work.heap[PRESENT]
        for k in range(target.n_stats):
            total[k] = 0.0
        for p in range(n):
            i = work.keys[0, p] & PLACE
            add(target.criterion, target.n_stats, work.classes, work.values, work.weight, i, total)
    if columns.about[IS_CATEGORICAL, j]:
        return _try_levels(
            target, work, n, stop - start, low, high, missing, own, total, min_leaf, least, impurity, slack
        )
    gain, cut, upper = _try_numbers(target, work, n, stop - start, low, high, total, min_leaf, least, slack)
    side = RIGHT if own and high == missing else UNKNOWN
    weight = _weight_left(target.criterion, work, n, cut)
    if side == RIGHT:  # missing values were above all numbers; now below
        n, low, high = gather(columns, j, rows, start, stop, -1, work.keys[0])
        other = _try_numbers(target, work, n, stop - start, low, high, total, min_leaf, least, slack)
        if other[0] > gain + slack and other[1] >= 0:
            gain, cut, upper = other
            side = LEFT
            weight = _weight_left(target.criterion, work, n, cut)
        if upper == missing:
            upper = -1
    if cut < 0:
        return -np.inf, 0.0, -2, -2, UNKNOWN, 0, 0
    rank = gain
    if target.criterion == GAIN_RATIO:
        rank = gain / total.sum() / split_information(weight, total.sum())
    return rank, gain, cut, upper, side, 0, 0


@njit
def _weight_left(criterion, work, n, cut):
    """Weight on the left of a cut; only gain_ratio asks for it."""
    out = 0.0
    if criterion == GAIN_RATIO:
        for p in range(n):
            if work.keys[0, p] >> 32 <= cut:
                out += work.weight[work.keys[0, p] & PLACE]
    return out


@njit
def _try_numbers(target, work, n, m, low, high, total, min_leaf, least, slack):
    """Improvement of the best cut, and the codes around it. A table pays where codes repeat four times and more."""
    criterion, s, keys, left = target.criterion, target.n_stats, work.keys[0], work.heap[ON_LEFT]
    if criterion == ABSOLUTE_ERROR:
        sort_keys(keys, work.keys[1], work.digits, n, low, high)
        return scan_absolute(keys, n, m, work.values, work.weight, work.rank, work.fenwick, min_leaf, least, slack)
    if (high - low + 1) * (s + 2) <= n:
        table, table_rows = work.table, work.group[ROWS]
        fill_table(criterion, s, keys, n, low, high, work.classes, work.values, work.weight, table, table_rows)
        best, cut, upper = scan_table(
            criterion, s, n, low, high, table, table_rows, left, total, min_leaf, least, slack
        )
    else:
        sort_keys(keys, work.keys[1], work.digits, n, low, high)
        classes, values, weight = work.classes, work.values, work.weight
        if criterion == GINI:
            best, cut, upper = scan_gini(work.keys, 0, 0, n, classes, weight, left, total, min_leaf, least, slack)
        elif criterion == SQUARED_ERROR and s == 2:
            best, cut, upper = scan_squares(work.keys, 0, 0, n, values, weight, 0.0, total, min_leaf, least, slack)
        else:
            best, cut, upper = scan_sorted(
                criterion, s, work.keys, 0, 0, n, classes, values, weight, left, total, min_leaf, least, slack
            )
    return best - undivided(criterion, total, s), cut, upper


@njit
def _try_levels(target, work, n, m, low, high, missing, own, total, min_leaf, least, impurity, slack):
    criterion, s, keys, group, table = target.criterion, target.n_stats, work.keys[0], work.group, work.table
    n_groups = group_levels(
        criterion,
        s,
        keys,
        work.keys[1],
        work.digits,
        n,
        low,
        high,
        work.classes,
        work.values,
        work.weight,
        table,
        group,
    )
    if criterion == ABSOLUTE_ERROR:  # levels in the order of their means, cut like numbers
        arrange(criterion, s, n_groups, table, group, work.score, work.heap)
        for q in range(n_groups):
            work.score[group[ARRANGED, q]] = q
        for p in range(n):
            g = np.searchsorted(group[CODE, :n_groups], keys[p] >> 32)
            keys[p] = (int(work.score[g]) << 32) | (keys[p] & PLACE)
        gain, cut, _ = _try_numbers(target, work, n, m, 0, n_groups - 1, total, min_leaf, least, slack)
        n_left = max(cut + 1, 0)
    else:
        best, n_left = divide(
            criterion, s, n, n_groups, table, group, work.score, work.heap, total, min_leaf, least, slack
        )
        gain = best - undivided(criterion, total, s)
    if n_left == 0:
        return -np.inf, 0.0, -2, -2, UNKNOWN, 0, 0
    rank = gain - excess(criterion, total, impurity, n, s, n_groups)
    side, weight = UNKNOWN, 0.0
    if own and group[CODE, n_groups - 1] == missing:
        side = RIGHT
    for q in range(n_left):
        g = group[ARRANGED, q]
        if side == RIGHT and g == n_groups - 1:
            side = LEFT
        for k in range(s):
            weight += table[g, k]
    if criterion == GAIN_RATIO:
        rank = rank / total.sum() / split_information(weight, total.sum())
    return rank, gain, -2, -2, side, n_left, n_groups


@njit
def _keep_levels(group, n_left, n_groups):
    """Copy the division at hand to group[LEVEL] and group[LEVEL_SIDE], by ascending code."""
    for g in range(n_groups):
        group[LEVEL, g] = group[CODE, g]
        group[LEVEL_SIDE, g] = RIGHT
    for q in range(n_left):
        group[LEVEL_SIDE, group[ARRANGED, q]] = LEFT


@njit
def _shuffle(tried, seed):
    """Random order of the columns, fixed by the seed (splitmix64)."""
    state = np.uint64(seed)
    for t in range(len(tried) - 1):
        state += np.uint64(0x9E3779B97F4A7C15)
        z = state
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z = z ^ (z >> np.uint64(31))
        u = t + int(z >> np.uint64(33)) % (len(tried) - t)
        tried[t], tried[u] = tried[u], tried[t]


@njit
def _n_present(presorted, j, start, stop, missing):
    """How many of the node's rows have a value: those without are sorted last."""
    if presorted[j, stop - 1] >> 32 < missing:
        return stop - start
    low, high = start, stop
    while low < high:
        middle = (low + high) >> 1
        if presorted[j, middle] >> 32 < missing:
            low = middle + 1
        else:
            high = middle
    return low - start


@njit
def _without(target, presorted, j, first, stop, mean, total, present):
    """Statistics of the node without the rows that have no value in column j."""
    for k in range(target.n_stats):
        present[k] = total[k]
    for p in range(first, stop):
        r = presorted[j, p] & PLACE
        w = target.weight[r]
        if target.criterion <= CHI2:
            present[target.classes[r]] -= w
        else:
            present[0] -= w
            present[1] -= w * (target.values[r, 0] - mean)


@njit
def best_split(columns, target, limits, work, rows, start, stop, mean, least, impurity, seed):
    """The best of the columns tried: (column, improvement, cut, upper, side of missing, n_groups); column -1: none.

    Columns with one value in the node do not count towards `max_features`. A tie goes to the column first in order.
    With gain_ratio, columns are gone through twice: once for the average gain, once for the best ratio above it.
    """
    d = columns.about.shape[1]
    for t in range(d):
        work.tried[t] = columns.about[ORDER, t]
    if limits.max_features < d:
        _shuffle(work.tried, seed)
    own = limits.missing == CATEGORY
    slack = 1e-12 * (work.heap[TOTAL].sum() if target.criterion <= CHI2 else impurity)
    tie = 1e-12 if target.criterion == GAIN_RATIO else slack
    best_rank, column, gain, cut, upper, side, groups = -np.inf, -1, 0.0, -2, -2, UNKNOWN, 0
    # The common case, numbers kept sorted from node to node, is spelled out in the loop: passing all buffers to
    # `try_column` costs a microsecond, which is most of the time in nodes of a few rows.
    presorted, s, min_leaf, weight = work.presorted, target.n_stats, limits.min_leaf, target.weight
    quick = len(presorted) > 0
    left, total, present = work.heap[ON_LEFT], work.heap[TOTAL], work.heap[PRESENT]
    parent = undivided(target.criterion, total, s)
    floor, gains, n_gains = -np.inf, 0.0, 0
    for turn in range(2 if target.criterion == GAIN_RATIO else 1):
        seen, best_rank = 0, -np.inf
        for t in range(d):
            j = work.tried[t]
            if quick and columns.about[IS_CATEGORICAL, j] == 0:
                found = (-np.inf, 0.0, -2, -2, UNKNOWN, 0, 0)
                n = _n_present(presorted, j, start, stop, columns.about[N_VALUES, j])
                if n == 0 or presorted[j, start] >> 32 == presorted[j, start + n - 1] >> 32:
                    continue
                whole, under = total, parent
                if n < stop - start:
                    whole = present
                    _without(target, presorted, j, start + n, stop, mean, total, present)
                    under = undivided(target.criterion, present, s)
                if target.criterion == GINI:
                    best = scan_gini(
                        presorted, j, start, n, target.classes, weight, left, whole, min_leaf, least, slack
                    )
                elif target.criterion == SQUARED_ERROR:
                    best = scan_squares(
                        presorted, j, start, n, target.values, weight, mean, whole, min_leaf, least, slack
                    )
                else:
                    best = scan_sorted(
                        target.criterion, s, presorted, j, start, n, target.classes, target.values, weight, left, whole,
                        min_leaf, least, slack,
                    )  # fmt: skip
                if best[1] >= 0:
                    found = (best[0] - under, best[0] - under, best[1], best[2], UNKNOWN, 0, 0)
            else:
                found = try_column(columns, target, work, rows, start, stop, j, own, min_leaf, least, impurity, slack)
            if found[0] == -np.inf:
                continue
            seen += 1
            if found[1] > slack:
                gains += found[1]
                n_gains += 1
            if found[1] >= floor and found[0] > best_rank + tie:
                best_rank, gain, cut, upper, side, n_left, groups = found
                column = j
                if groups:
                    _keep_levels(work.group, n_left, groups)
            if seen == limits.max_features:
                break
        if turn == 0 and n_gains:
            floor = gains / n_gains * (1.0 - 1e-9)
    return column, gain, cut, upper, side, groups
