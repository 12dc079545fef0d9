"""What one fold gave: the score, the answers behind it, and what the procedure said of itself."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from tamis.evaluate.cross_validate import Trained
from tamis.evaluate.fold.inner_score import inner_score, selected
from tamis.evaluate.problem import Problem
from tamis.metrics import Metric, answer, prepare
from tamis.metrics.intervals.interval import Judged
from tamis.task import predicts_classes


@dataclass(frozen=True, eq=False)
class Outcome:
    """What one fold gave."""

    score: float
    inner_score: float | None
    selected: tuple[str, ...] | None
    judged: Judged
    n_train: int
    seconds: float
    model: Any = None


def outcome_of(trained: Trained, *, metric: Metric, model: bool = False) -> Outcome:
    """The outcome of a trained procedure; its model is kept where that is asked for."""
    problem, fold, fitted = trained.problem, trained.fold, trained.model
    test_table = problem.model_input(fold.test, fitted)
    predictions, ask = answer(fitted, test_table, metric, problem.classes), metric.of_model
    return Outcome(
        score=_score(problem, metric, fold.test, predictions)
        if ask is None
        else ask(fitted, test_table, problem.y[fold.test]),
        inner_score=inner_score(fitted, metric),
        selected=selected(fitted, problem.names),
        judged=Judged(
            fold.test,
            predictions,
            fold.repeat,
            None if predicts_classes(metric.task) else float(np.mean(problem.y[fold.train])),
        ),
        n_train=len(fold.train),
        seconds=trained.seconds,
        model=fitted if model else None,
    )


def _score(problem: Problem, metric: Metric, rows: np.ndarray, predictions: np.ndarray) -> float:
    """The score of a fold; NaN on a single row where the metric is not a mean over rows."""
    if len(rows) == 1 and metric.each is None:
        return float("nan")
    return float(metric.value(*prepare(metric, problem.y[rows], predictions, problem.classes)))
