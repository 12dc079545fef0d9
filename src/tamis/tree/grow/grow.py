# mypy: allow-untyped-defs
"""Growing a binary tree on codes: no recursion, buffers allocated once, rows of a node kept side by side."""

from __future__ import annotations

import numpy as np

from tamis.engine.intrinsics import matrix, vector
from tamis.engine.kernel import inner, njit
from tamis.tree.grow.layout import (
    BEGIN,
    CATEGORY,
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
    LEFT,
    N_LEVELS,
    N_ROWS,
    N_SUR,
    N_VALUES,
    PARENT,
    RIGHT,
    SURROGATE,
    UNKNOWN,
    UPPER,
    WEIGHT,
)
from tamis.tree.grow.lists import append_levels, more
from tamis.tree.grow.partition import move_rows, partition_left_over, partition_ordered, partition_rows, weigh_sides
from tamis.tree.grow.scan.presorted import move_order
from tamis.tree.grow.split import best_split
from tamis.tree.grow.summary import is_uniform, summarise
from tamis.tree.grow.surrogate import find_surrogates


@inner
def _leaf(node, parent, depth, begin, end):
    for k in range(len(node)):
        node[k] = 0
    node[FEATURE] = node[CHILD] = -1
    node[CUT] = node[UPPER] = -2
    node[PARENT], node[DEPTH], node[BEGIN], node[END] = parent, depth, begin, end
    node[N_ROWS] = end - begin


@inner
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


@inner
def _large_enough(limits, about):
    """Whether the limits let the node be split."""
    m = about[N_ROWS]
    return m >= limits.min_split and m >= 2 * limits.min_leaf and about[DEPTH] < limits.max_depth


@njit
def _examine(columns, target, limits, rows, buffers, nodes, node, level, n_level, gathered):
    """A node's statistics and best split; the levels; FEATURE stays -1 when there is no split worth making."""
    about, floats = nodes.ints[node], nodes.floats[node]
    start, stop = about[BEGIN], about[END]
    summarise(target, buffers, rows, start, stop, floats, nodes.stats[node], gathered)
    floats[IMPROVEMENT] = 0.0
    impurity, weight = floats[IMPURITY], nodes.floats[0, WEIGHT]
    if impurity <= 0.0 or not _large_enough(limits, about):
        return level, n_level
    seed, mean = limits.seed * 1_000_003 + node, nodes.stats[node, target.n_stats - 1]
    column, gain, cut, upper, side, n_groups = best_split(
        columns, target, limits, buffers, rows, start, stop, mean, limits.min_share * weight, impurity, seed, gathered
    )
    if column < 0 or gain < limits.min_decrease * weight - 1e-10 * impurity:
        return level, n_level
    floats[IMPROVEMENT] = max(gain, 0.0)
    about[FEATURE], about[CUT], about[UPPER], about[DEFAULT] = column, cut, upper, side
    about[FIRST_LEVEL], about[N_LEVELS] = n_level, n_groups
    return append_levels(level, n_level, buffers.group, n_groups), n_level + n_groups


@njit
def _place(columns, target, limits, rows, buffers, about, level, n_level, surrogate, agreement, n_sur, gathered):
    """The side of each of the node's rows into buffers.direction; its surrogates and levels behind the others."""
    start, stop = about[BEGIN], about[END]
    rest, first, last, direction = rows, start, stop, buffers.direction  # rest[first:last]: rows that may be left over
    if gathered is None:
        keys, missing = buffers.presorted[about[FEATURE], start:stop], columns.about[N_VALUES, about[FEATURE]]
        left, right, last = partition_ordered(
            keys, about[CUT], missing, direction, target.case, buffers.unit, buffers.rows
        )
        rest, first = buffers.rows, 0
    else:
        partition_rows(columns, rows, start, stop, about, level, buffers.side_of, direction)
        left, right = weigh_sides(target.case, rows, start, stop, buffers.weight, buffers.side, direction)
    if limits.missing != CATEGORY or about[DEFAULT] == UNKNOWN:  # else missing values took part and have a side
        about[DEFAULT] = LEFT if left >= right else RIGHT
    about[FIRST_SUR] = n_sur
    if limits.missing == SURROGATE and limits.n_surrogates > 0:
        surrogate, agreement = (
            more(surrogate, n_sur + limits.n_surrogates),
            more(agreement, n_sur + limits.n_surrogates),
        )
        about[N_SUR], level, n_level = find_surrogates(
            columns, target, limits.n_surrogates, buffers, rows, start, stop, about[FEATURE], left, right,
            surrogate[n_sur:], agreement[n_sur:], level, n_level, gathered,
        )  # fmt: skip
    partition_left_over(columns, rest, first, last, about, surrogate, level, direction)
    return level, n_level, surrogate, agreement


@inner
def _part(columns, target, limits, rows, buffers, ints, node, n_nodes):
    """Two leaves below the node; columns stay in order only where a child may be split again."""
    about = ints[node]
    start, stop = about[BEGIN], about[END]
    middle = move_rows(buffers.direction, rows, start, stop, buffers.rows)
    about[CHILD] = n_nodes
    _leaf(ints[n_nodes], node, about[DEPTH] + 1, start, middle)
    _leaf(ints[n_nodes + 1], node, about[DEPTH] + 1, middle, stop)
    if len(buffers.presorted):
        left = _large_enough(limits, ints[n_nodes]) and not is_uniform(target, rows, start, middle)
        right = _large_enough(limits, ints[n_nodes + 1]) and not is_uniform(target, rows, middle, stop)
        move_order(columns.about, buffers.presorted, buffers.keys[0], buffers.direction, start, stop, left, right)


@njit
def grow(columns, target, limits, rows, buffers, nodes):
    """Grow a tree on `rows` (which are rearranged); returns the number of nodes, levels and surrogates."""
    return _grow(columns, target, limits, rows, buffers, nodes, True)


@njit
def grow_ordered(columns, target, limits, rows, buffers, nodes):
    """As `grow`, where every column is kept in order: half of the kernels, and half of the time it takes to compile."""
    return _grow(columns, target, limits, rows, buffers, nodes, None)


@njit
def _grow(columns, target, limits, rows, buffers, nodes, gathered):
    """gathered: None where every column is in order, so that what sorts rows at the nodes is not compiled."""
    ints, floats = nodes.ints, nodes.floats
    # counts are int64 from the start: with a literal 0 all kernels below would be compiled twice
    level, n_level = matrix(64, 2, np.int64), np.int64(0)
    surrogate, agreement, n_sur = matrix(64, 6, np.int64), matrix(64, 2, np.float64), np.int64(0)
    frontier = vector(len(ints), np.int64)
    size, n_nodes, pending = np.int64(0), np.int64(1), np.int64(0)  # nodes from `pending` on were not looked at yet
    _leaf(ints[0], -1, 0, 0, len(rows))
    while True:
        while pending < n_nodes:
            level, n_level = _examine(columns, target, limits, rows, buffers, nodes, pending, level, n_level, gathered)
            if ints[pending, FEATURE] >= 0:
                frontier[size] = pending
                size += 1
            pending += 1
        if size == 0 or (limits.max_leaves > 0 and (n_nodes + 1) // 2 >= limits.max_leaves):
            break
        node = _next(ints, floats, frontier, size, limits.max_leaves > 0)
        size -= 1
        level, n_level, surrogate, agreement = _place(
            columns, target, limits, rows, buffers, ints[node], level, n_level, surrogate, agreement, n_sur, gathered
        )
        n_sur += ints[node, N_SUR]
        _part(columns, target, limits, rows, buffers, ints, node, n_nodes)
        n_nodes += 2
    for q in range(size):  # splits found but not made, because there are leaves enough
        ints[frontier[q], FEATURE] = -1
        ints[frontier[q], N_LEVELS] = 0
        floats[frontier[q], IMPROVEMENT] = 0.0
    return n_nodes, level[:n_level], surrogate[:n_sur], agreement[:n_sur]
