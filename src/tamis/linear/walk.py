"""Paths walked by compiled kernels: all rows and every fold's training rows side by side, each on its own thread."""

from __future__ import annotations

import warnings
from dataclasses import replace
from operator import methodcaller
from typing import Any

import numpy as np

from tamis.engine import map_threads
from tamis.errors import NotConverged
from tamis.linear.columns import Columns
from tamis.linear.folds import Splits, training_weights
from tamis.linear.loss import Multinomial, Squared
from tamis.linear.out_of_fold import OutOfFold
from tamis.linear.path import SATURATED, Path, is_past_its_best, strengths
from tamis.linear.penalty import Penalty

AT_ONCE = 5  # strengths between two looks at the errors of the folds
FEW = 3  # the same where a Hessian of all rows serves the fits of every fold
PARTS = 8  # of the rows, for a sum that does not depend on the number of threads
_LARGE = 50_000_000  # entries above which the columns are not copied


class Walk:
    """One fit on shared columns, and where it stands on its path."""

    def __init__(self, columns: Columns, f: int, y: Any, w: np.ndarray, penalty: Penalty, centred: bool) -> None:
        self.columns, self.w, self.centred = columns, w, centred
        self.centre, self.inverse, self.norms = (
            np.ascontiguousarray(part[:, f]) for part in (columns.centres, columns.inverses, columns.norms)
        )
        self._take(penalty)
        self.gap = 0.0
        self._begin(y)
        self._look()

    def _take(self, penalty: Penalty) -> None:
        """The weights of absolute and squared coefficients, one a column."""
        self.l1, self.l2 = penalty.at(1.0)

    null: float  # objective without columns, less `floor`
    floor = 0.0  # the loss of perfect predictions
    known: np.ndarray  # pulls on the columns (× outputs, for several) as last seen
    outputs: tuple[int, ...] = ()  # their number, where there is more than one linear predictor
    middle = 0.0  # what was taken off the target before the fit

    def _look(self) -> None:
        """The pulls without columns, from which the bounds on later ones start."""
        raise NotImplementedError

    def _begin(self, y: Any) -> None:
        """The model without columns; `y` is the target as the fit reads it."""
        raise NotImplementedError

    def losses(self, eta: np.ndarray, rows: Any = slice(None)) -> np.ndarray:
        """Loss of some rows at their linear predictors (… × rows × outputs)."""
        raise NotImplementedError

    def _run(self, alphas: np.ndarray, goal: float, out: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
        raise NotImplementedError

    @property
    def at_once(self) -> int:
        """Strengths between two looks at the errors of the folds."""
        return AT_ONCE

    def share(self, fits: list[Any], alphas: np.ndarray, n_jobs: int | None) -> None:
        """Give all fits what one computation serves them for the next strengths; this one is of all rows."""

    def walk(self, alphas: np.ndarray, tol: float) -> tuple[np.ndarray, np.ndarray]:
        """Coefficients (strengths × columns × outputs, intercepts last) in the units of X; predictors of all rows."""
        p, n, shape = len(self.inverse), len(self.w), self.outputs
        out = np.empty((len(alphas), p + 1, *shape)), np.empty((len(alphas), n, *shape)), np.empty(len(alphas))
        self._run(np.ascontiguousarray(alphas, dtype=np.float64), tol * self.null, out)
        found, etas, gaps = out
        self.gap = max(self.gap, float(gaps.max()) / max(self.null, np.finfo(float).tiny))
        found = found.reshape(len(alphas), p + 1, -1)
        found[:, :-1] *= (self.inverse * self.columns.inverse)[:, None]
        found[:, -1] -= self.columns.centre @ found[:, :-1]
        return found, etas.reshape(len(alphas), n, -1)


class OneOutput(Walk):
    """A fit with one linear predictor."""

    beta: np.ndarray
    b0: np.ndarray
    eta: np.ndarray
    pull: np.ndarray

    def _look(self) -> None:
        from tamis.linear.screen import pulls

        known, when = np.empty(len(self.inverse)), np.zeros(len(self.inverse))
        pulls(self.columns.Z, self.columns.place, self.pull, self.inverse, known)
        self.look, self.known = (self.pull.copy(), np.array([1.0, 0.0]), known, when), known.copy()

    @property
    def _stand(self) -> tuple[np.ndarray, ...]:
        """What the kernels go on from."""
        return self.beta, self.eta, self.pull, self.b0


class SquaredWalk(OneOutput):
    """A fit of the squared loss; the target is centred first."""

    def _begin(self, y: np.ndarray) -> None:
        self.beta, self.b0 = np.zeros(len(self.columns.Z)), np.zeros(2)
        self.middle = float(self.w @ y) if self.centred else 0.0
        self.y = y - self.middle
        self.eta, self.pull = np.zeros_like(self.y), self.w * self.y
        self.null = 0.5 * float(self.w @ self.y**2)
        self.kept, self.size, self.gram = np.empty(len(self.beta), dtype=np.int64), 0, np.empty((64, 64))

    def losses(self, eta: np.ndarray, rows: Any = slice(None)) -> np.ndarray:
        return np.asarray(0.5 * (self.y[rows] - eta[..., 0]) ** 2)

    def _run(self, alphas: np.ndarray, goal: float, out: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
        from tamis.linear.squared import walk

        units = (self.columns.Z, self.w, self.inverse, self.norms, self.l1, self.l2)
        self.size, self.gram = walk(
            units,
            self.look,
            self._stand,
            self.y,
            self.centre,
            alphas,
            self.centred,
            goal,
            self.kept,
            self.size,
            self.gram,
            out,
        )
        out[0][:, -1] += self.middle


def suits(X: Any, loss: Any, penalty: Penalty) -> bool:
    """Whether a compiled path serves a job: a table of bearable size and, with one linear predictor, single penalties.

    With one linear predictor all columns must be penalised singly; sparse tables have one linear predictor.
    """
    n, p = X.shape
    dense = isinstance(X, np.ndarray)
    if isinstance(loss, Multinomial):
        return dense and n * p <= _LARGE
    single = penalty.starts is None and bool(np.all(penalty.factors > 0))
    if penalty.l1_ratio == 0:  # squared: ridge.py
        return single and not isinstance(loss, Squared) and n * p <= _LARGE
    return single and (X.size if dense else X.nnz) <= _LARGE


def walks_of(job: Any, weights: np.ndarray) -> list[Walk]:
    """A fit for every weighting of the rows (n × m)."""
    weights = weights / weights.sum(axis=0)
    n, p = job.X.shape
    dense = isinstance(job.X, np.ndarray)
    kind, y = _kind(job.loss, job.penalty, dense, p > n)
    options = {"standardize": job.standardize, "centred": job.fit_intercept}
    if dense or (job.penalty.l1_ratio == 0 and p > n):
        X = np.asarray(job.X if dense else job.X.toarray(), dtype=np.float64)
        columns = Columns.of(X, weights, n_jobs=job.n_jobs, **options)
    else:
        columns = Columns.of_sparse(job.X, weights, **options)

    def one(f: int) -> Walk:
        return kind(columns, f, y, np.ascontiguousarray(weights[:, f]), job.penalty, job.fit_intercept)

    return map_threads(one, range(weights.shape[1]), job.n_jobs)


def _kind(loss: Any, penalty: Penalty, dense: bool, wide: bool) -> tuple[type[Walk], Any]:
    """The fit of a loss, and its target as the fit reads it."""
    if isinstance(loss, Multinomial):
        from tamis.linear.multinomial_ridge import RidgeMultinomialWalk
        from tamis.linear.multinomial_walk import MultinomialWalk

        ridge = penalty.l1_ratio == 0 and bool(np.all(penalty.factors > 0))
        return (RidgeMultinomialWalk if ridge else MultinomialWalk), np.ascontiguousarray(loss.y)
    if isinstance(loss, Squared) and dense:
        return SquaredWalk, np.ascontiguousarray(loss.y[:, 0])
    from tamis.linear.newton_walk import NewtonWalk, RidgeNewtonWalk

    return (RidgeNewtonWalk if wide and penalty.l1_ratio == 0 else NewtonWalk), loss


def walked_path(
    job: Any, splits: Splits | None, n_alphas: int, alphas: np.ndarray | None, held: OutOfFold | None = None
) -> Path:
    """The path, with errors over folds; it ends early where the folds are past their best."""
    weights = job.weights[:, None]
    if splits:
        weights = np.hstack([weights, training_weights(splits, job.weights)])
    fits = walks_of(job, weights)
    n, p = job.X.shape
    ridge = job.penalty.l1_ratio == 0
    largest = job.penalty.largest(fits[0].known.reshape(p, -1))
    grid = strengths(largest, n_alphas, p > n, ridge) if alphas is None else np.asarray(alphas, dtype=float)
    double = 2.0 if isinstance(job.loss, Squared) else 1.0  # errors are told as mean squared error
    parts, errors, left = [], np.empty((len(splits or []), 0)), np.empty(0)
    some, end = fits[0].at_once, len(grid)
    for start in range(0, len(grid), some):
        stretch = grid[start : start + some]
        fits[0].share(fits, stretch, job.n_jobs)
        made = map_threads(methodcaller("walk", stretch, job.tol), fits, job.n_jobs)
        parts.append(made[0][0])
        left = np.append(left, fits[0].losses(made[0][1]) @ fits[0].w)
        if splits:
            judged = zip(fits[1:], splits, made[1:])
            new = [fit.losses(eta[:, test], test) @ _share(job.weights[test]) for fit, (_, test), (_, eta) in judged]
            errors = np.hstack([errors, double * np.array(new)])
        if splits and held is not None:
            _keep(held, fits[1:], splits, made[1:])
        if alphas is None and not ridge and (last := _end((left - fits[0].floor) / fits[0].null, errors, start)):
            end = last
            break
    _warn(fits, job.tol)
    found = np.concatenate(parts)[:end]
    path = Path(grid[:end], found[:, :-1], found[:, -1], np.count_nonzero(found[:, :-1].any(axis=2), axis=1))
    if not splits:
        return path
    return path.scored(errors[:, :end], np.array([job.weights[test].sum() for _, test in splits]))


def walked_solution(
    job: Any, alpha: float, gap: float, enough: float, last: bool
) -> tuple[np.ndarray, np.ndarray, float]:
    """Coefficients, intercepts and relative gap at one strength, to a much smaller gap than the path's.

    last: no other solver follows, so a gap that is not reached is told.
    """
    if alpha == 0:  # no penalty: no column is screened, and groups mean nothing
        job = replace(job, penalty=Penalty(0.0, np.zeros_like(job.penalty.factors)))
    fit: Any = walks_of(job, job.weights[:, None])[0]
    top = job.penalty.largest(fit.known.reshape(job.X.shape[1], -1))
    if job.penalty.l1_ratio > 0 and alpha < top:  # walk down: each step begins close to its end
        fit.walk(top * (alpha / top) ** (np.arange(1, 8) / 8), 1e-3)
    fit.gap, fit.enough = 0.0, enough
    found, _ = fit.walk(np.array([alpha]), gap)
    if last:
        _warn([fit], enough)
    return found[0, :-1], found[0, -1], max(fit.gap, 0.0)


def _keep(held: OutOfFold, fits: list[Walk], splits: Splits, made: list[tuple[np.ndarray, np.ndarray]]) -> None:
    """Keep a stretch of every fold's path."""
    for f, (fit, (_, test), (found, eta)) in enumerate(zip(fits, splits, made)):
        if held.prefers_models(f, int(np.count_nonzero(found[:, :-1])) // (len(found) * found.shape[2])):
            held.keep_models(f, found[:, :-1], found[:, -1])
        else:
            held.keep_predictors(f, eta[:, test] + fit.middle)


def _end(left: np.ndarray, errors: np.ndarray, start: int) -> int:
    """How many strengths make the path, or 0 when it goes on; `left` is the share of the loss still there."""
    for end in range(start + 1, len(left) + 1):
        if left[end - 1] < SATURATED or (len(errors) and is_past_its_best(errors[:, :end])):
            return end
    return 0


def _share(weights: np.ndarray) -> np.ndarray:
    return np.asarray(weights / weights.sum())


def _warn(fits: list[Walk], tol: float) -> None:
    worst = max(fit.gap for fit in fits)
    if worst > tol * (1 + 1e-6):
        warnings.warn(
            f"the linear model stopped at a relative duality gap of {worst:.1e} (asked {tol:.1e}); give a larger "
            "alpha, or drop nearly equal columns",
            NotConverged,
            stacklevel=6,
        )
