"""Paths of the logistic model of two classes: all rows and every fold's training rows side by side, compiled."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy.special import log_expit

from tamis.engine import map_threads
from tamis.errors import NotConverged
from tamis.linear.design import Design
from tamis.linear.folds import Splits
from tamis.linear.path import Path, is_past_its_best, strengths
from tamis.linear.penalty import Penalty

_AT_ONCE = 5  # strengths between two looks at the errors of the folds
_SMALL = 200_000  # entries up to which calls, not sums, are what costs
_SATURATED = 1e-3  # share of the loss without columns at which smaller strengths only follow noise


@dataclass(eq=False)
class _Fit:
    """One fit: its rows in its own units, and where it stands on the path."""

    Z: np.ndarray
    y: np.ndarray
    w: np.ndarray
    centre: np.ndarray
    inverse: np.ndarray
    beta: np.ndarray
    eta: np.ndarray
    grad: np.ndarray
    b0: np.ndarray
    null: float
    gap: float = 0.0

    @classmethod
    def of(cls, design: Design, y: np.ndarray, w: np.ndarray, standardize: bool, fit_intercept: bool) -> _Fit:
        from tamis.linear.logistic import pulls

        rows = np.flatnonzero(w)
        share = w[rows] / w[rows].sum()
        full = np.zeros((design.n, 1))
        full[rows, 0] = share
        centre, inverse = (part[:, 0] for part in design.units(full, standardize, fit_intercept))
        Z = np.asfortranarray((design.X[rows] - centre) * inverse)
        mean = np.clip(share @ y[rows], 1e-12, 1 - 1e-12)
        b0 = np.array([np.log(mean / (1 - mean)) if fit_intercept else 0.0])
        eta, grad = np.full(len(rows), b0[0]), np.empty(design.p)
        pulls(Z, share * (y[rows] - 1 / (1 + np.exp(-eta))), grad)
        null = float(share @ _losses(eta, y[rows]))
        return cls(Z, y[rows], share, centre, inverse, np.zeros(design.p), eta, grad, b0, null)

    def walk(self, alphas: np.ndarray, last: float, penalty: Penalty, centred: bool, tol: float) -> np.ndarray:
        """Coefficients (the intercept last) at some strengths, in the units of the columns."""
        from tamis.linear.logistic import walk

        found, gaps = np.empty((len(alphas), len(self.beta) + 1)), np.empty(len(alphas))
        state = (self.beta, self.eta, self.grad, self.b0)
        goal = tol * self.null
        walk(
            self.Z, self.y, self.w, penalty.factors, alphas, last, penalty.l1_ratio, centred, goal, *state, found, gaps
        )
        self.gap = max(self.gap, float(gaps.max()) / self.null)
        found[:, :-1] *= self.inverse
        found[:, -1] -= found[:, :-1] @ self.centre
        return found


def suits(X: Any, loss: Any, penalty: Penalty) -> bool:
    """Whether a job is one of two classes on a dense matrix that is small or not tall, all columns penalised singly.

    With very many rows a column, Newton steps on BLAS Hessians are faster (measured: 1.8× at 20,000 × 100).
    """
    from scipy import sparse

    from tamis.linear.loss import Logistic

    plain = isinstance(loss, Logistic) and loss.offset is None and not sparse.issparse(X)
    n, p = X.shape
    if n > 50 * p and n * p > _SMALL:
        return False
    return plain and penalty.starts is None and penalty.l1_ratio > 0 and bool(np.all(penalty.factors > 0))


def path_of_two_classes(job: Any, splits: Splits | None, n_alphas: int, alphas: np.ndarray | None) -> Path:
    """The path, with errors over folds; it ends early where the folds are past their best."""
    design, y = Design(job.X), job.loss.y[:, 0]
    weights = [job.weights, *(_only(job.weights, train) for train, _ in splits or [])]
    options = (job.standardize, job.fit_intercept)
    fits = map_threads(lambda w: _Fit.of(design, y, w, *options), weights, job.n_jobs)
    largest = job.penalty.largest(fits[0].grad[:, None])
    grid = strengths(largest, n_alphas, design.p > design.n) if alphas is None else np.asarray(alphas, dtype=float)
    last, found, errors = largest, [], []
    for start in range(0, len(grid), _AT_ONCE):
        part = grid[start : start + _AT_ONCE]
        step = partial(_Fit.walk, alphas=part, last=last, penalty=job.penalty, centred=job.fit_intercept, tol=job.tol)
        made = map_threads(step, fits, job.n_jobs)
        last = float(part[-1])
        found.append(made[0])
        errors.append([_error(design, y, job.weights, test, m) for (_, test), m in zip(splits or [], made[1:])])
        if alphas is None and _is_enough(fits[0], errors, splits):
            break
    _warn(fits, job.tol)
    stack = np.vstack(found)
    coef = stack[:, :-1, None]
    path = Path(grid[: len(stack)], coef, stack[:, -1:], np.count_nonzero(stack[:, :-1], axis=1))
    if not splits:
        return path
    return path.scored(np.hstack(errors), np.array([job.weights[test].sum() for _, test in splits]))


def _only(weights: np.ndarray, train: np.ndarray) -> np.ndarray:
    out = np.zeros_like(weights)
    np.add.at(out, train, weights[train])
    return out


def _error(design: Design, y: np.ndarray, weights: np.ndarray, test: np.ndarray, models: np.ndarray) -> np.ndarray:
    """Mean loss of several models on the judged rows."""
    eta = design.X[test] @ models[:, :-1].T + models[:, -1]
    return np.asarray(weights[test] @ _losses(eta, y[test, None]) / weights[test].sum())


def _losses(eta: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.asarray(-log_expit(eta) + (1 - y) * eta)


def _is_enough(fit: _Fit, errors: list[Any], splits: Splits | None) -> bool:
    """Smaller strengths are of no use: all rows are fitted perfectly, or the folds do worse than with no column."""
    if float(fit.w @ _losses(fit.eta, fit.y)) < _SATURATED * fit.null:
        return True
    return bool(splits) and is_past_its_best(np.hstack(errors))


def _warn(fits: list[_Fit], tol: float) -> None:
    worst = max(fit.gap for fit in fits)
    if worst > tol * (1 + 1e-6):
        warnings.warn(
            f"the linear model stopped at a relative duality gap of {worst:.1e} (asked {tol:.1e}); give a larger "
            "alpha, or drop nearly equal columns",
            NotConverged,
            stacklevel=6,
        )
