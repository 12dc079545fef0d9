# mypy: allow-untyped-defs
"""Logistic regression of two classes on a few columns, many sets one after another: Newton steps that reuse curvature.

A set that differs in one column from one already fitted starts from that fit and its curvature; the curvature is made
anew only when a step no longer brings the slope down tenfold, or costs little.
"""

from __future__ import annotations

import numpy as np

from tamis.engine.kernel import njit

MOST_STEPS = 60
SUMS = {"reassoc", "contract"}  # sums over rows may be taken in any order, so that they vectorise
FEW = 16  # columns
CLOSE = 1e-11  # the largest slope, as a share of the first, at which a fit is done
TOO_FAR = 15.0  # without a ridge, a linear predictor beyond this may run away: the classes are told apart perfectly


@njit
def fit_sets(Z, y, weights, ridge, sets, sizes, starts, betas, decisions):
    """Fit every set on every fold, and say every row's decision value; NaN where there is no safe answer.

    Z (columns, rows): standardised; the last line is the intercept's, ones (or zeros where there is none).
    y : 1 or -1 a row. weights (folds, rows): 0 for rows that are not learned from.
    ridge (folds, columns): ½ ridge w² is added for each column, 0 for the intercept.
    sets (sets, most), sizes : positions in Z, ascending, the intercept last where there is one.
    starts (folds, columns): coefficients to begin with. betas (sets, folds, most), decisions (sets, folds, rows): out.
    """
    most, n = sets.shape[1], Z.shape[1]
    hessian, gradient, step = np.empty((most, most)), np.empty(most), np.empty(most)
    curvature, trial, before = np.empty(n), np.empty(most), np.empty(n)
    for s in range(len(sets)):
        k = sizes[s]
        chosen = sets[s, :k]
        for f in range(len(weights)):
            beta, eta = betas[s, f], decisions[s, f]
            for a in range(k):
                beta[a] = starts[f, chosen[a]]
            _predict(Z, chosen, beta, eta)
            fine = _minimise(
                Z, y, weights[f], ridge[f], chosen, beta, eta, hessian, gradient, step, trial, curvature, before
            )
            if not fine:
                eta[:] = np.nan


@njit
def _minimise(Z, y, weights, ridge, chosen, beta, eta, hessian, gradient, step, trial, curvature, before):
    """Newton's method, with halved steps where a whole one brings no gain; False where it does not arrive."""
    k = len(chosen)
    _gradient(Z, y, weights, ridge, chosen, beta, eta, gradient, curvature)
    size, last, first = _largest(gradient, k), np.inf, 1e-3 * _total(weights)
    for _ in range(MOST_STEPS):
        first = max(size, first)
        if size <= CLOSE * first:
            return True
        stale = k <= FEW or size > 0.1 * last  # for a few columns curvature costs less than another pass over the rows
        if stale and not _hessian(Z, ridge, chosen, curvature, hessian):
            return False
        last = size
        _solve(hessian, gradient, step, k)
        before[:] = eta
        share, value = 1.0, np.inf
        for _ in range(30):
            for a in range(k):
                trial[a] = beta[a] - share * step[a]
            _predict(Z, chosen, trial, eta)
            _gradient(Z, y, weights, ridge, chosen, trial, eta, gradient, curvature)
            size = _largest(gradient, k)
            if size < last:
                break
            if value == np.inf:
                value = _value(y, weights, ridge, chosen, beta, before)
            if _value(y, weights, ridge, chosen, trial, eta) < value:
                break
            share /= 2
        else:
            return last <= 1e-7 * first  # rounding is all that is left
        for a in range(k):
            beta[a] = trial[a]
        if k and ridge[chosen[0]] == 0.0 and _farthest(eta, weights) > TOO_FAR:
            return False
    return False


@njit
def _largest(gradient, k):
    size = 0.0
    for a in range(k):
        size = max(size, abs(gradient[a]))
    return size


@njit
def _farthest(eta, weights):
    """The largest linear predictor of a learned row."""
    far = 0.0
    for i in range(len(eta)):
        if weights[i] > 0:
            far = max(far, abs(eta[i]))
    return far


@njit
def _total(weights):
    total = 0.0
    for i in range(len(weights)):
        total += weights[i]
    return total


@njit
def _predict(Z, chosen, beta, eta):
    eta[:] = 0.0
    for a in range(len(chosen)):
        column, b = Z[chosen[a]], beta[a]
        for i in range(len(eta)):
            eta[i] += b * column[i]


@njit(fastmath=SUMS)
def _gradient(Z, y, weights, ridge, chosen, beta, eta, gradient, curvature):
    """The slope of the penalised loss, and in `curvature` the rows' curvatures."""
    for i in range(len(eta)):
        curvature[i] = weights[i] * y[i] / (1.0 + np.exp(min(y[i] * eta[i], 700.0)))
    for a in range(len(chosen)):
        column = Z[chosen[a]]
        total = 0.0
        for i in range(len(eta)):
            total -= curvature[i] * column[i]
        gradient[a] = total + ridge[chosen[a]] * beta[a]
    for i in range(len(eta)):
        curvature[i] = curvature[i] * y[i] * (1.0 - curvature[i] * y[i] / weights[i]) if weights[i] > 0 else 0.0


@njit
def _value(y, weights, ridge, chosen, beta, eta):
    """The penalised loss."""
    value = 0.0
    for i in range(len(eta)):
        margin = y[i] * eta[i]
        value += weights[i] * (np.log1p(np.exp(-abs(margin))) + max(-margin, 0.0))
    for a in range(len(chosen)):
        value += 0.5 * ridge[chosen[a]] * beta[a] ** 2
    return value


@njit(fastmath=SUMS)
def _hessian(Z, ridge, chosen, curvature, hessian):
    """The Cholesky factor of the curvature, in the lower half; False where columns are nearly dependent."""
    k = len(chosen)
    bent = np.empty(len(curvature))
    for a in range(k):
        column = Z[chosen[a]]
        for i in range(len(curvature)):
            bent[i] = curvature[i] * column[i]
        for b in range(a + 1):
            other = Z[chosen[b]]
            total = 0.0
            for i in range(len(curvature)):
                total += bent[i] * other[i]
            hessian[a, b] = total
        hessian[a, a] += ridge[chosen[a]]
    for a in range(k):
        own = hessian[a, a]
        for b in range(a + 1):
            total = hessian[a, b]
            for c in range(b):
                total -= hessian[a, c] * hessian[b, c]
            if a == b:
                if not total > 1e-9 * own:
                    return False
                hessian[a, a] = np.sqrt(total)
            else:
                hessian[a, b] = total / hessian[b, b]
    return True


@njit
def _solve(factor, gradient, step, k):
    for a in range(k):
        total = gradient[a]
        for b in range(a):
            total -= factor[a, b] * step[b]
        step[a] = total / factor[a, a]
    for a in range(k - 1, -1, -1):
        total = step[a]
        for b in range(a + 1, k):
            total -= factor[b, a] * step[b]
        step[a] = total / factor[a, a]
