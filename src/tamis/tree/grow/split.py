# mypy: allow-untyped-defs
"""The best split of a node: every column tried, the best kept."""

from __future__ import annotations

import numpy as np

from tamis.engine.hash import GOLDEN, splitmix64
from tamis.engine.kernel import inner
from tamis.tree.grow.layout import (
    ABSOLUTE_ERROR,
    ARRANGED,
    CATEGORY,
    CHI2,
    CODE,
    GAIN_RATIO,
    GINI,
    HIGH,
    IS_CATEGORICAL,
    LEFT,
    LEVEL,
    LEVEL_SIDE,
    N_VALUES,
    ON_LEFT,
    ORDER,
    PLACE,
    PRESENT,
    RIGHT,
    ROWS,
    SQUARED_ERROR,
    TOTAL,
    UNKNOWN,
)
from tamis.tree.grow.scan.absolute_error import scan_absolute
from tamis.tree.grow.scan.categories import arrange, divide, group_levels
from tamis.tree.grow.scan.criterion import excess, split_information, undivided, weight_of
from tamis.tree.grow.scan.presorted import n_with_value
from tamis.tree.grow.scan.sort import SKIP, gather, place_of, sort_keys
from tamis.tree.grow.scan.thresholds import add, fill_table, scan_gini, scan_sorted, scan_squares, scan_table
from tamis.tree.grow.scan.two_classes import scan_two

_splitmix64 = inner(splitmix64)


@inner
def try_column(columns, target, buffers, rows, start, stop, j, own, min_leaf, least, impurity, slack):
    """Best split of the node by column j: (rank, improvement, cut, upper, side of missing, n_left, n_groups).

    `rank` is what columns compete by; -inf when there is no split. With `own`, missing values take part: as one more
    level, or below or above all numbers. A categorical split is left in work.group: the first n_left of n_groups
    arranged levels go left.
    """
    missing = columns.about[N_VALUES, j]
    n, low, high = gather(columns, j, rows, start, stop, missing if own else SKIP, buffers.keys[0])
    if n == 0 or low == high:
        return -np.inf, 0.0, -2, -2, UNKNOWN, 0, 0
    total = buffers.heap[TOTAL]
    if n < stop - start:
        total = buffers.heap[PRESENT]
        for k in range(target.n_stats):
            total[k] = 0.0
        for p in range(n):
            i = buffers.keys[0, p] & PLACE
            add(target.criterion, target.n_stats, buffers.classes, buffers.values, buffers.weight, i, total)
    if columns.about[IS_CATEGORICAL, j]:
        return _try_levels(
            target, buffers, n, stop - start, low, high, missing, own, total, min_leaf, least, impurity, slack
        )
    gain, cut, upper = _try_numbers(target, buffers, n, stop - start, low, high, total, min_leaf, least, slack)
    side = RIGHT if own and high == missing else UNKNOWN
    weight = _weight_left(target.criterion, buffers, n, cut)
    if side == RIGHT:  # missing values were above all numbers; now below
        n, low, high = gather(columns, j, rows, start, stop, -1, buffers.keys[0])
        other = _try_numbers(target, buffers, n, stop - start, low, high, total, min_leaf, least, slack)
        if other[0] > gain + slack and other[1] >= 0:
            gain, cut, upper = other
            side = LEFT
            weight = _weight_left(target.criterion, buffers, n, cut)
        if upper == missing:
            upper = -1
    if cut < 0:
        return -np.inf, 0.0, -2, -2, UNKNOWN, 0, 0
    rank = gain
    if target.criterion == GAIN_RATIO:
        rank = gain / weight_of(total) / split_information(weight, weight_of(total))
    return rank, gain, cut, upper, side, 0, 0


@inner
def _weight_left(criterion, buffers, n, cut):
    """Weight on the left of a cut; only gain_ratio asks for it."""
    out = 0.0
    if criterion == GAIN_RATIO:
        for p in range(n):
            if buffers.keys[0, p] >> HIGH <= cut:
                out += buffers.weight[buffers.keys[0, p] & PLACE]
    return out


@inner
def _try_numbers(target, buffers, n, m, low, high, total, min_leaf, least, slack):
    """Improvement of the best cut, and the codes around it. A table pays where codes repeat four times and more."""
    criterion, s, keys, left = target.criterion, target.n_stats, buffers.keys[0], buffers.heap[ON_LEFT]
    if criterion == ABSOLUTE_ERROR:
        sort_keys(keys, buffers.keys[1], buffers.digits, n, low, high)
        return scan_absolute(
            keys, n, m, buffers.values, buffers.weight, buffers.rank[0], buffers.fenwick, min_leaf, least, slack
        )
    if (high - low + 1) * (s + 2) <= n:
        table, table_rows = buffers.table, buffers.group[ROWS]
        fill_table(criterion, s, keys, n, low, high, buffers.classes, buffers.values, buffers.weight, table, table_rows)
        best, cut, upper = scan_table(
            criterion, s, n, low, high, table, table_rows, left, total, min_leaf, least, slack
        )
    else:
        sort_keys(keys, buffers.keys[1], buffers.digits, n, low, high)
        classes, values, weight = buffers.classes, buffers.values, buffers.weight
        if criterion == GINI:
            best, cut, upper = scan_gini(keys[:n], classes, weight, left, total, min_leaf, least, -1.0, slack)
        elif criterion == SQUARED_ERROR and s == 2:
            best, cut, upper = scan_squares(keys[:n], values, weight, 0.0, total, min_leaf, least, -1.0, slack)
        else:
            best, cut, upper = scan_sorted(
                criterion, s, keys[:n], classes, values, weight, left, total, min_leaf, least, slack
            )
    return best - undivided(criterion, total, s), cut, upper


@inner
def _try_levels(target, buffers, n, m, low, high, missing, own, total, min_leaf, least, impurity, slack):
    criterion, s, keys, group, table = target.criterion, target.n_stats, buffers.keys[0], buffers.group, buffers.table
    n_groups = group_levels(
        criterion,
        s,
        keys,
        buffers.keys[1],
        buffers.digits,
        n,
        low,
        high,
        buffers.classes,
        buffers.values,
        buffers.weight,
        table,
        group,
    )
    if criterion == ABSOLUTE_ERROR:  # levels in the order of their means, cut like numbers
        arrange(criterion, s, n_groups, table, group, buffers.score, buffers.heap)
        for q in range(n_groups):
            buffers.score[group[ARRANGED, q]] = q
        for p in range(n):
            g = place_of(group[CODE, :n_groups], keys[p] >> HIGH)
            keys[p] = (int(buffers.score[g]) << HIGH) | (keys[p] & PLACE)
        gain, cut, _ = _try_numbers(target, buffers, n, m, 0, n_groups - 1, total, min_leaf, least, slack)
        n_left = max(cut + 1, 0)
    else:
        best, n_left = divide(
            criterion, s, n, n_groups, table, group, buffers.score, buffers.heap, total, min_leaf, least, slack
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
        rank = rank / weight_of(total) / split_information(weight, weight_of(total))
    return rank, gain, -2, -2, side, n_left, n_groups


@inner
def _keep_levels(group, n_left, n_groups):
    """Copy the division at hand to group[LEVEL] and group[LEVEL_SIDE], by ascending code."""
    for g in range(n_groups):
        group[LEVEL, g] = group[CODE, g]
        group[LEVEL_SIDE, g] = RIGHT
    for q in range(n_left):
        group[LEVEL_SIDE, group[ARRANGED, q]] = LEFT


@inner
def _shuffle(tried, seed):
    """Random order of the columns, fixed by the seed (splitmix64)."""
    state = np.uint64(seed)
    for t in range(len(tried) - 1):
        state += GOLDEN
        u = t + int(_splitmix64(state) >> np.uint64(33)) % (len(tried) - t)
        tried[t], tried[u] = tried[u], tried[t]


@inner
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


@inner(forceinline=True)
def _try_ordered(target, presorted, share, tally, heap, j, start, stop, missing, mean, min_leaf, least, bar, slack):
    """Improvement of the best cut of a column in order that improves by more than `bar`; and the codes around it."""
    criterion, s, total, left = target.criterion, target.n_stats, heap[TOTAL], heap[ON_LEFT]
    n, ones = n_with_value(presorted, j, start, stop, missing)
    keys = presorted[j, start : start + n]
    if n == 0 or keys[0] >> HIGH == keys[n - 1] >> HIGH:
        return 0.0, -2, -2
    if criterion == GINI and len(share) == 2:
        zeros = stop - start - n - ones  # of the rows without a value
        w0, w1 = total[0] - share[0] * zeros, total[1] - share[1] * ones
        return scan_two(keys, tally, share[0], share[1], w0, w1, min_leaf, least, bar, slack)
    if n < stop - start:
        total = heap[PRESENT]
        _without(target, presorted, j, start + n, stop, mean, heap[TOTAL], total)
    parent = undivided(criterion, total, s)
    if criterion == GINI:
        best, cut, upper = scan_gini(
            keys, target.classes, target.weight, left, total, min_leaf, least, parent + bar, slack
        )
    elif criterion == SQUARED_ERROR:
        best, cut, upper = scan_squares(
            keys, target.values, target.weight, mean, total, min_leaf, least, parent + bar, slack
        )
    else:
        best, cut, upper = scan_sorted(
            criterion, s, keys, target.classes, target.values, target.weight, left, total, min_leaf, least, slack
        )
    return best - parent, cut, upper


@inner
def _line_up(columns, limits, buffers, seed):
    """The columns in the order in which they are tried: at random where not all of them are."""
    for t in range(len(buffers.tried)):
        buffers.tried[t] = columns.about[ORDER, t]
    if limits.max_features < len(buffers.tried):
        _shuffle(buffers.tried, seed)


@inner
def _average_gain(columns, target, limits, buffers, rows, start, stop, own, least, impurity, slack):
    """Mean improvement of the columns that improve at all: what gain_ratio asks a column for, first of all."""
    gains, n_gains, seen = 0.0, 0, 0
    for j in buffers.tried:
        found = try_column(columns, target, buffers, rows, start, stop, j, own, limits.min_leaf, least, impurity, slack)
        seen += found[0] > -np.inf
        if found[1] > slack:
            gains += found[1]
            n_gains += 1
        if seen == limits.max_features:
            break
    return gains / n_gains * (1.0 - 1e-9) if n_gains else -np.inf


@inner
def best_split(columns, target, limits, buffers, rows, start, stop, mean, least, impurity, seed, gathered):
    """The best of the columns tried: (column, improvement, cut, upper, side of missing, n_groups); column -1: none.

    Columns with one value in the node do not count towards `max_features`. A tie goes to the column first in order.
    With gain_ratio, the best ratio counts among the columns of at least average gain.
    """
    _line_up(columns, limits, buffers, seed)
    own, min_leaf = limits.missing == CATEGORY, limits.min_leaf
    slack = 1e-12 * (weight_of(buffers.heap[TOTAL]) if target.criterion <= CHI2 else impurity)
    tie, floor = slack, -np.inf
    if gathered is not None:  # noqa: SIM102
        if target.criterion == GAIN_RATIO:
            tie = 1e-12
            floor = _average_gain(columns, target, limits, buffers, rows, start, stop, own, least, impurity, slack)
    bar, column, gain, cut, upper, side, groups, seen = -1.0, -1, 0.0, -2, -2, UNKNOWN, 0, 0
    for j in buffers.tried:
        if len(buffers.presorted) and columns.about[IS_CATEGORICAL, j] == 0:
            # few arrays are passed: `try_column` with all of them costs a microsecond, most of it in small nodes
            found = _try_ordered(
                target, buffers.presorted, buffers.share, buffers.tally, buffers.heap, j, start, stop,
                columns.about[N_VALUES, j], mean, min_leaf, least, bar, slack,
            )  # fmt: skip
            if found[1] >= 0 and found[0] > bar:
                column, gain, cut, upper, side, groups = j, found[0], found[1], found[2], UNKNOWN, 0
                bar = gain + tie
            continue
        if gathered is not None:
            tried = try_column(columns, target, buffers, rows, start, stop, j, own, min_leaf, least, impurity, slack)
            if tried[0] == -np.inf:
                continue
            seen += 1
            if tried[1] >= floor and (column < 0 or tried[0] > bar):
                rank, gain, cut, upper, side, n_left, groups = tried
                column, bar = j, rank + tie
                if groups:
                    _keep_levels(buffers.group, n_left, groups)
            if seen == limits.max_features:
                break
    return column, gain, cut, upper, side, groups
