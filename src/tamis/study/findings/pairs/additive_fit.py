"""The target as a sum of curves, one a column: what pairs of columns have to improve on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy
from scipy import special

from tamis.metrics.distributions import average_ranks
from tamis.table import Column

#: Rows for each first term of a curve, and for each term once curves are bent; of classes, rows of the smaller one.
ROWS_PER_TERM, ROWS_PER_BENT_TERM = 4, 3

#: Up to this p-value, a column's curve gets four more numbers. At 0.2 the residuals are too small for the test of pairs
#: (9% of additive tables named a pair, at 0.05 5%); without them curves such as sin(2x) + x² are taken for pairs (65%).
BENT = 0.05

#: Ridge penalty of a logistic fit, in rows; keeps coefficients finite where classes separate.
RIDGE = 0.1

#: Variance of a class at least, of rows that a fit is sure of: one wrong among them would outweigh all others.
MIN_VARIANCE = 0.01

#: Levels of a category that are told apart, and rows of each at least.
MAX_LEVELS, LEVEL_ROWS = 8, 10


@dataclass(frozen=True, eq=False)
class AdditiveFit:
    """Weighted least squares at the optimum of an additive fit.

    Attributes
    ----------
    residual : (y - p) / sqrt(w), of numbers (y - mean) over their standard deviation; of variance 1 if the fit is true.
    weight : sqrt(w) of each row, w = p (1 - p); of numbers 1, of rates the square root of the exposure.
    basis : orthonormal columns that span the weighted additive terms (rows, terms).
    response : residual, and what the terms explain; the working response of the weighted fit.
    n_columns : columns that have a curve, of those given the first.
    """

    residual: np.ndarray
    weight: np.ndarray
    basis: np.ndarray
    response: np.ndarray
    n_columns: int = 0


def additive_fit(
    columns: Sequence[Column], y: np.ndarray, classes: bool, weight: np.ndarray | None = None
) -> AdditiveFit:
    """Fit a curve a column: linear and quadratic in ranks and linear as it is; bent further where that shows.

    Parameters
    ----------
    columns : the most important ones first; of few rows the others get no curve.
    y : numbers, or 0 and 1.
    weight : of numbers, the square root of how much each row counts; None where all count alike.
    """
    n = len(y)
    n_informative = int(2 * min(y.sum(), n - y.sum())) if classes else n
    plain = [plain_terms(column) for column in columns]
    sizes = np.cumsum([terms.shape[1] for terms in plain])
    n_curved = max(2, int((sizes <= n_informative // ROWS_PER_TERM).sum()))
    curved = columns[:n_curved]
    terms = np.hstack([np.ones((n, 1)), *plain[:n_curved]])
    first = fitted_terms(terms, y, classes, weight)
    room = n_informative // ROWS_PER_BENT_TERM - terms.shape[1]
    bent = [(_bent_p_value(first, extra), extra) for extra in map(_extra, curved) if extra.shape[1]]
    for p_value, extra in sorted(bent, key=lambda pair: pair[0]):
        if p_value <= BENT and extra.shape[1] <= room:
            terms, room = np.hstack([terms, extra]), room - extra.shape[1]
    return replace(fitted_terms(terms, y, classes, weight), n_columns=len(curved))


def curve_terms(column: Column, degree: int) -> np.ndarray:
    """Terms of a column for products: Legendre polynomials of its ranks, or the indicators of common levels."""
    if column.is_categorical:
        return _levels(column, degree + 1)
    return _standard(np.where(column.missing[:, None], 0.0, _legendre(column, 1, degree)))


def fitted_terms(terms: np.ndarray, y: np.ndarray, classes: bool, row_weight: np.ndarray | None = None) -> AdditiveFit:
    """The fit of terms, the first of which is constant."""
    if classes:
        shares = _logistic(terms, y)
        weight = np.sqrt(np.maximum(shares * (1 - shares), MIN_VARIANCE))
        basis = orthonormal(terms * weight[:, None])
        residual = (y - shares) / weight
        response = residual + weight * special.logit(np.clip(shares, 1e-9, 1 - 1e-9))
        return AdditiveFit(residual - basis @ (basis.T @ residual), weight, basis, response)
    weight = np.ones(len(y)) if row_weight is None else row_weight
    basis = orthonormal(terms if row_weight is None else terms * weight[:, None])
    response = y - y.mean() if row_weight is None else weight * (y - np.average(y, weights=weight**2))
    residual = response - basis @ (basis.T @ response)
    scale = float(np.sqrt(residual @ residual / max(len(y) - basis.shape[1], 1)))
    unit = scale if scale > 0 else 1.0
    return AdditiveFit(residual / unit, weight, basis, response / unit)


def _logistic(terms: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Probabilities of a ridge-penalised logistic fit, by Newton's method with halved steps; the first term is free."""
    n_terms = terms.shape[1]
    penalty = np.full(n_terms, RIDGE)
    penalty[0] = 0.0
    coef = np.zeros(n_terms)
    coef[0] = special.logit(np.clip(y.mean(), 1e-6, 1 - 1e-6))

    def objective(coef: np.ndarray) -> float:
        eta = terms @ coef
        return float((np.logaddexp(0, eta) - y * eta).sum() + 0.5 * (penalty * coef**2).sum())

    value = objective(coef)
    for _ in range(50):
        shares = special.expit(terms @ coef)
        gradient = terms.T @ (y - shares) - penalty * coef
        hessian = (terms * (shares * (1 - shares))[:, None]).T @ terms
        hessian[np.diag_indices(n_terms)] += penalty + 1e-9
        step = np.linalg.solve(hessian, gradient)
        size = 1.0
        while (changed := objective(coef + size * step)) > value and size > 1e-4:
            size /= 2
        coef, before, value = coef + size * step, value, changed
        if before - value < 1e-8 * max(1.0, abs(value)):
            break
    return np.asarray(special.expit(terms @ coef))


def _bent_p_value(fit: AdditiveFit, extra: np.ndarray) -> float:
    """P-value of a score test of terms beyond a fit."""
    weighted = extra * fit.weight[:, None]
    beyond = orthonormal(weighted - fit.basis @ (fit.basis.T @ weighted))
    return float(special.chdtrc(beyond.shape[1], float(np.square(beyond.T @ fit.residual).sum())))


def plain_terms(column: Column) -> np.ndarray:
    """First terms of a column: its levels; or itself, its ranks, their square, and where it is missing."""
    missing = column.missing.astype(np.float64)[:, None]
    if column.is_categorical:
        return np.hstack([_levels(column, MAX_LEVELS), _standard(missing)])
    ranks = np.where(column.missing[:, None], 0.0, _legendre(column, 1, 2))
    return np.hstack([_standard(_numbers(column)), _standard(ranks), _standard(missing)])


def _extra(column: Column) -> np.ndarray:
    """Further terms of a number: its square, and ranks to the third to sixth power."""
    if column.is_categorical:
        return np.empty((len(column.missing), 0))
    ranks = np.where(column.missing[:, None], 0.0, _legendre(column, 3, 6))
    return np.hstack([_standard(_standard(_numbers(column)) ** 2), _standard(ranks)])


def _numbers(column: Column) -> np.ndarray:
    observed = column.values[~column.missing]
    return np.where(column.missing, observed.mean() if len(observed) else 0.0, column.values)[:, None]


def _legendre(column: Column, first: int, last: int) -> np.ndarray:
    """Legendre polynomials of the ranks, scaled to (-1, 1)."""
    position = np.zeros(len(column.missing))
    is_known = ~column.missing
    if is_known.any():
        position[is_known] = (2 * average_ranks(column.values[is_known]) - 1) / is_known.sum() - 1
    return np.polynomial.legendre.legvander(position, last)[:, first:]


def _levels(column: Column, max_levels: int) -> np.ndarray:
    """Indicators of the commonest levels."""
    counts = np.bincount(column.values[column.values >= 0]) if (column.values >= 0).any() else np.empty(0)
    common = [level for level in np.argsort(-counts, kind="stable")[:max_levels] if counts[level] >= LEVEL_ROWS]
    return _standard(np.array([column.values == level for level in common]).reshape(-1, len(column.values)).T * 1.0)


def _standard(terms: np.ndarray) -> np.ndarray:
    """Terms of mean 0 and variance 1, without constant ones."""
    centred = terms - terms.mean(axis=0)
    scale = np.sqrt((centred**2).mean(axis=0))
    varies = scale > 1e-9 * np.abs(terms).max(axis=0, initial=0.0)
    return centred[:, varies] / scale[varies]


def orthonormal(terms: np.ndarray) -> np.ndarray:
    """Orthonormal columns that span the terms; fewer where terms depend on each other."""
    if not terms.shape[1]:
        return terms
    Q, R, _ = scipy.linalg.qr(terms, mode="economic", pivoting=True)
    size = np.abs(np.diag(R))
    return np.asarray(Q[:, size > 1e-7 * max(float(size[0]), 1e-300)])
