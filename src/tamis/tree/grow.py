# mypy: allow-untyped-defs
"""Growing a binary tree on codes: no recursion, buffers allocated once, rows of a node kept side by side."""

from __future__ import annotations

import numpy as np

from tamis.engine.kernel import njit
from tamis.tree.absolute import median_of, rank_targets
from tamis.tree.criterion import class_impurity
from tamis.tree.layout import (
    ABSOLUTE_ERROR,
    BEGIN,
    CATEGORY,
    CHI2,
    CHILD,
    CUT,
    DEFAULT,
    DEPTH,
    END,
    FEATURE,
    FIRST_LEVEL,
    FIRST_SUR,
    IMPROVEMENT,
    IMPURITY,
    IS_CATEGORICAL,
    LEFT,
    LEVEL,
    LEVEL_SIDE,
    N_LEVELS,
    N_ROWS,
    N_SUR,
    N_VALUES,
    ORDER,
    PARENT,
    POISSON,
    RIGHT,
    RISK,
    SURROGATE,
    TOTAL,
    UNKNOWN,
    UPPER,
    WEIGHT,
)
from tamis.tree.route import level_side
from tamis.tree.sort import PLACE, code_at, gather, sort_keys
from tamis.tree.split import best_split
from tamis.tree.surrogate import try_presorted, try_surrogate


@njit
def _gather_classes(source, source_weight, rows, start, stop, classes, weight, total, stats):
    """The node's classes and weights; how many classes there are."""
    total[:] = 0.0
    for i in range(stop - start):
        r = rows[start + i]
        classes[i] = source[r]
        weight[i] = source_weight[r]
        total[source[r]] += source_weight[r]
    present = 0
    for c in range(len(total)):
        stats[c] = total[c]
        present += total[c] > 0.0
    return present


@njit
def _gather_numbers(source, source_weight, rows, start, stop, values, weight, total, stats):
    """The node's targets and weights, the weight and the means; whether all targets are the same."""
    total[:] = 0.0
    same = True
    for i in range(stop - start):
        r = rows[start + i]
        w = source_weight[r]
        weight[i] = w
        total[0] += w
        for k in range(len(total) - 1):
            values[i, k] = source[r, k]
            total[k + 1] += w * source[r, k]
            same = same and values[i, k] == values[0, k]
    stats[0] = total[0]
    for k in range(1, len(total)):
        stats[k] = total[k] / total[0]
    return same


@njit
def _squares(values, weight, m, total, stats, centre):
    """Σ w (y - mean)²; on the way, targets may be centred: sums of squares then lose no digits."""
    out = 0.0
    for k in range(1, len(stats)):
        shifted = 0.0
        for i in range(m):
            off = values[i, k - 1] - stats[k]
            out += weight[i] * off * off
            shifted += weight[i] * off
            if centre:
                values[i, k - 1] = off
        if centre:
            total[k] = shifted
    return out


@njit
def _summarise(target, work, rows, start, stop, floats, stats):
    """Gather the node's rows, its statistics, impurity and risk; impurity is 0 when all targets are the same."""
    criterion, m, total = target.criterion, stop - start, work.heap[TOTAL]
    if criterion <= CHI2:
        present = _gather_classes(
            target.classes, target.weight, rows, start, stop, work.classes, work.weight, total, stats
        )
        floats[WEIGHT] = total.sum()
        floats[RISK] = 0.0
        floats[IMPURITY] = class_impurity(criterion, total, len(total)) if present > 1 else 0.0
        return
    same = _gather_numbers(target.values, target.weight, rows, start, stop, work.values, work.weight, total, stats)
    floats[WEIGHT] = total[0]
    centre = criterion != POISSON and criterion != ABSOLUTE_ERROR
    floats[RISK] = floats[IMPURITY] = _squares(work.values, work.weight, m, total, stats, centre)
    if criterion == POISSON:
        floats[IMPURITY] = 0.0
        for k in range(1, len(stats)):
            for i in range(m):
                y = work.values[i, k - 1]
                if y > 0.0:
                    floats[IMPURITY] += work.weight[i] * y * np.log(y / stats[k])
    elif criterion == ABSOLUTE_ERROR:
        rank_targets(work.values, m, work.rank, work.fenwick)
        middle = median_of(work.weight, work.rank, work.fenwick, m)
        floats[RISK] += total[0] * (stats[1] - middle) ** 2
        floats[IMPURITY] = 0.0
        for i in range(m):
            floats[IMPURITY] += work.weight[i] * abs(work.values[i, 0] - middle)
        stats[1] = middle
    if same:
        floats[RISK] = floats[IMPURITY] = 0.0


@njit
def _more(array, needed):
    """The array, or a copy with twice the room when `needed` entries do not fit."""
    if needed <= len(array):
        return array
    grown = np.empty((max(2 * len(array), needed), array.shape[1]), dtype=array.dtype)
    for i in range(len(array)):
        for k in range(array.shape[1]):
            grown[i, k] = array[i, k]
    return grown


@njit
def _append_levels(level, n_level, group, n_groups):
    level = _more(level, n_level + n_groups)
    for g in range(n_groups):
        level[n_level + g, 0] = group[LEVEL, g]
        level[n_level + g, 1] = group[LEVEL_SIDE, g]
    return level


@njit
def _place_rows(columns, rows, start, stop, node, level, side, side_of):
    """side: LEFT or RIGHT by the primary split, UNKNOWN where the row has no value or a level not in the split."""
    feature, cut, first, n_levels = node[FEATURE], node[CUT], node[FIRST_LEVEL], node[N_LEVELS]
    missing = columns.about[N_VALUES, feature]
    for q in range(first, first + n_levels):
        side_of[level[q, 0]] = level[q, 1]
    for i in range(stop - start):
        code = code_at(columns, feature, rows[start + i])
        if n_levels:
            side[i] = side_of[code]
        elif code == missing:
            side[i] = UNKNOWN
        else:
            side[i] = LEFT if code <= cut else RIGHT
    for q in range(first, first + n_levels):
        side_of[level[q, 0]] = UNKNOWN


@njit
def _place_left_over(columns, rows, start, stop, node, surrogate, level, side):
    """Rows the primary split could not place follow the first surrogate that can, or the default side."""
    first, last = node[FIRST_SUR], node[FIRST_SUR] + node[N_SUR]
    for i in range(stop - start):
        q = first
        while side[i] == UNKNOWN and q < last:
            j = surrogate[q, 0]
            code = code_at(columns, j, rows[start + i])
            if code != columns.about[N_VALUES, j]:
                if surrogate[q, 5]:
                    side[i] = level_side(level, surrogate[q, 4], surrogate[q, 5], code)
                else:
                    below = code <= surrogate[q, 1]
                    side[i] = LEFT if below != (surrogate[q, 3] == 1) else RIGHT
            q += 1
        if side[i] == UNKNOWN:
            side[i] = node[DEFAULT]


@njit
def _partition(side, rows, start, stop, spare):
    """Rows of the left side first, both in their old order; returns where the right side starts."""
    left, right = start, 0
    for i in range(stop - start):
        if side[i] == LEFT:
            rows[left] = rows[start + i]
            left += 1
        else:
            spare[right] = rows[start + i]
            right += 1
    for i in range(right):
        rows[left + i] = spare[i]
    return left


@njit
def _presort(columns, presorted, keys, digits, rows):
    """Every numeric column's rows in the order of their codes, those without a value last."""
    n = len(rows)
    for j in range(len(presorted)):
        if columns.about[IS_CATEGORICAL, j] == 0:
            _, low, high = gather(columns, j, rows, 0, n, columns.about[N_VALUES, j], keys[0])
            sort_keys(keys[0], keys[1], digits, n, low, high)
            for p in range(n):
                key = keys[0, p]
                presorted[j, p] = (key & ~PLACE) | rows[key & PLACE]


@njit
def _partition_presorted(columns, presorted, keys, side, side_of_row, rows, start, stop):
    """Rows of the left side first in every column, each side in its order: nothing need be sorted again."""
    if len(presorted) == 0:
        return
    for i in range(stop - start):
        side_of_row[rows[start + i]] = side[i]
    for j in range(len(presorted)):
        if columns.about[IS_CATEGORICAL, j]:
            continue
        left, right = start, 0
        for p in range(start, stop):
            key = presorted[j, p]
            goes_right = side_of_row[key & PLACE]  # 0 or 1: both places are written, one of them moves on
            presorted[j, left] = key
            keys[0, right] = key
            left += 1 - goes_right
            right += goes_right
        for p in range(right):
            presorted[j, left + p] = keys[0, p]


@njit
def _find_surrogates(
    columns, case, most, work, rows, start, stop, primary, total, majority, surrogate, agreement, level, n_level
):
    """The best surrogates, best first, into surrogate[:most] and agreement[:most]; their number, and the levels."""
    found = 0
    for t in range(columns.about.shape[1]):
        j = columns.about[ORDER, t]
        if j == primary:
            continue
        if len(work.presorted) and columns.about[IS_CATEGORICAL, j] == 0:
            missing = columns.about[N_VALUES, j]
            agree, cut, upper, flip, n_levels = try_presorted(
                work.presorted, j, start, stop, missing, work.side_of_row, case, work.keys[0]
            )
        else:
            agree, cut, upper, flip, n_levels = try_surrogate(columns, work, rows, start, stop, j)
        if agree <= majority * (1.0 + 1e-10):
            continue
        q = found
        while q > 0 and agreement[q - 1, 0] < agree / total:
            if q < most:
                for k in range(6):
                    surrogate[q, k] = surrogate[q - 1, k]
                agreement[q, 0], agreement[q, 1] = agreement[q - 1, 0], agreement[q - 1, 1]
            q -= 1
        if q >= most:
            continue
        level = _append_levels(level, n_level, work.group, n_levels)
        surrogate[q, 0], surrogate[q, 1], surrogate[q, 2] = j, cut, upper
        surrogate[q, 3], surrogate[q, 4], surrogate[q, 5] = flip, n_level, n_levels
        agreement[q, 0] = agree / total
        agreement[q, 1] = (agree - majority) / (total - majority)
        n_level += n_levels
        found = min(found + 1, most)
    return found, level, n_level


@njit
def _leaf(node, parent, depth, begin, end):
    node[:] = 0
    node[FEATURE] = node[CHILD] = -1
    node[CUT] = node[UPPER] = -2
    node[PARENT], node[DEPTH], node[BEGIN], node[END] = parent, depth, begin, end
    node[N_ROWS] = end - begin


@njit
def _next(ints, floats, frontier, size, best_first):
    """Take a node off the frontier: the latest, or the one whose split improves most."""
    pick = size - 1
    if best_first:
        for q in range(size):
            if floats[frontier[q], IMPROVEMENT] > floats[frontier[pick], IMPROVEMENT]:
                pick = q
    node = frontier[pick]
    frontier[pick] = frontier[size - 1]
    return node


@njit
def _weigh_sides(case, rows, start, stop, weight, side):
    """The user's weights of the node's rows; their sums on the left and on the right."""
    left = right = 0.0
    for i in range(stop - start):
        w = case[rows[start + i]]
        weight[i] = w
        if side[i] == LEFT:
            left += w
        elif side[i] == RIGHT:
            right += w
    return left, right


@njit
def grow(columns, target, limits, rows, work, nodes):
    """Grow a tree on `rows` (which are rearranged); returns the number of nodes, levels and surrogates."""
    ints, floats = nodes.ints, nodes.floats
    level, n_level = np.empty((64, 2), dtype=np.int64), 0
    surrogate, agreement, n_sur = np.empty((64, 6), dtype=np.int64), np.empty((64, 2)), 0
    frontier = np.empty(len(ints), dtype=np.int64)
    size, n_nodes, pending = 0, 1, 0  # nodes from `pending` on have not been looked at
    _leaf(ints[0], -1, 0, 0, len(rows))
    _presort(columns, work.presorted, work.keys, work.digits, rows)
    while True:
        while pending < n_nodes:
            node, about = pending, ints[pending]
            pending += 1
            start, stop = about[BEGIN], about[END]
            _summarise(target, work, rows, start, stop, floats[node], nodes.stats[node])
            floats[node, IMPROVEMENT] = 0.0
            impurity, m = floats[node, IMPURITY], stop - start
            if impurity <= 0.0 or m < limits.min_split or m < 2 * limits.min_leaf or about[DEPTH] >= limits.max_depth:
                continue
            seed = limits.seed * 1_000_003 + node
            mean = nodes.stats[node, target.n_stats - 1]
            column, gain, cut, upper, side, n_groups = best_split(
                columns,
                target,
                limits,
                work,
                rows,
                start,
                stop,
                mean,
                limits.min_share * floats[0, WEIGHT],
                impurity,
                seed,
            )
            if column < 0 or gain < limits.min_decrease * floats[0, WEIGHT] - 1e-10 * impurity:
                continue
            floats[node, IMPROVEMENT] = max(gain, 0.0)
            about[FEATURE], about[CUT], about[UPPER], about[DEFAULT] = column, cut, upper, side
            about[FIRST_LEVEL], about[N_LEVELS] = n_level, n_groups
            level = _append_levels(level, n_level, work.group, n_groups)
            n_level += n_groups
            frontier[size] = node
            size += 1
        if size == 0 or (limits.max_leaves > 0 and (n_nodes + 1) // 2 >= limits.max_leaves):
            break
        node = _next(ints, floats, frontier, size, limits.max_leaves > 0)
        size -= 1
        about = ints[node]
        start, stop = about[BEGIN], about[END]
        _place_rows(columns, rows, start, stop, about, level, work.side, work.side_of)
        left, right = _weigh_sides(target.case, rows, start, stop, work.weight, work.side)
        if limits.missing == CATEGORY and about[DEFAULT] != UNKNOWN:
            pass  # missing values took part in the split and have a side
        else:
            about[DEFAULT] = LEFT if left >= right else RIGHT
        about[FIRST_SUR] = n_sur
        if limits.missing == SURROGATE and limits.n_surrogates > 0:
            surrogate = _more(surrogate, n_sur + limits.n_surrogates)
            agreement = _more(agreement, n_sur + limits.n_surrogates)
            total, majority = left + right, max(left, right)
            for i in range(stop - start):
                work.side_of_row[rows[start + i]] = work.side[i]
            found, level, n_level = _find_surrogates(
                columns, target.case, limits.n_surrogates, work, rows, start, stop, about[FEATURE], total, majority,
                surrogate[n_sur:], agreement[n_sur:], level, n_level,
            )  # fmt: skip
            about[N_SUR] = found
            n_sur += found
        _place_left_over(columns, rows, start, stop, about, surrogate, level, work.side)
        _partition_presorted(columns, work.presorted, work.keys, work.side, work.side_of_row, rows, start, stop)
        middle = _partition(work.side, rows, start, stop, work.rows)
        about[CHILD] = n_nodes
        _leaf(ints[n_nodes], node, about[DEPTH] + 1, start, middle)
        _leaf(ints[n_nodes + 1], node, about[DEPTH] + 1, middle, stop)
        n_nodes += 2
    for q in range(size):  # splits found but not made, because there are leaves enough
        ints[frontier[q], FEATURE] = -1
        ints[frontier[q], N_LEVELS] = 0
        floats[frontier[q], IMPROVEMENT] = 0.0
    return n_nodes, level[:n_level], surrogate[:n_sur], agreement[:n_sur]
