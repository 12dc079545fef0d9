# mypy: allow-untyped-defs
"""Many rows down trees without oblique splits: side by side, without a branch that depends on a row."""

from __future__ import annotations

import numpy as np

from tamis.engine.kernel import njit
from tamis.forest.layout import CATEGORY, COLUMN, LEFT_IF_MISSING, OBLIQUE

LANES = 8  # rows that go down side by side: their memory accesses overlap
GROUP = 256  # rows that all go some steps down before the first goes on: they stay in the cache meanwhile
WORTH = 32  # a tree of at most so many nodes for each row is worth a copy
FURTHER = 3  # steps after which rows that reached a leaf are removed from the batch

#: Modes: by the tree itself; by a copy of it, for complete rows of numbers, for missing values, for sets of levels too.
NONE, PLAIN, HOLES, LEVELS = range(4)


@njit(error_model="numpy")
def extent(X, begin, end):
    """Whether no value of these rows is missing; top: the largest value of each column."""
    complete, top = True, np.zeros(X.shape[1])
    for i in range(begin, end):
        for j in range(X.shape[1]):
            complete &= X[i, j] == X[i, j]
            top[j] = X[i, j] if X[i, j] > top[j] else top[j]
    return complete, top


@njit(error_model="numpy")
def unroll(trees, t, n_rows, complete, top, copy):
    """copy: tree t, read in a row into the processor's cache, whose leaves are their own left children.

    No value is above a leaf's threshold, and a missing one goes left there, so a row that reached a leaf stays. The
    bits of a set of levels stand in place of the threshold. Returns the mode (NONE when the tree is too large for so
    few rows, has oblique splits or lists of levels, or a row has a level above 63 where it asks for one), and whether
    the copy holds `column` of every leaf (rows at a leaf read that column, so it must be one of the table's).
    """
    nodes, begin, end, n_columns = trees.nodes, trees.roots[t], trees.roots[t + 1], len(top)
    if end - begin > min(WORTH * n_rows, len(copy)):
        return NONE, False
    in_copy, mode = True, PLAIN if complete else HOLES
    for k in range(end - begin):  # no branch depends on what is a leaf: half of the nodes are
        node, copied = nodes[begin + k], copy[k]
        left, column = node.left, node.column
        leaf = left < 0
        threshold = np.inf if leaf else node.threshold
        if (not leaf) & (column & (CATEGORY | OBLIQUE) != 0):
            if column & OBLIQUE or threshold < 0.0 or top[column & COLUMN] > 63.0:
                return NONE, False
            mode, threshold = LEVELS, np.uint64(trees.sets[np.int64(threshold)]).view(np.float64)
        outside = leaf & ((column < 0) | (column >= n_columns))
        in_copy &= not outside
        copied.left = np.int32(k) if leaf else left
        copied.column = (np.int32(0) if outside else column) | (np.int32(LEFT_IF_MISSING) if leaf else np.int32(0))
        copied.threshold = threshold
    return mode, in_copy


@njit(error_model="numpy", forceinline=True)
def leaves_of_copy(X, first, m, mode, copy, n_nodes, root, at, row_of, leaf):
    """leaf[i]: as `route.leaves_of` for m rows from `first` on, at most GROUP, and the tree in `copy`.

    mode: PLAIN, HOLES or LEVELS. at, row_of: uint32 (GROUP), buffers: node and row of each row not at a leaf yet.
    """
    steps = 0
    while n_nodes >> steps:  # few rows reach a leaf before
        steps += 1
    for i in range(m):
        at[i], row_of[i] = 0, i
    _descend(X, first, m, mode, copy, steps, at, row_of)
    m = _drop(m, copy, at, row_of, root, leaf)
    while m > 0:
        _descend(X, first, m, mode, copy, FURTHER, at, row_of)
        m = _drop(m, copy, at, row_of, root, leaf)


@njit(error_model="numpy", forceinline=True)
def _drop(m, copy, at, row_of, root, leaf):
    """leaf[row]: the node of each of the m rows; those at a leaf are removed from the batch; returns how many stay."""
    k = np.uint64(0)
    for i in range(np.uint64(m)):
        node, row = at[i], row_of[i]
        leaf[row] = root + node
        at[k], row_of[k] = node, row
        k += np.uint64(np.uint32(copy[node].left) != node)
    return np.int64(k)


@njit(error_model="numpy", forceinline=True)
def _descend(X, first, m, mode, copy, steps, at, row_of):
    """at[i]: the node so many steps further down, for row first + row_of[i] of X."""
    while m % LANES:  # lanes that would be empty repeat the first row
        at[m], row_of[m] = at[0], row_of[0]
        m += 1
    for i in range(np.uint64(0), np.uint64(m), np.uint64(LANES)):
        places, rows = _eight(at, i, np.uint32(0)), _eight(row_of, i, np.uint64(first))
        if mode == PLAIN:
            for _ in range(steps):
                places = _below(X, rows, PLAIN, copy, places)
        elif mode == HOLES:
            for _ in range(steps):
                places = _below(X, rows, HOLES, copy, places)
        else:
            for _ in range(steps):
                places = _below(X, rows, LEVELS, copy, places)
        _put(at, i, places)


@njit(error_model="numpy", forceinline=True)
def _eight(values, i, more):
    """Eight values from i on, each with so much more."""
    a, b, c, d = values[i], values[i + np.uint64(1)], values[i + np.uint64(2)], values[i + np.uint64(3)]
    i += np.uint64(4)
    e, f, g, h = values[i], values[i + np.uint64(1)], values[i + np.uint64(2)], values[i + np.uint64(3)]
    return a + more, b + more, c + more, d + more, e + more, f + more, g + more, h + more


@njit(error_model="numpy", forceinline=True)
def _put(values, i, eight):
    """Write eight values from i on."""
    a, b, c, d, e, f, g, h = eight
    values[i], values[i + np.uint64(1)], values[i + np.uint64(2)], values[i + np.uint64(3)] = a, b, c, d
    i += np.uint64(4)
    values[i], values[i + np.uint64(1)], values[i + np.uint64(2)], values[i + np.uint64(3)] = e, f, g, h


@njit(error_model="numpy", forceinline=True)
def _below(X, rows, mode, copy, at):
    """The children to which eight rows go from their nodes."""
    a, b, c, d, e, f, g, h = rows
    p, q, r, s, t, u, v, w = at
    p, q = _child(X, a, mode, copy, p), _child(X, b, mode, copy, q)
    r, s = _child(X, c, mode, copy, r), _child(X, d, mode, copy, s)
    t, u = _child(X, e, mode, copy, t), _child(X, f, mode, copy, u)
    return p, q, r, s, t, u, _child(X, g, mode, copy, v), _child(X, h, mode, copy, w)


@njit(error_model="numpy", forceinline=True)
def _child(X, row, mode, copy, at):
    """The child to which a row goes from a node; a leaf is its own.

    Written as sums of bits: of an `if` the compiler would make a branch.
    """
    node = copy[at]
    column = np.uint32(node.column)
    value = X[row, column & np.uint32(COLUMN)]
    right = np.uint32(value > node.threshold)
    if mode == LEVELS:
        level = np.uint64(np.int64(value)) & np.uint64(63)  # anything where the value is no level: masked away below
        outside = np.uint32(~(np.float64(node.threshold).view(np.uint64) >> level) & np.uint64(1))
        right ^= (right ^ outside) & np.uint32(column & np.uint32(CATEGORY) != 0)
    if mode != PLAIN:
        away = np.uint32(column & np.uint32(LEFT_IF_MISSING) == 0)
        right ^= (right ^ away) & np.uint32(value != value)
    return np.uint32(node.left) + right
