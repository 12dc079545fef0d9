"""One kind of readable model at several sizes: which columns, by training rows alone, and how well by inner folds."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.metaestimators import available_if

from tamis.check import count, weights
from tamis.study.procedures.models.columns import Columns, directions_among
from tamis.study.procedures.models.transformed import Transformed
from tamis.table import Table
from tamis.table.interface.takes_table import TakesTable
from tamis.task import CLASSIFICATION, predicts_classes

#: Numbers of columns that readable models are fitted with: fixed, so that no score decides which are tried.
SIZES = (1, 2, 3, 5, 8, 12, 20)


def sizes_up_to(max_columns: int, n_columns: int) -> tuple[int, ...]:
    """The sizes of a table, the largest allowed one among them.

    >>> sizes_up_to(12, 30), sizes_up_to(12, 4), sizes_up_to(20, 3000)
    ((1, 2, 3, 5, 8, 12), (1, 2, 3, 4), (1, 2, 3, 5, 8, 12, 20))
    """
    largest = min(max_columns, n_columns)
    return (*(size for size in SIZES if size < largest), largest)


@dataclass(frozen=True, eq=False)
class Sample:
    """The target of some rows, and how much each of them counts; no weights where all count alike."""

    y: np.ndarray
    weight: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.y)

    def take(self, rows: np.ndarray) -> Sample:
        """Those of some rows."""
        return Sample(self.y[rows], None if self.weight is None else self.weight[rows])

    def fitted(self, model: Any, table: Table) -> Any:
        """The model, learned from these rows."""
        return model.fit(table, self.y) if self.weight is None else model.fit(table, self.y, self.weight)


def _is_classifier(sized: SizedModels) -> bool:
    return predicts_classes(sized.task)


class SizedModels(TakesTable, BaseEstimator):
    """Models of one kind on at most 1, 2, 3, … columns; as an estimator, the one of least loss in folds.

    Parameters
    ----------
    task : "classification" or "regression".
    max_columns : int, default=12
        Largest number of columns.
    size : int, default=None
        Fit the model of at most this many columns only; None fits all sizes.
    monotone : dict of str to int, default=None
        Directions of columns, as trees, linear and additive models take them.
    cv : splitter or pairs of positions, default=None
        Inner folds. Without them there are no out-of-fold predictions, and the largest model is taken.
    random_state : int, default=None

    Attributes
    ----------
    models_ : dict of int to model
        One fitted model per size; a size whose model uses fewer columns is the model of a smaller size.
    cv_predictions_by_size_ : dict of int to ndarray
        Out-of-fold predictions of the training rows, NaN where no fold held a row out.
    size_, fitted_ : the size taken, and its model.
    """

    def __init__(
        self,
        task: str = CLASSIFICATION,
        *,
        max_columns: int = 12,
        size: int | None = None,
        monotone: dict[str, int] | None = None,
        cv: Any = None,
        random_state: Any = None,
    ) -> None:
        self.task = task
        self.max_columns = max_columns
        self.size = size
        self.monotone = monotone
        self.cv = cv
        self.random_state = random_state

    # -- of each kind ------------------------------------------------------------------------------------------------
    @abstractmethod
    def _tune(self, table: Table, y: Sample, pairs: list[Any] | None) -> Any:
        """What is chosen by folds within these rows and then used for models of parts of them: strengths."""

    @abstractmethod
    def _models(self, table: Table, y: Sample, sizes: Sequence[int], tuned: Any) -> dict[int, Any]:
        """Size -> fitted model, learned from these rows alone."""

    def _directions(self, names: Sequence[str]) -> dict[str, int] | None:
        return directions_among(self.monotone, names)

    def _signs(self, table: Table) -> np.ndarray | None:
        """Of each column 1 or -1 where predictions may only rise or fall with it, else 0; None without any."""
        directions = self._directions(table.names)
        return None if not directions else np.array([directions.get(name, 0) for name in table.names])

    # -- shared ------------------------------------------------------------------------------------------------------
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> SizedModels:
        """Fit the models of all sizes, or of one."""
        table, target = _table(X), np.asarray(y)
        sample = Sample(target, None if sample_weight is None else weights(sample_weight, len(target)))
        largest = count("max_columns", self.max_columns)
        sizes = sizes_up_to(largest, table.n_columns)
        if self.size is not None:
            sizes = tuple(size for size in sizes if size >= min(count("size", self.size), sizes[-1]))
        pairs = None if self.cv is None else _pairs(self.cv, table, target)
        tuned = self._tune(table, sample, pairs)
        self.models_ = self._models(table, sample, sizes, tuned)
        if predicts_classes(self.task):
            self.classes_ = np.unique(target)
        self.cv_predictions_by_size_: dict[int, np.ndarray] = {}
        self.size_ = sizes[0] if self.size is not None else sizes[-1]
        if pairs is not None and self.size is None:
            self.cv_predictions_by_size_ = self._out_of_fold(table, sample, sizes, tuned, pairs)
            self.size_ = min(sizes, key=lambda size: (self._cv_loss(sample, size), size))
        self.fitted_ = self.models_[self.size_]
        return self

    def _out_of_fold(
        self, table: Table, y: Sample, sizes: Sequence[int], tuned: Any, pairs: list[Any]
    ) -> dict[int, np.ndarray]:
        shape = (len(y), len(self.classes_)) if predicts_classes(self.task) else (len(y),)
        out = {size: np.full(shape, np.nan) for size in sizes}
        for train, test in pairs:
            models = self._models(table.take(train), y.take(train), sizes, tuned)
            held_out = table.take(test)
            predictions: dict[int, np.ndarray] = {}
            for size, model in models.items():
                if id(model) not in predictions:
                    predictions[id(model)] = self._predicted(model, held_out)
                out[size][test] = predictions[id(model)]
        return out

    def _predicted(self, model: Any, table: Table) -> np.ndarray:
        """Numbers, or probabilities in the order of `classes_`; 0 for a class that the model's rows lacked."""
        if not predicts_classes(self.task):
            return np.asarray(model.predict(table), dtype=np.float64)
        out = np.zeros((table.n_rows, len(self.classes_)))
        out[:, np.searchsorted(self.classes_, model.classes_)] = model.predict_proba(table)
        return out

    def _cv_loss(self, sample: Sample, size: int) -> float:
        """Brier score or squared error of the out-of-fold predictions."""
        predictions, y = self.cv_predictions_by_size_[size], sample.y
        truth = y if not predicts_classes(self.task) else (y[:, None] == self.classes_)
        errors = (predictions - truth) ** 2
        if sample.weight is not None:
            errors = (errors.T * sample.weight).T
        return float(np.nanmean(errors if errors.ndim == 1 else errors.sum(axis=1)))

    def predict(self, X: Any) -> np.ndarray:
        """The class or number of every row."""
        return np.asarray(self.fitted_.predict(_table(X)))

    @available_if(_is_classifier)
    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of every class, in the order of `classes_`."""
        return np.asarray(self.fitted_.predict_proba(_table(X)))


def _table(X: Any) -> Table:
    return X if isinstance(X, Table) else Table.of(X)


def _pairs(cv: Any, table: Table, y: np.ndarray) -> list[Any]:
    return list(cv.split(table, y)) if hasattr(cv, "split") else list(cv)


def on_columns(model: Any, table: Table, names: Sequence[str]) -> Any:
    """A model that was fitted on some columns of a table, as one that takes the whole table."""
    if list(names) == list(table.names):
        return model
    positions = np.sort([table.index(name) for name in names])
    return Transformed(
        [("columns", Columns(table.n_columns, positions, list(table.names) if table.named else None)), ("model", model)]
    )
