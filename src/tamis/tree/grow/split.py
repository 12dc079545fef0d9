# mypy: ignore-errors
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
    LEFT,
    LEVEL,
    LEVEL_SIDE,
    ON_LEFT,
    PLACE,
    PRESENT,
    RIGHT,
    ROWS,
    SQUARED_ERROR,
    TOTAL,
    UNKNOWN,
    CodeSpan,
    CutLimits,
    RowTargets,
)
from tamis.tree.grow.scan.absolute_error import scan_absolute
from tamis.tree.grow.scan.categories import arrange, divide, group_levels
from tamis.tree.grow.scan.criterion import excess, split_information, undivided, weight_of
from tamis.tree.grow.scan.presorted import n_with_value
from tamis.tree.grow.scan.sort import SKIP, gather, place_of, sort_keys
from tamis.tree.grow.scan.thresholds import add, fill_table, scan_gini, scan_sorted, scan_squares, scan_table
from tamis.tree.grow.scan.two_classes import scan_two
from tamis.views.binned import IS_CATEGORICAL, N_VALUES, ORDER

_splitmix64 = inner(splitmix64)


@inner
def try_column(columns, target, buffers, node, j, with_missing, impurity, limits):
    """Best split of the node by column j: (rank, improvement, cut, upper, side of missing, n_left, n_groups).

    `rank` is what columns compete by; -inf when there is no split. With `with_missing`, missing values take part: as
    one more level, or below or above all numbers. A categorical split is left in buffers.levels: the first n_left of
    n_groups arranged levels go left.
    """
    missing, m, keys = columns.about[N_VALUES, j], node.stop - node.start, buffers.sort.keys[0]
    span = gather(columns, j, node, missing if with_missing else SKIP, keys)
    if span.n == 0 or span.low == span.high:
        return -np.inf, 0.0, -2, -2, UNKNOWN, 0, 0
    total = buffers.stats[TOTAL]
    if span.n < m:
        total = buffers.stats[PRESENT]
        for k in range(len(total)):
            total[k] = 0.0
        for p in range(span.n):
            add(target.criterion, buffers.gathered, keys[p] & PLACE, total)
    if columns.about[IS_CATEGORICAL, j]:
        return _try_levels(target, buffers, m, span, missing if with_missing else SKIP, total, impurity, limits)
    gain, cut, upper = _try_numbers(target, buffers, m, span, total, limits)
    side = RIGHT if with_missing and span.high == missing else UNKNOWN
    weight = _weight_left(target.criterion, buffers, span.n, cut)
    if side == RIGHT:  # missing values were above all numbers; now below
        span = gather(columns, j, node, -1, keys)
        other = _try_numbers(target, buffers, m, span, total, limits)
        if other[0] > gain + limits.slack and other[1] >= 0:
            gain, cut, upper = other
            side = LEFT
            weight = _weight_left(target.criterion, buffers, span.n, cut)
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
    out, keys = 0.0, buffers.sort.keys[0]
    if criterion == GAIN_RATIO:
        for p in range(n):
            if keys[p] >> HIGH <= cut:
                out += buffers.gathered.weight[keys[p] & PLACE]
    return out


@inner
def _try_numbers(target, buffers, m, span, total, limits):
    """Improvement of the best cut, and the codes around it. A table pays where codes repeat four times and more."""
    criterion, s, left, gathered = target.criterion, target.n_stats, buffers.stats[ON_LEFT], buffers.gathered
    keys = buffers.sort.keys[0]
    if criterion == ABSOLUTE_ERROR:
        sort_keys(keys, buffers.sort.keys[1], buffers.sort.digits, span)
        return scan_absolute(keys[: span.n], m, gathered, buffers.median, limits)
    if (span.high - span.low + 1) * (s + 2) <= span.n:
        table, table_rows = buffers.levels.table, buffers.levels.group[ROWS]
        fill_table(criterion, keys, span, gathered, table, table_rows)
        best, cut, upper = scan_table(criterion, span, table, table_rows, left, total, limits)
    else:
        sort_keys(keys, buffers.sort.keys[1], buffers.sort.digits, span)
        keys = keys[: span.n]
        if criterion == GINI:
            best, cut, upper = scan_gini(keys, gathered, left, total, -1.0, limits)
        elif criterion == SQUARED_ERROR and s == 2:
            best, cut, upper = scan_squares(keys, gathered, 0.0, total, -1.0, limits)
        else:
            best, cut, upper = scan_sorted(criterion, keys, gathered, left, total, limits)
    return best - undivided(criterion, total, s), cut, upper


@inner
def _try_levels(target, buffers, m, span, missing, total, impurity, limits):
    """As `try_column` for a categorical column; missing: the code of missing values, SKIP where they take no part."""
    criterion, s, levels, n = target.criterion, target.n_stats, buffers.levels, span.n
    group = levels.group
    n_groups = group_levels(criterion, span, buffers.sort, buffers.gathered, levels)
    if criterion == ABSOLUTE_ERROR:
        gain, n_left = _cut_levels(target, buffers, m, n, n_groups, total, limits)
    else:
        best, n_left = divide(criterion, n, n_groups, levels, buffers.stats, total, limits)
        gain = best - undivided(criterion, total, s)
    if n_left == 0:
        return -np.inf, 0.0, -2, -2, UNKNOWN, 0, 0
    rank = gain - excess(criterion, total, impurity, n, s, n_groups)
    side, weight = UNKNOWN, 0.0
    if group[CODE, n_groups - 1] == missing:
        side = RIGHT
    for q in range(n_left):
        g = group[ARRANGED, q]
        if side == RIGHT and g == n_groups - 1:
            side = LEFT
        for k in range(s):
            weight += levels.table[g, k]
    if criterion == GAIN_RATIO:
        rank = rank / weight_of(total) / split_information(weight, weight_of(total))
    return rank, gain, -2, -2, side, n_left, n_groups


@inner
def _cut_levels(target, buffers, m, n, n_groups, total, limits):
    """Absolute error: levels in the order of their means, cut like numbers; improvement, and levels on the left."""
    keys, group, score = buffers.sort.keys[0], buffers.levels.group, buffers.levels.score
    arrange(target.criterion, n_groups, buffers.levels, buffers.stats)
    for q in range(n_groups):
        score[group[ARRANGED, q]] = q
    for p in range(n):
        g = place_of(group[CODE, :n_groups], keys[p] >> HIGH)
        keys[p] = (int(score[g]) << HIGH) | (keys[p] & PLACE)
    gain, cut, _ = _try_numbers(target, buffers, m, CodeSpan(n, np.int64(0), n_groups - 1), total, limits)
    return gain, max(cut + 1, 0)


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
def _without(target, missing_keys, mean, total, present):
    """present: statistics of the node without the rows of `missing_keys`, which have no value."""
    for k in range(target.n_stats):
        present[k] = total[k]
    for p in range(len(missing_keys)):
        r = missing_keys[p] & PLACE
        w = target.weight[r]
        if target.criterion <= CHI2:
            present[target.classes[r]] -= w
        else:
            present[0] -= w
            present[1] -= w * (target.values[r, 0] - mean)


@inner(forceinline=True)
def _try_ordered(target, keys, share, tally, stats, missing, mean, bar, limits):
    """Improvement of the best cut of a column in order that improves by more than `bar`; and the codes around it.

    keys: those of the node. missing: the code of missing values.
    """
    criterion, total, left = target.criterion, stats[TOTAL], stats[ON_LEFT]
    m = len(keys)
    n, ones = n_with_value(keys, missing)
    missing_keys, keys = keys[n:], keys[:n]
    if n == 0 or keys[0] >> HIGH == keys[n - 1] >> HIGH:
        return 0.0, -2, -2
    if criterion == GINI and len(share) == 2:
        zeros = m - n - ones  # of the rows without a value
        w0, w1 = total[0] - share[0] * zeros, total[1] - share[1] * ones
        return scan_two(keys, tally, share[0], share[1], w0, w1, bar, limits)
    if n < m:
        total = stats[PRESENT]
        _without(target, missing_keys, mean, stats[TOTAL], total)
    parent, rows = undivided(criterion, total, target.n_stats), RowTargets(target.classes, target.values, target.weight)
    if criterion == GINI:
        best, cut, upper = scan_gini(keys, rows, left, total, parent + bar, limits)
    elif criterion == SQUARED_ERROR:
        best, cut, upper = scan_squares(keys, rows, mean, total, parent + bar, limits)
    else:
        best, cut, upper = scan_sorted(criterion, keys, rows, left, total, limits)
    return best - parent, cut, upper


@inner
def _line_up(columns, limits, buffers, seed):
    """The columns in the order in which they are tried: at random where not all of them are."""
    for t in range(len(buffers.tried)):
        buffers.tried[t] = columns.about[ORDER, t]
    if limits.max_features < len(buffers.tried):
        _shuffle(buffers.tried, seed)


@inner
def _average_gain(columns, target, buffers, node, with_missing, impurity, most, limits):
    """Mean improvement of the columns that improve at all, `most` of them: what gain_ratio asks a column for first."""
    gains, n_gains, seen = 0.0, 0, 0
    for j in buffers.tried:
        found = try_column(columns, target, buffers, node, j, with_missing, impurity, limits)
        seen += found[0] > -np.inf
        if found[1] > limits.slack:
            gains += found[1]
            n_gains += 1
        if seen == most:
            break
    return gains / n_gains * (1.0 - 1e-9) if n_gains else -np.inf


@inner
def best_split(columns, target, limits, buffers, node, mean, min_weight, impurity, seed, gathered):
    """The best of the columns tried: (column, improvement, cut, upper, side of missing, n_groups); column -1: none.

    Columns with one value in the node do not count towards `max_features`. A tie goes to the column first in order.
    With gain_ratio, the best ratio counts among the columns of at least average gain.
    """
    _line_up(columns, limits, buffers, seed)
    with_missing = limits.missing == CATEGORY
    slack = 1e-12 * (weight_of(buffers.stats[TOTAL]) if target.criterion <= CHI2 else impurity)
    cuts, tie, floor = CutLimits(limits.min_leaf, min_weight, slack), slack, -np.inf
    if gathered is not None:  # noqa: SIM102 - what is None is known when it is compiled
        if target.criterion == GAIN_RATIO:
            tie = 1e-12
            floor = _average_gain(columns, target, buffers, node, with_missing, impurity, limits.max_features, cuts)
    bar, column, gain, cut, upper, side, groups, seen = -1.0, -1, 0.0, -2, -2, UNKNOWN, 0, 0
    for j in buffers.tried:
        if len(buffers.presorted) and columns.about[IS_CATEGORICAL, j] == 0:
            # few arrays are passed: `try_column` with all of them costs a microsecond, most of it in small nodes
            keys, missing = buffers.presorted[j, node.start : node.stop], columns.about[N_VALUES, j]
            found = _try_ordered(target, keys, buffers.share, buffers.tally, buffers.stats, missing, mean, bar, cuts)
            if found[1] >= 0 and found[0] > bar:
                column, gain, cut, upper, side, groups = j, found[0], found[1], found[2], UNKNOWN, 0
                bar = gain + tie
            continue
        if gathered is not None:
            tried = try_column(columns, target, buffers, node, j, with_missing, impurity, cuts)
            if tried[0] == -np.inf:
                continue
            seen += 1
            if tried[1] >= floor and (column < 0 or tried[0] > bar):
                rank, gain, cut, upper, side, n_left, groups = tried
                column, bar = j, rank + tie
                if groups:
                    _keep_levels(buffers.levels.group, n_left, groups)
            if seen == limits.max_features:
                break
    return column, gain, cut, upper, side, groups
