"""Several targets of one table: a procedure that predicts all of them at once, judged on each in the same folds."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from tamis import check
from tamis.engine import seed_from
from tamis.errors import ParameterError, TableError
from tamis.evaluate.cross_validate import Trained, cross_validate, named_folds
from tamis.evaluate.fold.outcome import Outcome, outcome_of
from tamis.evaluate.nested import NestedScore, nested_result
from tamis.evaluate.problem import Problem, named_procedures, problem_of, refuse_one_class
from tamis.metrics import Metric
from tamis.metrics.loss_matrix import metric_for
from tamis.split import folds
from tamis.table.interface.several_classes import target_columns, target_names
from tamis.table.interface.takes_table import TakesTable, takes_table
from tamis.table.like import TableLike
from tamis.task import REGRESSION
from tamis.typing import Folding, RandomState, Scoring


@dataclass(frozen=True, eq=False)
class SeveralScores:
    """What a procedure scores on each of several targets that it predicts at once.

    Attributes
    ----------
    name : of the procedure.
    results : target -> NestedScore, all of the same folds and the same fitted models.
    scores : folds × targets.
    mean : the mean over targets.
    folds : the (train, test) positions.
    """

    name: str
    results: dict[str, NestedScore]

    @property
    def scores(self) -> np.ndarray:
        return np.column_stack([result.scores for result in self.results.values()])

    @property
    def mean(self) -> float:
        return float(np.mean([result.mean for result in self.results.values()]))

    @property
    def folds(self) -> Any:
        return next(iter(self.results.values())).folds

    def __getitem__(self, target: str) -> NestedScore:
        return self.results[target]

    def __iter__(self) -> Iterator[str]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    def __repr__(self) -> str:
        lines = [repr(replace(result, name=target)) for target, result in self.results.items()]
        return "\n".join([f"{self.name}: mean over {len(self)} targets {self.mean:.4g}", *lines])


def several_scores(
    procedure: BaseEstimator,
    X: TableLike,
    y: ArrayLike,
    *,
    outer: Folding,
    repeats: int,
    scoring: Scoring,
    groups: ArrayLike,
    time: ArrayLike,
    sample_weight: Any,
    task: str | None,
    level: float,
    random_state: RandomState,
    n_jobs: int | None,
    keep_models: bool,
) -> SeveralScores | dict[str, SeveralScores]:
    """As `nested_score`, for a matrix y with a column per target; of several procedures a dict of results."""
    named = named_procedures(procedure)
    columns, names = target_columns(y), target_names(y)
    options: dict[str, Any] = {"groups": groups, "time": time, "weights": sample_weight, "task": task}
    problems = [problem_of(list(named.values()), X, column, **options) for column in columns]
    if len({problem.of_classes for problem in problems}) > 1:
        raise TableError("some targets are classes and some are numbers; give those of one kind at a time")
    for problem in problems:
        refuse_one_class(problem)
    metrics = [metric_for(scoring, None, problem.classes) for problem in problems]
    if any(metric.of_model is not None or metric.needs == "decision" for metric in metrics):
        raise ParameterError(f"scoring={metrics[0].name!r} does not go with several targets; give one of predictions")
    seed = seed_from(random_state)
    pairs = folds(
        outer, problems[0].y, classifier=problems[0].of_classes, seed=seed, repeats=check.count("repeats", repeats),
        X=problems[0].X, groups=groups, time=time,
    )  # fmt: skip
    joint_problem = replace(
        problems[0], y=np.column_stack([problem.y for problem in problems]), task=REGRESSION, classes=None
    )
    keep = partial(_outcomes, problems=problems, metrics=metrics, model=keep_models)
    kept_results = cross_validate(joint_problem, named, named_folds(pairs, repeats), keep, seed=seed, n_jobs=n_jobs)
    results = {}
    for name in named:
        target_results = zip(names, problems, metrics, zip(*kept_results[name]))
        scores = {
            target: nested_result(name, problem, metric, pairs, list(outcomes), level, seed)
            for target, problem, metric, outcomes in target_results
        }
        results[name] = SeveralScores(name, scores)
    is_one = len(results) == 1 and not isinstance(procedure, (list, tuple, dict))
    return next(iter(results.values())) if is_one else results


def _outcomes(
    trained: Trained, *, problems: Sequence[Problem], metrics: Sequence[Metric], model: bool
) -> list[Outcome]:
    """One outcome per target, of the same fitted model."""
    kind = _TableTarget if takes_table(trained.model) else _Target
    return [
        outcome_of(replace(trained, problem=problem, model=kind(trained.model, index)), metric=metric, model=model)
        for index, (problem, metric) in enumerate(zip(problems, metrics))
    ]


class _Target:
    """A fitted model of several targets as a model of one of them."""

    def __init__(self, model: BaseEstimator, index: int) -> None:
        self.model, self.place = model, index
        for name in ("selected_columns_", "get_support", "feature_names_in_", "n_features_in_", "tree_"):
            if hasattr(model, name):
                setattr(self, name, getattr(model, name))
        if isinstance(getattr(model, "classes_", None), list):
            self.classes_ = model.classes_[index]

    def predict(self, X: TableLike) -> np.ndarray:
        """The predictions of the target."""
        return np.asarray(self.model.predict(X))[:, self.place]

    def predict_proba(self, X: TableLike) -> np.ndarray:
        """The probabilities of the target's classes."""
        shares = self.model.predict_proba(X)
        if not isinstance(shares, list):
            raise ParameterError("the model gives no list of probabilities, one matrix a target; score its labels")
        return np.asarray(shares[self.place])


class _TableTarget(TakesTable, _Target):
    """The same of a model that takes a table."""
