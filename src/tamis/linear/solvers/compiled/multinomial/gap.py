# mypy: allow-untyped-defs
"""The duality gap of a multinomial fit, and its penalty."""

from __future__ import annotations

import numpy as np

from tamis.engine.exponential import times_log
from tamis.engine.kernel import inner, njit
from tamis.linear.solvers.coordinate_descent import dot


@njit
def duality_gap(target, weights, state, pairs, gradient, found, alpha, goal, exact):
    """The duality gap, the residuals shrunk until the gradient of no pair is beyond its penalty.

    Where a bound without logarithms is within the goal, that bound; infinity where `exact` is False and it is not. A
    free column counts with the gain that a Newton step would still bring: its gradient is 0 at the dual point.
    """
    y, w, beta, mean_loss = target.y, target.w, state.beta, state.intercept[-1]
    K = len(beta)
    dual = np.zeros(4)  # dual scale, conjugate of l2, inner product and squared gradients of free columns
    dual[0] = 1.0
    e = 0
    while e < len(pairs.owner):
        e = _feasible_scale(weights, beta[pairs.owner[e]], pairs.column, gradient, e, alpha, dual)
    for k in range(K):
        c = 0
        while c < found.counts[k]:
            c = _feasible_scale(weights, beta[k], found.column[k], found.gradient[k], c, alpha, dual)
    dual_scale, fitted_dot_residual = dual[0], 0.0
    value = mean_loss + penalty_value(weights, beta, pairs, alpha) + dual[1] + dual_scale * dual[2]
    for k in range(K):
        fitted_dot_residual += dot(state.residual[k], state.eta[k])
    # the conjugate at the residuals themselves needs no logarithm; it is convex, and 0 at 0
    s, curvature = -dual_scale * (mean_loss + fitted_dot_residual), 0.0
    if dual[3] == 0.0 and not exact and value + s > goal:
        return np.inf
    if dual_scale < 1.0 and (value + s > goal or dual[3] > 0.0):
        s = 0.0
        for k in range(K):
            s += _conjugate(w, y, k, state.prob[k], dual_scale)
    if dual[3] > 0.0:
        for k in range(K):
            curvature += _curvature(w, state.prob[k])
    return value + s + 0.5 * dual[3] * K / max(curvature, 1e-300)


@inner(fastmath={"reassoc", "contract"})
def _conjugate(w, y, k, prob, dual_scale):
    """Σ w r ln r of one class, r its probability after the residual was shrunk."""
    total = 0.0
    for i in range(len(w)):
        one = 1.0 if y[i] == k else 0.0
        r = one - dual_scale * (one - prob[i])
        total += w[i] * times_log(r)
    return total


@inner(fastmath={"reassoc", "contract"})
def _curvature(w, prob):
    total = 0.0
    for i in range(len(w)):
        total += w[i] * prob[i] * (1.0 - prob[i])
    return total


@njit
def _feasible_scale(weights, beta, which, gradients, c, alpha, dual):
    """Add the terms of one column or group, from c on, to `dual`; returns where the next one begins.

    How far the residuals must shrink for no gradient beyond l1, the conjugate of l2, and the gradients of free columns.
    """
    l1, l2, ends = weights.l1, weights.l2, weights.ends
    j, end = which[c], c + 1
    if len(ends) > 0:
        end = c + ends[j] - j
    length = abs(gradients[c])
    if end > c + 1:
        length = np.sqrt(dot(gradients[c:end], gradients[c:end]))
    over = length - alpha * l1[j]
    if over <= 0.0:
        return end
    if alpha * l2[j] > 0.0:
        dual[1] += over * over / (2.0 * alpha * l2[j])
    elif alpha * l1[j] > 0.0:
        dual[0] = min(dual[0], alpha * l1[j] / length)
    else:
        dual[3] += over * over
        for e in range(c, end):
            dual[2] += beta[which[e]] * gradients[e]
    return end


@njit
def penalty_value(weights, beta, pairs, alpha):
    """alpha Σ (l1 |β| + ½ l2 β²) over the working set, |β| the length of a group's coefficients."""
    l1, l2, ends = weights.l1, weights.l2, weights.ends
    total, length = 0.0, 0.0
    for e in range(len(pairs.owner)):
        j = pairs.column[e]
        value = beta[pairs.owner[e], j]
        total += 0.5 * l2[j] * value * value
        if len(ends) == 0:
            total += l1[j] * abs(value)
            continue
        length += value * value
        if ends[j] == j + 1:
            total += l1[j] * np.sqrt(length)
            length = 0.0
    return alpha * total
