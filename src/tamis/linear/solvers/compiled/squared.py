# mypy: allow-untyped-defs
"""The compiled path of the squared loss where columns outnumber rows: one fit, from one strength to the next.

A working set of columns grows by those that break the optimality conditions; its Gram matrix is kept, so that a step
of coordinate descent costs the size of the working set, whatever the number of rows.
"""

from __future__ import annotations

import numpy as np

from tamis.engine.kernel import njit
from tamis.linear.solvers.coordinate_descent import coordinate_descent, dot, polish
from tamis.linear.solvers.screening import feasible_scale, penalty, violators, worst

_ROUNDS = 200
_SWEEPS = 2000
_DIRECT = 300  # columns in use up to which a direct solve costs less than a few sweeps


@njit
def solve_path(units, screen_state, state, y, centre, alphas, centred, goal, working_set, size, gram, out):
    """Solve for falling strengths, each from the solution before; `state` and `screen_state` are updated.

    units: the columns as rows, weights of the rows (sum 1), inverse scales, lengths, l1 and l2 of every column.
    screen_state: what `violators` knows. state: coefficients, predictions, weighted residuals, intercept. goal: the
    duality gap to reach. kept[:size] is the working set, gram its Gram matrix; the new size and matrix are returned.
    out: coefficients (the intercept last), predictions and gaps, one row a strength.
    """
    Z, w, inverse, norms, l1, _ = units
    columns = Z, np.empty(0, dtype=np.int64), inverse, norms
    beta, eta, residual, b0 = state
    coefs, etas, gaps = out
    p = len(beta)
    inside = np.zeros(p, dtype=np.bool_)
    for k in range(size):
        inside[working_set[k]] = True
    found, found_gradient, q = np.empty(p, dtype=np.int64), np.empty(p), np.empty(p)
    for a in range(len(alphas)):
        alpha = alphas[a]
        limits = alpha * l1
        gap, tolerance = np.inf, 0.1
        for _ in range(_ROUNDS):
            for k in range(size):
                q[k] = inverse[working_set[k]] * dot(Z[working_set[k]], residual)
            count = violators(columns, w, screen_state, residual, limits, inside, found, found_gradient)
            before = gap
            gap = _gap(units, state, y, working_set[:size], q, found, found_gradient, count, alpha)
            if gap <= goal:
                break
            tolerance = max(1e-10, tolerance * 0.01) if gap > 0.1 * before else 0.1
            count = worst(found, found_gradient, limits, count, max(64, size))
            gram = _grow(gram, size + count)
            for k in range(count):
                j = found[k]
                inside[j], working_set[size], q[size] = True, j, found_gradient[k]
                _product(Z, w, centre, inverse, working_set, size, gram)
                size += 1
            _solve(units, state, y, gram, q, working_set[:size], alpha, centred, tolerance, goal)
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
def _product(Z, w, centre, inverse, working_set, size, gram):
    """The products of the column kept[size] with those before it and itself, in the units of the fit."""
    j = working_set[size]
    weighted = w * Z[j]
    for k in range(size + 1):
        other = working_set[k]
        value = (dot(weighted, Z[other]) - centre[j] * centre[other]) * inverse[j] * inverse[other]
        gram[size, k] = value
        gram[k, size] = value


@njit
def _solve(units, state, y, gram, q, working_set, alpha, centred, tolerance, goal):
    """Minimise over the working set and bring the predictions along."""
    Z, w, inverse, _, l1, l2 = units
    beta, eta, residual, b0 = state
    old = beta[working_set]
    new, gradient = old.copy(), q[: len(working_set)].copy()
    alpha_l1, alpha_l2 = alpha * l1[working_set], alpha * l2[working_set]
    coordinate_descent(gram, gradient, new, alpha_l1, alpha_l2, tolerance * goal, _SWEEPS)
    if tolerance < 0.1 or np.count_nonzero(new) <= _DIRECT:
        polish(gram, gradient, new, alpha_l1, alpha_l2)
    n = len(eta)
    for k in range(len(working_set)):
        j = working_set[k]
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
        residual[i] = w[i] * (y[i] - eta[i])


@njit
def _gap(units, state, y, working_set, q, found, found_gradient, count, alpha):
    """The duality gap; `found_gradient`: gradients of the columns outside that violate the conditions."""
    _, w, _, _, l1, l2 = units
    beta, eta, residual, _ = state
    dual_scale, l2_conjugate = feasible_scale(working_set, q, len(working_set), l1, l2, alpha, 1.0)
    dual_scale, more = feasible_scale(found, found_gradient, count, l1, l2, alpha, dual_scale)
    loss, target_dot_residual = 0.0, 0.0
    for i in range(len(y)):
        error = y[i] - eta[i]
        loss += 0.5 * w[i] * error * error
        target_dot_residual += residual[i] * y[i]
    return (
        loss * (1.0 + dual_scale * dual_scale)
        + penalty(beta, working_set, l1, l2, alpha)
        - dual_scale * target_dot_residual
        + l2_conjugate
        + more
    )
