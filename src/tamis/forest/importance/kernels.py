# mypy: allow-untyped-defs
"""Rise of a tree's cost on its out-of-bag rows when the values of a column are permuted among them.

A permuted value changes a row's leaf only where it sends the row to the other child of a split on the row's path. So
each row is sent down once; at each split of its path the permuted value is compared, and from the first split where it
goes to the other child the row is sent on to its new leaf. Most permuted values change nothing and cost one comparison.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tamis.engine.kernel import inner, njit
from tamis.forest.data.rng import below, seed_state
from tamis.forest.grow.sets import holds
from tamis.forest.layout import CATEGORY, COLUMN, LEFT_IF_MISSING, OBLIQUE
from tamis.forest.predict.route import answer_of

LANES = 8  # rows that go down side by side: their memory accesses overlap
PENDING = 512  # rows that are sent on together
LEFT, FLAGS, CUT, UNIT = 0, 1, 2, 3  # columns of CodedTree.splits: 16 bytes, so that a node is one access
SPECIAL = -2  # in place of the unit, for splits that are more than a comparison of codes


class PermutedTable(NamedTuple):
    """The rows of the binned table, and the unit of each column: columns of one unit are permuted together."""

    by_row: np.ndarray  # uint16 (rows, columns): codes
    matrix: np.ndarray  # float64 (rows, columns): values, for oblique splits; empty without them
    n_values: np.ndarray  # int32 (columns): the code for missing
    unit_of: np.ndarray  # int64 (columns): -1 for a column that is never permuted


class CodedTree(NamedTuple):
    """One tree whose splits ask for codes and columns of the binned table."""

    splits: np.ndarray  # int32 (nodes, 4): LEFT, FLAGS, CUT, UNIT; a leaf has -1 in LEFT
    threshold: np.ndarray  # float64 (nodes)
    sets: np.ndarray  # the last three as in ForestArrays
    sum_column: np.ndarray
    sum_factor: np.ndarray


class LeafCosts(NamedTuple):
    """What the leaves of one tree answer, and what that costs the rows."""

    n_classes: int  # the first five as in TargetCosts
    classes: np.ndarray
    values: np.ndarray
    weight: np.ndarray
    loss: np.ndarray
    answers: np.ndarray  # int32 (nodes): class that each leaf answers
    table: np.ndarray  # float64: as in ForestArrays


class Permutations(NamedTuple):
    """One permutation of 0 … m - 1 for each unit: i goes to (factor · i + shift) mod m."""

    factor: np.ndarray  # int64 (units): prime to m
    shift: np.ndarray  # int64 (units)


class PendingRows(NamedTuple):
    """Rows that left their path when a unit was permuted, and wait to be sent on to a leaf: int64 arrays."""

    row: np.ndarray  # position among the out-of-bag rows
    donor: np.ndarray  # row of the table whose values the unit's columns take
    node: np.ndarray  # where the row is
    unit: np.ndarray


class ImportanceSums(NamedTuple):
    """Sums over trees of the mean rise of the cost."""

    total: np.ndarray  # float64 (units)
    square: np.ndarray  # float64 (units): of the squared rise
    by_class: np.ndarray  # float64 (units, classes): of the rise among rows of each class
    with_class: np.ndarray  # float64 (classes): trees with out-of-bag rows of the class


@njit(error_model="numpy")
def answers_of(nodes, table, n_classes, loss, majority):
    """The class that each leaf of a tree answers (not filled for numbers); `nodes` are the tree's own."""
    out = np.empty(len(nodes), dtype=np.int32)
    for k in range(len(nodes)):
        if n_classes and nodes[k].left < 0:
            column = nodes[k].column
            out[k] = column if column < n_classes else answer_of(table[column - n_classes], loss, majority)
    return out


@inner(error_model="numpy")
def cost_at(k, row, tree, costs):
    """Cost of the answer of leaf k for a row: loss[truth, answer] for classes, mean squared error for numbers."""
    if costs.n_classes:
        return costs.loss[costs.classes[row], costs.answers[k]]
    values = costs.values
    n_targets = values.shape[1]
    if n_targets == 1:
        error = values[row, 0] - tree.threshold[k]
        return error * error
    total = 0.0
    for t in range(n_targets):
        error = values[row, t] - costs.table[tree.splits[k, FLAGS], t]
        total += error * error
    return total / n_targets


@njit(error_model="numpy")
def splits_of(nodes, unit_of, place, missing, first, high):
    """(splits, thresholds, depth) of a tree, columns and cuts as the binned table counts them.

    place: position in the binned table of each column of the nodes. Where UNIT is not SPECIAL a row goes right when its
    code exceeds CUT, missing or not.
    """
    n = len(nodes)
    splits, threshold = np.zeros((n, 4), dtype=np.int32), np.empty(n)
    depth, deepest = np.zeros(n, dtype=np.int32), 0
    for k in range(n):
        splits[k, LEFT], splits[k, FLAGS], threshold[k] = nodes[k].left, nodes[k].column, nodes[k].threshold
        if nodes[k].left < 0:
            deepest = max(deepest, depth[k])
            continue
        depth[nodes[k].left] = depth[nodes[k].left + 1] = depth[k] + 1
        flags = np.int64(nodes[k].column)
        splits[k, UNIT] = SPECIAL
        if flags & OBLIQUE:
            continue
        column = place[flags & COLUMN]
        splits[k, FLAGS] = (flags & ~COLUMN) | column
        if flags & CATEGORY == 0:
            begin, end = first[column], first[column + 1]
            while begin < end:  # the last code whose values do not exceed the threshold
                middle = (begin + end) >> 1
                if high[middle] <= threshold[k]:
                    begin = middle + 1
                else:
                    end = middle
            splits[k, CUT] = begin - first[column] - 1
            if not (missing[column] and flags & LEFT_IF_MISSING):
                splits[k, UNIT] = unit_of[column]
    return splits, threshold, deepest


@inner(error_model="numpy")
def goes_right(k, row, donor, unit, data, tree):
    """1 when a row goes right at split k, of any kind, else 0; columns of `unit` are read from the row `donor`."""
    flags = np.int64(tree.splits[k, FLAGS])
    column = flags & COLUMN
    if flags & OBLIQUE:
        total = 0.0
        for q in range(tree.sum_column.shape[1]):
            j = tree.sum_column[column, q]
            total += tree.sum_factor[column, q] * data.matrix[donor if data.unit_of[j] == unit else row, j]
        return np.int64(total > tree.threshold[k] if total == total else flags & LEFT_IF_MISSING == 0)
    code = np.int64(data.by_row[donor if data.unit_of[column] == unit else row, column])
    if code == data.n_values[column]:
        return np.int64(flags & LEFT_IF_MISSING == 0)
    if flags & CATEGORY:
        return np.int64(not holds(tree.sets, tree.threshold[k], code))
    return np.int64(code > tree.splits[k, CUT])


@njit(error_model="numpy")
def permutations_of(m, n_units, state):
    """A random permutation of 0 … m - 1 for each unit.

    The rows are in the order of a digest, so stepping through them evenly is as good as drawing them at random, and
    costs no memory.
    """
    factor, shift = np.empty(n_units, dtype=np.int64), np.empty(n_units, dtype=np.int64)
    for u in range(n_units):
        shift[u], factor[u] = below(state, m), 1
        while m > 2:
            factor[u] = 1 + below(state, m - 1)
            a, b = m, factor[u]
            while b:
                a, b = b, a % b
            if a == 1:
                break
    return Permutations(factor, shift)


@inner(error_model="numpy")
def leave_path(path, i, rows, permutations, changed, data, tree, pending, n):
    """Permute every unit for row rows[i]; where the row leaves its path it is appended to `pending`; the new length n.

    path : twice each node of the row's path, plus 1 where the row went right. changed[u] : the last i that left its
    path with unit u.
    """
    splits, unit_of, m, row = tree.splits, data.unit_of, len(rows), np.int64(rows[i])
    for step in range(len(path)):
        k = path[step] >> 1
        flags = np.int64(splits[k, FLAGS])
        oblique = flags & OBLIQUE != 0
        for q in range(tree.sum_column.shape[1] if oblique else 1):
            u = unit_of[tree.sum_column[flags & COLUMN, q] if oblique else flags & COLUMN]
            if u < 0 or changed[u] == i:
                continue
            donor = np.int64(rows[(permutations.factor[u] * i + permutations.shift[u]) % m])
            if splits[k, UNIT] == SPECIAL:
                right = goes_right(k, row, donor, u, data, tree)
            else:
                right = np.int64(data.by_row[donor, flags & COLUMN] > splits[k, CUT])
            if right != path[step] & 1:
                changed[u] = i
                pending.row[n], pending.donor[n] = i, donor
                pending.node[n], pending.unit[n] = splits[k, LEFT] + right, u
                n += 1
    return n


@inner(error_model="numpy")
def send_on(n, pending, rows, data, tree, lane_node, lane_of):
    """Send the first n pending rows from pending.node[a] on to their leaves, which take its place."""
    splits, by_row = tree.splits, data.by_row
    lanes = min(LANES, n)
    for b in range(lanes):
        lane_of[b], lane_node[b] = b, pending.node[b]
    after, busy = lanes, lanes
    while busy > 0:
        for b in range(busy):
            k, a = lane_node[b], lane_of[b]
            if splits[k, LEFT] >= 0:
                unit = pending.unit[a]
                if splits[k, UNIT] == SPECIAL:
                    right = goes_right(k, np.int64(rows[pending.row[a]]), pending.donor[a], unit, data, tree)
                else:
                    row = pending.donor[a] if splits[k, UNIT] == unit else np.int64(rows[pending.row[a]])
                    right = np.int64(by_row[row, splits[k, FLAGS] & COLUMN] > splits[k, CUT])
                lane_node[b] = splits[k, LEFT] + right
                continue
            pending.node[a] = k
            if after < n:
                lane_of[b], lane_node[b] = after, pending.node[after]
                after += 1
            else:
                busy -= 1
                lane_of[b], lane_node[b] = lane_of[busy], lane_node[busy]
                break


@inner(error_model="numpy")
def add_pending(n, pending, rows, tree, costs, leaf_cost, rise, of_class):
    """Add the weighted rise of the cost of the first n pending rows, which are at their new leaves."""
    for a in range(n):
        row = rows[pending.row[a]]
        more = costs.weight[row] * (cost_at(pending.node[a], row, tree, costs) - leaf_cost[pending.row[a]])
        rise[pending.unit[a]] += more
        if costs.n_classes:
            of_class[pending.unit[a], costs.classes[row]] += more


@njit(error_model="numpy")
def add_rises(rows, permutations, data, tree, deepest, costs, leaf_cost, rise, of_class):
    """rise[u] += Σ weight × rise of cost over all rows when unit u is permuted; of_class[u, c] : over rows of class c.

    LANES rows go down side by side; a lane whose row reached its leaf takes the next row.
    """
    m, splits = len(rows), tree.splits
    most = PENDING + (deepest + 1) * max(1, tree.sum_column.shape[1])
    pending = PendingRows(
        np.empty(most, np.int64), np.empty(most, np.int64), np.empty(most, np.int64), np.empty(most, np.int64)
    )
    changed, n = np.full(len(permutations.factor), -1, dtype=np.int64), 0
    path = np.empty((LANES, deepest + 1), dtype=np.int32)
    on_node, on_of = np.empty(LANES, np.int64), np.empty(LANES, np.int64)
    lane_node, lane_of, steps = np.zeros(LANES, np.int64), np.arange(LANES), np.zeros(LANES, np.int64)
    after, busy = min(LANES, m), min(LANES, m)
    while busy > 0:
        for b in range(busy):
            k, i = lane_node[b], lane_of[b]
            if splits[k, LEFT] >= 0:
                row = np.int64(rows[i])
                if splits[k, UNIT] == SPECIAL:
                    right = goes_right(k, row, row, -1, data, tree)
                else:
                    right = np.int64(data.by_row[row, splits[k, FLAGS] & COLUMN] > splits[k, CUT])
                path[b, steps[b]] = 2 * k + right
                steps[b] += 1
                lane_node[b] = splits[k, LEFT] + right
                continue
            leaf_cost[i] = cost_at(k, rows[i], tree, costs)
            n = leave_path(path[b, : steps[b]], i, rows, permutations, changed, data, tree, pending, n)
            steps[b] = 0
            fewer = after == m
            if fewer:
                busy -= 1
                lane_node[b], lane_of[b], steps[b] = lane_node[busy], lane_of[busy], steps[busy]
                path[b, : steps[b]] = path[busy, : steps[b]]
            else:
                lane_node[b], lane_of[b] = 0, after
                after += 1
            if n >= PENDING or busy == 0:
                send_on(n, pending, rows, data, tree, on_node, on_of)
                add_pending(n, pending, rows, tree, costs, leaf_cost, rise, of_class)
                n = 0
            if fewer:
                break


@njit(error_model="numpy")
def add_losses(rows, t, trees, place, binned, data, target, repeats, seed, sums):
    """Add the mean rise of cost of tree t on its out-of-bag rows, for every unit of columns, to `sums`.

    trees : ForestArrays, of which sum_column counts columns as the binned table does. place : position there of each
    column of the nodes. target : TargetCosts.
    """
    m, n_classes, n_units = len(rows), target.n_classes, len(sums.total)
    if m == 0:
        return
    nodes, weight = trees.nodes[trees.roots[t] : trees.roots[t + 1]], target.weight
    splits, threshold, deepest = splits_of(nodes, data.unit_of, place, binned.missing, binned.first, binned.high)
    tree = CodedTree(splits, threshold, trees.sets, trees.sum_column, trees.sum_factor)
    answers = answers_of(nodes, trees.table, n_classes, target.loss, target.majority)
    costs = LeafCosts(n_classes, target.classes, target.values, weight, target.loss, answers, trees.table)
    all_weight, class_weight = 0.0, np.zeros(n_classes)
    for i in range(m):
        all_weight += weight[rows[i]]
        if n_classes:
            class_weight[target.classes[rows[i]]] += weight[rows[i]]
    for c in range(n_classes):
        sums.with_class[c] += class_weight[c] > 0
    state = np.empty(1, dtype=np.uint64)
    seed_state(seed, state)
    rise, of_class, leaf_cost = np.zeros(n_units), np.zeros((n_units, n_classes)), np.empty(m)
    for _ in range(repeats):
        permutations = permutations_of(m, n_units, state)
        add_rises(rows, permutations, data, tree, deepest, costs, leaf_cost, rise, of_class)
    for u in range(n_units):
        mean = rise[u] / (repeats * all_weight)
        sums.total[u] += mean
        sums.square[u] += mean * mean
        for c in range(n_classes):
            if class_weight[c] > 0:
                sums.by_class[u, c] += of_class[u, c] / (repeats * class_weight[c])
