# mypy: ignore-errors
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
    PARENT,
    RIGHT,
    SURROGATE,
    UNKNOWN,
    UPPER,
    WEIGHT,
    NodeRows,
    SplitLists,
)
from tamis.tree.grow.lists import append_levels
from tamis.tree.grow.partition import move_rows, partition_left_over, partition_ordered, partition_rows, weigh_sides
from tamis.tree.grow.scan.presorted import move_order
from tamis.tree.grow.split import best_split
from tamis.tree.grow.summary import is_uniform, summarise
from tamis.tree.grow.surrogate import find_surrogates
from tamis.views.binned import N_VALUES


@inner
def _write_leaf(about, parent, depth, begin, end):
    """A node that is not split yet; about: its row of Nodes.ints."""
    for k in range(len(about)):
        about[k] = 0
    about[FEATURE] = about[CHILD] = -1
    about[CUT] = about[UPPER] = -2
    about[PARENT], about[DEPTH], about[BEGIN], about[END] = parent, depth, begin, end
    about[N_ROWS] = end - begin


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
def _examine(columns, target, limits, rows, buffers, nodes, k, lists, gathered):
    """Statistics and best split of node k; FEATURE stays -1 when there is no split worth making. Returns the levels."""
    about, floats = nodes.ints[k], nodes.floats[k]
    node = NodeRows(rows, about[BEGIN], about[END])
    summarise(target, buffers, node, floats, nodes.stats[k], gathered)
    floats[IMPROVEMENT] = 0.0
    impurity, weight = floats[IMPURITY], nodes.floats[0, WEIGHT]
    if impurity <= 0.0 or not _large_enough(limits, about):
        return lists.level, lists.n_level
    seed, mean = limits.seed * 1_000_003 + k, nodes.stats[k, target.n_stats - 1]
    column, gain, cut, upper, side, n_groups = best_split(
        columns, target, limits, buffers, node, mean, limits.min_share * weight, impurity, seed, gathered
    )
    if column < 0 or gain < limits.min_decrease * weight - 1e-10 * impurity:
        return lists.level, lists.n_level
    floats[IMPROVEMENT] = max(gain, 0.0)
    about[FEATURE], about[CUT], about[UPPER], about[DEFAULT] = column, cut, upper, side
    about[FIRST_LEVEL], about[N_LEVELS] = lists.n_level, n_groups
    level = append_levels(lists.level, lists.n_level, buffers.levels.group, n_groups)
    return level, lists.n_level + n_groups


@njit
def _partition(columns, target, limits, rows, buffers, about, lists, gathered):
    """The side of each of the node's rows into buffers.direction; its surrogates behind those in the lists."""
    lists = SplitLists(lists.level, lists.n_level, lists.surrogate, lists.agreement, lists.n_surrogate)
    node, direction = NodeRows(rows, about[BEGIN], about[END]), buffers.direction
    left_over = node  # holds the rows that the primary split may not place
    if gathered is None:
        keys, missing = (
            buffers.presorted[about[FEATURE], node.start : node.stop],
            columns.about[N_VALUES, about[FEATURE]],
        )
        sides, n_rest = partition_ordered(
            keys, about[CUT], missing, direction, target.case, buffers.unit, buffers.moved
        )
        left_over = NodeRows(buffers.moved, np.int64(0), n_rest)
    else:
        partition_rows(columns, node, about, lists.level, buffers.side_of, direction)
        sides = weigh_sides(target.case, node, buffers.gathered.weight, buffers.side, direction)
    if limits.missing != CATEGORY or about[DEFAULT] == UNKNOWN:  # else missing values took part and have a side
        about[DEFAULT] = LEFT if sides.left >= sides.right else RIGHT
    about[FIRST_SUR] = lists.n_surrogate
    if limits.missing == SURROGATE and limits.n_surrogates > 0:
        about[N_SUR], lists = find_surrogates(
            columns, target.case, limits.n_surrogates, buffers, node, about[FEATURE], sides, lists, gathered
        )
    partition_left_over(columns, left_over, about, lists, direction)
    return lists


@inner
def _split_node(columns, target, limits, rows, buffers, ints, k, n_nodes):
    """Two leaves below node k; columns stay in order only where a child may be split again."""
    about = ints[k]
    start, stop = about[BEGIN], about[END]
    middle = move_rows(buffers.direction, NodeRows(rows, start, stop), buffers.moved)
    about[CHILD] = n_nodes
    _write_leaf(ints[n_nodes], k, about[DEPTH] + 1, start, middle)
    _write_leaf(ints[n_nodes + 1], k, about[DEPTH] + 1, middle, stop)
    if len(buffers.presorted):
        left = _large_enough(limits, ints[n_nodes]) and not is_uniform(target, rows, start, middle)
        right = _large_enough(limits, ints[n_nodes + 1]) and not is_uniform(target, rows, middle, stop)
        move_order(columns.about, buffers.presorted, buffers.sort.keys[0], buffers.direction, start, stop, left, right)


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
    lists = SplitLists(
        matrix(64, 2, np.int64), np.int64(0), matrix(64, 6, np.int64), matrix(64, 2, np.float64), np.int64(0)
    )
    frontier = vector(len(ints), np.int64)
    size, n_nodes, pending = np.int64(0), np.int64(1), np.int64(0)  # nodes from `pending` on were not looked at yet
    _write_leaf(ints[0], -1, 0, 0, len(rows))
    while True:
        while pending < n_nodes:
            level, n_level = _examine(columns, target, limits, rows, buffers, nodes, pending, lists, gathered)
            lists = SplitLists(level, n_level, lists.surrogate, lists.agreement, lists.n_surrogate)
            if ints[pending, FEATURE] >= 0:
                frontier[size] = pending
                size += 1
            pending += 1
        if size == 0 or (limits.max_leaves > 0 and (n_nodes + 1) // 2 >= limits.max_leaves):
            break
        k = _next(ints, floats, frontier, size, limits.max_leaves > 0)
        size -= 1
        lists = _partition(columns, target, limits, rows, buffers, ints[k], lists, gathered)
        _split_node(columns, target, limits, rows, buffers, ints, k, n_nodes)
        n_nodes += 2
    for q in range(size):  # splits found but not made, because there are leaves enough
        ints[frontier[q], FEATURE] = -1
        ints[frontier[q], N_LEVELS] = 0
        floats[frontier[q], IMPROVEMENT] = 0.0
    n_surrogate = lists.n_surrogate
    return n_nodes, lists.level[: lists.n_level], lists.surrogate[:n_surrogate], lists.agreement[:n_surrogate]
