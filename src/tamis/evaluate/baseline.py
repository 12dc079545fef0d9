"""The trivial baseline every procedure must beat: the majority class, or the mean."""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from tamis.saved import numbers
from tamis.table.interface.takes_table import TakesTable
from tamis.table.like import TableLike
from tamis.task import CLASSIFICATION, predicts_classes, predicts_numbers, read_task


class Baseline(TakesTable, BaseEstimator):
    """Predicts the share of every class (so the majority), or the mean; looks at no column.

    Parameters
    ----------
    task : one of `tamis.task.TASKS`.
    """

    def __init__(self, task: str = CLASSIFICATION) -> None:
        self.task = task

    def fit(self, X: TableLike, y: np.ndarray, sample_weight: Any = None) -> "Baseline":
        """Learn the shares of the classes, or the mean."""
        if predicts_classes(self.task):
            self.classes_, codes = np.unique(y, return_inverse=True)
            counts = np.bincount(codes, sample_weight)
            self.shares_ = counts / counts.sum()
        else:
            self.mean_ = float(np.average(y, weights=sample_weight))
        self.selected_columns_: tuple[str, ...] = ()
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The most frequent class or the mean, once a row."""
        prediction = self.mean_ if predicts_numbers(self.task) else self.classes_[self.shares_.argmax()]
        return np.full(X.shape[0], prediction)

    def predict_proba(self, X: Any) -> np.ndarray:
        """The shares of the classes, once a row."""
        return np.tile(self.shares_, (X.shape[0], 1))

    def to_text(self) -> str:
        """The baseline in words."""
        if predicts_numbers(self.task):
            return f"always {self.mean_:g}, the mean"
        return "always the most frequent class"

    def to_dict(self) -> dict[str, Any]:
        """Plain values that `from_dict` takes back."""
        if predicts_numbers(self.task):
            return {"task": self.task, "mean": self.mean_}
        return {"task": self.task, "classes": self.classes_.tolist(), "shares": self.shares_.tolist()}

    @classmethod
    def from_dict(cls, facts: dict[str, Any]) -> "Baseline":
        """The baseline that `to_dict` described."""
        baseline = cls(read_task(facts["task"]))
        baseline.selected_columns_ = ()
        if predicts_numbers(baseline.task):
            baseline.mean_ = float(numbers("mean", facts["mean"], shape=()))
        else:
            baseline.classes_ = numbers("classes", facts["classes"], np.int64)
            baseline.shares_ = numbers("shares", facts["shares"], shape=baseline.classes_.shape)
        return baseline
