# mypy: allow-untyped-defs
"""From a step of the coefficients to probabilities and residuals: the line search, and intercepts at their optimum."""

from __future__ import annotations

import numpy as np

from tamis.engine.exponential import exp_below_0, log_above_1
from tamis.engine.kernel import inner, njit
from tamis.linear.solvers.compiled.multinomial.gap import penalty_value
from tamis.linear.solvers.coordinate_descent import dot, factor, solve


@njit
def line_search(target, weights, state, pairs, step, move):
    """Make a move, halved until the objective falls; then the intercepts are made optimal."""
    beta, eta, b = state.beta, state.eta, state.intercept
    K = len(beta)
    totals, start, length = np.zeros(K), eta.copy(), 1.0
    before = b[-1] + penalty_value(weights, beta, pairs, step.alpha)
    for _ in range(30):
        for e in range(len(pairs.owner)):
            change = move.new[e] - move.old[e]
            beta[pairs.owner[e], pairs.column[e]] = move.old[e] + length * change
        for k in range(K):
            for i in range(len(target.w)):
                eta[k, i] = start[k, i] + length * move.u[k, i]
        b[-1] = update_probabilities(eta, target.y, target.w, state.residual, state.prob, totals)
        if b[-1] + penalty_value(weights, beta, pairs, step.alpha) <= before + 1e-14 * abs(before):
            break
        length *= 0.5
    for k in range(K):
        b[k] += length * move.intercepts[k]
    if step.centred:
        _optimise_intercepts(target, state, step.tolerance, totals)


@njit
def update_probabilities(eta, y, w, residual, prob, totals):
    """Probabilities P and residuals w (y - P) of every class and row, the sums of residuals; returns the mean loss."""
    K, n = eta.shape
    top, own, whole, other = eta[0].copy(), np.empty(n), np.zeros(n), np.zeros(n)
    for k in range(1, K):
        _maximum(eta[k], top)
    for k in range(K):
        _raise(eta[k], top, y, k, prob[k], own, whole, other)
    for k in range(K):
        totals[k] = _shares(w, y, k, whole, other, prob[k], residual[k])
    return _mean_loss(w, whole, top, own)


@inner
def _maximum(values, top):
    for i in range(len(top)):
        top[i] = max(top[i], values[i])


@inner
def _raise(eta, top, y, k, e, own, whole, other):
    """Exponentials of one class, added up over classes: over all, and over those that are not the row's own."""
    for i in range(len(e)):
        value = exp_below_0(eta[i] - top[i])
        e[i] = value
        whole[i] += value
        other[i] += value if y[i] != k else 0.0
        own[i] = eta[i] if y[i] == k else own[i]


@inner(fastmath={"reassoc", "contract"})
def _shares(w, y, k, whole, other, prob, residual):
    """From exponentials to probabilities and residuals of one class; returns the sum of the residuals."""
    total = 0.0
    for i in range(len(w)):
        share = prob[i] / whole[i]
        rest = other[i] / whole[i]  # 1 - share, no digits lost near 1
        prob[i] = share
        value = w[i] * rest if y[i] == k else -w[i] * share
        residual[i] = value
        total += value
    return total


@inner(fastmath={"reassoc", "contract"})
def _mean_loss(w, whole, top, own):
    loss = 0.0
    for i in range(len(w)):
        loss += w[i] * (log_above_1(whole[i]) + (top[i] - own[i]))
    return loss


@njit
def _optimise_intercepts(target, state, tolerance, totals):
    """Newton steps for the intercepts alone: the dual point needs residuals of every class that sum to zero."""
    y, w, present = target.y, target.w, target.present
    eta, residual, prob, b = state.eta, state.residual, state.prob, state.intercept
    K, count, was = len(eta), 0, np.inf
    some, none, H, gradient = np.empty(K, dtype=np.int64), np.zeros(K), np.empty((K, K)), np.empty(K)
    for k in range(K):
        if present[k]:
            some[count] = k
            count += 1
    for _ in range(50):
        far = 0.0
        for c in range(count):
            gradient[c] = totals[some[c]]
            far = max(far, abs(gradient[c]))
        if far < max(1e-15, 1e-4 * tolerance) or (far > 0.5 * was and was < 1e-10):
            return  # or rounding is all that is left
        was = far
        for k in range(K):
            for c in range(k + 1):
                H[k, c] = H[c, k] = -_weighted_dot(w, prob[k], prob[c])
            H[k, k] += dot(w, prob[k])
        L = factor(H, some[:count], none)
        if len(L) == 0:
            return
        d = solve(H, L, some[:count], none, gradient[:count])
        mean = d.sum() / count
        for c in range(count):
            move = min(max(d[c] - mean, -2.0), 2.0)
            b[some[c]] += move
            for i in range(len(w)):
                eta[some[c], i] += move
        b[-1] = update_probabilities(eta, y, w, residual, prob, totals)


@inner(fastmath={"reassoc", "contract"})
def _weighted_dot(w, a, b):
    total = 0.0
    for i in range(len(w)):
        total += w[i] * a[i] * b[i]
    return total
