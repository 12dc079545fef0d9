"""Effective number of parameters of a fitted model, and information criteria."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln

from tamis.linear.design import Design
from tamis.linear.fit import Job
from tamis.linear.losses.cumulative_logit import CumulativeLogit
from tamis.linear.losses.logistic import Logistic, Multinomial
from tamis.linear.losses.poisson import Poisson
from tamis.linear.losses.squared import Squared

_LARGE = 2e8  # products above which the trace of a ridge is not computed


def degrees_of_freedom(job: Job, coef: np.ndarray, alpha: float) -> float | None:
    r"""Trace of the matrix from target to fitted values, the intercept included.

    .. math:: \mathrm{df} = 1 + \operatorname{tr}\left[(X_A^\top V X_A + P)^{-1} X_A^\top V X_A\right]

    A are the columns in use, V the curvatures of the rows (1/n for the squared loss), P the squared part of the
    penalty. For the lasso that is the number of coefficients other than 0 (Zou, Hastie, Tibshirani 2007). None where
    it would cost more than the fit.
    """
    K, free = coef.shape[1], float(job.fit_intercept)
    _, l2 = job.penalty.at(alpha)
    used = np.flatnonzero(coef.any(axis=1))
    if not l2[used].any() and job.penalty.starts is None:
        return float(np.count_nonzero(coef)) + free * job.loss.n_intercepts
    n = job.X.shape[0]
    if K > 1 or job.loss.has_thresholds or job.penalty.starts is not None or n * used.size * min(n, used.size) > _LARGE:
        return None
    raw = job.X[:, used]
    X = np.asarray(raw.toarray() if hasattr(raw, "toarray") else raw, dtype=np.float64)
    share = job.weights / job.weights.sum()
    inverse = Design(X).units(share[:, None], job.standardize, job.fit_intercept)[1][:, 0]
    v = share * job.loss.curvature(_linear_predictor(job, coef))[:, 0]
    centre = v @ X / v.sum() if job.fit_intercept and v.sum() > 0 else 0.0
    rows = np.sqrt(v)[:, None] * (X - centre) * inverse
    if np.any(l2[used] == 0):  # free columns
        H = rows.T @ rows
        return free + float(np.trace(np.linalg.pinv(H + np.diag(l2[used]), hermitian=True) @ H))
    rows /= np.sqrt(l2[used])
    values = np.linalg.eigvalsh(rows.T @ rows if rows.shape[1] <= n else rows @ rows.T)
    values = np.maximum(values, 0.0)
    return free + float(np.sum(values / (values + 1.0)))


def _linear_predictor(job: Job, coef: np.ndarray, intercept: np.ndarray | None = None) -> np.ndarray:
    """Linear predictors of the training rows; without intercepts, those that are optimal on the rows."""
    eta = Design(job.X).dot(coef)
    eta = eta if job.loss.offset is None else eta + job.loss.offset
    if intercept is not None:
        return eta + intercept
    w = job.weights / job.weights.sum()
    for _ in range(50 if job.fit_intercept else 0):
        move = (w @ job.loss.residual(eta)) / np.maximum(w @ job.loss.curvature(eta), 1e-300)
        eta = eta + np.clip(move, -2, 2) if np.isfinite(job.loss.stride) else eta + move
        if np.abs(move).max() < 1e-10:
            break
    return eta


def deviance(job: Job, coef: np.ndarray, intercept: np.ndarray) -> float | None:
    """-2 log likelihood of the training rows (squared loss: at the variance that fits best); None of other losses."""
    loss, w = job.loss, job.weights
    eta = _linear_predictor(job, coef, intercept)
    if isinstance(loss, Squared):
        n, rss = float(w.sum()), float(w @ (loss.y - eta)[:, 0] ** 2)
        return n * (np.log(2 * np.pi * max(rss, np.finfo(float).tiny) / n) + 1)
    if isinstance(loss, Logistic | Multinomial | CumulativeLogit):
        return 2 * float(w @ loss.value(eta))
    if isinstance(loss, Poisson):
        y = loss.y[:, 0]
        return 2 * float(w @ (np.exp(eta[:, 0]) - y * eta[:, 0] + gammaln(y + 1)))
    return None
