"""What is learned from what: decided once, and handed to everything that learns or judges."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.base import BaseEstimator, is_classifier, is_regressor

from tamis import check
from tamis.errors import KindError, ParameterError, TableError
from tamis.metrics.intervals.paired import pairing_units
from tamis.table import Classes, Column, Table, is_class_target, numbers, take
from tamis.table.inference.text_words import is_word
from tamis.table.interface.features import column_names
from tamis.table.interface.takes_table import takes_table
from tamis.table.interface.target import category_order, codes_among
from tamis.table.like import TableLike
from tamis.table.table import refuse_lazy
from tamis.task import CLASSIFICATION, REGRESSION, predicts_classes


@dataclass(frozen=True, eq=False, kw_only=True)
class Problem:
    """A table and its target, as models see them.

    Attributes
    ----------
    X : the rows that may be learned from: a Table, a frame or a matrix.
    y : their target: classes by any value, or numbers.
    task : one of `tamis.task.TASKS`; nobody decides it again.
    classes : the values that y has, sorted, or in the order of an ordered categorical; None for numbers.
    names : of the columns.
    groups, time : one value per row, when given.
    ordered : y was an ordered categorical: models see it as one, so that their classes have its order.
    copies : one number per row, the same for rows with equal features that folds keep together (see `with_equal_rows`).
    weights : how much each row counts in a fit, when given; in a score every row counts once.
    exposure : of counts, how long or how much each row was observed, when given. Models then learn rates (the count
        over the exposure) weighted by the exposure, which is the Poisson model of the count with the offset log
        exposure; `predictions` are expected counts, and scores compare counts.
    min_word_rows : words of a text that fewer of the rows of a fit hold are ignored in it: which words are learned from
        does not depend on rows that are judged.
    """

    X: Any
    y: np.ndarray
    task: str
    classes: np.ndarray | None
    names: tuple[str, ...] = ()
    groups: np.ndarray | None = None
    time: np.ndarray | None = None
    weights: np.ndarray | None = None
    exposure: np.ndarray | None = None
    copies: np.ndarray | None = None
    ordered: bool = False
    min_word_rows: int = 0

    @property
    def of_classes(self) -> bool:
        return predicts_classes(self.task)

    @cached_property
    def codes(self) -> np.ndarray:
        """Places of the rows' classes among `classes`; of numbers, y itself."""
        return self.y if self.classes is None else codes_among(self.classes, self.y)

    @cached_property
    def rates(self) -> np.ndarray:
        """The target per unit of exposure: what models learn; without exposures the target itself."""
        return self.y if self.exposure is None else np.asarray(self.y / self.exposure)

    @cached_property
    def fit_weights(self) -> np.ndarray | None:
        """How much each row counts in a fit: its weight, its exposure; None where all count alike."""
        return self.weights if self.exposure is None else self.exposure

    def counts(self, rates: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Predicted rates of some rows as expected counts; without exposures as they are."""
        return rates if self.exposure is None else np.asarray(rates * self.exposure[rows])

    @cached_property
    def units(self) -> np.ndarray:
        """The unit of every row, over which losses are summed and compared."""
        groups = self.copies if self.groups is None and self.time is None else self.groups
        return pairing_units(len(self.y), groups=groups, time=self.time)

    @cached_property
    def latest(self) -> dict[str, Any]:
        """What was last worked out of this problem and will likely be asked for again."""
        return {}

    @cached_property
    def _frame(self) -> Any:
        return self.X.to_pandas()

    def target(self, rows: np.ndarray) -> Any:
        """The target of some rows, as a model takes it."""
        if not self.ordered:
            return self.rates[rows]
        import pandas as pd

        return pd.Categorical(self.y[rows], categories=list(self.classes), ordered=True)  # type: ignore[arg-type]

    def model_input(self, rows: np.ndarray, model: BaseEstimator, *, learn: bool = False) -> Any:
        """Some rows of the table, as a model takes them: a Table only where the model is one of ours.

        Parameters
        ----------
        learn : the model is to be fitted; levels that these rows lack must leave no trace in it.
        """
        if not isinstance(self.X, Table):
            return take(self.X, rows=rows)
        if takes_table(model):
            if not learn:
                return self.X.take(rows)
            return _without_rare_words(_trimmed(self.X.take(rows)), self.min_word_rows)
        return self._frame.iloc[rows]


def _trimmed(table: Table) -> Table:
    if table.is_numeric:
        return table
    columns: list[Column] = [column.trimmed() if column.is_categorical else column for column in table.columns]
    trimmed = Table(columns, n_rows=len(table))
    trimmed.origin = table.origin  # its numbers are the same
    return trimmed


def _without_rare_words(table: Table, min_count: int) -> Table:
    """A table to learn from in which words that too few of its rows hold are in none."""
    if not min_count or table.matrix is not None:
        return table
    rare = {column.name for column in table.columns if is_word(column) and column.values.sum() < min_count}
    if not rare:
        return table
    columns = [
        replace(column, values=np.zeros(len(table))) if column.name in rare else column for column in table.columns
    ]
    return Table(columns, n_rows=len(table))


def problem_of(
    procedures: Sequence[Any],
    X: TableLike,
    y: ArrayLike | None = None,
    *,
    groups: ArrayLike | None = None,
    time: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    task: str | None = None,
) -> Problem:
    """A table and its target, checked against each other and against the procedures.

    Parameters
    ----------
    procedures : what is to be fitted; classifiers make the target one of classes, regressors one of numbers.
    X, y : the table and its target; or X is a Problem, which is taken as it is.
    groups, time : one value per row.
    weights : how much each row counts in a fit: numbers, none below 0.
    task : one of `tamis.task.TASKS`, when it has been decided.
    """
    if isinstance(X, Problem):
        if y is not None:
            raise ParameterError("X is a problem that has its target; leave y out")
        return X
    if y is None:
        raise ParameterError("y is missing; give the target, one value per row")
    refuse_lazy(X)
    X = _unwrapped(X)
    of_classes = _of_classes(procedures, y) if task is None else predicts_classes(task)
    target = np.asarray(y.to_numpy() if hasattr(y, "to_numpy") else y).ravel() if of_classes else numbers(y)
    classes = Classes.of(y).labels if of_classes else None
    n_rows = X.shape[0]
    if n_rows != len(target):
        raise TableError(f"the table has {n_rows:,} rows and the target {len(target):,}; give one target per row")
    return Problem(
        X=X,
        y=target,
        task=task or (CLASSIFICATION if of_classes else REGRESSION),
        classes=classes,
        ordered=of_classes and category_order(y) is not None,
        names=column_names(X),
        groups=None if groups is None else np.asarray(groups),
        time=None if time is None else np.asarray(time),
        weights=None if weights is None else check.weights(weights, n_rows),
    )


def refuse_one_class(problem: Problem) -> None:
    """Raise where there is nothing to predict."""
    if problem.classes is not None and len(problem.classes) < 2:
        raise TableError(f"the target has one class only, {problem.classes[0]!s}; there is nothing to predict")


def named_procedures(procedure: BaseEstimator) -> dict[str, Any]:
    """Procedures by name: of one, a list, (name, procedure) pairs or a dict; each must fit and predict."""
    if isinstance(procedure, Mapping):
        named = {str(name): model for name, model in procedure.items()}
    elif isinstance(procedure, (list, tuple)):
        named = {}
        for item in procedure:
            pair = isinstance(item, tuple) and len(item) == 2 and isinstance(item[0], str)
            name, model = item if pair else (type(item).__name__, item)
            if pair and name in named:
                raise ParameterError(f"two procedures are called {name!r}; give each a name of its own")
            named[name if name not in named else f"{name} {len(named) + 1}"] = model
    else:
        named = {type(procedure).__name__: procedure}
    if not named:
        raise ParameterError("the list of procedures is empty; give at least one")
    for name, model in named.items():
        if isinstance(model, type):
            raise KindError(f"{name} is a class; give an object of it, as in {model.__name__}()")
        for verb in ("fit", "predict"):
            if not hasattr(model, verb):
                raise KindError(f"{name} has no {verb}; give a model, or a pipeline that ends in one")
    return named


def _unwrapped(X: Any) -> Any:
    if isinstance(X, Table):
        return X.matrix if X.matrix is not None and not X.named else X
    if sparse.issparse(X):
        return X.tocsr()
    return X if hasattr(X, "shape") else np.asarray(X)


def _of_classes(procedures: Sequence[Any], y: ArrayLike) -> bool:
    if procedures and all(is_classifier(model) for model in procedures):
        return True
    if procedures and all(is_regressor(model) for model in procedures):
        return False
    return is_class_target(y)
