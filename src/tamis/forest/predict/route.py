# mypy: allow-untyped-defs
"""Rows down the trees: codes while the forest is fitted, values when it predicts."""

from __future__ import annotations

import numpy as np

from tamis.engine.intrinsics import borrowed, matrix, vector
from tamis.engine.kernel import njit
from tamis.forest.grow.sets import holds
from tamis.forest.layout import CATEGORY, CLASSES, COLUMN, LEFT_IF_MISSING, OBLIQUE
from tamis.forest.predict.batch import GROUP, LANES, NONE, extent, leaves_of_copy, unroll


@njit(error_model="numpy")
def goes_left(x, node, sets, sum_column, sum_factor):
    """The side of a row of values at a split that is not a plain comparison, or whose value is missing."""
    column = node.column & COLUMN
    if node.column & OBLIQUE:
        total = 0.0
        for q in range(sum_column.shape[1]):
            total += sum_factor[column, q] * x[sum_column[column, q]]
        if total == total:
            return total <= node.threshold
    else:
        value = x[column]
        if value == value:
            if node.column & CATEGORY == 0:
                return value <= node.threshold
            return holds(sets, node.threshold, np.int64(value))
    return node.column & LEFT_IF_MISSING != 0


@njit(error_model="numpy", forceinline=True)
def goes_right(X, row, node, sets, sum_column, sum_factor):
    """1 when a row goes right at a split, else 0; the plain comparison first."""
    if node.column & (CATEGORY | OBLIQUE) == 0:
        x = X[row, node.column & COLUMN]
        if x == x:
            return np.int64(x > node.threshold)
    return np.int64(not goes_left(X[row], node, sets, sum_column, sum_factor))


@njit(error_model="numpy", forceinline=True)
def leaves_of(X, begin, end, nodes, root, sets, sum_column, sum_factor, leaf):
    """leaf[i]: the node (counted from the first tree's root) where row begin + i of X ends in the tree at `root`."""
    row = begin
    while row + 4 <= end:  # four rows side by side: their memory accesses overlap
        a = b = c = d = np.int64(root)
        while True:
            na, nb, nc, nd = nodes[a], nodes[b], nodes[c], nodes[d]
            if na.left < 0 and nb.left < 0 and nc.left < 0 and nd.left < 0:
                break
            if na.left >= 0:
                a = root + na.left + goes_right(X, row, na, sets, sum_column, sum_factor)
            if nb.left >= 0:
                b = root + nb.left + goes_right(X, row + 1, nb, sets, sum_column, sum_factor)
            if nc.left >= 0:
                c = root + nc.left + goes_right(X, row + 2, nc, sets, sum_column, sum_factor)
            if nd.left >= 0:
                d = root + nd.left + goes_right(X, row + 3, nd, sets, sum_column, sum_factor)
        leaf[row - begin], leaf[row - begin + 1] = a, b
        leaf[row - begin + 2], leaf[row - begin + 3] = c, d
        row += 4
    while row < end:
        a = np.int64(root)
        while nodes[a].left >= 0:
            a = root + nodes[a].left + goes_right(X, row, nodes[a], sets, sum_column, sum_factor)
        leaf[row - begin] = a
        row += 1


@njit(error_model="numpy", forceinline=True)
def leaves_in(X, first, m, mode, nodes, roots, t, sets, sum_column, sum_factor, spare, room, leaf):
    """leaf[i]: as `leaves_of` for m rows in tree t, at most GROUP; the quick way where spare has it."""
    if mode != NONE:
        leaves_of_copy(X, first, m, mode, spare, roots[t + 1] - roots[t], roots[t], room[0], room[1], leaf)
    else:
        leaves_of(X, first, first + m, nodes, roots[t], sets, sum_column, sum_factor, leaf)


@njit(error_model="numpy")
def add_answers(X, begin, end, nodes, roots, table, sets, sum_column, sum_factor, n_classes, spare, out):
    """out[i] += the answers of all trees for row i: class shares, or numbers; spare: room for a tree, or empty."""
    X, nodes, table, sets, out = borrowed(X), borrowed(nodes), borrowed(table), borrowed(sets), borrowed(out)
    sum_column, sum_factor, spare = borrowed(sum_column), borrowed(sum_factor), borrowed(spare)
    room, leaf = matrix(2, GROUP, np.uint32), vector(GROUP, np.int64)
    complete, top = extent(X, begin, end if len(spare) else begin)
    for t in range(len(roots) - 1):
        mode, own = unroll(nodes, roots, t, end - begin, complete, top, sets, spare)
        for first in range(begin, end, GROUP):
            m = min(GROUP, end - first)
            leaves_in(X, first, m, mode, nodes, roots, t, sets, sum_column, sum_factor, spare, room, leaf)
            if own and n_classes:  # the copy is in the cache, the tree itself is not
                root = roots[t]
                for i in range(m):
                    add_leaf(spare[leaf[i] - root].column & COLUMN, 0.0, table, n_classes, out[first + i])
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
def drawn_answers(X, begin, end, nodes, roots, sets, sum_column, sum_factor, spare, out):
    """out[i, t]: a training answer from the leaf of row i in tree t; spare: room for a tree, or empty."""
    room, leaf = matrix(2, GROUP, np.uint32), vector(GROUP, np.int64)
    complete, top = extent(X, begin, end if len(spare) else begin)
    for t in range(len(roots) - 1):
        mode, _ = unroll(nodes, roots, t, end - begin, complete, top, sets, spare)
        for first in range(begin, end, GROUP):
            m = min(GROUP, end - first)
            leaves_in(X, first, m, mode, nodes, roots, t, sets, sum_column, sum_factor, spare, room, leaf)
            for i in range(m):
                out[first + i, t] = np.int32(nodes[leaf[i]].column).view(np.float32)


@njit(error_model="numpy")
def side(codes, node, cut, n_values, sets):
    """Whether a row of codes (columns as in growing) goes left at a split."""
    column = node.column & COLUMN
    c = np.int64(codes[column])
    if node.column & CATEGORY:
        return holds(sets, node.threshold, c)
    if c == n_values[column]:
        return node.column & LEFT_IF_MISSING != 0
    return c <= cut


@njit(error_model="numpy")
def leaves_of_codes(by_row, rows, nodes, cuts, n_values, sets, leaf):
    """leaf[i]: the node where row rows[i] of the codes ends, in one tree as it was grown."""
    m = len(rows)
    lanes = min(LANES, m)
    at, who = vector(LANES, np.int64), vector(LANES, np.int64)
    for b in range(lanes):
        at[b], who[b] = 0, b
    after, busy = lanes, lanes
    while busy > 0:
        for b in range(busy):
            node = nodes[at[b]]
            if node.left >= 0:
                row = rows[who[b]]
                if node.column & CATEGORY == 0:
                    column = node.column & COLUMN
                    c = by_row[row, column]
                    if c != n_values[column]:
                        at[b] = node.left + (c > cuts[at[b]])
                        continue
                at[b] = node.left + (not side(by_row[row], node, cuts[at[b]], n_values, sets))
                continue
            leaf[who[b]] = at[b]
            if after < m:
                at[b], who[b] = 0, after
                after += 1
            else:
                busy -= 1
                at[b], who[b] = at[busy], who[busy]
                break


@njit(error_model="numpy")
def left_out(counts):
    """The rows that were not drawn."""
    n = 0
    for i in range(len(counts)):
        n += counts[i] == 0
    rows = vector(n, np.uint32)
    write_left_out(counts, rows)
    return rows


@njit(error_model="numpy")
def write_left_out(counts, rows):
    """The same into an array that is long enough; how many there are."""
    n = 0
    for i in range(len(counts)):
        if counts[i] == 0:
            rows[n] = i
            n += 1
    return n


@njit(error_model="numpy")
def out_of_bag_gain(kind, classes, values, weight, rows, leaf, nodes, value, gain):
    """gain[j]: how much column j's splits help the rows left out; zero on average for a column of noise.

    Each split moves the answer of a row from the node's value to its child's; what counts is the sum of these moves
    times the row's target (Li et al. 2019), over rows left out.
    """
    n_nodes, n_sums = len(nodes), value.shape[1]
    sums, heavy = matrix(n_nodes, n_sums, np.float64), vector(n_nodes, np.float64)
    for node in range(n_nodes):
        heavy[node] = 0.0
        for t in range(n_sums):
            sums[node, t] = 0.0
    for i in range(len(rows)):
        row = rows[i]
        w = weight[row]
        heavy[leaf[i]] += w
        if kind == CLASSES:
            sums[leaf[i], classes[row]] += w
        else:
            for t in range(n_sums):
                sums[leaf[i], t] += w * values[row, t]
    for back in range(n_nodes):
        node = n_nodes - 1 - back  # children come after their parents
        child = nodes[node].left
        if child < 0:
            continue
        for t in range(n_sums):
            sums[node, t] = sums[child, t] + sums[child + 1, t]
        heavy[node] = heavy[child] + heavy[child + 1]
        if heavy[child] <= 0.0 or heavy[child + 1] <= 0.0:
            continue
        column = nodes[node].column & COLUMN
        for t in range(n_sums):
            # Counted from the mean of the node's rows left out: where a column says nothing, their targets are as
            # good as shuffled, so its gain is 0 on average. Counted from the node's own value it would not be: rows
            # drawn twice pull both that value and the choice of the split.
            middle = sums[node, t] / heavy[node]
            for k in range(child, child + 2):
                gain[column] += (value[k, t] - value[node, t]) * (sums[k, t] - middle * heavy[k])


@njit(error_model="numpy")
def add_left_out(
    rows, leaf, ends, nodes, roots, table, tables, n_classes, classes, values, weight, loss, plain, votes, n_trees,
    error, sums, curve,
):  # fmt: skip
    """Add the answers of several trees for the rows they left out; sums: error and weight of all rows answered so far.

    Of tree t the rows begin at ends[t], the nodes at roots[t], the leaf table at tables[t]; curve[t]: the mean error
    after it. The error is 0 or 1 for classes (the cost, with a loss matrix), the squared distance (its mean over
    targets) for numbers.
    """
    for t in range(len(curve)):
        own = table[tables[t] : tables[t + 1]]
        for i in range(ends[t], ends[t + 1]):
            row, node = rows[i], nodes[roots[t] + leaf[i]]
            if n_trees[row] > 0:
                sums[0] -= weight[row] * error[row]
            else:
                sums[1] += weight[row]
            add_leaf(node.column, node.threshold, own, n_classes, votes[row])
            n_trees[row] += 1
            if n_classes:
                error[row] = loss[classes[row], answer_of(votes[row], loss, plain)]
            else:
                off = 0.0
                for q in range(values.shape[1]):
                    gap = values[row, q] - votes[row, q] / n_trees[row]
                    off += gap * gap
                error[row] = off / values.shape[1]
            sums[0] += weight[row] * error[row]
        curve[t] = sums[0] / sums[1] if sums[1] > 0.0 else np.nan


@njit(error_model="numpy")
def answer_of(votes, loss, plain):
    """The class of most votes, or of least expected cost; the first of equals."""
    best, top = -np.inf, 0
    for c in range(len(votes)):
        if plain:
            good = votes[c]
        else:
            good = 0.0
            for truth in range(len(votes)):
                good -= votes[truth] * loss[truth, c]
        if good > best:
            best, top = good, c
    return top
