"""One task of a study: a procedure learns from the training part of a fold and is judged on the rest of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tamis.engine import seed_of
from tamis.errors import ParameterError
from tamis.evaluate.leaks import leaks
from tamis.evaluate.metrics import METRICS, Metric, score
from tamis.split import Folds, folds
from tamis.study.problem import Problem
from tamis.study.procedures import Fitted, Procedure
from tamis.table import Table

#: Metrics written down beside the one that is compared.
BESIDES = {"classes": ("accuracy", "balanced_accuracy", "log_loss", "brier"), "numbers": ("r2", "rmse", "mae")}

#: Predictions are kept in the journal up to this many learnable rows; beyond it they would outgrow the results.
MOST_KEPT = 5_000

#: Folds in which a procedure chooses its own strength or size.
TUNING_FOLDS = 10


@dataclass(frozen=True)
class Fold:
    """Rows (positions among the learnable ones) to learn from and to be judged on."""

    name: str
    train: np.ndarray
    test: np.ndarray


def outer_folds(problem: Problem, k: int, repeats: int, seed: int) -> list[Fold]:
    """The outer folds of a study, repeat after repeat."""
    pairs = _folds(problem, np.arange(len(problem.y)), k, repeats, seed_of(seed, "outer"))
    per_repeat = len(pairs) // repeats
    names = [f"repeat {i // per_repeat + 1} fold {i % per_repeat + 1}" for i in range(len(pairs))]
    return [Fold(name, train, test) for name, (train, test) in zip(names, pairs)]


def judge(
    problem: Problem, metric: Metric, inner: int, fold: Fold, procedure: Procedure, *, seed: int
) -> dict[str, Any]:
    """Fit a procedure on the training part alone and score it on the rest.

    The inner scores are a cross-validation within the training part: what the choice between procedures may use
    when its own honesty is judged on this fold.
    """
    # Inner folds are the same for every procedure: their seed is the fold's, not the task's.
    pairs = _folds(problem, fold.train, inner, 1, seed_of(0, "inner", fold.name))
    promises = []
    for train, test in pairs:
        fitted = _fit(problem, procedure, fold.train[train], seed)
        promises.append(_score(problem, metric, fitted, fold.train[test]))
    fitted = _fit(problem, procedure, fold.train, seed)
    answer = _answer(problem, fitted, _table(problem, fold.test))
    result = {
        "inner": promises,
        "train": _score(problem, metric, fitted, fold.train),
        "test": _value(problem, metric, fold.test, answer),
        "besides": {name: _value(problem, METRICS[name], fold.test, answer) for name in BESIDES[problem.task]},
        "columns": list(fitted.columns),
    }
    if len(problem.y) <= MOST_KEPT:
        result["answers"] = answer.tolist()
    return result


def refit(problem: Problem, procedure: Procedure, *, seed: int) -> dict[str, Any]:
    """Fit the chosen procedure on all rows that may be learned from."""
    return _fit(problem, procedure, np.arange(len(problem.y)), seed).to_dict()


def find_leaks(problem: Problem, *, seed: int) -> list[dict[str, Any]]:
    """What in the table would make any score too good; the locked rows' target is not looked at."""
    rows = np.arange(len(problem.y))
    found = leaks(
        _table(problem, rows),
        problem.y,
        groups=problem.groups,
        time=problem.time,
        locked=problem.table.take(problem.lock.rows) if len(problem.lock.rows) else None,
        task=problem.task,
    )
    return [
        {"kind": leak.kind, "columns": list(leak.columns), "severity": leak.severity, "sentence": leak.sentence}
        for leak in found
    ]


def judge_rows(metric: Metric, task: str, y: np.ndarray, answer: np.ndarray, labels: tuple[Any, ...]) -> float:
    """A metric's value for some rows; larger is not always better."""
    if task == "numbers":
        return score(metric, y, answer)
    given = answer.argmax(axis=1) if metric.needs == "labels" else answer
    try:
        return score(metric, y, given, np.arange(len(labels)))
    except ParameterError:  # said again, of labels instead of codes
        names = np.array(labels)
        return score(metric, names[y], names[given] if metric.needs == "labels" else answer, names)


def answers(task: str, fitted: Fitted, table: Table, n_labels: int) -> np.ndarray:
    """Predicted numbers, or probabilities of every class."""
    return fitted.numbers(table) if task == "numbers" else fitted.probabilities(table, n_labels)


def _fit(problem: Problem, procedure: Procedure, rows: np.ndarray, seed: int) -> Fitted:
    pairs = _tuning_folds(problem, rows, seed)
    return procedure.fit(_learnable(_table(problem, rows)), problem.y[rows], problem.task, seed, pairs)


def _learnable(table: Table) -> Table:
    """The table with the levels that its own rows have: those of other rows must leave no trace in what is fitted."""
    if table.is_numeric:
        return table
    return Table([column.trimmed() if column.is_categorical else column for column in table.columns], n_rows=len(table))


def _table(problem: Problem, rows: np.ndarray) -> Table:
    return problem.table.take(problem.rows[rows])


def _answer(problem: Problem, fitted: Fitted, table: Table) -> np.ndarray:
    return answers(problem.task, fitted, table, len(problem.labels))


def _score(problem: Problem, metric: Metric, fitted: Fitted, rows: np.ndarray) -> float:
    return _value(problem, metric, rows, _answer(problem, fitted, _table(problem, rows)))


def _value(problem: Problem, metric: Metric, rows: np.ndarray, answer: np.ndarray) -> float:
    return judge_rows(metric, problem.task, problem.y[rows], answer, problem.labels)


def _folds(problem: Problem, rows: np.ndarray, k: int, repeats: int, seed: int) -> Folds:
    return folds(
        min(k, _most_folds(problem, rows)),
        problem.y[rows],
        groups=None if problem.groups is None else problem.groups[rows],
        time=None if problem.time is None else problem.time[rows],
        classifier=problem.task == "classes",
        seed=seed,
        repeats=repeats,
        complete=False,
    )


def _tuning_folds(problem: Problem, rows: np.ndarray, seed: int) -> Folds:
    """Folds within training rows, each with all their classes to learn from; time order gives way if none has."""
    y = problem.y[rows]
    pairs = _folds(problem, rows, TUNING_FOLDS, 1, seed)
    whole = [pair for pair in pairs if not problem.labels or len(np.unique(y[pair[0]])) == len(np.unique(y))]
    if len(whole) >= 2:
        return whole
    return folds(2, y, classifier=bool(problem.labels), seed=seed, complete=False) if len(rows) > 3 else pairs


def _most_folds(problem: Problem, rows: np.ndarray) -> int:
    """Few groups, or few rows in every class, allow only so many folds."""
    units = [len(rows)]
    if problem.groups is not None:
        units.append(len(np.unique(problem.groups[rows])))
    if problem.time is not None:
        units.append(len(np.unique(problem.time[rows])) - 1)
    if problem.labels:
        units.append(int(np.bincount(problem.y[rows]).max()))
    return max(2, min(units))
