"""Opening the lock: the final model meets the locked rows, and the ledger remembers it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import tamis
from tamis.errors import StudyError
from tamis.evaluate.interval import Judged, resampled
from tamis.evaluate.metrics import Metric
from tamis.lock import Ledger, Lock
from tamis.study.fold import answers
from tamis.study.judging import value as judged_value
from tamis.study.model import Model
from tamis.study.problem import Problem
from tamis.study.results import bounded


def open_lock(folder: Path, problem: Problem, metric: Metric, model: Model) -> dict[str, Any]:
    """Score the model on the locked rows and append the opening to the ledger."""
    lock = Lock.read(folder)
    if not len(lock.rows):
        raise StudyError(f"there is nothing to open: {lock.reason}")
    if lock.digest != problem.lock.digest:
        raise StudyError(f"the table is not the one {str(folder)!r} was run on: its locked rows differ; run it afresh")
    table, y, unusable = problem.locked()
    if not len(y):
        raise StudyError("none of the locked rows has a usable target; there is nothing to score")
    answer = answers(problem.task, model.fitted, model.aligned(table), len(problem.labels))
    value = _value(metric, problem, y, answer)
    opening = Ledger(folder).append(
        version=tamis.__version__,
        digest=lock.digest,
        metric=metric.name,
        score=value,
        interval=_interval(metric, problem, y, answer),
        rows=len(y),
        note=_note(problem, y, unusable),
    )
    return {
        "score": opening.score,
        "interval": list(opening.interval),
        "openings": len(Ledger(folder).openings()),
        "independent": opening.independent,
        "metric": opening.metric,
        "rows": opening.rows,
        "note": opening.note,
    }


def _value(metric: Metric, problem: Problem, y: np.ndarray, answer: np.ndarray) -> float:
    learned = np.ones(len(problem.labels), dtype=bool)
    found = judged_value(metric, problem.task, y, answer, problem.labels, learned)
    if found is None:
        raise StudyError(
            f"{metric.name} has no value on the {len(y):,} locked rows; run the study with another --scoring"
        )
    return found


def _interval(metric: Metric, problem: Problem, y: np.ndarray, answer: np.ndarray) -> tuple[float, float]:
    """Wilson's interval for a share of rows, the bootstrap of the locked rows for anything else."""
    n = len(y)
    if metric.name in ("accuracy", "error"):
        return _wilson(_value(metric, problem, y, answer), n)
    given = answer.argmax(axis=1) if problem.labels and metric.needs == "labels" else answer
    labels = np.arange(len(problem.labels)) if problem.labels else None
    low, high = resampled(metric, y, [Judged(np.arange(n), given)], labels, n_resamples=1000)
    return (*bounded(metric, low, high),)  # type: ignore[return-value]


def _wilson(share: float, n: int, z: float = 1.959963984540054) -> tuple[float, float]:
    """Wilson's 95% interval of a share, which stays sensible at 0 and 1."""
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    reach = z / (1 + z * z / n) * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return float(max(0.0, centre - reach)), float(min(1.0, centre + reach))


def _note(problem: Problem, y: np.ndarray, unusable: int) -> str:
    parts = []
    if problem.labels:
        lacking = [str(label) for code, label in enumerate(problem.labels) if not (y == code).any()]
        if lacking:
            parts.append(f"the locked rows hold no row of class {', '.join(lacking)}")
    if unusable:
        parts.append(f"{unusable:,} locked row(s) have no target, or a class never seen, and were not scored")
    return "; ".join(parts)
