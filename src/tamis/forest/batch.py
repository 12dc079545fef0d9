# mypy: allow-untyped-defs
"""Many complete rows down trees of plain comparisons: without a branch but the loop's end."""

from __future__ import annotations

import numpy as np

from tamis.engine.kernel import njit
from tamis.forest.layout import CATEGORY, COLUMN, OBLIQUE

LANES = 8  # rows that go down side by side: their memory accesses overlap


@njit(error_model="numpy")
def is_complete(X, begin, end):
    """Whether no value of these rows is missing."""
    for i in range(begin, end):
        for j in range(X.shape[1]):
            if X[i, j] != X[i, j]:
                return False
    return True


@njit(error_model="numpy")
def unroll(nodes, begin, end, n_columns, plain):
    """plain: one tree, read in a row into the processor's cache, whose leaves are their own left children.

    No value is above a leaf's threshold, so a row that has arrived stays. Gives 0 when a split is not a plain
    comparison, 2 when `column` of every leaf could be kept (it must be one of the columns, to be read in vain), else 1.
    """
    kept = 2
    for k in range(begin, end):
        node = nodes[k]
        mine = plain[k - begin]
        if node.left < 0:
            mine.left, mine.column, mine.threshold = k - begin, node.column, np.inf
            if node.column < 0 or node.column >= n_columns:
                mine.column, kept = 0, 1
        elif node.column & (CATEGORY | OBLIQUE):
            return 0
        else:
            mine.left, mine.column, mine.threshold = node.left, node.column & COLUMN, node.threshold
    return kept


@njit(error_model="numpy", forceinline=True)
def below(X, row, plain, at):
    """The child to which a row goes from a node; a leaf is its own."""
    node = plain[at]
    return np.uint32(node.left) + np.uint32(X[row, np.uint32(node.column)] > node.threshold)


@njit(error_model="numpy")
def leaves_of_plain(X, begin, end, plain, root, leaf):
    """leaf[i]: as `route.leaves_of`, for at least `LANES` complete rows and the tree in `plain`."""
    i = 0
    while i < end - begin:
        i = min(i, end - begin - LANES)  # the last rows go down again with their neighbours
        row = np.uint64(begin + i)
        p, q, r, s = row, row + np.uint64(1), row + np.uint64(2), row + np.uint64(3)
        t, u, v, w = row + np.uint64(4), row + np.uint64(5), row + np.uint64(6), row + np.uint64(7)
        a = b = c = d = e = f = g = h = np.uint32(0)
        moved = True
        while moved:
            a0, b0, c0, d0, e0, f0, g0, h0 = a, b, c, d, e, f, g, h
            a, b, c, d = below(X, p, plain, a), below(X, q, plain, b), below(X, r, plain, c), below(X, s, plain, d)
            e, f, g, h = below(X, t, plain, e), below(X, u, plain, f), below(X, v, plain, g), below(X, w, plain, h)
            moved = ((a ^ a0) | (b ^ b0) | (c ^ c0) | (d ^ d0) | (e ^ e0) | (f ^ f0) | (g ^ g0) | (h ^ h0)) != 0
        leaf[i], leaf[i + 1], leaf[i + 2], leaf[i + 3] = root + a, root + b, root + c, root + d
        leaf[i + 4], leaf[i + 5], leaf[i + 6], leaf[i + 7] = root + e, root + f, root + g, root + h
        i += LANES
