"""What a criterion is: a view of the table, made once, and a number for every column, given a target or several."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from tamis import check
from tamis.errors import ParameterError, TableError
from tamis.table import Classes, Table, features, is_class_target, numbers, same_length
from tamis.table.interface.several_classes import has_several_targets, target_columns
from tamis.table.like import TableLike


@dataclass(frozen=True, eq=False)
class Target:
    """A target as criteria read it: class codes, numbers, or both where numbers were cut into classes."""

    kind: str  # "classes", "numbers" or "none"
    n_rows: int
    codes: np.ndarray | None = None
    n_classes: int = 0
    values: np.ndarray | None = None

    def take(self, rows: np.ndarray) -> "Target":
        """The target in another order of the rows."""
        codes = None if self.codes is None else self.codes[rows]
        return replace(self, codes=codes, values=None if self.values is None else self.values[rows])


class Criterion:
    """How much each column is worth by itself; larger is better, 0 for a column that cannot tell anything.

    A member says which targets it takes, makes its view of the table, and turns view and target into one number a
    column. Only `values` is repeated when the target is permuted.
    """

    name = ""
    takes: tuple[str, ...] = ("classes", "numbers")
    takes_weights = True

    def target(self, y: Any, n_rows: int, weights: np.ndarray | None = None) -> Target:
        """The target, checked and coded."""
        if not self.takes:
            return Target("none", n_rows)
        if self.takes == ("numbers",) or ("numbers" in self.takes and not is_class_target(y)):
            return Target("numbers", n_rows, values=_numbers(self.name, y))
        classes = _classes(self.name, y)
        return Target("classes", n_rows, codes=classes.codes, n_classes=classes.n_classes)

    def view(self, table: Table, target: Target, weights: np.ndarray | None, n_jobs: int | None) -> Any:
        """What `values` needs of the table; may look at the target's kind and counts, never at its order."""
        raise NotImplementedError

    def values(self, view: Any, target: Target, n_jobs: int | None = None) -> np.ndarray:
        """One number a column."""
        raise NotImplementedError

    def values_of_targets(self, view: Any, targets: Sequence[Target]) -> np.ndarray:
        """The values for several targets, one a line."""
        return np.array([self.values(view, target) for target in targets])

    def weights(self, sample_weight: Any, n_rows: int) -> np.ndarray | None:
        """The weights, checked; None when there are none."""
        if sample_weight is None:
            return None
        if not self.takes_weights:
            raise ParameterError(f"{self.name} does not take sample_weight; leave it out, or use another criterion")
        return check.weights(sample_weight, n_rows)


class _Reader(BaseEstimator):
    """Stands in for an estimator where a function reads a table."""


def read_table(X: TableLike, estimator: BaseEstimator | None = None) -> Table:
    """X in any form as a Table, checked as estimators check it; a sparse matrix column by column."""
    table = features(_Reader() if estimator is None else estimator, X, reset=True, sparse_ok=True)
    if not table.is_sparse or table.matrix.format == "csc":
        return table
    return Table(matrix=table.matrix.tocsc(), names=table.names if table.named else None)


def score_columns(
    criterion: Criterion, X: TableLike, y: Any = None, *, sample_weight: Any = None, n_jobs: int | None = None
) -> np.ndarray:
    """The values of a criterion on X and y as a user gives them; of several targets (columns of y) their mean."""
    if criterion.takes and y is not None and has_several_targets(y):
        criterion = OverTargets(criterion)
    table = read_table(X)
    if criterion.takes and y is not None:
        same_length(table, y)
    weights = criterion.weights(sample_weight, table.n_rows)
    target = criterion.target(y, table.n_rows, weights)
    return criterion.values(criterion.view(table, target, weights, n_jobs), target, n_jobs)


def _numbers(name: str, y: ArrayLike) -> np.ndarray:
    try:
        return numbers(y)
    except TableError as error:
        if "must hold numbers" not in str(error):
            raise
        raise TableError(
            f"{name} takes a numeric target, but y holds words ({error.args[0].split('; ')[0]}); "
            "for classes use anova, mutual_information or relief"
        ) from error


def _classes(name: str, y: ArrayLike) -> Classes:
    try:
        return Classes.of(y)
    except ValueError as error:
        if "Unknown label type" not in str(error):
            raise
        metric = "give metric='r2', " if name == "stump" else ""
        raise TableError(
            f"{name} takes a class target, but y holds {len(set(np.asarray(y).tolist())):,} different values "
            f"({str(error).partition('.')[0]}); {metric}use mutual_information, pearson or relief, or cut y into "
            "classes"
        ) from error


@dataclass(frozen=True, eq=False)
class Targets(Target):
    """Several targets of the same rows; orders of the rows are orders of all of them."""

    each: tuple[Target, ...] = ()

    def take(self, rows: np.ndarray) -> "Targets":
        return Targets(self.kind, self.n_rows, each=tuple(target.take(rows) for target in self.each))


class OverTargets(Criterion):
    """The mean over targets of what a criterion gives a column: one that predicts a single target keeps its part."""

    def __init__(self, criterion: Criterion) -> None:
        self.criterion = criterion
        self.name, self.takes, self.takes_weights = criterion.name, criterion.takes, criterion.takes_weights

    def target(self, y: Any, n_rows: int, weights: np.ndarray | None = None) -> Targets:
        each = tuple(self.criterion.target(column, n_rows, weights) for column in target_columns(y))
        return Targets("several", n_rows, each=each)

    def view(self, table: Table, target: Target, weights: np.ndarray | None, n_jobs: int | None) -> list[Any]:
        return [self.criterion.view(table, single_target, weights, n_jobs) for single_target in _each(target)]

    def values(self, view: Any, target: Target, n_jobs: int | None = None) -> np.ndarray:
        scores = [
            self.criterion.values(target_view, single_target, n_jobs)
            for target_view, single_target in zip(view, _each(target))
        ]
        return np.asarray(np.mean(scores, axis=0))

    def values_of_targets(self, view: Any, targets: Sequence[Target]) -> np.ndarray:
        each = [
            self.criterion.values_of_targets(target_view, [_each(target)[j] for target in targets])
            for j, target_view in enumerate(view)
        ]
        return np.asarray(np.mean(each, axis=0))


def _each(target: Target) -> tuple[Target, ...]:
    assert isinstance(target, Targets)
    return target.each
