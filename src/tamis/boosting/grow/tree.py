# mypy: allow-untyped-defs
"""One tree: the leaf whose split gains most is split, again and again.

A node of many rows has a histogram of all its columns. Of its children only the smaller is counted; the other one's
histogram is the difference. A node of few rows has none: column by column the bins it has are counted and scanned.
"""

from __future__ import annotations

import numpy as np

from tamis.boosting.grow.histogram import add_few_rows, clear, count_columns, subtract
from tamis.boosting.grow.rng import seed_state, uniform
from tamis.boosting.grow.split import TIE, holds, scan_levels, scan_numbers, scan_sorted, write_set
from tamis.boosting.layout import (
    BEGIN,
    COUNT,
    DEPTH,
    END,
    GAIN,
    GRADIENT,
    HESSIAN,
    LANES,
    MISSING_LEFT,
    PLACE,
    SLOT,
    SPLIT_BIN,
    SPLIT_COLUMN,
)
from tamis.engine.kernel import inner
from tamis.forest.layout import CATEGORY, LEFT_IF_MISSING


@inner
def grow_tree(table, limits, gradient, hessian, counted, buffers, grown, state):
    """Append a tree to those that are grown; its leaves are left in `buffers`; returns how many they are."""
    n, leaf, sums = len(gradient), buffers.leaf, buffers.sums
    _begin(limits, buffers, grown.used[0], state)
    _gather(buffers, gradient, hessian, counted, 0, 0, n, 0)
    for k in range(len(buffers.order.lines)):
        buffers.order.lines[k] = buffers.lines[k]
    leaf[DEPTH, 0], leaf[PLACE, 0], n_leaves = 0, 0, 1
    if _may_split(limits, leaf, sums, 0):
        if n >= limits.dense_rows and buffers.free[-1] > 0:
            leaf[SLOT, 0] = _take_slot(buffers.free)
            count_columns(table, buffers.tried, buffers.rows, buffers.lines, 0, n, buffers.histograms[leaf[SLOT, 0]])
        _find_split(table, limits, buffers, 0)
    while n_leaves < limits.max_leaves:
        best = _next(sums, n_leaves, limits.is_bounded)
        if best < 0:
            break
        _split(table, limits, gradient, hessian, counted, buffers, grown, best, n_leaves)
        n_leaves += 1
        if n_leaves < limits.max_leaves:
            _look_at_children(table, limits, buffers, best, n_leaves - 1)
    _end(limits, buffers, grown, n_leaves)
    return n_leaves


@inner
def _begin(limits, buffers, t, state):
    """All rows, all histograms free, and the columns that tree t tries."""
    rows, tried, free = buffers.rows, buffers.tried, buffers.free
    for i in range(len(rows)):
        rows[i] = i
    slots = len(free) - 1
    for k in range(slots):
        free[k] = k
    free[slots] = slots
    d, wanted = len(tried), limits.max_features
    if wanted < d:
        seed_state(limits.seed + t, state)
    for j in range(d):
        tried[j] = wanted >= d - j or uniform(state) * (d - j) < wanted
        wanted -= tried[j]


@inner
def _take_slot(free):
    free[-1] -= 1
    return free[free[-1]]


@inner
def _give_back(free, slot):
    free[free[-1]] = slot
    free[-1] += 1


@inner
def _gather(buffers, gradient, hessian, counted, k, begin, end, depth):
    """Leaf k of rows[begin:end]: their gradients, hessians and counts in a row, and the sums of them."""
    rows, lines, leaf, sums = buffers.rows, buffers.lines, buffers.leaf, buffers.sums
    g = h = c = 0.0
    for i in range(begin, end):
        row, at = rows[i], LANES * i
        lines[at], lines[at + 1], lines[at + 2], lines[at + 3] = gradient[row], hessian[row], counted[row], 0.0
        g += lines[at]
        h += lines[at + 1]
        c += lines[at + 2]
    leaf[BEGIN, k], leaf[END, k], leaf[DEPTH, k], leaf[SLOT, k] = begin, end, depth, -1
    sums[GAIN, k], sums[GRADIENT, k], sums[HESSIAN, k], sums[COUNT, k] = 0.0, g, h, c


@inner
def _may_split(limits, leaf, sums, k):
    return sums[COUNT, k] >= 2.0 * limits.min_leaf and leaf[DEPTH, k] < limits.max_depth


@inner
def _next(sums, n_leaves, is_bounded):
    """The leaf to split: the one that gains most or, where all will be, the last; -1: none gains anything."""
    best, top = -1, 0.0
    for k in range(n_leaves):
        if sums[GAIN, k] > top:
            best = k
            if is_bounded:
                top = sums[GAIN, k]
    return best


@inner
def _find_split(table, limits, buffers, k):
    """The best split of leaf k, from its histogram or, where it has none, its rows; its gain is 0 where none gains."""
    leaf, sums, column, tried = buffers.leaf, buffers.sums, buffers.column, buffers.tried
    lines, order, is_sorted = buffers.order.lines, buffers.order.of_nodes, len(buffers.order.lines) > 0
    if leaf[DEPTH, k] == 0:
        order = buffers.order.of_all
    g, h, count = sums[GRADIENT, k], sums[HESSIAN, k], sums[COUNT, k]
    whole, begin, end, slot = (g, h, count), leaf[BEGIN, k], leaf[END, k], leaf[SLOT, k]
    unsplit = g * g / (h + limits.l2) if h + limits.l2 > 0.0 else 0.0
    best, present, histogram, n, first = column.best, column.every, column.histogram, np.int64(0), np.int64(0)
    best[0] = (unsplit + limits.least_gain) * (1.0 + TIE)
    if slot >= 0:
        histogram = buffers.histograms[slot]
    else:
        present = column.present
    for j in range(len(tried)):
        n_bins = np.int64(table.n_bins[j])
        if not tried[j] or n_bins == 0:
            continue
        if is_sorted and not table.category[j]:
            found, has_missing = scan_sorted(table.codes[j], order[j], lines, begin, end, n_bins, whole, limits, best)
            if found:
                _keep_numbers(leaf, sums, best, k, j, has_missing, count, unsplit)
            continue
        if slot >= 0:
            first, n = table.first[j], n_bins + 1
        else:
            n = add_few_rows(table.codes[j], buffers.rows, buffers.lines, begin, end, column)
        if table.category[j]:
            found, m = scan_levels(histogram, first, present, n, whole, limits, column)
            if found:
                write_set(histogram, first, present, n, m, count, column, buffers.left[k])
                _keep(leaf, sums, best, k, j, holds(buffers.left[k], n_bins), unsplit)
        elif scan_numbers(histogram, first, present, n, n_bins, whole, limits, best):
            has_missing = histogram[LANES * (first + n_bins) + 2] > 0.0
            _keep_numbers(leaf, sums, best, k, j, has_missing, count, unsplit)
        if slot < 0:
            clear(histogram, present, n)


@inner
def _keep_numbers(leaf, sums, best, k, j, has_missing, count, unsplit):
    """As `_keep`, for column j of numbers; missing values that the node lacks go with most rows."""
    _keep(leaf, sums, best, k, j, best[2] > 0.0 if has_missing else 2.0 * best[3] > count, unsplit)


@inner
def _keep(leaf, sums, best, k, j, missing_left, unsplit):
    """Note the best split of leaf k so far, by column j."""
    leaf[SPLIT_COLUMN, k], leaf[SPLIT_BIN, k], leaf[MISSING_LEFT, k] = j, np.int64(best[1]), missing_left
    sums[GAIN, k] = best[0] / (1.0 + TIE) - unsplit


@inner
def _split(table, limits, gradient, hessian, counted, buffers, grown, k, other):
    """Write the node of leaf k and divide its rows: leaf k is then the left child, leaf `other` the right one."""
    leaf, used = buffers.leaf, grown.used
    j, begin, end, depth = leaf[SPLIT_COLUMN, k], leaf[BEGIN, k], leaf[END, k], leaf[DEPTH, k] + 1
    slot, gain = leaf[SLOT, k], buffers.sums[GAIN, k]
    root = grown.roots[used[0]]
    node, child = grown.nodes[root + leaf[PLACE, k]], used[1] - root
    node.left = child
    flags = j | (LEFT_IF_MISSING if leaf[MISSING_LEFT, k] else 0)
    if table.category[j]:
        flags |= CATEGORY
        node.threshold = np.float64(used[2])
        for w in range((np.int64(table.n_bins[j]) + 63) >> 6):
            grown.sets[used[2]] = buffers.left[k, w]
            used[2] += 1
    else:
        node.threshold = table.edges[j, leaf[SPLIT_BIN, k]]
    node.column = np.int32(flags)
    used[1] += 2
    grown.gain[j] += gain
    middle = _divide(table, buffers, k)
    _gather(buffers, gradient, hessian, counted, k, begin, middle, depth)
    _gather(buffers, gradient, hessian, counted, other, middle, end, depth)
    leaf[PLACE, k], leaf[PLACE, other] = child, child + 1
    leaf[SLOT, k] = slot  # of both: see _look_at_children


@inner
def _divide(table, buffers, k):
    """Put the rows of leaf k that go left before the others, all in their order; returns where the others begin."""
    leaf, rows, spare, left = buffers.leaf, buffers.rows, buffers.spare, buffers.left[k]
    j, begin, end = leaf[SPLIT_COLUMN, k], leaf[BEGIN, k], leaf[END, k]
    codes, n_bins = table.codes[j], np.int64(table.n_bins[j])
    cut, missing_left = leaf[SPLIT_BIN, k], leaf[MISSING_LEFT, k]
    middle, n = begin, np.int64(0)
    for i in range(begin, end):
        row = rows[i]
        code = np.int64(codes[row])
        if table.category[j]:
            goes = np.int64(holds(left, code))
        else:
            goes = np.int64(code <= cut) if code != n_bins else missing_left
        rows[middle] = row
        spare[n] = row
        middle += goes
        n += 1 - goes
    for i in range(n):
        rows[middle + i] = spare[i]
    return middle


@inner
def _divide_sorted(table, buffers, a, b):
    """Divide the sorted rows of every column as `_divide` has divided the rows of two leaves."""
    leaf, order = buffers.leaf, buffers.order
    goes_left, spare, to, given = order.goes_left, order.spare, order.of_nodes, order.of_nodes
    if len(goes_left) == 0:
        return
    if leaf[DEPTH, a] == 1:
        given = order.of_all
    if leaf[BEGIN, a] > leaf[BEGIN, b]:
        a, b = b, a
    begin, middle, end = leaf[BEGIN, a], leaf[BEGIN, b], leaf[END, b]
    for i in range(begin, end):
        goes_left[buffers.rows[i]] = i < middle
    for j in range(len(buffers.tried)):
        if not buffers.tried[j] or table.category[j]:
            continue
        at, n = begin, 0
        for i in range(begin, end):
            row = given[j, i]
            to[j, at] = row
            spare[n] = row
            at += goes_left[row]
            n += 1 - goes_left[row]
        for i in range(n):
            to[j, middle + i] = spare[i]


@inner
def _look_at_children(table, limits, buffers, a, b):
    """The best splits of two leaves that were one, whose histogram, where it had one, is that of leaf a."""
    leaf, sums, free = buffers.leaf, buffers.sums, buffers.free
    slot = leaf[SLOT, a]
    leaf[SLOT, a] = -1
    if leaf[END, a] - leaf[BEGIN, a] > leaf[END, b] - leaf[BEGIN, b]:
        a, b = b, a
    few, many = _may_split(limits, leaf, sums, a), _may_split(limits, leaf, sums, b)
    new = np.int64(-1)
    if slot >= 0 and many and leaf[END, b] - leaf[BEGIN, b] >= limits.dense_rows and free[-1] > 0:
        new = _take_slot(free)
        own = buffers.histograms[new]
        count_columns(table, buffers.tried, buffers.rows, buffers.lines, leaf[BEGIN, a], leaf[END, a], own)
        subtract(table, buffers.tried, buffers.histograms[slot], own)
        leaf[SLOT, a], leaf[SLOT, b] = new, slot
    elif slot >= 0:
        _give_back(free, slot)
    elif few or many:
        _divide_sorted(table, buffers, a, b)
    for turn in range(2):
        if many if turn else few:
            _find_split(table, limits, buffers, b if turn else a)
    if new >= 0 and not (few and leaf[END, a] - leaf[BEGIN, a] >= limits.dense_rows):
        leaf[SLOT, a] = -1
        _give_back(free, new)


@inner
def _end(limits, buffers, grown, n_leaves):
    """Write the leaves: each answers with a Newton step, - G / (H + λ), times the rate, left in sums[GAIN]."""
    used, sums = grown.used, buffers.sums
    root = grown.roots[used[0]]
    for k in range(n_leaves):
        node = grown.nodes[root + buffers.leaf[PLACE, k]]
        node.left, node.column = np.int32(-1), np.int32(0)
        step = -sums[GRADIENT, k] / (sums[HESSIAN, k] + limits.l2 + 1e-15)
        node.threshold = limits.rate * min(max(step, -limits.most_step), limits.most_step)
        sums[GAIN, k] = node.threshold
    used[0] += 1
    grown.roots[used[0]] = used[1]
