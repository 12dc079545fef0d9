"""The estimator, table, target, folds and scoring that an evaluator scores sets of columns by."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.base import is_classifier, is_regressor

from tamis.metrics import in_their_words, scorer_of
from tamis.split import Folds, folds
from tamis.table import Classes, Table, take

#: What `cv` may say here besides what `tamis.split` takes: the training rows themselves, or out-of-bag rows.
IN_SAMPLE = ("train", "oob")


@dataclass
class SearchTask:
    """Everything an evaluator may read.

    Attributes
    ----------
    estimator : a model, the name of a criterion, or a function (X, y) -> number.
    table : the columns, in the order that breaks ties; positions of columns count in it.
    X : the same columns in the form the user gave them, and `order`, the position of column j of the table in it.
    y : the target, one-dimensional.
    params : what goes to the estimator's `fit` beside X and y; row-wise values are cut to the training rows.
    """

    estimator: Any
    table: Table
    X: Any
    order: np.ndarray
    y: np.ndarray
    scoring: Any = None
    cv: Any = 5
    groups: Any = None
    params: dict[str, Any] = field(default_factory=dict)
    n_jobs: int | None = None
    seed: int = 0

    @property
    def n_rows(self) -> int:
        return self.table.n_rows

    @property
    def is_model(self) -> bool:
        return hasattr(self.estimator, "fit")

    @cached_property
    def pairs(self) -> Folds:
        """Training and test rows of each fold."""
        if isinstance(self.cv, str) and self.cv in IN_SAMPLE:
            rows = np.arange(self.n_rows)
            return [(rows, rows)]
        classes = is_classifier(self.estimator)
        return folds(
            self.cv, self.y, groups=self.groups, classifier=classes, seed=self.seed, complete=False, X=self.table.matrix
        )

    @cached_property
    def scorer(self) -> Callable[[Any, Any, Any], float]:
        classes = is_classifier(self.estimator)
        labels = Classes.of(self.y).labels if classes else None
        return scorer_of(self.estimator, self.scoring, classes=classes, labels=labels)

    @cached_property
    def word(self) -> str | None:
        """The scoring in scikit-learn's words, where it is a name: "mse" is "neg_mean_squared_error"."""
        return in_their_words(self.scoring) if isinstance(self.scoring, str) else None

    @property
    def is_r2(self) -> bool:
        """True when sets are valued by the share of variance explained."""
        return self.is_model and (self.word == "r2" or (self.scoring is None and is_regressor(self.estimator)))

    def columns(self, columns: np.ndarray) -> Any:
        """Some columns of X, in the form the user gave them."""
        return take(self.X, columns=self.order[columns])

    def fit_params(self, rows: np.ndarray) -> dict[str, Any]:
        """The parameters of `fit` for some rows."""
        return {name: _rows_of(value, rows, self.n_rows) for name, value in self.params.items()}


def _rows_of(value: object, rows: np.ndarray, n_rows: int) -> Any:
    if value is None or isinstance(value, str) or not hasattr(value, "__len__") or len(value) != n_rows:
        return value
    return np.asarray(value)[rows]
