"""Bridge penalties α Σ |w|^q, 0 < q ≤ 2, with the squared loss, from moments."""

from __future__ import annotations

import numpy as np

from tamis import _core
from tamis.engine import map_threads
from tamis.linear.fit import Job
from tamis.linear.out_of_fold import OutOfFold
from tamis.linear.path import Path, strengths
from tamis.linear.solvers.normal_equations import NormalEquations, test_error
from tamis.split import Folds
from tamis.views.moments import FoldMoments, Moments

_TOLERANCE = (
    1e-20  # squared move of a standardised coefficient, of the target's variance, below which a sweep is the last
)


def bridge_path(job: Job, q: float, splits: Folds, n_alphas: int, held: OutOfFold) -> Path:
    """The models for a falling grid of strengths, with their errors over folds.

    For q < 1 the grid begins where no column alone enters, for q = 1 it is the lasso's, above that ridge's.
    """
    folds = FoldMoments.of(job.X, splits, job.loss.y[:, 0], job.weights)
    fits = [NormalEquations.of(one, **job.options) for one in (folds.total, *folds.train)]
    alphas = _grid(job, fits[0], q, n_alphas)
    models = map_threads(lambda normal: _follow(job, normal, q, alphas), fits, job.n_jobs)
    coef, intercept = fits[0].original(models[0])
    path = Path(alphas, coef[:, :, None], intercept[:, None], np.count_nonzero(coef, axis=1))
    errors = []
    for f, (normal, beta) in enumerate(zip(fits[1:], models[1:])):
        coef, intercept = normal.original(beta)
        held.keep_models(f, coef[:, :, None], intercept[:, None])
        errors.append(test_error(folds.test[f], coef, intercept))
    return path.scored(np.array(errors), np.array([test.weight for test in folds.test]))


def bridge_solution(job: Job, q: float, alpha: float) -> tuple[np.ndarray, float]:
    """Coefficients and intercept of one strength, followed from the strength that empties the model."""
    normal = NormalEquations.of(Moments.of(job.X, job.loss.y[:, 0], job.weights), **job.options)
    top = float(_grid(job, normal, q, 2)[0])
    steps = np.append(top * (alpha / top) ** (np.arange(1, 20) / 20), alpha) if 0 < alpha < top else np.array([alpha])
    coef, intercept = normal.original(_follow(job, normal, q, steps)[-1:])
    return coef[0], float(intercept[0])


def _grid(job: Job, normal: NormalEquations, q: float, n_alphas: int) -> np.ndarray:
    largest = float(np.max(np.abs(normal.c) / job.penalty.factors, initial=0.0))
    if q < 1:  # thresholds of a column of curvature 1: τ = (2 - q) (2 α (1 - q))^(1 / (2 - q)) / (2 (1 - q))
        largest = (2 * (1 - q) * largest / (2 - q)) ** (2 - q) / (2 * (1 - q))
    n, p = job.X.shape
    return strengths(1e3 * largest if q > 1 else largest, n_alphas, p > n, ridge=q > 1)


def _follow(job: Job, normal: NormalEquations, q: float, alphas: np.ndarray) -> np.ndarray:
    out = np.empty((len(alphas), len(normal.c)))
    tol = _TOLERANCE * max(normal.yy, np.finfo(float).tiny)
    _core.bridge_path(normal.H, normal.c, job.penalty.factors, q, np.ascontiguousarray(alphas), tol, out)
    return out
