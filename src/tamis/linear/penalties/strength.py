"""The strength of a penalty from what it stands for: a bound on the coefficients, or a prior deviation."""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq

from tamis.errors import ParameterError
from tamis.linear.design import Design
from tamis.linear.fit import Job, LinearSolution, path_of, solution_at

_LEAST = 1e-9  # of the strength that empties the model: below it a bound does not bind


def coefficient_norm(job: Job, coef: np.ndarray) -> float:
    """|w|₁ of a lasso, |w|₂ of ridge, in the columns that are penalised (standardised ones, with `standardize`)."""
    scale = np.ones(len(coef))
    if job.standardize:
        share = job.weights / job.weights.sum()
        inverse = Design(job.X).units(share[:, None], True, job.fit_intercept)[1][:, 0]
        scale = np.divide(1.0, inverse, out=np.zeros_like(inverse), where=inverse > 0)
    standard = coef * scale[:, None]
    return float(np.abs(standard).sum() if job.penalty.l1_ratio == 1 else np.sqrt((standard**2).sum()))


def bounded_solution(job: Job, bound: float) -> LinearSolution:
    r"""Minimise the mean loss subject to :math:`\|w\|_1 \le t` (lasso) or :math:`\|w\|_2 \le t` (ridge).

    Every such model is that of one strength, its multiplier: the norm falls as the strength grows, so its logarithm is
    found by bracketing along a path and Brent's method. A bound that does not bind gives the unpenalised model.
    """
    path = path_of(job, None, 50)
    norms = np.array([coefficient_norm(job, coef) for coef in path.coef])
    beyond = np.flatnonzero(norms > bound)
    low = float(path.alphas[beyond[0]]) if beyond.size else _LEAST * float(path.alphas[0])
    high = float(path.alphas[max(int(beyond[0]) - 1, 0)]) if beyond.size else float(path.alphas[-1])
    high = high if high > low else 10 * low

    def excess(log: float) -> float:
        return coefficient_norm(job, solution_at(job, float(np.exp(log))).coef) - bound

    if excess(np.log(low)) <= 0:
        n, p = job.X.shape
        return solution_at(job, 0.0 if p < n and job.loss.target == "numbers" else low)
    while excess(np.log(high)) > 0:
        high *= 10
    log = brentq(excess, np.log(low), np.log(high), xtol=1e-13, rtol=1e-13)
    return solution_at(job, float(np.exp(log)))


def prior_strength(penalty: str, prior_sd: float, total_weight: float, noise_sd: float = 1.0) -> float:
    r"""The strength whose penalised fit is the most probable model (MAP) under a prior of the coefficients.

    With n rows of noise variance σ² (1 for log losses), a normal prior of standard deviation τ is ridge with
    :math:`\alpha = \sigma^2 / (n \tau^2)`; a Laplace prior of standard deviation τ is the lasso with
    :math:`\alpha = \sqrt 2\, \sigma^2 / (n \tau)`.

    >>> prior_strength("ridge", 0.5, 100, 2.0), prior_strength("lasso", 2.0**0.5, 100)
    (0.16, 0.01)
    """
    if penalty == "ridge":
        return noise_sd**2 / (total_weight * prior_sd**2)
    return 2**0.5 * noise_sd**2 / (total_weight * prior_sd)


def residual_deviation(job: Job) -> float:
    """The noise as least squares on all columns estimates it."""
    n, p = int(np.count_nonzero(job.weights)), job.X.shape[1]
    if n <= p + 1:
        raise ParameterError(
            f"prior_sd needs the deviation of the noise, which {n:,} rows of {p:,} columns do not estimate; give "
            "noise_sd"
        )
    raw = job.X.toarray() if hasattr(job.X, "toarray") else job.X
    half = np.sqrt(job.weights)[:, None]
    design = np.hstack([np.ones((len(raw), 1)), raw]) if job.fit_intercept else np.asarray(raw)
    unit = np.abs(design).max(axis=0)
    rows = half * design / np.where(unit > 0, unit, 1.0)
    target = half[:, 0] * job.loss.y[:, 0]
    coef, _, rank, _ = np.linalg.lstsq(rows, target, rcond=1e-13)
    return float(np.sqrt(np.sum((target - rows @ coef) ** 2) / max(n - rank, 1)))
