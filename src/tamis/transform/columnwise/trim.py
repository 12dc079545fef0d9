"""Counts that stick out of their row."""

from dataclasses import field
from typing import Any

import numpy as np

from tamis import check
from tamis.table.interface.takes_table import parameters
from tamis.transform.base import NumericTransform
from tamis.transform.normalize import refuse_negative


@parameters
class Trim(NumericTransform):
    r"""Cut outlying counts of each row down to its upper fence.

    .. math:: x_j \mapsto \min\bigl(x_j,\; q_{75} + w\,(q_{75} - q_{25})\bigr)

    The quartiles are those of the row's counts above 0, so many zeros do not make every count an outlier. One gene,
    word or species that takes half of all counts would otherwise push all other shares of its row down. Missing counts
    are left out and stay missing. Nothing is learned.

    Parameters
    ----------
    whisker : w, at least 0.

    References
    ----------
    Tukey (1977), Exploratory Data Analysis.

    >>> Trim().fit_transform([[1.0, 2.0, 3.0, 4.0, 5.0, 60.0, 0.0]])
    array([[ 1.  ,  2.  ,  3.  ,  4.  ,  5.  , 12.25,  0.  ]])
    """

    whisker: float = field(default=3.0, kw_only=False)

    def _check(self) -> None:
        check.number("whisker", self.whisker, low=0)

    def _learn(self, X: np.ndarray, y: Any) -> None:
        refuse_negative(X, self.names_, "outlying counts")

    def _apply(self, X: np.ndarray) -> np.ndarray:
        refuse_negative(X, self.names_, "outlying counts")
        return np.minimum(X, fences(X, self.whisker)[:, None])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags


def fences(X: np.ndarray, whisker: float) -> np.ndarray:
    """The upper fence of each row's counts above 0; infinite where there is none.

    >>> fences(np.array([[0.0, 2.0, 4.0, 6.0]]), 1.0)
    array([7.])
    """
    ordered = np.sort(np.where(X > 0, X, np.inf), axis=1)
    n = np.isfinite(ordered).sum(axis=1)
    low, high = _quartile(ordered, n, 0.25), _quartile(ordered, n, 0.75)
    return np.where(n > 0, high + whisker * (high - low), np.inf)


def _quartile(ordered: np.ndarray, n: np.ndarray, share: float) -> np.ndarray:
    """A quantile of the first n values of each row, by linear interpolation; 0 of none."""
    if not ordered.shape[1]:
        return np.zeros(len(ordered))
    position = share * np.maximum(n - 1, 0)
    below = np.floor(position).astype(np.int64)
    above = np.minimum(below + 1, np.maximum(n - 1, 0))
    rows = np.arange(len(ordered))
    first, second = ordered[rows, below], ordered[rows, above]
    first, second = np.where(n > 0, first, 0.0), np.where(n > 0, second, 0.0)
    return np.asarray(first + (position - below) * (second - first))
