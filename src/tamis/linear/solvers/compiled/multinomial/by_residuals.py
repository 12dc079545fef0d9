# mypy: allow-untyped-defs
"""One quadratic on a large working set, by its residuals: no Hessian is kept.

With P the probabilities (classes × rows), a step u (classes × rows) of the linear predictors changes the residuals of
class k by -w P_k (u_k - Σ_l P_l u_l), so the classes are coupled through one number a row and a coordinate costs no
more than with two classes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tamis.engine.kernel import njit
from tamis.linear.solvers.compiled.multinomial.layout import Move, Pairs
from tamis.linear.solvers.compiled.multinomial.line_search import line_search
from tamis.linear.solvers.coordinate_descent import dot, soft_threshold, weighted_square

_SWEEPS = 20_000
_FLOOR = 1e-5  # curvature added to every row, as no direct solve follows


class RowModel(NamedTuple):
    """Curvatures of a quadratic, class by class."""

    h: np.ndarray  # K × n, of the rows, times their weights
    total: np.ndarray  # K, of the intercepts
    curvature: np.ndarray  # m, of the pairs


@njit
def by_residuals(columns, target, weights, state, pairs, step):
    """Minimise one quadratic on the working set by its residuals, then a line search."""
    w, beta, prob = target.w, state.beta, state.prob
    K, n = prob.shape
    ordered = _by_class(pairs, K)
    owner, column = ordered.owner, ordered.column
    h, total, curvature, old = np.empty((K, n)), np.empty(K), np.empty(len(owner)), np.empty(len(owner))
    for k in range(K):
        for i in range(n):
            h[k, i] = w[i] * (prob[k, i] * (1.0 - prob[k, i]) + _FLOOR)
        total[k] = h[k].sum()
    for e in range(len(owner)):
        j = column[e]
        old[e], curvature[e] = beta[owner[e], j], weighted_square(columns.Z[j], h[owner[e]]) * columns.inverse[j] ** 2
    move = Move(old, np.empty(len(owner)), np.zeros((K, n)), np.zeros(K))
    _coordinate_descent(columns, target, weights, state, ordered, step, RowModel(h, total, curvature), move)
    for e in range(len(owner)):
        move.new[e] = beta[owner[e], column[e]]
        beta[owner[e], column[e]] = old[e]
    line_search(target, weights, state, ordered, step, move)


@njit
def _by_class(pairs, K):
    """The same pairs, class after class."""
    owner, column, m = np.empty_like(pairs.owner), np.empty_like(pairs.owner), 0
    for k in range(K):
        for e in range(len(pairs.owner)):
            if pairs.owner[e] == k:
                owner[m], column[m] = k, pairs.column[e]
                m += 1
    return Pairs(owner, column)


@njit
def _coordinate_descent(columns, target, weights, state, pairs, step, model, move):
    """Sweeps over the working set, then over those in use until they settle; `move` is the step they make."""
    alpha, beta, prob, owner, u = step.alpha, state.beta, state.prob, pairs.owner, move.u
    K, n = u.shape
    s, g, t = np.zeros(n), np.empty(n), np.empty(n)
    everywhere = True
    for _ in range(_SWEEPS):
        gain, e = 0.0, 0
        for k in range(K):
            _residual(target.w, state.residual[k], prob[k], u[k], s, g, t)
            while e < len(owner) and owner[e] == k:
                j = pairs.column[e]
                if everywhere or beta[k, j] != 0.0:
                    l1, l2, scale = alpha * weights.l1[j], alpha * weights.l2[j], columns.inverse[j]
                    was, new = beta[k, j], _optimum(columns.Z[j], g, scale, beta[k, j], model.curvature[e], l1, l2)
                    if new != was:
                        beta[k, j] = new
                        _follow(columns.Z[j], model.h[k], scale * (new - was), g, t)
                        gain = max(gain, 0.5 * (model.curvature[e] + l2) * (new - was) ** 2)
                e += 1
            d = g.sum() / model.total[k] if step.centred and target.present[k] else 0.0
            move.intercepts[k] += d
            gain = max(gain, 0.5 * model.total[k] * d * d)
            for i in range(n):
                u[k, i] += t[i] + d
                s[i] += prob[k, i] * (t[i] + d)
        if gain * len(owner) <= step.tolerance:
            if everywhere:
                break
            everywhere = True
        else:
            everywhere = False


@njit
def _residual(w, residual, prob, u, s, g, t):
    """The residuals of one class after the step so far; t, what is added to the step, begins at 0."""
    for i in range(len(g)):
        t[i] = 0.0
        g[i] = residual[i] - w[i] * (prob[i] * (u[i] - s[i]) + _FLOOR * u[i])


@njit
def _optimum(column, g, scale, was, curvature, l1, l2):
    """The optimum of one coefficient, its gradient the product of its column with the residuals g."""
    total_curvature = curvature + l2
    if total_curvature <= 0.0:
        return was
    return soft_threshold(scale * dot(column, g) + curvature * was, l1, total_curvature)


@njit
def _follow(column, h, d, g, t):
    """Let the residuals g and the step t of the linear predictor follow a coefficient that moved by d."""
    for i in range(len(g)):
        move = d * column[i]
        g[i] -= h[i] * move
        t[i] += move
