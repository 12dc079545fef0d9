"""Linear models of squared loss of a lazy table: path, cross-validation and the chosen model, all from moments.

Rows are read once. What the rows of memory tables refine at the end is left out: moments square the condition number,
so columns that are nearly dependent cost digits, which is said.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import scipy
from numpy.typing import ArrayLike

from tamis.engine import one_blas_thread, workers
from tamis.errors import ParameterError, TamisWarning
from tamis.linear.lazy.prepare import folds_of, importances, learn_fill, refuse_ratios, remember
from tamis.linear.path import Path, strengths
from tamis.linear.penalties.elastic_net import Penalty
from tamis.linear.penalties.units import Units, common_unit
from tamis.linear.solvers.normal_equations import NormalEquations, fold_paths, test_error
from tamis.table import LazyTable
from tamis.views.lazy.fold_moments import fold_moments
from tamis.views.lazy.target import target_named
from tamis.views.moments import FoldMoments

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


#: A condition number of the standardised columns from which on six digits and more are lost.
ILL = 1e5


def fit_squared(model: BaseEstimator, table: LazyTable, y: ArrayLike) -> None:
    """Fit a LinearRegressor to a lazy table."""
    target = target_named(table, y)
    _refuse(model)
    refuse_ratios(model)
    free = model.penalty is None or (not isinstance(model.alpha, str) and model.alpha in (0, None))
    encoding = remember(model, table, target, reference=model.penalty is None)
    n_folds = 1 if free or not isinstance(model.alpha, str) else folds_of(model.cv)
    seed = int(model.random_state) if isinstance(model.random_state, (int, np.integer)) else 0
    fill = learn_fill(model, table, target, encoding)
    moments = fold_moments(table, target, n_folds=n_folds, seed=seed, encoding=encoding, fill=fill)
    options = {"standardize": bool(model.standardize), "fit_intercept": bool(model.fit_intercept)}
    with one_blas_thread():
        normal = NormalEquations.of(moments.total, **options)
        _warn_ill(moments)
        if free:
            _least_squares(model, normal, moments)
        else:
            _penalised(model, normal, moments, options)
    coef = np.atleast_2d(model.coef_)[:, model.inputs_.order]
    scatter = moments.total.scatter[:-1, :-1]
    model.feature_importances_ = importances(
        coef, scatter, moments.total.weight, model.inputs_.groups, model.n_features_in_
    )


def _refuse(model: BaseEstimator) -> None:
    known = (
        model.loss == "squared" and model.penalty not in ("subset", "bridge") and model.alpha not in ("loo", "bayes")
    )
    if not known:
        raise ParameterError(
            f"penalty={model.penalty!r}, alpha={model.alpha!r} and loss={model.loss!r} need rows in memory; give "
            "penalty None, 'ridge', 'lasso' or 'elastic-net' and loss='squared', or a sample: table.sample(100_000)"
        )


def _warn_ill(moments: FoldMoments) -> None:
    condition = moments.total.condition
    if condition > ILL and np.isfinite(condition):
        warnings.warn(
            f"the columns are nearly dependent (condition {condition:.1e}), so coefficients from moments have about "
            f"{max(0, 16 - 2 * np.log10(condition)):.0f} digits; leave out one of the columns that say the same",
            TamisWarning,
            stacklevel=4,
        )


def _penalised(model: BaseEstimator, normal: NormalEquations, moments: FoldMoments, options: dict[str, bool]) -> None:
    """The model at the strength given, or at that which the folds choose."""
    penalty = model._penalty(model.n_features_in_)
    spread = np.sqrt(np.diagonal(normal.H))[penalty.factors > 0]
    units = Units(np.sqrt(normal.yy) or 1.0, 1.0 if model.standardize else common_unit(spread))
    if isinstance(model.alpha, str):
        alpha, ratio = _by_folds(model, normal, moments, penalty, options, units), penalty.l1_ratio
        model.alpha_, model.l1_ratio_ = units.outside(alpha, ratio)
    else:
        model.alpha_, model.l1_ratio_, model.path_ = float(model.alpha), penalty.l1_ratio, None
        alpha, ratio = units.inside(model.alpha_, model.l1_ratio_)
    _at(model, normal.scaled(units), replace(penalty, l1_ratio=ratio), alpha)


def _by_folds(
    model: BaseEstimator,
    normal: NormalEquations,
    moments: FoldMoments,
    penalty: Penalty,
    options: dict[str, bool],
    units: Units,
) -> float:
    """The strength that the rule picks by the folds' errors; the model remembers the path."""
    normal = normal.scaled(units)
    ridge = penalty.l1_ratio == 0
    alphas = strengths(penalty.largest(normal.c[:, None]), model.n_alphas, False, ridge)
    coef, intercept = normal.original(normal.path(penalty, alphas, model.tol))
    path = Path(alphas, coef[:, :, None], intercept[:, None], np.count_nonzero(coef, axis=1))

    paths = fold_paths(
        lambda f: NormalEquations.of(moments.train[f], **options).scaled(units),
        len(moments),
        penalty,
        alphas,
        model.tol,
        workers(model.n_jobs),
    )
    errors = [test_error(moments.test[f], *part.original(beta)) for f, (part, beta) in enumerate(paths)]
    path = path.scored(np.array(errors), np.array([test.weight for test in moments.test]))
    strength, _ = units.outside(1.0, penalty.l1_ratio)
    model._keep_path(replace(path, alphas=alphas * strength))
    return float(alphas[path.choose(model.rule)])


def _at(model: BaseEstimator, normal: NormalEquations, penalty: Penalty, alpha: float) -> None:
    """The model of one strength, to a much smaller gap than the path's."""
    top = penalty.largest(normal.c[:, None])
    grid = np.array([alpha])
    if penalty.l1_ratio > 0 and 0 < alpha < top:
        grid = top * (alpha / top) ** (np.arange(1, 6) / 5)
        grid[-1] = alpha
    beta = normal.path(penalty, grid, 1e-10)[-1]
    reached = normal.gap(beta, normal.c - normal.H @ beta, penalty, alpha) / max(0.5 * normal.yy, 1e-300)
    coef, intercept = normal.original(beta)
    model.gap_ = max(float(reached), 0.0)
    model._keep(coef[:, None], np.atleast_1d(intercept))


def _least_squares(model: BaseEstimator, normal: NormalEquations, moments: FoldMoments) -> None:
    """Without a penalty: coefficients, and what least squares knows of them."""
    total = moments.total
    inverse = np.linalg.pinv(normal.H, rcond=1e-12, hermitian=True)
    beta, rank = inverse @ normal.c, int(np.linalg.matrix_rank(normal.H, tol=1e-12 * len(normal.c), hermitian=True))
    coef, intercept = normal.original(beta)
    free = total.weight - rank - bool(model.fit_intercept)
    left = max(normal.yy - normal.c @ beta, 0.0)
    variance = left * total.weight / free if free > 0 else np.nan
    errors = np.sqrt(variance * np.maximum(np.diagonal(inverse), 0.0) / total.weight) / normal.scale
    t = np.divide(coef, errors, out=np.zeros_like(coef), where=errors > 0)
    restore = model.inputs_.restore
    model.alpha_, model.gap_, model.path_, model.rank_ = 0.0, 0.0, None, rank
    model.standard_errors_, model.t_ = restore(errors), restore(t)
    model.p_ = restore(2 * scipy.stats.t.sf(np.abs(t), max(free, 1)))
    at_zero = normal.centre / normal.scale
    spread = 1 / total.weight + at_zero @ inverse @ at_zero / total.weight
    model.intercept_standard_error_ = float(np.sqrt(variance * spread)) if model.fit_intercept else 0.0
    model.residual_degrees_of_freedom_, model.degrees_of_freedom_ = float(free), float(rank + bool(model.fit_intercept))
    model.residual_deviation_ = float(np.sqrt(variance))
    model.r2_ = float(1 - left / normal.yy) if normal.yy > 0 else 0.0
    rows = total.weight - bool(model.fit_intercept)
    model.adjusted_r2_ = float(1 - (1 - model.r2_) * rows / free) if free > 0 else float("nan")
    model._keep(coef[:, None], np.atleast_1d(intercept))
