# mypy: allow-untyped-defs
"""The compiled path of the squared loss where columns outnumber rows: one fit, from one strength to the next.

A working set of columns grows by those that break the optimality conditions; its Gram matrix is kept, so that a step
of coordinate descent costs the size of the working set, whatever the number of rows.
"""

from __future__ import annotations

import numpy as np

from tamis.engine.kernel import njit
from tamis.linear.descend import descend, dot, polish
from tamis.linear.screen import penalty, reach, violators, worst

_ROUNDS = 200
_SWEEPS = 2000
_DIRECT = 300  # columns in use up to which a direct solve costs less than a few sweeps


@njit
def walk(units, look, stand, y, centre, alphas, centred, goal, kept, size, gram, out):
    """Follow falling strengths; `stand` and `look` hold where we stand, and are left where we end.

    units: the columns as rows, weights of the rows (sum 1), inverse scales, lengths, l1 and l2 of every column.
    look: what `violators` knows. stand: coefficients, predictions, weighted residuals, intercept. goal: the duality
    gap to reach. kept[:size] is the working set, gram its Gram matrix; the new size and matrix are returned.
    out: coefficients (the intercept last), predictions and gaps, one row a strength.
    """
    Z, w, inverse, norms, l1, _ = units
    columns = Z, np.empty(0, dtype=np.int64), inverse, norms
    beta, eta, pull, b0 = stand
    coefs, etas, gaps = out
    p = len(beta)
    inside = np.zeros(p, dtype=np.bool_)
    for k in range(size):
        inside[kept[k]] = True
    found, hard, q = np.empty(p, dtype=np.int64), np.empty(p), np.empty(p)
    for a in range(len(alphas)):
        alpha = alphas[a]
        limits = alpha * l1
        gap, care = np.inf, 0.1
        for _ in range(_ROUNDS):
            for k in range(size):
                q[k] = inverse[kept[k]] * dot(Z[kept[k]], pull)
            count = violators(columns, w, look, pull, limits, inside, found, hard)
            before = gap
            gap = _gap(units, stand, y, kept[:size], q, found, hard, count, alpha)
            if gap <= goal:
                break
            care = max(1e-10, care * 0.01) if gap > 0.1 * before else 0.1
            count = worst(found, hard, limits, count, max(64, size))
            gram = _grow(gram, size + count)
            for k in range(count):
                j = found[k]
                inside[j], kept[size], q[size] = True, j, hard[k]
                _product(Z, w, centre, inverse, kept, size, gram)
                size += 1
            _solve(units, stand, y, gram, q, kept[:size], alpha, centred, care, goal)
        coefs[a, :p] = beta
        coefs[a, p] = b0[0]
        etas[a] = eta
        gaps[a] = gap
    return size, gram


@njit
def _grow(gram, size):
    """A Gram matrix with room for a larger working set."""
    if size <= len(gram):
        return gram
    wide = np.empty((2 * size, 2 * size))
    for i in range(len(gram)):
        wide[i, : len(gram)] = gram[i]
    return wide


@njit
def _product(Z, w, centre, inverse, kept, size, gram):
    """The products of the column kept[size] with those before it and itself, in the units of the fit."""
    j = kept[size]
    weighted = w * Z[j]
    for k in range(size + 1):
        other = kept[k]
        value = (dot(weighted, Z[other]) - centre[j] * centre[other]) * inverse[j] * inverse[other]
        gram[size, k] = value
        gram[k, size] = value


@njit
def _solve(units, stand, y, gram, q, kept, alpha, centred, care, goal):
    """Minimise over the working set and bring the predictions along."""
    Z, w, inverse, _, l1, l2 = units
    beta, eta, pull, b0 = stand
    old = beta[kept]
    new, left = old.copy(), q[: len(kept)].copy()
    hold, bend = alpha * l1[kept], alpha * l2[kept]
    descend(gram, left, new, hold, bend, care * goal, _SWEEPS)
    if care < 0.1 or np.count_nonzero(new) <= _DIRECT:
        polish(gram, left, new, hold, bend)
    n = len(eta)
    for k in range(len(kept)):
        j = kept[k]
        move = (new[k] - old[k]) * inverse[j]
        beta[j] = new[k]
        if move != 0.0:
            column = Z[j]
            for i in range(n):
                eta[i] += move * column[i]
    if centred:
        shift = dot(w, y) - dot(w, eta)
        b0[0] += shift
        for i in range(n):
            eta[i] += shift
    for i in range(n):
        pull[i] = w[i] * (y[i] - eta[i])


@njit
def _gap(units, stand, y, kept, q, found, hard, count, alpha):
    """The duality gap; `hard` are the pulls of the columns outside that pull too hard."""
    _, w, _, _, l1, l2 = units
    beta, eta, pull, _ = stand
    share, held = reach(kept, q, len(kept), l1, l2, alpha, 1.0)
    share, more = reach(found, hard, count, l1, l2, alpha, share)
    loss, lean = 0.0, 0.0
    for i in range(len(y)):
        left = y[i] - eta[i]
        loss += 0.5 * w[i] * left * left
        lean += pull[i] * y[i]
    return loss * (1.0 + share * share) + penalty(beta, kept, l1, l2, alpha) - share * lean + held + more
