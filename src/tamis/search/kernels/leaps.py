# mypy: allow-untyped-defs
"""The compiled half of branch and bound: the best least-squares subset of every size, with proof.

A node is a set of columns in an order, the first `passive` of which are in every set below it. Its prefixes are sets of
their own; its children drop one of the later, free columns and keep those before it. A set's residual sum of squares
(RSS) is never below that of a set that contains it, so a child is left out when it cannot beat the best known sets of
the sizes below it. Free columns are put in the order of how much they are missed, so that large subtrees have large
bounds.

All a node needs is the block of its inverse scatter that belongs to its free columns, M, and their coefficients:
without the free columns R the RSS grows by b_R' (M_RR)⁻¹ b_R. Most nodes have few free columns, so most nodes cost
next to nothing.
"""

from __future__ import annotations

import numpy as np

from tamis.engine.kernel import njit


@njit
def settle(t, members, inverse, beta, total, nodes, low, high, best, worst, sets, work):
    """Judge the prefixes of node t, from all of its columns down: a Cholesky of its block M, last column first."""
    m, passive = nodes[t, 0], nodes[t, 1]
    q = m - passive
    nodes[t, 2] = m - 2
    rss = total[t]
    better = False
    M, b = inverse[t], beta[t]
    for r in range(q):
        size = m - r
        if size < low:
            break
        if size <= high and rss < best[size] * (1.0 - 1e-13):
            best[size] = rss
            better = True
            for c in range(size):
                sets[size, c] = members[t, c]
        i = q - 1 - r  # the next column to go without
        value = b[i]
        for c in range(r):
            entry = M[i, q - 1 - c]
            for e in range(c):
                entry -= work[r, e] * work[c, e]
            work[r, c] = entry / work[c, c]
            value -= work[r, c] * work[q, c]
        pivot = M[i, i]
        for c in range(r):
            pivot -= work[r, c] ** 2
        if pivot <= 0.0:
            break
        work[r, r] = np.sqrt(pivot)
        work[q, r] = value / work[r, r]
        rss += work[q, r] ** 2
    if better:  # worst[s]: the largest RSS among the best sets of s columns and more
        top = 0.0
        for size in range(high, low - 1, -1):
            top = max(top, best[size])
            worst[size] = top


@njit
def search(members, inverse, beta, total, top, nodes, low, high, best, worst, sets, work, stiff, most):
    """Visit at most `most` nodes, depth first; returns how many, fewer when the search is complete."""
    seen = 0
    while top[0] >= 0 and seen < most:
        t = top[0]
        m, passive, j = nodes[t, 0], nodes[t, 1], nodes[t, 2]
        if j < passive or m - 1 < nodes[t, 3]:
            top[0] -= 1
            continue
        nodes[t, 2] = j - 1
        if j + 1 > nodes[t, 4]:
            continue
        i = j - passive
        bound = total[t] + beta[t, i] * beta[t, i] / inverse[t, i, i]
        if bound >= worst[max(nodes[t, 3], j + 1)] * (1.0 - 1e-12):
            continue
        seen += 1
        u = t + 1
        _child(t, u, i, m, passive, members, inverse, beta, work)
        total[u] = bound
        nodes[u, 0], nodes[u, 1] = m - 1, j
        if not _hope(u, members, beta, total, nodes, max(nodes[t, 3], j + 1), nodes[t, 4], best, work, stiff):
            continue
        settle(u, members, inverse, beta, total, nodes, low, high, best, worst, sets, work)
        top[0] = u
    return seen


@njit
def _hope(u, members, beta, total, nodes, low, high, best, work, stiff):
    """The smallest and largest size at which node u may still hold a better set; False when there is none.

    Going without r of the free columns costs at least what the r-th least missed one costs alone (they are in order, in
    the last row of `work`), and at least the sum of the r smallest b²/stiff, for M ⪯ diag(stiff) here and below.
    """
    m, passive = nodes[u, 0], nodes[u, 1]
    q, d = m - passive, len(stiff)
    small = work[d - 1] if d > 1 else work[0]
    for a in range(q):  # sorted as they come
        value = beta[u, a] ** 2 / stiff[members[u, passive + a]]
        place = a
        while place > 0 and small[place - 1] > value:
            small[place] = small[place - 1]
            place -= 1
        small[place] = value
    nodes[u, 3], nodes[u, 4] = high + 1, low - 1
    sum_of = 0.0
    for r in range(q):
        if r > 0:
            sum_of += small[r - 1]
        size = m - r
        if size > high:
            continue
        if size < low:
            break
        least = max(sum_of, work[d, q - r] if r > 0 else 0.0)
        if total[u] + least < best[size] * (1.0 - 1e-12):
            nodes[u, 3] = size
            nodes[u, 4] = max(nodes[u, 4], size)
    return nodes[u, 4] >= low


@njit
def _child(t, u, i, m, passive, members, inverse, beta, work):
    """Node u: node t without its i-th free column, those before it kept; the rest in the order they are missed."""
    q = m - passive - i - 1  # free columns of the child
    pivot = inverse[t, i, i]
    step = beta[t, i] / pivot
    first = i + 1
    order = np.empty(q, dtype=np.int64)
    loss = work[len(work) - 1]  # left there for `_hope`
    for a in range(q):
        s = inverse[t, first + a, i]
        b = beta[t, first + a] - step * s
        value = b * b / (inverse[t, first + a, first + a] - s * s / pivot)
        place = a
        while place > 0 and loss[place - 1] < value:
            loss[place] = loss[place - 1]
            order[place] = order[place - 1]
            place -= 1
        loss[place] = value
        order[place] = a
    for a in range(passive + i):
        members[u, a] = members[t, a]
    for a in range(q):
        x = first + order[a]
        share = inverse[t, x, i] / pivot
        members[u, passive + i + a] = members[t, passive + x]
        beta[u, a] = beta[t, x] - share * beta[t, i]
        for b in range(a + 1):
            y = first + order[b]
            value = inverse[t, x, y] - share * inverse[t, y, i]
            inverse[u, a, b] = value
            inverse[u, b, a] = value
