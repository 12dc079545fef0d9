"""Forecasts that need no column, for rows in time order: what a procedure must beat beside the mean."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tamis.evaluate.cross_validate import Fold
from tamis.study.fold import FoldRules, outside
from tamis.study.problem import StudyProblem

#: Share of the training rows, and rows at least, that recent shares of classes are of.
RECENT, MIN_RECENT = 0.1, 10

#: The share of the largest autocorrelation that the period has at least.
ALIKE = 0.8


def naive_forecasts(problem: StudyProblem, rules: FoldRules, folds: Sequence[Fold]) -> dict[str, list[dict[str, Any]]]:
    """Name -> what is kept of each fold, of forecasts from earlier targets alone; none where rows have no time.

    Of numbers, "last value" is the mean over the rows of the latest training time, and "drift" continues the line from
    the first training time to the latest. Of classes, "recent shares" are those of the latest tenth of the training
    rows, ten at least. "season" repeats the mean (or the shares) of earlier times that lie whole periods back; the
    period has the largest autocorrelation of the training targets, and at least three fit into the training times.
    """
    if problem.time is None:
        return {}
    answers = {"recent shares": _recent_shares} if problem.labels else {"last value": _last_value, "drift": _drift}
    answers["season"] = _season
    return {name: [outside(problem, rules, fold, of(problem, fold)) for fold in folds] for name, of in answers.items()}


def _ends(problem: StudyProblem, rows: np.ndarray) -> tuple[float, float, float, float]:
    """First and latest time of some rows, and the mean target at each."""
    time, y = np.asarray(problem.time, dtype=np.float64)[rows], problem.y[rows]
    first, last = float(time.min()), float(time.max())
    return first, last, float(y[time == first].mean()), float(y[time == last].mean())


def _last_value(problem: StudyProblem, fold: Fold) -> np.ndarray:
    return np.full(len(fold.test), _ends(problem, fold.train)[3])


def _drift(problem: StudyProblem, fold: Fold) -> np.ndarray:
    first, last, start, end = _ends(problem, fold.train)
    slope = (end - start) / (last - first) if last > first else 0.0
    return np.asarray(end + slope * (np.asarray(problem.time, dtype=np.float64)[fold.test] - last))


def _recent_shares(problem: StudyProblem, fold: Fold) -> np.ndarray:
    n_recent = max(MIN_RECENT, round(RECENT * len(fold.train)))
    rows = fold.train[np.argsort(np.asarray(problem.time)[fold.train], kind="stable")[-n_recent:]]
    shares = np.bincount(problem.y[rows], minlength=len(problem.labels)) / len(rows)
    return np.tile(shares, (len(fold.test), 1))


def _season(problem: StudyProblem, fold: Fold) -> np.ndarray:
    times = np.unique(np.asarray(problem.time), return_inverse=True)[1].ravel()
    y = problem.y[fold.train]
    targets = y[:, None] == np.arange(len(problem.labels)) if problem.labels else y[:, None]
    first, n_times = times[fold.train].min(), np.ptp(times[fold.train]) + 1
    train = times[fold.train] - first
    counts = np.bincount(train, minlength=n_times)
    sums = np.array([np.bincount(train, weights=part, minlength=n_times) for part in targets.T.astype(np.float64)])
    mean = sums.sum(axis=1) / counts.sum()
    series = np.where(counts > 0, sums / np.maximum(counts, 1) - mean[:, None], 0.0)
    period = _period(series)
    phase = np.arange(n_times) % period
    of_phase = np.array([np.bincount(phase, weights=part, minlength=period) for part in sums])
    n_phase = np.bincount(phase, weights=counts, minlength=period)
    answers = np.where(n_phase > 0, of_phase / np.maximum(n_phase, 1), mean[:, None])
    said = answers[:, (times[fold.test] - first) % period].T
    return said if problem.labels else said[:, 0]


def _period(series: np.ndarray) -> int:
    """The lag of the largest autocorrelation (parts × times), of which three fit into the series; 1 without any.

    The largest is sought beyond the first lag at which the autocorrelation is negative: neighbours are alike anyway. An
    earlier lag that has nearly as much is the period, the other a multiple of it.
    """
    n = series.shape[1]
    spectrum = np.abs(np.fft.rfft(series, 2 * n, axis=1)) ** 2
    products = np.fft.irfft(spectrum, axis=1)[:, : n // 3 + 1].sum(axis=0) / (n - np.arange(n // 3 + 1))
    negative = np.flatnonzero(products < 0)
    if not len(negative) or negative[0] >= n // 3:
        return 1
    beyond = products[negative[0] :]
    if beyond.max() <= 0:
        return 1
    first = int(negative[0] + np.flatnonzero(beyond >= ALIKE * beyond.max())[0])
    return first + int(np.argmax(products[first : first + first // 2 + 1]))
