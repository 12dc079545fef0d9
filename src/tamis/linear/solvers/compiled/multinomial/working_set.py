# mypy: allow-untyped-defs
"""The working set of (class, column) pairs: how it starts, what leaves it, and groups that violate optimality."""

from __future__ import annotations

import numpy as np

from tamis.engine.kernel import njit
from tamis.linear.solvers.coordinate_descent import dot


@njit
def in_use(columns, target, weights, state, working):
    """The pairs a path goes on with: those in use (groups whole) and those without l1; their number goes to `size`."""
    beta, l1, ends, inside = state.beta, weights.l1, weights.ends, working.inside
    m = 0
    for k in range(len(beta)):
        if not target.present[k]:
            continue
        for j in range(len(l1)):
            inside[k, j] = columns.inverse[j] > 0.0 and (beta[k, j] != 0.0 or l1[j] == 0.0)
        for j in range(len(ends)):  # groups whole
            for i in range(j, ends[j] if j == 0 or ends[j - 1] == j else j):
                if inside[k, i]:
                    for c in range(j, ends[j]):
                        inside[k, c] = True
        for j in range(len(l1)):
            if inside[k, j]:
                working.owner[m], working.column[m] = k, j
                m += 1
    working.size[0] = m


@njit
def shorten(weights, state, working, H):
    """Let pairs that are not in use leave the working set and its Hessian."""
    beta, l1, ends = state.beta, weights.l1, weights.ends
    inside, owner, column = working.inside, working.owner, working.column
    K, m, built = len(beta), working.size[0], working.size[1]
    kept, some = np.empty(K + m, dtype=np.int64), K
    for k in range(K):
        kept[k] = k
    e = m - m
    while e < m:
        k, end, stays = owner[e], e + 1, False
        if len(ends) > 0:
            end = e + ends[column[e]] - column[e]
        for f in range(e, end):
            stays = stays or beta[k, column[f]] != 0.0 or l1[column[f]] == 0.0
        for f in range(e, end):
            inside[k, column[f]] = stays
            if stays:
                kept[some] = K + f
                some += 1
        e = end
    left = 0
    for e in range(some):
        if kept[e] < K + built:
            left = e + 1
    for e in range(left if built > 0 else 0):
        for f in range(e + 1):
            H[e, f] = H[f, e] = H[kept[e], kept[f]]
    for e in range(K, some):
        owner[e - K], column[e - K] = owner[kept[e] - K], column[kept[e] - K]
    working.size[0] = some - K
    working.size[1] = max(0, left - K) if built > 0 else 0


@njit
def group_violators(columns, ends, residual, limits, inside, found):
    """The columns of the groups outside whose gradients together are longer than the limit; returns how many."""
    count = 0
    for first in range(len(ends)):
        if inside[first] or (first > 0 and ends[first - 1] > first):
            continue
        length = 0.0
        for j in range(first, ends[first]):
            c = count + j - first
            found.column[c], found.gradient[c] = j, columns.inverse[j] * dot(columns.Z[j], residual)
            length += found.gradient[c] ** 2
        if length > limits[first] ** 2:
            count += ends[first] - first
    return count
