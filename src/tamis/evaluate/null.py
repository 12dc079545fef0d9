"""The world without a signal: the same table, its target shuffled, and what a procedure scores there."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from tamis.engine import generator, map_threads, seed_of
from tamis.errors import KindError, ParameterError
from tamis.evaluate.judge import Problem, judge, named_procedures, problem
from tamis.evaluate.metrics import Metric, find, prepare, utility
from tamis.evaluate.nested import mean_score
from tamis.split import folds
from tamis.table import Classes, is_class_target, numbers, take
from tamis.table.like import like

__all__ = ["Runner", "chance", "permuted"]


def permuted(y: np.ndarray, seed: int, number: int, groups: Any = None, time: Any = None) -> np.ndarray:
    """The target of another row for every row.

    Rows in time order are shifted round by a random stretch, so that neighbours stay neighbours; where all rows of a
    group share one target, whole groups swap theirs; else rows are shuffled.

    >>> sorted(permuted(np.array([1, 2, 3]), 0, 0).tolist())
    [1, 2, 3]
    """
    draw = generator(seed, "permutation", number)
    if time is not None:
        order = np.argsort(np.asarray(time), kind="stable")
        shifted = y.copy()
        shifted[order] = np.roll(y[order], int(draw.integers(1, len(y))))
        return shifted
    if groups is not None:
        first, codes = np.unique(np.asarray(groups), return_index=True, return_inverse=True)[1:]
        if np.array_equal(y[first][codes], y):
            return np.asarray(draw.permutation(y[first])[codes])
    return np.asarray(draw.permutation(y))


def chance(metric: Metric, y: np.ndarray, labels: np.ndarray | None) -> float:
    """The best a procedure can do that knows the target's shares but nothing of the columns.

    >>> chance(find("accuracy", classes=True), np.array([0, 0, 0, 1]), np.array([0, 1]))
    0.75
    """
    n = len(y)
    answers: Iterable[np.ndarray]
    if labels is None:
        answers = [np.full(n, value) for value in (y.mean(), *np.quantile(y, np.linspace(0.02, 0.98, 49)))]
    elif metric.needs == "labels":
        answers = [np.full(n, label) for label in labels]
    elif metric.needs == "decision":
        answers = [np.zeros((n, len(labels))) if len(labels) > 2 else np.zeros(n)]
    else:
        shares = np.bincount(np.searchsorted(labels, y), minlength=len(labels)) / n
        answers = [np.tile(shares, (n, 1))]
    values = [float(metric.value(*prepare(metric, y, given, labels))) for given in answers]
    return max(values, key=lambda value: utility(metric, value))


class Runner:
    """Scores a procedure, an estimator or a callable (X, y) -> number, on the target as it is and on shuffled ones."""

    def __init__(
        self,
        procedure: Any,
        X: Any,
        y: Any,
        *,
        outer: Any = 5,
        scoring: Any = None,
        groups: Any = None,
        time: Any = None,
        seed: int = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.procedure, self.outer, self.seed, self.n_jobs = procedure, outer, seed, n_jobs
        self.groups, self.time, self.given = groups, time, y
        self.is_estimator = hasattr(procedure, "fit")
        if self.is_estimator:
            named_procedures(procedure)
            self.task = problem([procedure], X, y, scoring)
            self.metric: Metric | None = self.task.metric
        elif callable(procedure):
            self.task = _bare(X, y)
            self.metric = None if scoring is None else find(scoring, classes=self.task.classes)
        else:
            raise KindError(f"the procedure {procedure!r} has no fit and cannot be called; give a model or a function")
        if time is not None and len(np.unique(np.asarray(time))) < 3:
            raise ParameterError("time has fewer than 3 different values; give a finer time, or leave it out")
        self.promises: dict[int, float] = {}

    @property
    def y(self) -> np.ndarray:
        return self.task.y

    def real(self) -> float:
        """The score on the target as it is."""
        with threadpool_limits(1):
            return self._score(self.task.X, self.y, -1, None)

    def null(self, numbers_of_shuffles: Iterable[int]) -> np.ndarray:
        """Scores on shuffled targets, one a number; a number always means the same shuffle."""

        def one(number: int) -> float:
            y = permuted(self.y, self.seed, number, self.groups, self.time)
            return self._score(self.task.X, y, number, self._order(number))

        with threadpool_limits(1):
            return np.array(map_threads(one, numbers_of_shuffles, self.n_jobs))

    def blank(self, number: int) -> float:
        """The score on a table whose rows are all alike, with a shuffled target: nothing can be learned from it."""
        same = take(self.task.X, rows=np.zeros(len(self.y), dtype=np.int64))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return self._score(same, permuted(self.y, self.seed, number), number, None)

    def _order(self, number: int) -> np.ndarray | None:
        """Another order of the rows for every shuffle of a function.

        Folds that a function draws by a seed of its own hang on the order of the rows; on a sorted table the same order
        every time moves the mean of honest scores off chance (measured: iris, 0.35 for 0.33).
        """
        if self.is_estimator or self.groups is not None or self.time is not None:
            return None
        return generator(self.seed, "order", number).permutation(len(self.y))

    def _score(self, X: Any, y: np.ndarray, number: int, order: np.ndarray | None) -> float:
        if not self.is_estimator:
            table = X if order is None else take(X, rows=order)
            return _number(self.procedure, self.procedure(table, like(self.given, y.copy(), order)))
        task = Problem(X, y, self.task.names, self.task.metric, self.task.labels)
        seed = self.seed if number < 0 else seed_of(self.seed, "folds", number)  # other folds every time: see _order
        pairs = folds(self.outer, y, groups=self.groups, time=self.time, classifier=task.classes, seed=seed, X=X)
        outcomes = judge(self.procedure, task, pairs, groups=self.groups, seed=seed)
        promises = [outcome.promised for outcome in outcomes if outcome.promised is not None]
        if len(promises) == len(outcomes):
            self.promises[number] = float(np.mean(promises))
        return mean_score(task, outcomes)


def _bare(X: Any, y: Any) -> Problem:
    """A table and target for a callable, whose metric is its own affair."""
    given = X if hasattr(X, "shape") else np.asarray(X)
    classes = is_class_target(y)
    target = np.asarray(y.to_numpy() if hasattr(y, "to_numpy") else y).ravel() if classes else numbers(y)
    if given.shape[0] != len(target):
        raise ParameterError(f"the table has {given.shape[0]:,} rows and the target {len(target):,}; give one a row")
    return Problem(given, target, (), find(None, classes=classes), Classes.of(y).labels if classes else None)


def _number(procedure: Callable[..., Any], value: Any) -> float:
    name = getattr(procedure, "__name__", type(procedure).__name__)
    try:
        found = float(value)
    except (TypeError, ValueError) as error:
        raise KindError(f"{name}(X, y) gave {value!r}; it must return one number, its score") from error
    if not np.isfinite(found):
        raise ParameterError(f"{name}(X, y) gave {found}; it must return a finite score")
    return found
