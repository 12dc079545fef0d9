"""The best k columns: proved by branch and bound for the squared loss, found by splicing elsewhere."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import linalg

from tamis.linear.design import Design
from tamis.linear.fit import Job
from tamis.linear.losses.squared import Squared
from tamis.linear.path import Path
from tamis.linear.solvers.best_subset import LEAST_EIGENVALUE, MOST, best_subsets
from tamis.linear.solvers.splicing import Splicer
from tamis.split import Folds


@dataclass(frozen=True, eq=False)
class SubsetPath:
    """Models of size 0, 1, …: coefficients (sizes × columns × outputs), intercepts, mean loss and its proved bound."""

    coef: np.ndarray
    intercept: np.ndarray
    value: np.ndarray
    bound: np.ndarray
    optimal: np.ndarray
    proved: bool  # by branch and bound


@dataclass(frozen=True, eq=False)
class Chosen:
    """The subset chosen, with the path it was chosen from."""

    coef: np.ndarray
    intercept: np.ndarray
    size: int
    optimal: bool
    gap: float
    path: Path


def choose_subset(
    job: Job, starts: np.ndarray, splits: Folds | None, k: Any, alpha: Any, rule: str, time_limit: float | None
) -> Chosen:
    """The subset of k units; by cross-validation for k="cv"; for k=None the one of least mean loss + alpha · size."""
    n_units = len(starts) - 1
    most = min(int(k), n_units) if isinstance(k, (int, np.integer)) else largest_size(job, n_units, splits)
    found = subset_path(job, starts, most, time_limit)
    sizes = np.arange(len(found.value))
    path = Path(sizes.astype(float), found.coef, found.intercept, sizes)
    if isinstance(k, (int, np.integer)):
        at = min(int(k), len(sizes) - 1)
    elif k is None:
        at = int(np.argmin(found.value + float(alpha) * sizes))
    else:
        assert splits is not None
        path = _scored(job, path, starts, splits, time_limit)
        at = path.choose(rule)
    coef, intercept = found.coef[at], found.intercept[at]
    if not found.proved:
        units = np.repeat(np.arange(n_units), np.diff(starts))
        sharp = Splicer(job, starts).refit(np.unique(units[np.flatnonzero(coef.any(axis=1))]), sharp=True)
        coef, intercept = sharp.coef, sharp.intercept
    value, bound = float(found.value[at]), float(found.bound[at])
    gap = (value - bound) / value if value > 0 else 0.0
    return Chosen(coef, intercept, at, bool(found.optimal[at]), gap, path)


def largest_size(job: Job, n_units: int, splits: Folds | None) -> int:
    """The largest size worth trying: what the rows can carry, all columns where that is proved quickly."""
    rows = min((len(train) for train, _ in splits), default=len(job.weights)) if splits else len(job.weights)
    room = max(1, min(n_units, rows - 2 - int(job.fit_intercept)))
    if isinstance(job.loss, Squared) and n_units <= 40:
        return room
    return max(1, min(room, 30, int(rows / (np.log(max(n_units, 3)) * np.log(np.log(max(rows, 16)))))))


def subset_path(job: Job, starts: np.ndarray, most: int, time_limit: float | None) -> SubsetPath:
    """Subsets of size 0 to `most`: by branch and bound where it can prove them, else by splicing."""
    exact = _exact(job, starts, most, time_limit)
    if exact is not None:
        return exact
    models = [fitted for _, fitted in Splicer(job, starts).path(most)]
    value = np.array([fitted.value for fitted in models])
    bound = np.zeros_like(value)
    bound[0] = value[0]  # the empty model and the full one are what they are
    optimal = np.zeros(len(value), dtype=bool)
    optimal[0] = True
    return SubsetPath(
        np.array([fitted.coef for fitted in models]),
        np.array([f.intercept for f in models]),
        value,
        bound,
        optimal,
        False,
    )


def _exact(job: Job, starts: np.ndarray, most: int, time_limit: float | None) -> SubsetPath | None:
    """Branch and bound; None for groups, other losses, many or dependent columns."""
    p = job.X.shape[1]
    if not isinstance(job.loss, Squared) or np.any(np.diff(starts) > 1) or p > MOST:
        return None
    design, share, y = Design(job.X), job.weights / job.weights.sum(), job.loss.y[:, 0]
    centre, inverse = (a[:, 0] for a in design.units(share[:, None], True, job.fit_intercept))
    alive = np.flatnonzero(inverse)
    if not alive.size or alive.size >= np.count_nonzero(job.weights):
        return None
    middle = float(share @ y) if job.fit_intercept else 0.0
    half = np.sqrt(share)
    Z, target = design.columns(alive, centre, inverse) * half[:, None], (y - middle) * half
    Q, R = linalg.qr(Z, mode="economic", check_finite=False)
    spread = linalg.svdvals(R)
    if spread[-1] ** 2 < LEAST_EIGENVALUE * spread[0] ** 2:
        return None
    fitted, whole = Q.T @ target, float(target @ target)
    root = linalg.solve_triangular(R, np.eye(alive.size))
    deadline = None if time_limit is None else time.monotonic() + time_limit
    rest = float(np.sum((target - Q @ fitted) ** 2))
    found = best_subsets(root @ root.T, root @ fitted, rest, 1, min(most, alive.size), deadline)
    coef, rss = np.zeros((len(found.columns), p, 1)), np.full(len(found.columns), whole)
    for s, columns in enumerate(found.columns):
        if columns.size:
            q, r = linalg.qr(Z[:, columns], mode="economic", check_finite=False)
            part = q.T @ target
            coef[s, alive[columns], 0] = linalg.solve_triangular(r, part) * inverse[alive[columns]]
            rss[s] = np.sum((target - q @ part) ** 2)
    optimal = found.optimal
    optimal[0] = True
    bound = np.where(optimal, rss, np.minimum(found.bound, rss))
    intercept = middle - coef[:, :, 0] @ centre if job.fit_intercept else np.zeros(len(coef))
    return SubsetPath(coef, intercept[:, None], 0.5 * rss, 0.5 * bound, optimal, True)


def _scored(job: Job, path: Path, starts: np.ndarray, splits: Folds, time_limit: float | None) -> Path:
    """The path with its errors over folds: subsets are searched again on every fold's training rows."""
    double = 2.0 if isinstance(job.loss, Squared) else 1.0
    most = len(path.alphas) - 1
    errors = np.empty((len(splits), most + 1))
    for f, (train, test) in enumerate(splits):
        part = replace(job, X=_rows(job.X, train), loss=job.loss.take(train), weights=job.weights[train])
        found = subset_path(part, starts, most, time_limit)
        held, share = job.loss.take(test), job.weights[test] / job.weights[test].sum()
        X = _rows(job.X, test)
        for s in range(most + 1):
            at = min(s, len(found.value) - 1)
            linear_predictor = np.asarray(X @ found.coef[at]) + found.intercept[at]
            if held.offset is not None:
                linear_predictor = linear_predictor + held.offset
            errors[f, s] = double * share @ held.value(linear_predictor)
    return path.scored(errors, np.array([job.weights[test].sum() for _, test in splits]))


def _rows(X: Any, rows: np.ndarray) -> Any:
    return X.tocsr()[rows] if hasattr(X, "tocsr") else X[rows]
