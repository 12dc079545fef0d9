"""Paths computed by compiled kernels: all rows and every fold's training rows side by side, each on its own thread."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from operator import methodcaller
from typing import Any

import numpy as np
from scipy import sparse

from tamis import _core
from tamis.engine import map_threads, workers
from tamis.errors import NotConverged
from tamis.linear.losses.logistic import Multinomial
from tamis.linear.losses.loss import Loss
from tamis.linear.losses.squared import Squared
from tamis.linear.out_of_fold import OutOfFold, training_weights
from tamis.linear.path import Path, PathEnd, ends_saturated, is_past_its_best, path_end, strengths
from tamis.linear.penalties.elastic_net import Penalty
from tamis.linear.solvers.compiled.principal_axes import Models, PrincipalAxes
from tamis.linear.solvers.compiled.standardized import StandardizedColumns
from tamis.split import Folds

AT_ONCE = 5  # strengths between two looks at the errors of the folds
#: Coefficients of several classes up to which the path of a ridge takes Newton steps in the columns as they are.
FEW_COEFFICIENTS = 400
_LARGE = 50_000_000  # entries up to which rows are turned onto their axes
_SPARSE = 0.1  # share of entries other than 0 below which a dense table is read by its entries
_FEW_ENTRIES = 200_000  # of a table for which that is not asked


class PathFit:
    """One fit on shared columns, and its solver state on the path.

    Parameters
    ----------
    columns : of all fits.
    f : which of their weightings is this fit's.
    loss, w, penalty, centred : what is fitted.
    turns : whether the columns are turned onto the principal axes of the training rows, as ridge allows.
    exact : whether the last digits are worth a Hessian.
    """

    core: Any  # the fit in the core
    null: float  # objective without columns, less what no model can lower
    null_gradient: np.ndarray  # gradients of the columns (× outputs, for several) of the model without columns
    outputs = 1
    intercepts = 1  # of a model; thresholds between ordered classes
    tail = 0  # numbers that follow the linear predictors of all rows
    at_once = AT_ONCE  # strengths between two looks at the errors of the folds, along axes
    size = 1.0  # what a loss of the core is multiplied by

    def __init__(
        self,
        columns: StandardizedColumns,
        f: int,
        loss: Loss,
        w: np.ndarray,
        penalty: Penalty,
        centred: bool,
        turns: bool = False,
        exact: bool = False,
    ) -> None:
        self.columns, self.w, self.centred, self.loss, self.exact = columns, w, centred, loss, exact
        self.centre, self.inverse, self.norms = (
            np.ascontiguousarray(part[:, f]) for part in (columns.centres, columns.inverses, columns.norms)
        )
        self.l1, self.l2, self.ends, self.sides = penalty.by_column()
        self.gap = self.enough = 0.0
        self.axes = self._turn() if turns else None
        self._begin(loss)
        if self.axes is not None:
            self.null_gradient = self._gradients()

    def _turn(self) -> PrincipalAxes:
        """Read the columns along the axes, where all have one ridge penalty, or none."""
        factors = self.l2 if self.l2.any() else np.ones_like(self.l2)
        axes = PrincipalAxes.of(
            self.columns, self.w, self.inverse / np.sqrt(factors), self.centre if self.centred else None
        )
        self.columns, self.inverse, self.norms = axes.columns, axes.columns.inverse, axes.columns.norms[:, 0].copy()
        self.centre, self.l1 = axes.columns.centre, np.zeros_like(self.inverse)
        self.l2, self.ends = np.full_like(self.inverse, float(self.l2.any())), np.zeros(0, np.int64)
        return axes

    def _gradients(self) -> np.ndarray:
        """Gradients of the given columns of a fit along axes."""
        assert self.axes is not None
        return self.axes.gradients(np.atleast_2d(self.core.residual).T)

    @property
    def core_columns(self) -> _core.Columns:
        """The columns as the core reads them."""
        columns = self.columns
        return _core.Columns(columns.Z, columns.begin, columns.row, self.centre, self.inverse, self.norms, len(self.w))

    def _begin(self, loss: Any) -> None:
        """The model without columns."""
        raise NotImplementedError

    def losses(self, eta: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Loss of some rows (models × rows) at their linear predictors (models × rows × outputs)."""
        loss = self.loss.take(rows)
        return np.array([loss.value(part) for part in eta])

    def _run(self, alphas: np.ndarray, goal: float, coef: np.ndarray, eta: np.ndarray, gap: np.ndarray) -> None:
        """Fill coefficients and intercepts (strengths × all), predictors (strengths × rows · outputs) and gaps."""
        self.core.solve(alphas, goal, self.enough * self.null, coef, eta, gap)

    def solve_path(self, alphas: np.ndarray, tol: float) -> tuple[Models, np.ndarray]:
        """Models in the units of X; linear predictors of all rows (strengths × rows × outputs)."""
        p, n, m, K = len(self.inverse), len(self.w), len(alphas), self.outputs
        coef, etas, gaps = np.empty((m, p * K + self.intercepts)), np.empty((m, n * K + self.tail)), np.empty(m)
        self._run(np.ascontiguousarray(alphas, dtype=np.float64), tol * self.null, coef, etas, gaps)
        self.gap = max(self.gap, float(gaps.max()) / max(self.null, np.finfo(float).tiny))
        inner = Models(coef[:, : p * K].reshape(m, p, K), coef[:, p * K :])
        return self.models(coef), self.predictors(inner, etas[:, : n * K].reshape(m, n, K))

    def models(self, found: np.ndarray) -> Models:
        """Models of the core (strengths × all) in the units of X."""
        m, p, K = len(found), len(self.inverse), self.outputs
        models = Models(found[:, : p * K].reshape(m, p, K), found[:, p * K :])
        coef, intercept = self.original(models)
        if self.axes is not None:
            return self.axes.restore(coef, intercept)
        return Models(coef, intercept)

    def original(self, models: Models) -> Models:
        """Models of the core in the units of its columns."""
        coef = models.coef * (self.inverse * self.columns.inverse)[:, None]
        return Models(coef, models.intercept - np.tensordot(coef, self.columns.centre, axes=(1, 0)))

    def predictors(self, models: Models, eta: np.ndarray) -> np.ndarray:
        """Linear predictors of the core (models × rows × outputs) in the units of the target."""
        return eta


def path_fits(job: Any, weights: np.ndarray, exact: bool = False) -> list[PathFit]:
    """A fit for every weighting of the rows (n × m); `exact` to the last digits, at some cost."""
    weights = weights / weights.sum(axis=0)
    n, p = job.X.shape
    dense, penalty = isinstance(job.X, np.ndarray), job.penalty
    is_ridge = penalty.l1_ratio == 0 and bool(np.all(penalty.factors > 0) or not penalty.factors.any())
    several = isinstance(job.loss, Multinomial)
    is_long = p > n or (several and (exact or p * job.loss.outputs > FEW_COEFFICIENTS))
    turns = is_ridge and is_long and bool(penalty.factors.any() or not several)
    turns = turns and not penalty.sides.any() and n * p <= _LARGE
    options = {"standardize": job.standardize, "centred": job.fit_intercept}
    by_entries = (
        penalty.l1_ratio > 0 and not isinstance(job.loss, Multinomial | Squared) and dense and _is_mostly_zero(job.X)
    )
    if turns or (dense and not by_entries):
        X = np.asarray(job.X if dense else job.X.toarray(), dtype=np.float64)
        columns = StandardizedColumns.of(X, weights, n_jobs=job.n_jobs, **options)
    else:
        columns = StandardizedColumns.of_sparse(sparse.csc_array(job.X), weights, **options)
    kind = fit_of(job.loss, penalty, not len(columns.begin) and not turns)

    def one(f: int) -> PathFit:
        w = np.ascontiguousarray(weights[:, f])
        return kind(columns, f, job.loss, w, penalty, job.fit_intercept, bool(turns), exact)

    return map_threads(one, range(weights.shape[1]), job.n_jobs)


def fit_of(loss: Loss, penalty: Penalty, is_dense: bool) -> type[PathFit]:
    """The fit of a loss."""
    if isinstance(loss, Squared) and is_dense and penalty.is_single:
        from tamis.linear.solvers.compiled.squared_fit import SquaredFit

        return SquaredFit
    if isinstance(loss, Multinomial):
        from tamis.linear.solvers.compiled.multinomial_fit import MultinomialFit

        return MultinomialFit
    from tamis.linear.solvers.compiled.newton_fit import NewtonFit, ThresholdFit

    return ThresholdFit if loss.has_thresholds else NewtonFit


def _is_mostly_zero(X: np.ndarray) -> bool:
    """Whether a dense table is faster by its entries: counts of words or reads, indicators of many levels.

    Measured on 1,088 × 3,289 counts of words, 1.5% of them not 0: a path with five folds in 3.3 s instead of 12.5. A
    small table is as fast either way. Some columns are looked at first.
    """
    if X.size < _FEW_ENTRIES:
        return False
    some = X[:, :: max(1, X.shape[1] // 64)]
    return bool(np.count_nonzero(some) < 2 * _SPARSE * some.size and np.count_nonzero(X) < _SPARSE * X.size)


def compiled_path(
    job: Any,
    splits: Folds | None,
    n_alphas: int,
    alphas: np.ndarray | None,
    held: OutOfFold | None = None,
    is_enough: Callable[[np.ndarray], bool] | None = None,
) -> Path:
    """The path, with errors over folds; it ends early where the folds are past their best, or a model `is_enough`."""
    weights = job.weights[:, None]
    if splits:
        weights = np.hstack([weights, training_weights(splits, job.weights)])
    fits = path_fits(job, weights)
    n, p = job.X.shape
    ridge = job.penalty.l1_ratio == 0
    largest = job.penalty.largest(fits[0].null_gradient.reshape(p, -1))
    grid = strengths(largest, n_alphas, p > n, ridge) if alphas is None else np.asarray(alphas, dtype=float)
    follow = _follow if fits[0].axes is None else _follow_axes
    end = path_end(job, len(grid), bool(splits), alphas is None)
    if is_enough is None or splits:
        models, errors = follow(job, fits, splits or [], grid, held, end)
    else:
        along = partial(follow, job, fits, [], held=None, end=end)
        models, errors = _followed_until(is_enough, along, grid), np.empty((0, 0))
    _warn(fits, job.tol)
    used = np.count_nonzero(models.coef.any(axis=2), axis=1)
    path = Path(grid[: len(used)], models.coef, models.intercept, used)
    if not splits:
        return path
    return path.scored(errors, np.array([job.weights[test].sum() for _, test in splits]))


def _followed_until(is_enough: Callable[[np.ndarray], bool], follow: Callable[..., Any], grid: np.ndarray) -> Models:
    """Models of all rows, some strengths at a time until one is enough."""
    parts: list[Models] = []
    for start in range(0, len(grid), AT_ONCE):
        stretch = grid[start : start + AT_ONCE]
        parts.append(follow(grid=stretch)[0])
        if len(parts[-1].coef) < len(stretch) or any(is_enough(coef) for coef in parts[-1].coef):
            break
    return Models(*(np.concatenate(arrays) for arrays in zip(*parts)))


def _follow(
    job: Any, fits: list[PathFit], splits: Folds, grid: np.ndarray, held: OutOfFold | None, end: PathEnd
) -> tuple[Models, np.ndarray]:
    """Models of all rows and errors of the folds, by one call."""
    double, p = _double(job), job.X.shape[1]
    saturated = end.saturated * double * fits[0].null if ends_saturated(job) else -1.0
    path = _core.path_over_folds(
        [fit.core for fit in fits],
        np.ascontiguousarray(grid),
        p,
        fits[0].w,
        [np.ascontiguousarray(test, dtype=np.int64) for _, test in splits],
        [_share(job.weights[test]) for _, test in splits],
        np.array([job.tol * fit.null / fit.size for fit in fits]),
        np.array([double * fit.size for fit in fits]),
        (end.always, end.patience, saturated, end.after_stretch),
        0 if held is None else 1 + held.needs_models,
        workers(job.n_jobs),
    )
    for fit, gap in zip(fits, path.gaps):
        fit.gap = max(fit.gap, float(gap) * fit.size / max(fit.null, np.finfo(float).tiny))
    for f, parts in enumerate(path.held_out if held is not None else []):
        for part in parts:
            _keep(held, f, fits[f + 1], part, p)
    return fits[0].models(path.coef), path.errors.T.copy()


def _keep(held: Any, f: int, fit: PathFit, part: _core.HeldOut, p: int) -> None:
    """Keep a stretch of fold f's path in the units of the table."""
    m, K = part.n_models, fit.outputs
    intercept = part.intercept.reshape(m, fit.intercepts)
    if not part.is_model:
        predictors = part.predictor.reshape(m, -1, K)
        held.keep_predictors(f, fit.predictors(Models(np.zeros((m, 0, K)), intercept), predictors))
        return
    coef = np.zeros((m, p * K))
    model, entry = np.divmod(part.position, p * K)
    coef[model, entry] = part.value
    held.keep_models(f, *fit.models(np.hstack([coef, intercept])))


def _follow_axes(
    job: Any, fits: list[PathFit], splits: Folds, grid: np.ndarray, held: OutOfFold | None, end: PathEnd
) -> tuple[Models, np.ndarray]:
    """The same for ridge fits along axes of their own, some strengths at a time."""
    double, some = _double(job), fits[0].at_once
    parts, errors = [], np.empty((len(splits), 0))
    for start in range(0, len(grid), some):
        stretch = grid[start : start + some]
        solved = map_threads(methodcaller("solve_path", stretch, job.tol), fits, job.n_jobs)
        parts.append(solved[0][0])
        folds = [(fit, test, *path) for fit, (_, test), path in zip(fits[1:], splits, solved[1:])]
        new = [fit.losses(eta[:, test], test) @ _share(job.weights[test]) for fit, test, _, eta in folds]
        errors = np.hstack([errors, double * np.array(new).reshape(len(splits), len(stretch))])
        for f, (_, test, models, eta) in enumerate(folds if held is not None else ()):
            assert held is not None
            if held.prefers_models(f, int(np.count_nonzero(models.coef)) // (len(models.coef) * models.coef.shape[2])):
                held.keep_models(f, *models)
            else:
                held.keep_predictors(f, eta[:, test])
        if end.always and is_past_its_best(errors, end.always, end.patience):
            break
    return Models(*(np.concatenate(arrays) for arrays in zip(*parts))), errors


def _double(job: Any) -> float:
    return 2.0 if isinstance(job.loss, Squared) else 1.0  # errors are reported as mean squared error


def compiled_solution(job: Any, alpha: float, gap: float, enough: float) -> tuple[np.ndarray, np.ndarray, float]:
    """Coefficients, intercepts and relative gap at one strength, to a much smaller gap than the path's."""
    if alpha == 0:  # no penalty: no column is screened, and groups mean nothing
        job = replace(job, penalty=Penalty(0.0, np.zeros_like(job.penalty.factors), None, job.penalty.sides))
    reached = np.inf
    for steps in (8, 64):  # the second for losses with straight parts, far from quadratic
        fit: PathFit = path_fits(job, job.weights[:, None], exact=True)[0]
        top = job.penalty.largest(fit.null_gradient.reshape(job.X.shape[1], -1))
        if job.penalty.l1_ratio > 0 and alpha < top:  # down the path: each solution starts close to the next
            fit.solve_path(top * (alpha / top) ** (np.arange(1, steps) / steps), 1e-3)
        fit.gap, fit.enough = 0.0, enough
        models, _ = fit.solve_path(np.array([alpha]), gap)
        if fit.gap < reached:
            best, reached = models, fit.gap
        if reached <= enough:
            break
    fit.gap = reached
    _warn([fit], enough)
    return best.coef[0], best.intercept[0], max(reached, 0.0)


def _share(weights: np.ndarray) -> np.ndarray:
    return np.asarray(weights / weights.sum())


def _warn(fits: list[PathFit], tol: float) -> None:
    worst = max(fit.gap for fit in fits)
    if worst > tol * (1 + 1e-6):
        warnings.warn(
            f"the linear model stopped at a relative duality gap of {worst:.1e} (asked {tol:.1e}); give a larger "
            "alpha, or drop nearly equal columns",
            NotConverged,
            stacklevel=6,
        )
