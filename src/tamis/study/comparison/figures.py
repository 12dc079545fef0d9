"""Figures of a procedure over outer folds: mean score, interval, losses by unit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tamis.evaluate.cross_validate import Fold
from tamis.metrics import Metric, utility
from tamis.metrics.intervals.interval import score_interval
from tamis.study.fold import FoldRules, tally_of
from tamis.study.problem import StudyProblem


def mean(values: Sequence[float | None]) -> float | None:
    """The mean of the values there are."""
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else None


def excess(metric: Metric, first: float | None, second: float | None) -> float | None:
    """How much better the first score is."""
    return None if first is None or second is None else float(utility(metric, first) - utility(metric, second))


def by_unit(problem: StudyProblem, folds: Sequence[Fold], judged: list[dict[str, Any]], part: str) -> np.ndarray:
    """Losses or rows of each unit, a row that was judged in several repeats counted once."""
    total, times = np.zeros(problem.units.max() + 1), np.zeros(len(problem.y))
    for fold, result in zip(folds, judged):
        np.add.at(total, np.unique(problem.units[fold.test]), result["outer"][part])
        times[fold.test] += 1
    return total / max(1.0, times.max())


def interval(
    problem: StudyProblem, rules: FoldRules, folds: Sequence[Fold], judged: list[dict[str, Any]]
) -> dict[str, list[float] | str | None]:
    """Where the score of the refitted model lies on new rows, or why that cannot be said."""
    kept = [(fold, result) for fold, result in zip(folds, judged) if result["test"] is not None]
    if not kept:
        return {"interval": None, "interval_note": f"{rules.metric.name} has no value in any fold"}
    found = score_interval(
        rules.metric,
        [tally_of(problem, rules, fold, result) for fold, result in kept],
        [result["test"] for _, result in kept],
        float(np.mean([len(fold.train) for fold, _ in kept])),
        float(np.mean([len(fold.test) for fold, _ in kept])),
    )
    note = found.note or ("" if np.isfinite([found.low, found.high]).all() else "the judged rows give no bound")
    return {"interval": None if note else [found.low, found.high], "interval_note": note}
