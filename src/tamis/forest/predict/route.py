# mypy: allow-untyped-defs
"""Rows down the trees: codes while the forest is fitted, values when it predicts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tamis.engine.intrinsics import borrowed, matrix, vector
from tamis.engine.kernel import inner, njit
from tamis.forest.grow.sets import holds
from tamis.forest.layout import CATEGORY, CLASSES, COLUMN, LEFT_IF_MISSING, OBLIQUE, ForestArrays
from tamis.forest.predict.batch import GROUP, LANES, NONE, extent, leaves_of_copy, unroll


class LeftOut(NamedTuple):
    """The out-of-bag rows of several trees, tree after tree, and the leaf each of them reaches."""

    rows: np.ndarray  # uint32
    leaf: np.ndarray  # int32: counted from the tree's root
    ends: np.ndarray  # int64 (trees + 1): where the rows of each tree begin


class OutOfBagSums(NamedTuple):
    """Answers so far for the rows that some tree left out, and their errors."""

    votes: np.ndarray  # float64 (rows, classes or targets): sums of the trees' answers
    n_trees: np.ndarray  # int64 (rows): trees that left the row out
    error: np.ndarray  # float64 (rows): error of the answer
    totals: np.ndarray  # float64 (2): Σ weight × error and Σ weight over the rows that have an answer


@njit(error_model="numpy")
def goes_left(x, node, trees):
    """Whether a row of values goes left at a split that is not a plain comparison, or whose value is missing."""
    column = node.column & COLUMN
    if node.column & OBLIQUE:
        total = 0.0
        for q in range(trees.sum_column.shape[1]):
            total += trees.sum_factor[column, q] * x[trees.sum_column[column, q]]
        if total == total:
            return total <= node.threshold
    else:
        value = x[column]
        if value == value:
            if node.column & CATEGORY == 0:
                return value <= node.threshold
            return holds(trees.sets, node.threshold, np.int64(value))
    return node.column & LEFT_IF_MISSING != 0


@njit(error_model="numpy", forceinline=True)
def goes_right(X, row, node, trees):
    """1 when a row goes right at a split, else 0; the plain comparison first."""
    if node.column & (CATEGORY | OBLIQUE) == 0:
        x = X[row, node.column & COLUMN]
        if x == x:
            return np.int64(x > node.threshold)
    return np.int64(not goes_left(X[row], node, trees))


@njit(error_model="numpy", forceinline=True)
def leaves_of(X, begin, end, trees, t, leaf):
    """leaf[i]: the node (counted from the first tree's root) that row begin + i of X reaches in tree t."""
    nodes, root, row = trees.nodes, trees.roots[t], begin
    while row + 4 <= end:  # four rows side by side: their memory accesses overlap
        a = b = c = d = np.int64(root)
        while True:
            na, nb, nc, nd = nodes[a], nodes[b], nodes[c], nodes[d]
            if na.left < 0 and nb.left < 0 and nc.left < 0 and nd.left < 0:
                break
            if na.left >= 0:
                a = root + na.left + goes_right(X, row, na, trees)
            if nb.left >= 0:
                b = root + nb.left + goes_right(X, row + 1, nb, trees)
            if nc.left >= 0:
                c = root + nc.left + goes_right(X, row + 2, nc, trees)
            if nd.left >= 0:
                d = root + nd.left + goes_right(X, row + 3, nd, trees)
        leaf[row - begin], leaf[row - begin + 1] = a, b
        leaf[row - begin + 2], leaf[row - begin + 3] = c, d
        row += 4
    while row < end:
        a = np.int64(root)
        while nodes[a].left >= 0:
            a = root + nodes[a].left + goes_right(X, row, nodes[a], trees)
        leaf[row - begin] = a
        row += 1


@njit(error_model="numpy", forceinline=True)
def leaves_in(X, first, m, mode, trees, t, copy, batch, leaf):
    """leaf[i]: as `leaves_of` for m rows in tree t, at most GROUP; by its copy unless the mode is NONE.

    batch: uint32 (2, GROUP), a buffer.
    """
    if mode != NONE:
        roots = trees.roots
        leaves_of_copy(X, first, m, mode, copy, roots[t + 1] - roots[t], roots[t], batch[0], batch[1], leaf)
    else:
        leaves_of(X, first, first + m, trees, t, leaf)


@inner(forceinline=True)
def _borrowed(trees):
    """The trees without counted references to their arrays."""
    return ForestArrays(
        borrowed(trees.nodes),
        borrowed(trees.roots),
        borrowed(trees.table),
        borrowed(trees.sets),
        borrowed(trees.sum_column),
        borrowed(trees.sum_factor),
    )


@njit(error_model="numpy")
def add_answers(X, begin, end, trees, n_classes, copy, out):
    """out[i] += the answers of all trees for row i: class shares, or numbers; copy: buffer for a tree, or empty."""
    X, trees, copy, out = borrowed(X), _borrowed(trees), borrowed(copy), borrowed(out)
    nodes, roots, table = trees.nodes, trees.roots, trees.table
    batch, leaf = matrix(2, GROUP, np.uint32), vector(GROUP, np.int64)
    complete, top = extent(X, begin, end if len(copy) else begin)
    for t in range(len(roots) - 1):
        mode, in_copy = unroll(trees, t, end - begin, complete, top, copy)
        for first in range(begin, end, GROUP):
            m = min(GROUP, end - first)
            leaves_in(X, first, m, mode, trees, t, copy, batch, leaf)
            if in_copy and n_classes:  # the copy is in the cache, the tree itself is not
                root = roots[t]
                for i in range(m):
                    add_leaf(copy[leaf[i] - root].column & COLUMN, 0.0, table, n_classes, out[first + i])
            else:
                for i in range(m):
                    add_leaf(nodes[leaf[i]].column, nodes[leaf[i]].threshold, table, n_classes, out[first + i])


@njit(error_model="numpy", forceinline=True)
def add_leaf(column, threshold, table, n_classes, out):
    """out += what a leaf answers."""
    if n_classes:
        if column < n_classes:
            out[column] += 1.0
            return
        for c in range(n_classes):
            out[c] += table[column - n_classes, c]
    elif len(out) == 1:
        out[0] += threshold
    else:
        for t in range(len(out)):
            out[t] += table[column, t]


@njit(error_model="numpy")
def drawn_answers(X, begin, end, trees, copy, out):
    """out[i, t]: a training answer from the leaf of row i in tree t; copy: buffer for a tree, or empty."""
    batch, leaf = matrix(2, GROUP, np.uint32), vector(GROUP, np.int64)
    complete, top = extent(X, begin, end if len(copy) else begin)
    for t in range(len(trees.roots) - 1):
        mode, _ = unroll(trees, t, end - begin, complete, top, copy)
        for first in range(begin, end, GROUP):
            m = min(GROUP, end - first)
            leaves_in(X, first, m, mode, trees, t, copy, batch, leaf)
            for i in range(m):
                out[first + i, t] = np.int32(trees.nodes[leaf[i]].column).view(np.float32)


@njit(error_model="numpy")
def leaves_of_codes(by_row, rows, nodes, cuts, n_values, sets, leaf, mixed):
    """leaf[i]: the node where row rows[i] of the codes ends, in one tree as it was grown; mixed: None without sets."""
    m = len(rows)
    lanes = min(LANES, m)
    lane_node, lane_of = vector(LANES, np.int64), vector(LANES, np.int64)
    for b in range(lanes):
        lane_node[b], lane_of[b] = 0, b
    after, busy = lanes, lanes
    while busy > 0:
        for b in range(busy):
            k = lane_node[b]
            node = nodes[k]
            if node.left >= 0:
                column = node.column & COLUMN
                c = by_row[rows[lane_of[b]], column]
                if mixed is not None:  # noqa: SIM102 - what is None is known when it is compiled
                    if node.column & CATEGORY:
                        lane_node[b] = node.left + (not holds(sets, node.threshold, np.int64(c)))
                        continue
                if c != n_values[column]:
                    lane_node[b] = node.left + (c > cuts[k])
                else:
                    lane_node[b] = node.left + (node.column & LEFT_IF_MISSING == 0)
                continue
            leaf[lane_of[b]] = k
            if after < m:
                lane_node[b], lane_of[b] = 0, after
                after += 1
            else:
                busy -= 1
                lane_node[b], lane_of[b] = lane_node[busy], lane_of[busy]
                break


@njit(error_model="numpy")
def out_of_bag_rows(counts):
    """The rows that were not drawn: counts[i] = 0."""
    n = 0
    for i in range(len(counts)):
        n += counts[i] == 0
    rows = vector(n, np.uint32)
    write_out_of_bag(counts, rows, np.int64(0), np.int64(1))
    return rows


@njit(error_model="numpy")
def write_out_of_bag(counts, rows, first, step):
    """rows[:n]: the rows that were not drawn among first, first + step, …; returns n."""
    n = 0
    for i in range(first, len(counts), step):
        if counts[i] == 0:
            rows[n] = i
            n += 1
    return n


@njit(error_model="numpy")
def out_of_bag_gain(target, rows, leaf, nodes, value, gain, kind):
    """gain[j]: how much column j's splits help the out-of-bag rows; zero on average for a column of noise.

    Σ over splits and out-of-bag rows of (value of the row's child - value of the node) × target of the row (Li et al.
    2019). value: (nodes, classes or targets). kind: that of the target, None for one number.
    """
    n_nodes, n_sums = len(nodes), value.shape[1]
    sums, weights = matrix(n_nodes, n_sums, np.float64), vector(n_nodes, np.float64)
    for node in range(n_nodes):
        weights[node] = 0.0
        for t in range(n_sums):
            sums[node, t] = 0.0
    for i in range(len(rows)):
        row = rows[i]
        w = target.weight[row]
        weights[leaf[i]] += w
        if kind == CLASSES:
            sums[leaf[i], target.classes[row]] += w
        else:
            for t in range(n_sums):
                sums[leaf[i], t] += w * target.values[row, t]
    for back in range(n_nodes):
        node = n_nodes - 1 - back  # children come after their parents
        child = nodes[node].left
        if child < 0:
            continue
        for t in range(n_sums):
            sums[node, t] = sums[child, t] + sums[child + 1, t]
        weights[node] = weights[child] + weights[child + 1]
        if weights[child] <= 0.0 or weights[child + 1] <= 0.0:
            continue
        column = nodes[node].column & COLUMN
        for t in range(n_sums):
            # Counted from the mean of the node's rows left out: where a column says nothing, their targets are as
            # good as shuffled, so its gain is 0 on average. Counted from the node's own value it would not be: rows
            # drawn twice pull both that value and the choice of the split.
            middle = sums[node, t] / weights[node]
            for k in range(child, child + 2):
                gain[column] += (value[k, t] - value[node, t]) * (sums[k, t] - middle * weights[k])


@njit(error_model="numpy")
def add_left_out(left_out, nodes, table, ends, target, sums, curve):
    """Add the answers of several trees for the rows they left out; curve[t]: the mean error of all rows after tree t.

    left_out : LeftOut. Of tree t the nodes begin at ends[t, 0], the leaf table at ends[t, 3]. target : TargetCosts.
    sums : OutOfBagSums. The error is loss[truth, answer] for classes, for numbers the squared error (its mean over
    targets).
    """
    rows, values, weight = left_out.rows, target.values, target.weight
    votes, n_trees, error, totals = sums.votes, sums.n_trees, sums.error, sums.totals
    for t in range(len(curve)):
        leaves = table[ends[t, 3] : ends[t + 1, 3]]
        for i in range(left_out.ends[t], left_out.ends[t + 1]):
            row, node = rows[i], nodes[ends[t, 0] + left_out.leaf[i]]
            if n_trees[row] > 0:
                totals[0] -= weight[row] * error[row]
            else:
                totals[1] += weight[row]
            add_leaf(node.column, node.threshold, leaves, target.n_classes, votes[row])
            n_trees[row] += 1
            if target.n_classes:
                error[row] = target.loss[target.classes[row], answer_of(votes[row], target.loss, target.majority)]
            else:
                squares = 0.0
                for q in range(values.shape[1]):
                    off = values[row, q] - votes[row, q] / n_trees[row]
                    squares += off * off
                error[row] = squares / values.shape[1]
            totals[0] += weight[row] * error[row]
        curve[t] = totals[0] / totals[1] if totals[1] > 0.0 else np.nan


@njit(error_model="numpy")
def answer_of(votes, loss, majority):
    """The class of most votes, or of least expected cost; the first of equals."""
    best, top = -np.inf, 0
    for c in range(len(votes)):
        if majority:
            score = votes[c]
        else:
            score = 0.0
            for truth in range(len(votes)):
                score -= votes[truth] * loss[truth, c]
        if score > best:
            best, top = score, c
    return top
