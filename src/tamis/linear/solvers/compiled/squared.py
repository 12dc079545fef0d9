# mypy: allow-untyped-defs
"""The compiled path of the squared loss where columns outnumber rows: one fit, from one strength to the next.

A working set of columns grows by those that break the optimality conditions; its Gram matrix is kept, so that a step
of coordinate descent costs the size of the working set, whatever the number of rows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tamis.engine.kernel import njit
from tamis.linear.solvers.compiled.layout import Violators
from tamis.linear.solvers.coordinate_descent import coordinate_descent, copy_to, dot, polish
from tamis.linear.solvers.screening import feasible_scale, penalty_value, violators, worst

_ROUNDS = 200
_SWEEPS = 2000
_DIRECT = 300  # columns in use up to which a direct solve costs less than a few sweeps


class GramSet(NamedTuple):
    """A working set of columns and its Gram matrix, kept from one strength to the next."""

    position: np.ndarray  # int64, p: the first `size` are in the set
    size: int
    gram: np.ndarray  # room × room, room ≥ size


@njit
def solve_path(columns, target, weights, screening, state, working, alphas, goal, centred, out):
    """Minimise ½ Σ w (y - η)² + alpha Σ (l1 |β| + ½ l2 β²) for falling alphas, each from the solution before.

    The arguments are named tuples of `layout`; goal: the duality gap to reach; centred: whether there is an intercept.
    `state` and `screening` are updated, `out` is filled; returns the working set (`GramSet`) as it is at the end.
    """
    beta, position, size, gram = state.beta, working.position, working.size, working.gram
    p = len(beta)
    inside, limits, q = np.zeros(p, dtype=np.bool_), np.empty(p), np.empty(p)
    for k in range(size):
        inside[position[k]] = True
    found = Violators(np.empty(p, dtype=np.int64), np.empty(p))
    for a in range(len(alphas)):
        alpha = alphas[a]
        for j in range(p):
            limits[j] = alpha * weights.l1[j]
        gap, tolerance = np.inf, 0.1
        for _ in range(_ROUNDS):
            for k in range(size):
                q[k] = columns.inverse[position[k]] * dot(columns.Z[position[k]], state.residual)
            count = violators(columns, target.w, screening, state.residual, limits, inside, found)
            before = gap
            gap = _gap(target, weights, state, position[:size], q, found, count, alpha)
            if gap <= goal:
                break
            tolerance = max(1e-10, tolerance * 0.01) if gap > 0.1 * before else 0.1
            count = worst(found, limits, count, max(64, size))
            gram = _grow(gram, size + count)
            for k in range(count):
                j = found.column[k]
                inside[j], position[size], q[size] = True, j, found.gradient[k]
                _products(columns, target.w, position, size, gram)
                size += 1
            new = _minimise(weights, beta, gram, q, position[:size], alpha, tolerance, goal)
            _move(columns, target, state, position[:size], new, centred)
        copy_to(out.coef[a], beta)
        out.coef[a, p] = state.intercept[0]
        copy_to(out.eta[a], state.eta)
        out.gap[a] = gap
    return GramSet(position, size, gram)


@njit
def _grow(gram, size):
    """A Gram matrix with room for a larger working set."""
    if size <= len(gram):
        return gram
    wide = np.empty((2 * size, 2 * size))
    for i in range(len(gram)):
        copy_to(wide[i], gram[i])
    return wide


@njit
def _products(columns, w, position, size, gram):
    """The products of the column position[size] with those before it and itself, in the units of the fit."""
    j, centre, inverse = position[size], columns.centre, columns.inverse
    weighted = np.empty(len(w))
    for i in range(len(w)):
        weighted[i] = w[i] * columns.Z[j, i]
    for k in range(size + 1):
        other = position[k]
        value = (dot(weighted, columns.Z[other]) - centre[j] * centre[other]) * inverse[j] * inverse[other]
        gram[size, k] = value
        gram[k, size] = value


@njit
def _minimise(weights, beta, gram, q, position, alpha, tolerance, goal):
    """New coefficients of the working set: coordinate descent on its Gram matrix, then a direct solve."""
    m, used = len(position), 0
    new, gradient, alpha_l1, alpha_l2 = np.empty(m), np.empty(m), np.empty(m), np.empty(m)
    for k in range(m):
        j = position[k]
        new[k], gradient[k], alpha_l1[k], alpha_l2[k] = beta[j], q[k], alpha * weights.l1[j], alpha * weights.l2[j]
    coordinate_descent(gram, gradient, new, alpha_l1, alpha_l2, tolerance * goal, _SWEEPS)
    for k in range(m):
        used += new[k] != 0.0
    if tolerance < 0.1 or used <= _DIRECT:
        polish(gram, gradient, new, alpha_l1, alpha_l2)
    return new


@njit
def _move(columns, target, state, position, new, centred):
    """Set the coefficients of the working set; linear predictor, intercept and residuals follow."""
    y, w, beta, eta = target.y, target.w, state.beta, state.eta
    n = len(eta)
    for k in range(len(position)):
        j = position[k]
        move = (new[k] - beta[j]) * columns.inverse[j]
        beta[j] = new[k]
        if move != 0.0:
            column = columns.Z[j]
            for i in range(n):
                eta[i] += move * column[i]
    if centred:
        shift = dot(w, y) - dot(w, eta)
        state.intercept[0] += shift
        for i in range(n):
            eta[i] += shift
    for i in range(n):
        state.residual[i] = w[i] * (y[i] - eta[i])


@njit
def _gap(target, weights, state, position, q, found, count, alpha):
    """The duality gap, the residuals shrunk until no gradient is beyond its penalty."""
    y, w, eta, residual, l1, l2 = target.y, target.w, state.eta, state.residual, weights.l1, weights.l2
    dual_scale, l2_conjugate = feasible_scale(position, q, len(position), l1, l2, alpha, 1.0)
    dual_scale, more = feasible_scale(found.column, found.gradient, count, l1, l2, alpha, dual_scale)
    loss, target_dot_residual = 0.0, 0.0
    for i in range(len(y)):
        error = y[i] - eta[i]
        loss += 0.5 * w[i] * error * error
        target_dot_residual += residual[i] * y[i]
    return (
        loss * (1.0 + dual_scale * dual_scale)
        + penalty_value(state.beta, position, l1, l2, alpha)
        - dual_scale * target_dot_residual
        + l2_conjugate
        + more
    )
