# mypy: allow-untyped-defs
"""Rows down a tree: to their leaf, or along their path for every pruning at once."""

from __future__ import annotations

import numpy as np
from numba import uint64

from tamis.engine.intrinsics import vector
from tamis.engine.kernel import inner, njit
from tamis.tree.grow.layout import LEFT, RIGHT, UNKNOWN
from tamis.tree.grow.scan.sort import place_of

#: What a complete row needs to go down an axis-parallel numeric tree; a leaf leads to itself.
STEP = np.dtype([("threshold", np.float64), ("feature", np.uint32), ("left", np.uint32)])

LANES = 8  # rows that go down side by side: their memory accesses overlap, 2.5 times faster than one by one


@njit
def descend_complete(X, steps, leaf):
    """leaf[i] of every row when no split is categorical; returns True when a missing value was met on the way.

    A lane whose row reached a leaf takes the next row; one that finds none stays at its leaf, which leads to itself.
    """
    n, met = len(X), False
    # unsigned: no check for places counted from the end, 1.4 times faster
    at, row = vector(LANES, np.uint64), vector(LANES, np.uint64)
    for b in range(LANES):
        at[b], row[b] = 0, b
    after = uint64(LANES)
    while after < n:
        for b in range(LANES):
            step = steps[at[b]]
            x = X[row[b], step.feature]
            met |= x != x
            to = uint64(step.left) + uint64(x > step.threshold)
            if to == at[b]:
                leaf[row[b]] = to
                if after < n:
                    row[b] = after
                    after += uint64(1)
                    to = uint64(0)
            at[b] = to
    for b in range(min(LANES, n)):
        to = at[b]
        while True:
            step = steps[to]
            x = X[row[b], step.feature]
            met |= x != x
            last, to = to, uint64(step.left) + uint64(x > step.threshold)
            if to == last:
                break
        leaf[row[b]] = to
    return met


@inner
def level_side(level, first, n_levels, code):
    """Side of a level by bisection among the split's levels; UNKNOWN when it is not one of them."""
    at = first + place_of(level[first : first + n_levels, 0], code)
    if at < first + n_levels and level[at, 0] == code:
        return level[at, 1]
    return UNKNOWN


@inner(forceinline=True)
def side_of(x, routes, node):
    """The side of one row at one node: by the split, else by a surrogate, else the default."""
    j = routes.feature[node]
    if j < 0:  # a linear combination; any missing part leaves it unanswered
        total = 0.0
        for q in range(routes.first_level[node], routes.first_level[node] + routes.n_levels[node]):
            total += routes.coefficient[q] * x[routes.level[q, 0]]
        if total == total:
            return LEFT if total <= routes.threshold[node] else RIGHT
        return routes.default[node]
    value = x[j]
    if routes.n_levels[node]:
        code = -1 if value != value else int(value)
        side = level_side(routes.level, routes.first_level[node], routes.n_levels[node], code)
        if side != UNKNOWN:
            return side
    elif value == value:
        return LEFT if value <= routes.threshold[node] else RIGHT
    for q in range(routes.first_surrogate[node], routes.first_surrogate[node] + routes.n_surrogates[node]):
        value = x[routes.surrogate[q, 0]]
        if value != value:
            continue
        if routes.surrogate[q, 3]:
            side = level_side(routes.level, routes.surrogate[q, 2], routes.surrogate[q, 3], int(value))
            if side != UNKNOWN:
                return side
        else:
            below = value <= routes.surrogate_threshold[q]
            return LEFT if below != (routes.surrogate[q, 1] == 1) else RIGHT
    return routes.default[node]


@inner
def _descend(X, routes, leaf):
    for i in range(len(X)):
        node = 0
        while routes.left[node] >= 0:
            node = routes.left[node] + (side_of(X[i], routes, node) == RIGHT)
        leaf[i] = node


@njit
def descend(X, routes, leaf):
    """leaf[i] of every row, whatever the splits and whatever is missing."""
    _descend(X, routes, leaf)


@inner
def _errors_of_prunings(X, rows, routes, until, target, answers, error, out):
    truth, values, weight = target
    node_of, first, second = out
    m = len(first) - 1
    for r in range(len(rows)):
        i, node, k = rows[r], 0, 0
        while k < m:
            while until[node] <= k:
                node = routes.left[node] + (side_of(X[i], routes, node) == RIGHT)
            if len(error):
                wrong = error[truth[i], node]
            else:
                wrong = 0.0
                for t in range(values.shape[1]):
                    off = values[i, t] - answers[node, t]
                    wrong += off * off
            first[k] += weight[i] * wrong
            second[k] += weight[i] * wrong * wrong
            k = until[node]
            first[k] -= weight[i] * wrong
            second[k] -= weight[i] * wrong * wrong
        node_of[r] = node


@njit
def errors_of_prunings(X, rows, routes, until, target, answers, error, out):
    """Sums and sums of squares of each row's error under every pruning, from the smallest tree to the largest.

    Up to pruning until[node] a node is a leaf, unless it is gone: a row is answered by the first node on its path that
    is one. The error of row and node is error[class of row, node], or, where that is empty, the squared distance of the
    target to the node's answer. target: classes, values and weights of all rows. out: the node that answers for each
    of `rows` under the last pruning; the sums and the sums of squares, as differences along the prunings.
    """
    _errors_of_prunings(X, rows, routes, until, target, answers, error, out)


@njit
def leaves_at(pruning, parent, until, leaf):
    """leaf[node]: the node that answers under one pruning for rows that come as far as `node`."""
    for node in range(len(parent)):  # parents come before their children
        above = parent[node]
        leaf[node] = leaf[above] if above >= 0 and until[above] > pruning else node


@njit
def squares_to_pruning(best, rows, nodes, parent, until, truth, weight, error, out):
    """Sums of squares of (error under each pruning - error under pruning `best`) over rows, as differences.

    A node answers from the pruning at which its parent is no longer a leaf to the one at which it is none itself.
    """
    for r in range(len(rows)):
        i, node = rows[r], nodes[r]
        while parent[node] >= 0 and until[parent[node]] > best:
            node = parent[node]
        base = error[truth[i], node]
        node = nodes[r]
        while node >= 0:
            start = until[parent[node]] if parent[node] >= 0 else 0
            off = error[truth[i], node] - base
            out[start] += weight[i] * off * off
            out[until[node]] -= weight[i] * off * off
            node = parent[node]
