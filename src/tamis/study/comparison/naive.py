"""Forecasts that need no column, for rows in time order: what a procedure must beat beside the mean."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tamis.evaluate.cross_validate import Fold
from tamis.results.fold import FoldRecord
from tamis.study.fold import FoldRules, predictions_record
from tamis.study.problem import StudyProblem

#: Share of the training rows, and rows at least, that recent shares of classes are of.
RECENT, MIN_RECENT = 0.1, 10

#: The longest period that is tried.
MAX_PERIOD = 366


def naive_forecasts(problem: StudyProblem, rules: FoldRules, folds: Sequence[Fold]) -> dict[str, list[FoldRecord]]:
    """Name -> what is kept of each fold, of forecasts from earlier targets alone; none where rows have no time.

    Of numbers, "last value" is the mean over the rows of the latest training time, and "drift" continues the line from
    the first training time to the latest. Of classes, "recent shares" are those of the latest tenth of the training
    rows, ten at least. "season" repeats the mean (or the shares) of earlier times that lie whole periods back; the
    period is the one whose means fit the training targets best, each left out in turn.
    """
    if problem.time is None:
        return {}
    answers = {"recent shares": _recent_shares} if problem.labels else {"last value": _last_value, "drift": _drift}
    answers["season"] = _season
    return {
        name: [predictions_record(problem, rules, fold, problem.counts(of(problem, fold), fold.test)) for fold in folds]
        for name, of in answers.items()
    }


def _ends(problem: StudyProblem, rows: np.ndarray) -> tuple[float, float, float, float]:
    """First and latest time of some rows, and the mean target at each."""
    time, y = np.asarray(problem.time, dtype=np.float64)[rows], problem.rates[rows]
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
    y = problem.rates[fold.train]
    targets = y[:, None] == np.arange(len(problem.labels)) if problem.labels else y[:, None]
    first, n_times = times[fold.train].min(), np.ptp(times[fold.train]) + 1
    train = times[fold.train] - first
    counts = np.bincount(train, minlength=n_times)
    sums = np.array([np.bincount(train, weights=target, minlength=n_times) for target in targets.T.astype(np.float64)])
    mean = sums.sum(axis=1) / counts.sum()
    series = np.where(counts > 0, sums / np.maximum(counts, 1) - mean[:, None], 0.0)
    period = _period(series)
    phase = np.arange(n_times) % period
    of_phase = np.array([np.bincount(phase, weights=target, minlength=period) for target in sums])
    n_phase = np.bincount(phase, weights=counts, minlength=period)
    answers = np.where(n_phase > 0, of_phase / np.maximum(n_phase, 1), mean[:, None])
    predictions = answers[:, (times[fold.test] - first) % period].T
    return predictions if problem.labels else predictions[:, 0]


def _period(series: np.ndarray) -> int:
    """The period (parts × times) whose means, each time left out in turn, leave the least squares; 1 where none helps.

    At least two periods fit into the series, and none is longer than a year of days.
    """
    n = series.shape[1]
    lowest, best = float((series**2).sum()) * (n / max(1, n - 1)) ** 2, 1
    for period in range(2, min(n // 2, MAX_PERIOD) + 1):
        phase = np.arange(n) % period
        sizes = np.bincount(phase)
        sums = np.array([np.bincount(phase, weights=target) for target in series])
        phase_means = (sums[:, phase] - series) / (sizes[phase] - 1)
        squares = float(((series - phase_means) ** 2).sum())
        if squares < lowest:
            lowest, best = squares, period
    return best
