"""Least squares by pivoted QR on standardised columns, with the inference of the classical linear model."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import linalg

from tamis.errors import TamisWarning
from tamis.linear.design import Centred, Design
from tamis.metrics.distributions import t_tail
from tamis.table.like import TableLike
from tamis.wording import first_few

BLOCK = 4_096  # sparse rows that are made dense at a time
CUT = 1e-13  # a direction below this share of the largest one counts as dependent


@dataclass(frozen=True, eq=False)
class LeastSquares:
    """Coefficients in the units of the columns, and how sure they are.

    `standard_errors`, `t` and `p` are NaN where the columns do not determine a coefficient (and, all of them, where no
    row is left to estimate the noise).
    """

    coef: np.ndarray
    intercept: float
    standard_errors: np.ndarray
    intercept_standard_error: float
    t: np.ndarray
    p: np.ndarray
    residual_deviation: float
    freedom: int
    r2: float
    adjusted_r2: float
    rank: int
    residual_sum: float
    leverage: np.ndarray


def least_squares(
    X: TableLike, y: np.ndarray, weights: np.ndarray, names: Sequence[str], *, fit_intercept: bool = True
) -> LeastSquares:
    """Minimise Σ w (y - b - Xβ)².

    Columns are centred and divided by their standard deviation, so that units do not decide which column survives,
    then factored by QR with column pivoting. Where columns depend on one another (a diagonal below 1e-13 of the
    largest, or more columns than rows) the coefficients of least norm, in standardised columns, come from the singular
    values above that share, and a warning names the dependent columns. Two steps of refinement, residuals in extended
    precision, follow.
    """
    design = Design(X)
    share = weights / weights.sum()
    centre, inverse = (a[:, 0] for a in design.units(share[:, None], True, fit_intercept))
    if design.sparse and design.n > design.p:
        solve, diagonal, rank, last = _factor_blocks(Centred.of(design.X, weights, centre, inverse))
    else:
        Z = design.columns(np.arange(design.p), centre, inverse) * np.sqrt(weights)[:, None]
        solve, diagonal, rank, last = _factor(Z)
    dead = np.flatnonzero(inverse == 0)
    if rank < design.p - dead.size:
        _warn(names, last, rank, design.p)
    coef, intercept = np.zeros(design.p), float(share @ y) if fit_intercept else 0.0
    residual = y - intercept
    for step in range(3):
        coef = coef + solve(np.sqrt(weights) * residual) * inverse
        if fit_intercept:
            intercept = _intercept(design, coef, y, share)
        if step < 2:
            residual = _residual(design, coef, intercept, y)
    solution = coef, intercept, _residual(design, coef, intercept, y)
    found = _infer(y, weights, solution, (centre, inverse), diagonal, rank, fit_intercept)
    return replace(found, leverage=_leverage(design, weights, centre, inverse, diagonal, fit_intercept))


def _leverage(
    design: Design, weights: np.ndarray, centre: np.ndarray, inverse: np.ndarray, spread: Any, fit_intercept: bool
) -> np.ndarray:
    """The diagonal of the hat matrix, w zᵀ(ZᵀWZ)⁻¹z of every row (+ w / Σw with an intercept), some rows at a time."""
    out = weights / weights.sum() if fit_intercept else np.zeros(design.n)
    X = design.X.tocsr() if design.sparse else design.X
    for start in range(0, design.n, BLOCK):
        raw = X[start : start + BLOCK]
        rows = ((raw.toarray() if design.sparse else raw) - centre) * inverse
        out[start : start + BLOCK] += (
            weights[start : start + BLOCK] * np.nan_to_num(spread(rows.T)) if design.p else 0.0
        )
    return out


def _factor(Z: np.ndarray) -> tuple[Any, Any, int, np.ndarray]:
    """A solver, a function giving rows of R⁻ᵀ for inference, the rank, and the pivot order."""
    Q, R, pivot = linalg.qr(Z, mode="economic", pivoting=True, check_finite=False)
    size = np.abs(np.diagonal(R))
    rank = int(np.sum(size > CUT * size[0])) if size.size and size[0] > 0 else 0
    if rank == Z.shape[1]:

        def solve(right: np.ndarray) -> np.ndarray:
            out = np.empty(Z.shape[1])
            out[pivot] = linalg.solve_triangular(R, Q.T @ right)
            return out

        def spread(vectors: np.ndarray) -> np.ndarray:
            return np.asarray((linalg.solve_triangular(R, vectors[pivot], trans="T") ** 2).sum(axis=0))

        return solve, spread, rank, pivot
    U, s, Vt = linalg.svd(Z, full_matrices=False, check_finite=False)
    kept = s > CUT * s[0] if s.size and s[0] > 0 else np.zeros(len(s), bool)
    U, s, Vt = U[:, kept], s[kept], Vt[kept]

    def shortest(right: np.ndarray) -> np.ndarray:
        return np.asarray(Vt.T @ ((U.T @ right) / s))

    def partial(vectors: np.ndarray) -> np.ndarray:
        inside = Vt @ vectors
        found = ((inside / s[:, None]) ** 2).sum(axis=0)
        lost = (vectors**2).sum(axis=0) - (inside**2).sum(axis=0) > 1e-8 * (vectors**2).sum(axis=0)
        return np.where(lost, np.nan, found)

    return shortest, partial, rank, pivot


def _factor_blocks(rows: Centred) -> tuple[Any, Any, int, np.ndarray]:
    """As `_factor`, for sparse rows: R grows block by block of dense rows; solving works with Zᵀ and R alone.

    Zᵀ squares the condition number; the steps of refinement that follow bring the digits back.
    """
    p = rows.shape[1]
    R = np.zeros((0, p))
    for start in range(0, rows.shape[0], max(p, BLOCK)):
        block = rows.block(start, start + max(p, BLOCK))
        R = linalg.qr(np.vstack([R, block]), mode="r", check_finite=False)[0][:p]
    _, spread, rank, pivot = _factor(R)
    _, s, Vt = linalg.svd(R, full_matrices=False, check_finite=False)
    kept = s > CUT * s[0] if s.size and s[0] > 0 else np.zeros(len(s), bool)
    s, Vt, down = s[kept], Vt[kept], rows.T

    def solve(right: np.ndarray) -> np.ndarray:
        return np.asarray(Vt.T @ ((Vt @ (down @ right)) / s**2))

    return solve, spread, rank, pivot


def _residual(design: Design, coef: np.ndarray, intercept: float, y: np.ndarray) -> np.ndarray:
    """y - b - Xβ with products summed in extended precision, for refinement."""
    if design.sparse:
        return np.asarray(y - intercept - design.X @ coef)
    total = y.astype(np.longdouble) - np.longdouble(intercept)
    for j in range(design.p):
        total -= design.X[:, j].astype(np.longdouble) * np.longdouble(coef[j])
    return np.asarray(total, dtype=np.float64)


def _intercept(design: Design, coef: np.ndarray, y: np.ndarray, share: np.ndarray) -> float:
    return float(np.sum(share.astype(np.longdouble) * _residual(design, coef, 0.0, y).astype(np.longdouble)))


def _infer(
    y: np.ndarray,
    weights: np.ndarray,
    solution: tuple[np.ndarray, float, np.ndarray],
    units: tuple[np.ndarray, np.ndarray],
    spread: Any,
    rank: int,
    fit_intercept: bool,
) -> LeastSquares:
    """Standard errors, t and p values, R².

    solution: coefficients, intercept, residuals. units: centre and 1 / scale of the columns. spread: v ↦ vᵀ(ZᵀWZ)⁻¹v.
    """
    (coef, intercept, residual), (centre, inverse), columns = solution, units, len(solution[0])
    n = int(np.count_nonzero(weights))
    freedom = n - rank - int(fit_intercept)
    left = float(weights @ residual**2)
    middle = weights @ y / weights.sum() if fit_intercept else 0.0
    total = float(weights @ (y - middle) ** 2)
    r2 = 1 - left / total if total > 0 else 0.0
    noise = np.sqrt(left / freedom) if freedom > 0 else np.nan
    error = noise * np.sqrt(spread(np.diag(inverse))) if columns else np.zeros(0)
    error[inverse == 0] = np.nan
    own = 1 / weights.sum() + spread((centre * inverse)[:, None])[0] if fit_intercept else np.nan
    with np.errstate(divide="ignore", invalid="ignore"):
        t = coef / error
        p = 2 * t_tail(np.abs(t), freedom) if freedom > 0 else np.full(columns, np.nan)
    adjusted = 1 - (1 - r2) * (n - int(fit_intercept)) / freedom if freedom > 0 else np.nan
    return LeastSquares(
        coef,
        intercept,
        error,
        float(noise * np.sqrt(own)),
        t,
        p,
        float(noise),
        freedom,
        float(r2),
        float(adjusted),
        rank,
        left,
        np.zeros(0),
    )


def _warn(names: Sequence[str], pivot: np.ndarray, rank: int, p: int) -> None:
    dependent = sorted(names[j] for j in pivot[rank:])
    shown = first_few(list(map(repr, dependent)), 5)
    warnings.warn(
        f"column(s) {shown} depend linearly on the others ({p} columns of rank {rank}, directions below {CUT:g} of the "
        "largest cut off); the coefficients of least norm are given: drop columns, or use a penalty",
        TamisWarning,
        stacklevel=5,
    )
