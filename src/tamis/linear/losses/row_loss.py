# mypy: allow-untyped-defs
"""Losses of one linear predictor inside kernels: residuals, curvature and conjugate of all rows at once.

`kind` says which; the squared loss is the Huber loss of infinite width. The residual of a row is minus the derivative
of its loss times its weight.
"""

from __future__ import annotations

import numpy as np

from tamis.engine.exponential import exp_below_0, log1p_below_1, times_log
from tamis.engine.kernel import inner, njit

LOGISTIC, SQUARED_HINGE, POISSON, HUBER = range(4)
_FLAT = 1e-6  # curvature of a row on a straight part of its loss


@inner
def update_residual(kind, width, eta, y, w, residual):
    """Weighted residuals of all rows; returns mean loss, sum of residuals and mean curvature."""
    if kind == LOGISTIC:
        return _update_logistic(eta, y, w, residual)
    loss, total, mean_curvature = 0.0, 0.0, 0.0
    for i in range(len(eta)):
        if w[i] == 0.0:
            residual[i] = 0.0
            continue
        value, g, h = 0.0, 0.0, 0.0
        if kind == POISSON:
            h = np.exp(eta[i])
            value, g = h - y[i] * eta[i], y[i] - h
        elif kind == HUBER:
            g, h = y[i] - eta[i], 1.0
            value = 0.5 * g * g
            if abs(g) > width:
                value = width * (abs(g) - 0.5 * width)
                g, h = width * np.sign(g), 0.0
        else:
            side = 2.0 * y[i] - 1.0
            far = 1.0 - side * eta[i]
            if far > 0.0:
                value, g, h = far * far, 2.0 * side * far, 2.0
        loss += w[i] * value
        residual[i] = w[i] * g
        total += residual[i]
        mean_curvature += w[i] * h
    return loss, total, mean_curvature


@inner(fastmath={"reassoc", "contract"})  # sums in any order, so that several rows are taken at a time
def _update_logistic(eta, y, w, residual):
    loss, total, mean_curvature = 0.0, 0.0, 0.0
    for i in range(len(eta)):
        small = exp_below_0(-abs(eta[i]))
        q = 1.0 / (1.0 + small)
        other = small * q
        h = q * other
        above, below = (other, q) if eta[i] >= 0.0 else (q, other)
        g = w[i] * (y[i] * above - (1.0 - y[i]) * below)
        residual[i] = g
        loss += w[i] * (max(eta[i], 0.0) + log1p_below_1(small) - y[i] * eta[i])
        total += g
        mean_curvature += w[i] * h
    return loss, total, mean_curvature


@njit
def row_curvature(kind, width, eta, y, w, least):
    """The second derivative of every row's loss times its weight; a row fitted perfectly keeps a little."""
    v = np.empty(len(eta))
    for i in range(len(eta)):
        if kind == LOGISTIC:
            q = 1.0 / (1.0 + np.exp(-eta[i]))
            h = max(q * (1.0 - q), least)
        elif kind == POISSON:
            h = max(np.exp(eta[i]), least)
        elif kind == HUBER:
            h = 1.0 if abs(y[i] - eta[i]) <= width else _FLAT
        else:
            h = 2.0 if (2.0 * y[i] - 1.0) * eta[i] < 1.0 else _FLAT
        v[i] = w[i] * h if w[i] > 0.0 else 0.0
    return v


@inner
def conjugate(kind, y, w, residual, dual_scale):
    """Σ w ℓ*(-dual_scale residual / w): the conjugates at the residuals shrunk by `dual_scale`."""
    s = 0.0
    if kind == LOGISTIC:
        return _conjugate_logistic(y, w, residual, dual_scale)
    for i in range(len(y)):
        if w[i] == 0.0:
            continue
        g = dual_scale * residual[i] / w[i]
        if kind == POISSON:
            q = y[i] - g
            if q > 0.0:
                s += w[i] * (q * np.log(q) - q)
        elif kind == HUBER:
            s += w[i] * (0.5 * g * g - g * y[i])
        else:
            t = abs(g)  # a residual of this loss has the sign of its class
            s += w[i] * (0.25 * t * t - t)
    return s


@inner(fastmath={"reassoc", "contract"})
def _conjugate_logistic(y, w, residual, dual_scale):
    """Σ w (q ln q + (1 - q) ln(1 - q)), q the probability after the residual was shrunk."""
    total = 0.0
    for i in range(len(y)):
        q = y[i] - dual_scale * residual[i] / (w[i] if w[i] > 0.0 else 1.0)
        total += w[i] * (times_log(q) + times_log(1.0 - q))
    return total
