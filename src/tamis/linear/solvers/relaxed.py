"""The relaxed lasso: blends of a penalised model and the unpenalised fit on its support, along a path and its folds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from tamis import _core
from tamis.engine import workers
from tamis.linear.design import Design
from tamis.linear.fit import Job, LinearSolution
from tamis.linear.losses import core_name
from tamis.linear.losses.squared import Squared
from tamis.linear.out_of_fold import Models, OutOfFold, training_weights
from tamis.linear.path import Path, over_folds
from tamis.linear.penalties.elastic_net import Penalty
from tamis.linear.solvers.compiled.path_fit import compiled_solution
from tamis.linear.solvers.normal_equations import NormalEquations, test_error
from tamis.split import Folds
from tamis.views.moments import FoldMoments

#: Shares of the penalised model that relax="cv" compares, as glmnet does.
GAMMAS = (0.0, 0.25, 0.5, 0.75, 1.0)
RIDGE = 1e-6  # on standardised coefficients, times the curvature without columns: keeps separated classes finite
_STRETCH = 10  # strengths between two looks at the errors of the folds
_PATIENCE = 20  # strengths without a better blend after which supports are no longer refitted


class Blend(NamedTuple):
    """A path of γ · penalised + (1 - γ) · unpenalised coefficients, with the models of its folds."""

    gamma: float
    path: Path
    held: OutOfFold | None


def blends(job: Job, path: Path, splits: Folds, held: OutOfFold, gammas: Sequence[float]) -> list[Blend]:
    r"""The blended paths of a penalised path, scored by its folds.

    .. math:: \hat\beta(\lambda, \gamma) = \gamma\, \hat\beta_{\text{lasso}}(\lambda)
              + (1 - \gamma)\, \hat\beta_{\text{unpenalised}}(\text{support of } \hat\beta_{\text{lasso}}(\lambda))

    Supports grow along the path; they are refitted until the folds have not done better for 20 strengths. `held` holds
    the models of the folds.

    References
    ----------
    Hastie, Tibshirani, Tibshirani (2020), Best subset, forward stepwise or lasso?, Statistical Science 35.
    """
    if all(gamma == 1 for gamma in gammas):
        return [Blend(1.0, path, held)]
    fits = [Models.of(path.coef, path.intercept), *(held.models(f).first(len(path.alphas)) for f in range(len(splits)))]
    refits, errors = _follow(job, path, fits, splits, [gamma for gamma in gammas if gamma < 1])
    assert path.fold_errors is not None
    assert path.fold_weights is not None
    out = []
    for gamma in gammas:
        if gamma == 1:
            out.append(Blend(1.0, path, held))
            continue
        n = refits[0].n_models
        parts = [fit.first(n).blended(refit, gamma) for fit, refit in zip(fits, refits)]
        coef, intercept = parts[0].dense()
        short = Path(path.alphas[:n], coef, intercept, path.n_columns[:n])
        scored = short.scored(_without_rounding(errors.pop(0), path.fold_errors), path.fold_weights)
        out.append(Blend(gamma, scored, held.with_models(parts[1:])))
    return out


def _without_rounding(errors: np.ndarray, penalised: np.ndarray) -> np.ndarray:
    """Errors, 0 where they are rounding beside those of the model without columns: else rounding would choose."""
    return np.where(errors > 1e-12 * penalised[:, :1], errors, 0.0)


def relaxed_solution(job: Job, solution: LinearSolution, gamma: float) -> LinearSolution:
    """The blend at one strength, its unpenalised part to the last digits."""
    fit = Models.of(solution.coef[None], solution.intercept[None])
    columns = np.flatnonzero(solution.coef.any(axis=1))
    if gamma == 1 or not columns.size:
        return solution
    if isinstance(job.loss, Squared):
        refit = _by_rows(job, fit, columns)
    else:
        refit = _RowRefits.of(job, job.weights[:, None], columns).fit([fit], sharp=True)[0]
    coef, intercept = fit.blended(refit, gamma).dense()
    return replace(solution, coef=coef[0], intercept=intercept[0])


def _follow(
    job: Job, path: Path, fits: list[Models], splits: Folds, gammas: Sequence[float]
) -> tuple[list[Models], list[np.ndarray]]:
    """Unpenalised fits on the supports of all fits, and the errors (folds × strengths) of each blend."""
    weights = np.hstack([job.weights[:, None], training_weights(splits, job.weights)])
    n = len(path.alphas)
    kind: Any = _GramRefits if isinstance(job.loss, Squared) else _RowRefits
    solver = kind.of(job, weights, _union(fits, 0, n), splits) if job.is_tall else None
    assert path.fold_weights is not None
    refits: list[list[Models]] = [[] for _ in fits]
    errors = [np.empty((len(splits), 0)) for _ in gammas]
    for start in range(0, n, _STRETCH):
        stop = min(n, start + _STRETCH)
        some = solver or kind.of(job, weights, _union(fits, start, stop), splits)
        parts = [fit.part(start, stop) for fit in fits]
        refitted = some.fit(parts)
        for kept, refit in zip(refits, refitted):
            kept.append(refit)
        for g, gamma in enumerate(gammas):
            new = [
                some.errors(f, part.blended(refit, gamma))
                for f, (part, refit) in enumerate(zip(parts[1:], refitted[1:]))
            ]
            errors[g] = np.hstack([errors[g], np.array(new).reshape(len(splits), stop - start)])
        means = np.min([over_folds(one, path.fold_weights)[0] for one in errors], axis=0)
        if len(means) - 1 - int(np.argmin(means)) >= _PATIENCE:
            break
    return [Models.joined(parts) for parts in refits], errors


def _union(fits: Sequence[Models], start: int, stop: int) -> np.ndarray:
    """Columns that any of the fits uses at some strengths."""
    return np.unique(np.concatenate([fit.part(start, stop).columns for fit in fits]))


@dataclass(frozen=True, eq=False)
class _GramRefits:
    """Least squares on supports, from the moments of the columns that any fit uses."""

    columns: np.ndarray
    equations: list[NormalEquations]
    folds: FoldMoments
    n_threads: int

    @classmethod
    def of(cls, job: Job, weights: np.ndarray, columns: np.ndarray, splits: Folds) -> _GramRefits:
        X = job.X[:, columns] if columns.size else np.zeros((job.X.shape[0], 0))
        folds = FoldMoments.of(X, splits, job.loss.y[:, 0], job.weights)
        options = {"standardize": True, "fit_intercept": job.fit_intercept}
        equations = [NormalEquations.of(one, **options) for one in (folds.total, *folds.train)]
        return cls(columns, equations, folds, workers(job.n_jobs))

    def fit(self, fits: Sequence[Models]) -> list[Models]:
        """The unpenalised models on the supports of each fit's models."""
        begin, entries = zip(*(fit.supports(self.columns) for fit in fits))
        beta = [np.empty(len(one)) for one in entries]
        H, c = [one.H for one in self.equations], [one.c for one in self.equations]
        _core.fit_gram_supports(H, c, list(begin), list(entries), beta, self.n_threads)
        out = []
        for fit, normal, entry, standard in zip(fits, self.equations, entries, beta):
            value = standard / normal.scale[entry]
            intercept = normal.middle - fit.sums(value * normal.centre[entry])
            out.append(fit._replace(value=value, intercept=intercept))
        return out

    def errors(self, f: int, models: Models) -> np.ndarray:
        """Mean squared errors on the test rows of fold f."""
        coef, intercept = models.dense(self.columns)
        return test_error(self.folds.test[f], coef[:, :, 0], intercept[:, 0])


@dataclass(frozen=True, eq=False)
class _RowRefits:
    """Unpenalised fits of any other loss on supports, by Newton steps on the rows."""

    job: Job
    columns: np.ndarray
    X: np.ndarray  # rows × columns used
    Z: np.ndarray  # columns × rows, standardised; the last is the intercept's
    centre: np.ndarray
    inverse: np.ndarray
    weights: np.ndarray  # rows × fits, each of sum 1
    ridge: np.ndarray  # fits × columns
    splits: Folds

    @classmethod
    def of(cls, job: Job, weights: np.ndarray, columns: np.ndarray, splits: Folds | None = None) -> _RowRefits:
        raw = job.X[:, columns]
        X = np.asarray(raw.toarray() if hasattr(raw, "toarray") else raw, dtype=np.float64)
        weights = weights / weights.sum(axis=0)
        design = Design(X)
        centre, inverse = (part[:, 0] for part in design.units(weights[:, :1], True, job.fit_intercept))
        Z = np.vstack([((X - centre) * inverse).T, np.full((1, len(X)), float(job.fit_intercept))])
        spread = design.deviations(weights) * inverse[:, None]
        start = np.broadcast_to(job.loss.start(weights[:, 0]), job.loss.y.shape)
        curvature = float((weights[:, 0] @ job.loss.curvature(start)).mean()) if job.loss.target == "numbers" else 1.0
        several = job.loss.outputs > 1
        ridge = np.vstack([RIDGE * curvature * spread**2, np.full((1, weights.shape[1]), RIDGE if several else 0.0)]).T
        return cls(job, columns, X, np.ascontiguousarray(Z), centre, inverse, weights, ridge, splits or [])

    def fit(self, fits: Sequence[Models], sharp: bool = False) -> list[Models]:
        """The unpenalised models on the supports of each fit's models."""
        name, K = core_name(self.job.loss), self.job.loss.outputs
        if name is None:
            return [self._fit_each(f, fit) for f, fit in enumerate(fits)]
        intercepts = len(self.columns) * K + np.arange(K) if self.job.fit_intercept else np.zeros(0, np.int64)
        begin, entries = zip(*(fit.supports(self.columns, intercepts) for fit in fits))
        beta = [np.zeros(len(one)) for one in entries]
        self._solve(name, list(begin), list(entries), beta, 1e-15 if sharp else 1e-8)
        return [self._original(fit, value, len(intercepts)) for fit, value in zip(fits, beta)]

    def _solve(self, name: str, begin: list[Any], entries: list[Any], beta: list[np.ndarray], tol: float) -> None:
        loss, w = self.job.loss, np.ascontiguousarray(self.weights.T)
        start = np.broadcast_to(loss.start(w[0]), loss.y.shape)
        scale = max(float(w[0] @ np.abs(loss.value(start if loss.offset is None else start + loss.offset))), 1e-300)
        several = loss.outputs > 1
        _core.fit_supports(
            name,
            float(getattr(loss, "width", np.inf)),
            self.Z,
            np.zeros(0) if several else np.ascontiguousarray(loss.y[:, 0]),
            loss.y.argmax(axis=1) if several else np.zeros(0, np.int64),
            loss.outputs,
            np.zeros(0) if loss.offset is None else np.ascontiguousarray(loss.offset[:, 0]),
            list(w),
            list(np.ascontiguousarray(self.ridge)),
            begin,
            entries,
            beta,
            tol * scale,
            workers(self.job.n_jobs),
        )

    def _original(self, fit: Models, beta: np.ndarray, n_intercepts: int) -> Models:
        """Coefficients of the core, the intercepts after those of each model, in the units of X."""
        m, K = fit.n_models, self.job.loss.outputs
        ends = np.cumsum(np.diff(fit.begin) + n_intercepts)
        is_intercept = np.zeros(len(beta), dtype=bool)
        for back in range(1, n_intercepts + 1):
            is_intercept[ends - back] = True
        _, entries = fit.supports(self.columns)
        column = entries // K
        value = beta[~is_intercept] * self.inverse[column]
        intercept = beta[is_intercept].reshape(m, K) if n_intercepts else np.zeros((m, K))
        return fit._replace(value=value, intercept=intercept - fit.sums(value * self.centre[column]))

    def _fit_each(self, f: int, fit: Models) -> Models:
        """The same, support by support, for a loss that the core has not."""
        coef, intercept = (part.copy() for part in fit.dense(self.columns))
        for i in range(fit.n_models):
            used = np.flatnonzero(coef[i].any(axis=1))
            sub = self.X[:, used] if used.size else np.zeros((len(self.X), 1))
            penalty = Penalty(0.0, np.ones(sub.shape[1]))
            job = replace(self.job, X=sub, weights=self.weights[:, f], penalty=penalty, standardize=True)
            small, intercept[i], _ = compiled_solution(job, RIDGE, 1e-9, 1e-8)
            coef[i, used] = small[: used.size]
        model, entry = np.divmod(fit.place, fit.shape[1] * fit.shape[2])
        column, output = np.divmod(entry, fit.shape[2])
        return fit._replace(value=coef[model, np.searchsorted(self.columns, column), output], intercept=intercept)

    def errors(self, f: int, models: Models) -> np.ndarray:
        """Mean losses on the test rows of fold f."""
        test = self.splits[f][1]
        share, loss = self.job.weights[test] / self.job.weights[test].sum(), self.job.loss.take(test)
        coef, intercept = models.dense(self.columns)
        eta = np.einsum("ip,mpk->mik", self.X[test], coef, optimize=True) + intercept[:, None]
        eta = eta if loss.offset is None else eta + loss.offset
        return np.array([share @ loss.value(one) for one in eta])


def _by_rows(job: Job, fit: Models, columns: np.ndarray) -> Models:
    """Least squares of the rows themselves on one support: moments square the condition number."""
    raw, share = job.X[:, columns], job.weights / job.weights.sum()
    design = Design(np.asarray(raw.toarray() if hasattr(raw, "toarray") else raw))
    centre, inverse = (part[:, 0] for part in design.units(share[:, None], True, job.fit_intercept))
    y, half = job.loss.y[:, 0], np.sqrt(share)
    middle = float(share @ y) if job.fit_intercept else 0.0
    Z = (design.X - centre) * inverse
    beta = np.linalg.lstsq(Z * half[:, None], (y - middle) * half, rcond=None)[0]
    value = beta * inverse
    return fit._replace(
        value=value, intercept=np.array([[middle - value @ centre]]) if job.fit_intercept else np.zeros((1, 1))
    )
