# mypy: allow-untyped-defs
"""Ridge fits of several strengths at once: Newton steps by conjugate gradients, in products of matrices.

One strength after another, each step would read all axes of the rows for a single vector, and a Cholesky factor of
their Hessian costs the cube of their number. 300 rows with five folds: 0.7 s of the processor, with the factor 1.5.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tamis.engine.kernel import njit
from tamis.linear.losses.row_loss import row_curvature, update_residual
from tamis.linear.solvers.compiled.layout import State, Target
from tamis.linear.solvers.compiled.newton import HAS_INTERCEPT, KIND, LEAST, WIDTH, optimise_intercept

_NEWTON = 100  # quadratics a strength
_CONJUGATE = 500  # steps of conjugate gradients a quadratic


class Strengths(NamedTuple):
    """The fits of m strengths: n rows, p axes."""

    alpha: np.ndarray  # m, times the weight of the squared coefficients
    beta: np.ndarray  # m × p
    eta: np.ndarray  # m × n, linear predictors
    residual: np.ndarray  # m × n
    curvature: np.ndarray  # m × n, of the rows, times their weights
    intercept: np.ndarray  # m × 2: the intercept, the mean loss

    @classmethod
    def starting(cls, alpha: np.ndarray, beta: np.ndarray, eta: np.ndarray, intercept: np.ndarray) -> Strengths:
        """All of them at the coefficients of one fit."""
        m, n = len(alpha), len(eta)
        beta, eta, intercept = (np.tile(part, (m, 1)) for part in (beta, eta, intercept))
        return cls(alpha, beta, eta, np.empty((m, n)), np.empty((m, n)), intercept)


def solve_strengths(
    fits: Strengths, Z: np.ndarray, norms: np.ndarray, target: Target, rules: np.ndarray, goal: float, enough: float
) -> np.ndarray:
    """Minimise Σ w ℓ(y, η) + ½ alpha |β|² for every strength; returns the duality gaps.

    With the intercept at its optimum the gap of a ridge fit is |gradient|² / 2 alpha.

    Parameters
    ----------
    fits : where to begin; updated.
    Z : axes × rows. norms : lengths of the axes under the weights of the rows.
    rules : the loss, by the names of `newton`.
    goal : the gap to reach. enough : the gap at which a fit ends that rounding keeps from falling.
    """
    gaps, left = np.full(len(fits.alpha), np.inf), np.arange(len(fits.alpha))
    for _ in range(_NEWTON):
        update(fits, target, rules, left)
        alpha = fits.alpha[left, None]
        gradient = fits.residual[left] @ Z.T - alpha * fits.beta[left]
        before, gap = gaps[left], (gradient * gradient).sum(axis=1) / (2 * alpha[:, 0])
        gaps[left] = gap
        going = ~((gap <= goal) | ((gap <= enough) & (gap > 0.5 * before)))
        if not going.any():
            break
        left, gradient, gap = left[going], gradient[going], gap[going]
        limit = 2 * fits.alpha[left] * np.maximum(0.05 * goal, 1e-4 * gap)
        direction = _directions(fits, Z, norms, gradient, left, limit, rules[HAS_INTERCEPT] > 0.0)
        _step(fits, Z, target, rules, left, direction)
    return gaps


def _directions(
    fits: Strengths,
    Z: np.ndarray,
    norms: np.ndarray,
    gradient: np.ndarray,
    which: np.ndarray,
    limit: np.ndarray,
    centred: bool,
) -> np.ndarray:
    """Newton steps of some strengths, until what is left of each gradient has a squared length of its limit.

    Along the axes the Hessian is nearly diagonal, so few steps of conjugate gradients are needed.
    """
    alpha, v, live = fits.alpha[which, None], fits.curvature[which], np.arange(len(which))
    total = v.sum(axis=1, keepdims=True)
    scale = 1.0 / (total * norms**2 + alpha)
    moves, rest, move = np.empty_like(gradient), gradient, np.zeros_like(gradient)
    along = scale * rest
    size = (rest * along).sum(axis=1, keepdims=True)
    for _ in range(_CONJUGATE):
        u = along @ Z
        u *= v
        if centred:
            u -= v * (u.sum(axis=1, keepdims=True) / total)
        curved = u @ Z.T + alpha * along
        length = size / np.maximum((along * curved).sum(axis=1, keepdims=True), 1e-300)
        move, rest = move + length * along, rest - length * curved
        moves[live] = move
        going = (rest * rest).sum(axis=1) > limit
        if not going.any():
            break
        live, limit, alpha, v, total, scale, move, rest, along, size = (
            part[going] for part in (live, limit, alpha, v, total, scale, move, rest, along, size)
        )
        ready = scale * rest
        size, old = (rest * ready).sum(axis=1, keepdims=True), size
        along = ready + size / np.maximum(old, 1e-300) * along
    return moves


def _step(
    fits: Strengths, Z: np.ndarray, target: Target, rules: np.ndarray, which: np.ndarray, move: np.ndarray
) -> None:
    """Move along the directions, each halved until its objective falls."""
    alpha, v, beta = fits.alpha[which], fits.curvature[which], fits.beta[which]
    u = move @ Z
    shift = -(v * u).sum(axis=1) / v.sum(axis=1) if rules[HAS_INTERCEPT] > 0.0 else np.zeros(len(which))
    mixed, square = alpha * (beta * move).sum(axis=1), 0.5 * alpha * (move * move).sum(axis=1)
    length = np.empty(len(which))
    search(fits, target, rules, which, u + shift[:, None], mixed, square, length)
    fits.beta[which] += length[:, None] * move
    fits.intercept[which, 0] += length * shift


@njit
def update(fits, target, rules, which):
    """Residuals and curvatures of some strengths at their linear predictors, the intercepts at their optimum."""
    kind, width = int(rules[KIND]), rules[WIDTH]
    for a in which:
        eta, residual = fits.eta[a], fits.residual[a]
        loss, total, mean_curvature = update_residual(kind, width, eta, target.y, target.w, residual)
        fits.intercept[a, 1] = loss
        if rules[HAS_INTERCEPT] > 0.0:
            state = State(fits.beta[a], eta, residual, fits.intercept[a])
            optimise_intercept(target, state, rules, total, mean_curvature)
        fits.curvature[a] = row_curvature(kind, width, eta, target.y, target.w, LEAST)


@njit
def search(fits, target, rules, which, move, mixed, square, length):
    """Lengths of steps of the linear predictors, halved until the objective falls; the predictors follow.

    The penalty changes by `length · mixed + length² · square`.
    """
    kind, width = int(rules[KIND]), rules[WIDTH]
    for k in range(len(which)):
        a = which[k]
        eta, start, before = fits.eta[a], fits.eta[a].copy(), fits.intercept[a, 1]
        length[k] = 1.0
        for _ in range(30):
            for i in range(len(eta)):
                eta[i] = start[i] + length[k] * move[k, i]
            loss, _, _ = update_residual(kind, width, eta, target.y, target.w, fits.residual[a])
            change = length[k] * (mixed[k] + length[k] * square[k])
            if loss + change <= before + 1e-14 * abs(before):
                break
            length[k] *= 0.5
