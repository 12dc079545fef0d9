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
from tamis.linear.losses import core_name
from tamis.linear.losses.logistic import Multinomial
from tamis.linear.losses.squared import Squared
from tamis.linear.out_of_fold import OutOfFold, training_weights
from tamis.linear.path import Path, PathEnd, ends_saturated, is_past_its_best, path_end, strengths
from tamis.linear.penalties.elastic_net import Penalty
from tamis.linear.solvers.compiled.standardized import StandardizedColumns
from tamis.split import Folds

AT_ONCE = 5  # strengths between two looks at the errors of the folds
_LARGE = 50_000_000  # entries above which the columns are not copied
_SPARSE = 0.1  # share of entries other than 0 below which a dense table is read by its entries
_FEW_ENTRIES = 200_000  # of a table for which that is not asked


class PathFit:
    """One fit on shared columns, and its solver state on the path."""

    def __init__(
        self, columns: StandardizedColumns, f: int, y: Any, w: np.ndarray, penalty: Penalty, centred: bool
    ) -> None:
        self.columns, self.w, self.centred = columns, w, centred
        self.centre, self.inverse, self.norms = (
            np.ascontiguousarray(part[:, f]) for part in (columns.centres, columns.inverses, columns.norms)
        )
        self._take(penalty)
        self.gap = self.enough = 0.0
        self._begin(y)

    def _take(self, penalty: Penalty) -> None:
        """The weights of absolute and squared coefficients, one a column."""
        self.l1, self.l2 = penalty.at(1.0)

    @property
    def core_columns(self) -> _core.Columns:
        """The columns as the core reads them."""
        columns = self.columns
        return _core.Columns(columns.Z, columns.begin, columns.row, self.centre, self.inverse, self.norms, len(self.w))

    core: Any  # the fit in the core
    takes_sparse = False  # whether it reads columns by their entries
    null: float  # objective without columns, less `floor`
    floor = 0.0  # the loss of perfect predictions
    null_gradient: np.ndarray  # gradients of the columns (× outputs, for several) of the model without columns
    outputs = 1
    at_once = AT_ONCE  # strengths between two looks at the errors of the folds, along axes
    size = 1.0  # what a loss of the core is multiplied by
    has_axes = False  # whether it is fitted along axes of its own

    def _begin(self, y: Any) -> None:
        """The model without columns; `y` is the target as the fit reads it."""
        raise NotImplementedError

    def losses(self, eta: np.ndarray, rows: Any = slice(None)) -> np.ndarray:
        """Loss of some rows at their linear predictors (… × rows × outputs)."""
        raise NotImplementedError

    def _run(self, alphas: np.ndarray, goal: float, coef: np.ndarray, eta: np.ndarray, gap: np.ndarray) -> None:
        """Fill coefficients (strengths × (columns + 1) · outputs), predictors (strengths × rows · outputs) and gaps."""
        self.core.solve(alphas, goal, self.enough * self.null, coef, eta, gap)

    def solve_path(self, alphas: np.ndarray, tol: float) -> tuple[np.ndarray, np.ndarray]:
        """Coefficients (strengths × columns × outputs, intercepts last) in the units of X; predictors of all rows."""
        p, n, m, K = len(self.inverse), len(self.w), len(alphas), self.outputs
        found, etas, gaps = np.empty((m, (p + 1) * K)), np.empty((m, n * K)), np.empty(m)
        self._run(np.ascontiguousarray(alphas, dtype=np.float64), tol * self.null, found, etas, gaps)
        self.gap = max(self.gap, float(gaps.max()) / max(self.null, np.finfo(float).tiny))
        return self.original(found.reshape(m, p + 1, K)), self.predictors(etas.reshape(m, n, K))

    def original(self, coef: np.ndarray) -> np.ndarray:
        """Coefficients of the core (strengths × columns × outputs, intercepts last) in the units of X."""
        coef[:, :-1] *= (self.inverse * self.columns.inverse)[:, None]
        coef[:, -1] -= self.columns.centre @ coef[:, :-1]
        return coef

    def predictors(self, eta: np.ndarray) -> np.ndarray:
        """Linear predictors of the core in the units of the target."""
        return eta


def suits(X: Any, loss: Any, penalty: Penalty) -> bool:
    """Whether a compiled path serves a job: a loss that kernels know, a table of bearable size, single penalties.

    With one linear predictor all columns must be penalised singly; sparse tables have one linear predictor.
    """
    n, p = X.shape
    dense = isinstance(X, np.ndarray)
    if core_name(loss) is None:  # `newton_path`
        return False
    if isinstance(loss, Multinomial):
        return dense and n * p <= _LARGE
    single = penalty.starts is None and bool(np.all(penalty.factors > 0))
    if penalty.l1_ratio == 0:  # squared: ridge.py
        return single and not isinstance(loss, Squared) and n * p <= _LARGE
    return single and (X.size if dense else X.nnz) <= _LARGE


def path_fits(job: Any, weights: np.ndarray) -> list[PathFit]:
    """A fit for every weighting of the rows (n × m)."""
    weights = weights / weights.sum(axis=0)
    n, p = job.X.shape
    dense, ridge = isinstance(job.X, np.ndarray), job.penalty.l1_ratio == 0
    kind, y = _kind(job.loss, job.penalty, dense, p > n)
    options = {"standardize": job.standardize, "centred": job.fit_intercept}
    if kind.takes_sparse and not ridge and (not dense or _is_mostly_zero(job.X)):
        columns = StandardizedColumns.of_sparse(sparse.csc_array(job.X), weights, **options)
    elif dense or (ridge and p > n):
        X = np.asarray(job.X if dense else job.X.toarray(), dtype=np.float64)
        columns = StandardizedColumns.of(X, weights, n_jobs=job.n_jobs, **options)
    else:
        columns = StandardizedColumns.of_sparse(job.X, weights, **options)

    def one(f: int) -> PathFit:
        return kind(columns, f, y, np.ascontiguousarray(weights[:, f]), job.penalty, job.fit_intercept)

    return map_threads(one, range(weights.shape[1]), job.n_jobs)


def _is_mostly_zero(X: np.ndarray) -> bool:
    """Whether a dense table is faster by its entries: counts of words or reads, indicators of many levels.

    Measured on 1,088 × 3,289 counts of words, 1.5% of them not 0: a path with five folds in 3.3 s instead of 12.5. A
    small table is as fast either way. Some columns are looked at first.
    """
    if X.size < _FEW_ENTRIES:
        return False
    some = X[:, :: max(1, X.shape[1] // 64)]
    return bool(np.count_nonzero(some) < 2 * _SPARSE * some.size and np.count_nonzero(X) < _SPARSE * X.size)


def _kind(loss: Any, penalty: Penalty, dense: bool, wide: bool) -> tuple[type[PathFit], Any]:
    """The fit of a loss, and its target as the fit reads it."""
    if isinstance(loss, Multinomial):
        from tamis.linear.solvers.compiled.multinomial.fit import MultinomialFit
        from tamis.linear.solvers.compiled.multinomial.ridge_fit import RidgeMultinomialFit

        ridge = penalty.l1_ratio == 0 and bool(np.all(penalty.factors > 0))
        return (RidgeMultinomialFit if ridge else MultinomialFit), np.ascontiguousarray(loss.y)
    if isinstance(loss, Squared) and dense:
        from tamis.linear.solvers.compiled.squared_fit import SquaredFit

        return SquaredFit, np.ascontiguousarray(loss.y[:, 0])
    from tamis.linear.solvers.compiled.newton_fit import NewtonFit, RidgeNewtonFit

    return (RidgeNewtonFit if wide and penalty.l1_ratio == 0 else NewtonFit), loss


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
    follow = _follow_axes if fits[0].has_axes else _follow
    end = path_end(job, len(grid), bool(splits), alphas is None)
    if is_enough is None or splits:
        found, errors = follow(job, fits, splits or [], grid, held, end)
    else:
        found, errors = (
            _followed_until(is_enough, partial(follow, job, fits, [], held=None, end=end), grid),
            np.empty((0, 0)),
        )
    _warn(fits, job.tol)
    path = Path(grid[: len(found)], found[:, :-1], found[:, -1], np.count_nonzero(found[:, :-1].any(axis=2), axis=1))
    if not splits:
        return path
    return path.scored(errors, np.array([job.weights[test].sum() for _, test in splits]))


def _followed_until(
    is_enough: Callable[[np.ndarray], bool], follow: Callable[..., Any], grid: np.ndarray
) -> np.ndarray:
    """Models of all rows, some strengths at a time until one is enough."""
    parts: list[np.ndarray] = []
    for start in range(0, len(grid), AT_ONCE):
        stretch = grid[start : start + AT_ONCE]
        parts.append(follow(grid=stretch)[0])
        if len(parts[-1]) < len(stretch) or any(is_enough(coef) for coef in parts[-1][:, :-1]):
            break
    return np.concatenate(parts)


def _follow(
    job: Any, fits: list[PathFit], splits: Folds, grid: np.ndarray, held: OutOfFold | None, end: PathEnd
) -> tuple[np.ndarray, np.ndarray]:
    """Models of all rows (strengths × columns × outputs, intercepts last) and errors of the folds, by one call."""
    double, p, K = _double(job), job.X.shape[1], fits[0].outputs
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
    return fits[0].original(path.coef.reshape(-1, p + 1, K)), path.errors.T.copy()


def _keep(held: Any, f: int, fit: PathFit, part: _core.HeldOut, p: int) -> None:
    """Keep a stretch of fold f's path in the units of the table."""
    m, K = part.n_models, fit.outputs
    if not part.is_model:
        held.keep_predictors(f, fit.predictors(part.predictor.reshape(m, -1, K)))
        return
    coef = np.zeros((m, p + 1, K))
    model, place = np.divmod(part.position, p * K)
    coef.reshape(m, -1)[model, place] = part.value
    coef[:, -1] = part.intercept.reshape(m, K)
    coef = fit.original(coef)
    held.keep_models(f, coef[:, :-1], coef[:, -1])


def _follow_axes(
    job: Any, fits: list[PathFit], splits: Folds, grid: np.ndarray, held: OutOfFold | None, end: PathEnd
) -> tuple[np.ndarray, np.ndarray]:
    """The same for ridge fits along axes of their own, some strengths at a time."""
    double, some = _double(job), fits[0].at_once
    parts, errors = [], np.empty((len(splits), 0))
    for start in range(0, len(grid), some):
        stretch = grid[start : start + some]
        made = map_threads(methodcaller("solve_path", stretch, job.tol), fits, job.n_jobs)
        parts.append(made[0][0])
        judged = zip(fits[1:], splits, made[1:])
        new = [fit.losses(eta[:, test], test) @ _share(job.weights[test]) for fit, (_, test), (_, eta) in judged]
        errors = np.hstack([errors, double * np.array(new).reshape(len(splits), len(stretch))])
        for f, ((_, test), (found, eta)) in enumerate(zip(splits, made[1:]) if held is not None else ()):
            assert held is not None
            if held.prefers_models(f, int(np.count_nonzero(found[:, :-1])) // (len(found) * found.shape[2])):
                held.keep_models(f, found[:, :-1], found[:, -1])
            else:
                held.keep_predictors(f, eta[:, test])
        if end.always and is_past_its_best(errors, end.always, end.patience):
            break
    return np.concatenate(parts), errors


def _double(job: Any) -> float:
    return 2.0 if isinstance(job.loss, Squared) else 1.0  # errors are reported as mean squared error


def compiled_solution(
    job: Any, alpha: float, gap: float, enough: float, last: bool
) -> tuple[np.ndarray, np.ndarray, float]:
    """Coefficients, intercepts and relative gap at one strength, to a much smaller gap than the path's.

    last: no other solver follows, so a gap that is not reached is told.
    """
    if alpha == 0:  # no penalty: no column is screened, and groups mean nothing
        job = replace(job, penalty=Penalty(0.0, np.zeros_like(job.penalty.factors)))
    fit: Any = path_fits(job, job.weights[:, None])[0]
    top = job.penalty.largest(fit.null_gradient.reshape(job.X.shape[1], -1))
    if job.penalty.l1_ratio > 0 and alpha < top:  # down the path: each solution starts close to the next
        fit.solve_path(top * (alpha / top) ** (np.arange(1, 8) / 8), 1e-3)
    fit.gap, fit.enough = 0.0, enough
    found, _ = fit.solve_path(np.array([alpha]), gap)
    if last:
        _warn([fit], enough)
    return found[0, :-1], found[0, -1], max(fit.gap, 0.0)


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
