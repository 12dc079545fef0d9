# mypy: allow-untyped-defs
"""Logistic regression of two classes on many sets of a few columns: Newton's method, the Hessian reused between steps.

A set that differs in one column from one already fitted starts from that fit. For up to `FEW` columns the Hessian is
computed at every step; beyond, only when a step no longer lowers the largest gradient tenfold.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tamis.engine.cholesky import factor, solve
from tamis.engine.kernel import njit

MOST_STEPS = 60
SUMS = {"reassoc", "contract"}  # sums over rows may be taken in any order, so that they vectorise
FEW = 16  # columns up to which a Hessian costs less than another pass over the rows
CLOSE = 1e-11  # the largest gradient, as a share of the first, at which a fit is done
DEPENDENT = 1e-9  # share of a column's curvature that the others must leave
TOO_FAR = 15.0  # without a ridge, a linear predictor beyond this may run away: the classes are separated


class Rows(NamedTuple):
    """Columns and target; d columns, the intercept's included, n rows, F folds."""

    Z: np.ndarray  # d × n, standardised; the last is the intercept's, ones (or zeros where there is none)
    y: np.ndarray  # n, 1 or -1
    weights: np.ndarray  # F × n, 0 for rows that are not learned from
    ridge: np.ndarray  # F × d: ½ ridge w² is added for each column, 0 for the intercept


class Sets(NamedTuple):
    """Column sets, where their fits start, and their results; S sets of at most `most` columns."""

    columns: np.ndarray  # int64, S × most, ascending, the intercept last where there is one
    sizes: np.ndarray  # int64, S
    starts: np.ndarray  # F × d, coefficients to begin with
    betas: np.ndarray  # S × F × most: out
    decisions: np.ndarray  # S × F × n: linear predictors, NaN where there is no safe answer: out


class Buffers(NamedTuple):
    """Buffers of one fit."""

    hessian: np.ndarray  # most × most: its Cholesky factor, in the lower triangle
    gradient: np.ndarray  # most
    step: np.ndarray  # most
    trial: np.ndarray  # most
    curvature: np.ndarray  # n
    before: np.ndarray  # n


@njit
def fit_sets(rows, sets):
    """Minimise Σ weight log(1 + exp(-y η)) + ½ Σ ridge w² for every set on every fold; fills `betas`, `decisions`."""
    most, n = sets.columns.shape[1], rows.Z.shape[1]
    buffers = Buffers(np.empty((most, most)), np.empty(most), np.empty(most), np.empty(most), np.empty(n), np.empty(n))
    for s in range(len(sets.columns)):
        chosen = sets.columns[s, : sets.sizes[s]]
        for f in range(len(rows.weights)):
            beta, eta = sets.betas[s, f], sets.decisions[s, f]
            for a in range(len(chosen)):
                beta[a] = sets.starts[f, chosen[a]]
            _predict(rows.Z, chosen, beta, eta)
            if not _minimise(rows, f, chosen, beta, eta, buffers):
                for i in range(n):
                    eta[i] = np.nan


@njit
def _minimise(rows, f, chosen, beta, eta, buffers):
    """Newton's method from beta, with halved steps where a whole one gains nothing; False without a safe optimum."""
    k, weights, gradient, step = len(chosen), rows.weights[f], buffers.gradient, buffers.step
    _gradient(rows, f, chosen, beta, eta, buffers)
    size, last, first = _largest(gradient, k), 0.0, 1e-3 * _total(weights)  # last 0: the first Hessian is computed
    for _ in range(MOST_STEPS):
        first = max(size, first)
        if size <= CLOSE * first:
            return True
        stale = k <= FEW or size > 0.1 * last
        if stale and not _hessian(rows.Z, rows.ridge[f], chosen, buffers.curvature, buffers.hessian):
            return False
        last = size
        for a in range(k):
            step[a] = gradient[a]
        solve(buffers.hessian, k, step)
        size = _line_search(rows, f, chosen, beta, eta, buffers, last)
        if size < 0.0:
            return last <= 1e-7 * first  # rounding is all that is left
        if k and rows.ridge[f, chosen[0]] == 0.0 and _farthest(eta, weights) > TOO_FAR:
            return False
    return False


@njit
def _line_search(rows, f, chosen, beta, eta, buffers, last):
    """Step back from beta until the largest gradient or the objective falls; that gradient, or -1 where none does."""
    trial, before, length, value = buffers.trial, buffers.before, 1.0, np.inf
    for i in range(len(eta)):
        before[i] = eta[i]
    for _ in range(30):
        for a in range(len(chosen)):
            trial[a] = beta[a] - length * buffers.step[a]
        _predict(rows.Z, chosen, trial, eta)
        _gradient(rows, f, chosen, trial, eta, buffers)
        size = _largest(buffers.gradient, len(chosen))
        better = size < last
        if not better and value == np.inf:
            value = _value(rows, f, chosen, beta, before)
        if better or _value(rows, f, chosen, trial, eta) < value:
            for a in range(len(chosen)):
                beta[a] = trial[a]
            return size
        length /= 2
    return -1.0


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
    for i in range(len(eta)):
        eta[i] = 0.0
    for a in range(len(chosen)):
        column, b = Z[chosen[a]], beta[a]
        for i in range(len(eta)):
            eta[i] += b * column[i]


@njit(fastmath=SUMS)
def _gradient(rows, f, chosen, beta, eta, buffers):
    """The gradient of the objective, and the curvatures of the rows."""
    y, weights, curvature = rows.y, rows.weights[f], buffers.curvature
    for i in range(len(eta)):
        curvature[i] = weights[i] * y[i] / (1.0 + np.exp(min(y[i] * eta[i], 700.0)))
    for a in range(len(chosen)):
        column = rows.Z[chosen[a]]
        total = 0.0
        for i in range(len(eta)):
            total -= curvature[i] * column[i]
        buffers.gradient[a] = total + rows.ridge[f, chosen[a]] * beta[a]
    for i in range(len(eta)):
        curvature[i] = curvature[i] * y[i] * (1.0 - curvature[i] * y[i] / weights[i]) if weights[i] > 0 else 0.0


@njit
def _value(rows, f, chosen, beta, eta):
    """The objective."""
    value = 0.0
    for i in range(len(eta)):
        margin = rows.y[i] * eta[i]
        value += rows.weights[f, i] * (np.log1p(np.exp(-abs(margin))) + max(-margin, 0.0))
    for a in range(len(chosen)):
        value += 0.5 * rows.ridge[f, chosen[a]] * beta[a] ** 2
    return value


@njit(fastmath=SUMS)
def _hessian(Z, ridge, chosen, curvature, hessian):
    """The Cholesky factor of the Hessian; False where columns are nearly dependent."""
    weighted = np.empty(len(curvature))
    for a in range(len(chosen)):
        column = Z[chosen[a]]
        for i in range(len(curvature)):
            weighted[i] = curvature[i] * column[i]
        for b in range(a + 1):
            other = Z[chosen[b]]
            total = 0.0
            for i in range(len(curvature)):
                total += weighted[i] * other[i]
            hessian[a, b] = total
        hessian[a, a] += ridge[chosen[a]]
    return factor(hessian, len(chosen)) > DEPENDENT
