"""The world without a signal: the same table, its target shuffled, and what a procedure scores there."""

import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from threadpoolctl import threadpool_limits

from tamis.engine import generator, map_threads, seed_of
from tamis.errors import KindError, ParameterError
from tamis.evaluate.chance.answers import Answers, labels_of, prepared, read_returned, score_of, usual_metric
from tamis.evaluate.chance.reference import chance
from tamis.evaluate.chance.reshuffled import reshuffled
from tamis.evaluate.chance.shuffle import permuted
from tamis.evaluate.cross_validate import cross_validate, named_folds
from tamis.evaluate.fold.outcome import outcome_of
from tamis.evaluate.nested import mean_score
from tamis.evaluate.problem import Problem, named_procedures, problem_of, refuse_one_class
from tamis.metrics import Metric, find
from tamis.metrics.loss_matrix import metric_for
from tamis.split import folds
from tamis.table import take
from tamis.table.interface.output import series_like
from tamis.table.like import TableLike
from tamis.typing import Folding, Scoring

__all__ = ["Run", "Runner", "chance", "permuted"]


@dataclass(frozen=True)
class Run:
    """One run of a procedure: its score, and, where predictions are known, what chance gives for these predictions."""

    score: float
    chance: float | None = None


class Runner:
    """Runs a procedure on the target as it is, on shuffled ones, and on reference tables.

    The procedure is an estimator, or a callable (X, y) -> a score or predictions. `paired` asks for the chance level of
    the predictions of each run.
    """

    def __init__(
        self,
        procedure: BaseEstimator,
        X: TableLike,
        y: ArrayLike,
        *,
        outer: Folding = 5,
        scoring: Scoring = None,
        groups: ArrayLike | None = None,
        time: ArrayLike | None = None,
        seed: int = 0,
        n_jobs: int | None = None,
        paired: bool = False,
    ) -> None:
        self.paired = paired
        self.procedure, self.outer, self.seed, self.n_jobs = procedure, outer, seed, n_jobs
        self.original_y = X.y if y is None and isinstance(X, Problem) else y
        self.is_estimator = hasattr(procedure, "fit")
        if self.is_estimator:
            named_procedures(procedure)
            self.task = problem_of([procedure], X, y, groups=groups, time=time)
            refuse_one_class(self.task)
            self.metric: Metric | None = metric_for(scoring, None, self.task.classes)
        elif callable(procedure):
            self.task = problem_of([], X, y, groups=groups, time=time)
            classes = self.task.classes
            self.metric = None if scoring is None else find(scoring, classes=classes is not None, labels=classes)
        else:
            raise KindError(f"the procedure {procedure!r} has no fit and cannot be called; give a model or a function")
        if time is not None and len(np.unique(np.asarray(time))) < 3:
            raise ParameterError("time has fewer than 3 different values; give a finer time, or leave it out")
        self.inner_scores: dict[int, float] = {}
        self.y, self.groups, self.time = self.task.y, self.task.groups, self.task.time

    def real(self) -> Run:
        """The run on the target as it is. It comes first: it shows whether a function returns predictions."""
        with threadpool_limits(1):
            return self._run(self.task.X, self.y, -1, None)

    def shuffled(self, numbers_of_shuffles: Iterable[int]) -> list[Run]:
        """Runs on shuffled targets, one a number; a number always means the same shuffle."""

        def run_of(number: int) -> Run:
            y = permuted(self.y, self.seed, number, self.groups, self.time)
            return self._run(self.task.X, y, number, self._order(number))

        with threadpool_limits(1):
            return map_threads(run_of, numbers_of_shuffles, self.n_jobs)

    def null(self, numbers_of_shuffles: Iterable[int]) -> np.ndarray:
        """The scores of these runs."""
        return np.array([run.score for run in self.shuffled(numbers_of_shuffles)])

    def elsewhere(
        self, make: Callable[[Any, int, int], Any], targets: Sequence[np.ndarray] | None = None, *, runs: int = 1
    ) -> np.ndarray:
        """Scores of a function on made tables, with its own target shuffled or with targets given; NaN where it fails.

        A function may fail on such a table in any way of its own; that only means that this table cannot help.
        """
        seed = seed_of(self.seed, "elsewhere")

        def score_of_run(number: int) -> float:
            table = make(self.task.X, seed, number)
            if table is None:
                return float("nan")
            y = permuted(self.y, seed, number, self.groups, self.time) if targets is None else targets[number]
            try:
                return self._run(table, y, number, None).score
            except Exception:
                return float("nan")

        with warnings.catch_warnings(), threadpool_limits(1):
            warnings.simplefilter("ignore")
            return np.array(map_threads(score_of_run, range(runs if targets is None else len(targets)), self.n_jobs))

    def _order(self, number: int) -> np.ndarray | None:
        """Another order of the rows for every shuffle of a function.

        Folds that a function draws by a seed of its own hang on the order of the rows; on a sorted table the same order
        every time moves the mean of honest scores off chance (measured: iris, 0.35 for 0.33).
        """
        if self.is_estimator or self.groups is not None or self.time is not None:
            return None
        return generator(self.seed, "order", number).permutation(len(self.y))

    def _run(self, X: TableLike, y: np.ndarray, number: int, order: np.ndarray | None) -> Run:
        if self.is_estimator:
            return self._in_folds(X, y, number)
        table = X if order is None else take(X, rows=order)
        returned = read_returned(self.procedure, self.procedure(table, series_like(self.original_y, y.copy(), order)))
        if isinstance(returned, float):
            return Run(returned)
        if self.metric is None:
            self.metric = usual_metric(returned, self.task.of_classes)
        labels = labels_of(self.metric, returned, self.task.classes)
        score = score_of(self.metric, prepared(self.metric, returned, labels))
        return Run(score, self._chance(self.metric, returned, labels, number))

    def _in_folds(self, X: TableLike, y: np.ndarray, number: int) -> Run:
        metric: Any = self.metric
        task = replace(self.task, X=X, y=y)
        seed = self.seed if number < 0 else seed_of(self.seed, "folds", number)  # other folds every time: see _order
        pairs = folds(self.outer, y, groups=self.groups, time=self.time, classifier=task.of_classes, seed=seed, X=X)
        results = cross_validate(
            task, {"it": self.procedure}, named_folds(pairs), partial(outcome_of, metric=metric), seed=seed, n_jobs=1
        )
        outcomes = results["it"]
        inner_scores = [outcome.inner_score for outcome in outcomes if outcome.inner_score is not None]
        if len(inner_scores) == len(outcomes):
            self.inner_scores[number] = float(np.mean(inner_scores))
        judged = [Answers(y[o.judged.rows], o.judged.answer, o.judged.rows) for o in outcomes]
        chance = self._chance(metric, judged, task.classes, number)
        if chance is None:
            return Run(mean_score(task, metric, outcomes))
        # A pooled score and chance by fold would differ without any leak: both are means over folds here.
        return Run(score_of(metric, prepared(metric, judged, task.classes)), chance)

    def _chance(self, metric: Metric, answers: list[Answers], labels: np.ndarray | None, number: int) -> float | None:
        """Chance for these predictions, where it is asked for."""
        if not self.paired or metric.needs == "model":
            return None
        seed = seed_of(self.seed, "chance", number)
        return reshuffled(metric, answers, labels, seed, groups=self.groups, time=self.time)
