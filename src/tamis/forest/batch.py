# mypy: allow-untyped-defs
"""Many rows down trees of plain comparisons: side by side, without a branch that depends on a row."""

from __future__ import annotations

import numpy as np

from tamis.engine.kernel import njit
from tamis.forest.layout import CATEGORY, COLUMN, LEFT_IF_MISSING, OBLIQUE

LANES = 8  # rows that go down side by side: their memory accesses overlap
GROUP = 256  # rows that all go some steps down before the first goes on: they stay in the cache meanwhile
WORTH = 32  # a tree of at most so many nodes for each row is worth a copy
FURTHER = 3  # steps after which rows that have arrived drop out


@njit(error_model="numpy")
def is_complete(X, begin, end):
    """Whether no value of these rows is missing."""
    for i in range(begin, end):
        for j in range(X.shape[1]):
            if X[i, j] != X[i, j]:
                return False
    return True


@njit(error_model="numpy")
def unroll(nodes, roots, t, n_rows, n_columns, plain):
    """plain: tree t, read in a row into the processor's cache, whose leaves are their own left children.

    No value is above a leaf's threshold, and a missing one goes left there, so a row that has arrived stays. Gives 0
    when the tree is too large for so few rows or a split is not a plain comparison, 2 when `column` of every leaf could
    be kept (it must be one of the columns, to be read in vain), else 1.
    """
    begin, end = roots[t], roots[t + 1]
    if end - begin > min(WORTH * n_rows, len(plain)):
        return 0
    odd, foreign = np.int32(0), False
    for k in range(end - begin):  # without a branch: half of the nodes are leaves
        node, mine = nodes[begin + k], plain[k]
        left, column = node.left, node.column
        leaf = left < 0
        odd |= np.int32(0) if leaf else column
        outside = leaf & ((column < 0) | (column >= n_columns))
        foreign |= outside
        mine.left = np.int32(k) if leaf else left
        mine.column = (np.int32(0) if outside else column) | (np.int32(LEFT_IF_MISSING) if leaf else np.int32(0))
        mine.threshold = np.inf if leaf else node.threshold
    if odd & (CATEGORY | OBLIQUE):
        return 0
    return 1 if foreign else 2


@njit(error_model="numpy", forceinline=True)
def leaves_of_plain(X, first, m, complete, plain, n_nodes, root, at, who, leaf):
    """leaf[i]: as `route.leaves_of` for m rows from `first` on, at most GROUP, and the tree in `plain`.

    complete: no value of the rows is missing. at, who: room for GROUP numbers.
    """
    steps = 0
    while n_nodes >> steps:  # few rows arrive before
        steps += 1
    for i in range(m):
        at[i], who[i] = 0, i
    _descend(X, first, m, complete, plain, steps, at, who)
    m = _drop(m, plain, at, who, root, leaf)
    while m > 0:
        _descend(X, first, m, complete, plain, FURTHER, at, who)
        m = _drop(m, plain, at, who, root, leaf)


@njit(error_model="numpy", forceinline=True)
def _drop(m, plain, at, who, root, leaf):
    """Note where the m rows are, and keep those that are not at a leaf; how many."""
    k = np.uint64(0)
    for i in range(np.uint64(m)):
        here, row = at[i], who[i]
        leaf[row] = root + here
        at[k], who[k] = here, row
        k += np.uint64(np.uint32(plain[here].left) != here)
    return np.int64(k)


@njit(error_model="numpy", forceinline=True)
def _descend(X, first, m, complete, plain, steps, at, who):
    """at[i]: so many steps further down, for row first + who[i] of X."""
    while m % LANES:  # lanes that would be empty repeat the first row
        at[m], who[m] = at[0], who[0]
        m += 1
    for i in range(np.uint64(0), np.uint64(m), np.uint64(LANES)):
        places, rows = _eight(at, i, np.uint32(0)), _eight(who, i, np.uint64(first))
        if complete:
            for _ in range(steps):
                places = _below(X, rows, True, plain, places)
        else:
            for _ in range(steps):
                places = _below(X, rows, False, plain, places)
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
def _below(X, rows, complete, plain, at):
    """The children to which eight rows go from their nodes."""
    a, b, c, d, e, f, g, h = rows
    p, q, r, s, t, u, v, w = at
    p, q = _child(X, a, complete, plain, p), _child(X, b, complete, plain, q)
    r, s = _child(X, c, complete, plain, r), _child(X, d, complete, plain, s)
    t, u = _child(X, e, complete, plain, t), _child(X, f, complete, plain, u)
    return p, q, r, s, t, u, _child(X, g, complete, plain, v), _child(X, h, complete, plain, w)


@njit(error_model="numpy", forceinline=True)
def _child(X, row, complete, plain, at):
    """The child to which a row goes from a node; a leaf is its own."""
    node = plain[at]
    value = X[row, np.uint32(node.column) & np.uint32(COLUMN)]
    right = value > node.threshold
    if not complete:
        right |= (value != value) & (node.column & LEFT_IF_MISSING == 0)
    return np.uint32(node.left) + np.uint32(right)
