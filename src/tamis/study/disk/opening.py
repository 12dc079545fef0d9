"""Opening the lock: the final model meets the locked rows, and the ledger remembers it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import tamis
from tamis.errors import StudyError
from tamis.lock import Ledger, Lock, Look
from tamis.metrics import Metric
from tamis.metrics.intervals.interval import Interval, score_interval
from tamis.metrics.intervals.tally import Tally
from tamis.metrics.loss_matrix import LossMatrix
from tamis.study.claims.scoring import value as judged_value
from tamis.study.disk.earlier_looks import earlier_looks
from tamis.study.model import Model
from tamis.study.problem import NEVER_SEEN, Locked, StudyProblem
from tamis.table import Raw
from tamis.wording import first_few


def draft_opening(folder: Path, problem: StudyProblem, metric: Metric, model: Model, read: Callable[[], Raw]) -> Look:
    """Score the model on the locked rows; the opening is not written yet. `read` reads the table once more."""
    lock = Lock.read(folder)
    if not len(lock.rows):
        raise StudyError(f"there is nothing to open: {lock.reason}")
    refuse_another(folder, lock, problem.lock)
    locked = problem.locked()
    y = locked.y
    if not locked.is_known_class.any():
        raise StudyError(f"none of the locked rows has a usable target: {_unusable(locked)}; there is nothing to score")
    answer = model.fitted.answers(model.aligned(locked.table), len(problem.labels))
    answer = answer if locked.exposure is None else answer * locked.exposure
    value = _value(metric, problem, y, answer)
    costs = None if model.loss is None else model.loss.matrix
    interval = _interval(metric, problem, locked, answer, value, costs)
    earlier = earlier_looks(folder, problem.lock, read)
    notes = (_note(problem, metric, locked), interval.note, earlier.note)
    return Ledger(folder).draft(
        problem.lock,
        elsewhere=earlier.total,
        version=tamis.__version__,
        metric=metric.name,
        score=value,
        interval=None if interval.note else (interval.low, interval.high),
        rows=len(y),
        note="; ".join(note for note in notes if note),
    )


def opening_facts(folder: Path, opening: Look) -> dict[str, Any]:
    """What `open` returns of an opening that was written."""
    return {
        "score": opening.score,
        "interval": None if opening.interval is None else list(opening.interval),
        "openings": len(Ledger(folder).openings(opening.digest, opening.data)),
        "independent": opening.independent,
        "metric": opening.metric,
        "rows": opening.rows,
        "note": opening.note,
    }


def _value(metric: Metric, problem: StudyProblem, y: np.ndarray, answer: np.ndarray) -> float:
    learned = np.ones(len(problem.labels), dtype=bool)
    metric_value = judged_value(metric, problem.task, y, answer, problem.labels, learned)
    if metric_value is None:
        raise StudyError(
            f"{metric.name} has no value on the {len(y):,} locked rows; run the study with another scoring"
        )
    return metric_value


def _interval(
    metric: Metric, problem: StudyProblem, locked: Locked, answer: np.ndarray, value: float, costs: Any
) -> Interval:
    """Where the model's score lies on new rows, from the locked rows; classes never learned are one more class."""
    y, labels = locked.y, problem.labels or None
    learned = None
    if labels and (y == NEVER_SEEN).any():
        learned = y != NEVER_SEEN
        y, labels = np.where(learned, y, len(labels)), (*labels, "never learned")
        answer = np.column_stack([answer, np.zeros(len(y))])
    tally = Tally.of(
        y,
        answer,
        np.arange(len(y)) if locked.groups is None else np.unique(locked.groups, return_inverse=True)[1],
        labels,
        decided=None if costs is None else LossMatrix(costs, np.arange(len(costs))).answers(answer[:, : len(costs)]),
        learned=learned,
        grouped=locked.groups is not None,
        means=(metric,),
    )
    return score_interval(metric, [tally], [value], np.inf, len(y))


def refuse_another(folder: Path, lock: Lock, drawn: Lock) -> None:
    """Refuse a table whose features, locked rows or locked targets are not those that the study was run on."""
    checks = {
        "its features differ": lock.data == drawn.data,
        "its locked rows differ": lock.digest == drawn.digest,
        "the targets of its locked rows differ": lock.target == drawn.target,
    }
    for difference, is_same in checks.items():
        if not is_same:
            raise StudyError(
                f"the table is not the one {str(folder)!r} was run on: {difference}; give that table, or run it afresh"
            )


def _note(problem: StudyProblem, metric: Metric, locked: Locked) -> str:
    notes = []
    if problem.labels:
        lacking = [str(label) for code, label in enumerate(problem.labels) if not (locked.y == code).any()]
        if lacking:
            notes.append(f"the locked rows hold no row of class {', '.join(lacking)}")
    if locked.without_target:
        notes.append(f"{_without_target(locked)} and were not scored")
    if locked.never_seen:
        counted = "count as wrong answers" if metric.needs == "labels" else "were left out"
        notes.append(f"{locked.never_seen:,} locked row(s) have a class that was not learned and {counted}")
    if problem.misfits:
        values, names = sum(problem.misfits.values()), sorted(problem.misfits, key=lambda n: (-problem.misfits[n], n))
        notes.append(
            f"{values:,} value(s) of the locked rows fit no kind or level that the unlocked rows have and count as "
            f"missing (in {first_few(names, 3)})"
        )
    return "; ".join(notes)


def _without_target(locked: Locked) -> str:
    strange = f", {locked.misfits:,} of them a value that does not fit the others" if locked.misfits else ""
    return f"{locked.without_target:,} locked row(s) have no target{strange}"


def _unusable(locked: Locked) -> str:
    """Why no locked row can be scored."""
    reasons = [_without_target(locked)] if locked.without_target else []
    if locked.never_seen:
        reasons.append(f"{locked.never_seen:,} locked row(s) have a class that was not learned")
    return " and ".join(reasons)
