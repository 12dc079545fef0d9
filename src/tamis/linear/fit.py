"""Fit a penalised linear model: a path of strengths, errors by fold, and the chosen model made exact."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tamis.engine import workers
from tamis.linear.design import Design
from tamis.linear.losses.loss import Loss
from tamis.linear.losses.squared import Squared
from tamis.linear.out_of_fold import OutOfFold
from tamis.linear.path import Path, strengths
from tamis.linear.penalties.elastic_net import Penalty
from tamis.linear.solvers.compiled.path_fit import compiled_path, compiled_solution
from tamis.linear.solvers.normal_equations import NormalEquations, fold_paths, test_error
from tamis.split import Folds
from tamis.views.moments import FoldMoments, Moments

_TALL = 3000  # up to so many columns (and not more than rows) the normal equations of every fold are kept


@dataclass(frozen=True, eq=False)
class Job:
    """What is to be fitted: a matrix, a loss with its target, weights, a penalty."""

    X: Any
    loss: Loss
    weights: np.ndarray
    penalty: Penalty
    standardize: bool
    fit_intercept: bool
    tol: float = 1e-5
    n_jobs: int | None = None

    @property
    def is_tall(self) -> bool:
        """True when the fit can be read from moments."""
        n, p = self.X.shape
        return isinstance(self.loss, Squared) and p <= min(n, _TALL)

    @property
    def options(self) -> dict[str, bool]:
        return {"standardize": self.standardize, "fit_intercept": self.fit_intercept}


@dataclass(frozen=True, eq=False)
class LinearSolution:
    """A model in the units of the columns: coefficients (columns × outputs), intercepts, strength, gap reached."""

    coef: np.ndarray
    intercept: np.ndarray
    alpha: float
    gap: float


def path_of(
    job: Job,
    splits: Folds | None,
    n_alphas: int,
    alphas: np.ndarray | None = None,
    held: OutOfFold | None = None,
    is_enough: Callable[[np.ndarray], bool] | None = None,
) -> Path:
    """The models for a falling grid of strengths, with their errors over folds when there are any.

    `held` is given the models of the folds, or their linear predictors of the rows held out. Without folds, a path may
    end a few strengths after a model (columns × outputs) that `is_enough`.
    """
    if not job.loss.is_smooth:
        from tamis.linear.solvers.hinge import hinge_path

        return hinge_path(job, splits, n_alphas, alphas)
    if job.is_tall:
        return _tall(job, splits, n_alphas, alphas, held)
    return compiled_path(job, splits, n_alphas, alphas, held, is_enough)


def solution_at(job: Job, alpha: float, gap: float = 1e-14, enough: float = 1e-10) -> LinearSolution:
    """The model for one strength, to a much smaller gap than the path's."""
    if job.is_tall:
        return _tall_at(job, alpha, enough)
    if not job.loss.is_smooth:
        from tamis.linear.solvers.hinge import hinge_solution

        return hinge_solution(job, alpha, enough)
    coef, intercept, reached = compiled_solution(job, alpha, gap, enough)
    return LinearSolution(coef, intercept, alpha, reached)


def _tall(job: Job, splits: Folds | None, n_alphas: int, alphas: np.ndarray | None, held: OutOfFold | None) -> Path:
    y = job.loss.y[:, 0]
    folds = FoldMoments.of(job.X, splits or [], y, job.weights)
    normal = NormalEquations.of(folds.total, **job.options)
    if alphas is None:
        largest = job.penalty.largest(normal.c[:, None])
        alphas = strengths(largest, n_alphas, len(normal.c) > len(y), job.penalty.l1_ratio == 0)
    coef, intercept = normal.original(normal.path(job.penalty, alphas, job.tol))
    path = Path(alphas, coef[:, :, None], intercept[:, None], np.count_nonzero(coef, axis=1))
    if not splits:
        return path

    errors = []
    paths = fold_paths(
        lambda f: NormalEquations.of(folds.train[f], **job.options),
        len(splits),
        job.penalty,
        alphas,
        job.tol,
        workers(job.n_jobs),
    )
    for f, (part, beta) in enumerate(paths):
        coef, intercept = part.original(beta)
        if held is not None:
            held.keep_models(f, coef[:, :, None], intercept[:, None])
        errors.append(test_error(folds.test[f], coef, intercept))
    return path.scored(np.array(errors), np.array([test.weight for test in folds.test]))


def _tall_at(job: Job, alpha: float, gap: float) -> LinearSolution:
    y = job.loss.y[:, 0]
    normal = NormalEquations.of(Moments.of(job.X, y, job.weights), **job.options)
    top = job.penalty.largest(normal.c[:, None])
    grid = np.array([alpha])
    if job.penalty.l1_ratio > 0 and 0 < alpha < top:
        grid = top * (alpha / top) ** (np.arange(1, 6) / 5)
        grid[-1] = alpha
    beta = normal.path(job.penalty, grid, gap)[-1]
    beta = _refine(job, normal, beta, alpha)
    reached = normal.gap(beta, normal.c - normal.H @ beta, job.penalty, alpha) / max(0.5 * normal.yy, 1e-300)
    coef, intercept = normal.original(beta)
    return LinearSolution(coef[:, None], np.atleast_1d(intercept), alpha, max(reached, 0.0))


def _refine(job: Job, normal: NormalEquations, beta: np.ndarray, alpha: float) -> np.ndarray:
    """Two corrections from the rows themselves: moments square the condition number."""
    used = np.flatnonzero((beta != 0) & np.isfinite(normal.scale))
    if not used.size or job.penalty.starts is not None:
        return beta
    l1, l2 = (part[used] for part in job.penalty.at(alpha))
    design = Design(job.X)
    Z = design.columns(used, normal.centre, 1 / normal.scale)
    share = job.weights / job.weights.sum()
    block = normal.H[np.ix_(used, used)] + np.diag(l2)
    new = beta[used]
    for _ in range(2):
        left = share * (job.loss.y[:, 0] - normal.middle - Z @ new)
        gradient = left @ Z - l2 * new - l1 * np.sign(new)
        try:
            new = new + np.linalg.solve(block, gradient)
        except np.linalg.LinAlgError:
            return beta
    far = not np.linalg.norm(new - beta[used]) <= 1e-4 * np.linalg.norm(beta[used])  # or NaN
    is_bound = (l1 > 0) | (job.penalty.sides[used] != 0 if job.penalty.sides.size else False)
    if far or np.any((np.sign(new) != np.sign(beta[used])) & is_bound):
        return beta
    out = beta.copy()
    out[used] = new
    return out
