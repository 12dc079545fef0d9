"""Shift and scale: numbers around 0, in units of their standard deviation, or between 0 and 1."""

import warnings
from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from tamis import check
from tamis.errors import TamisWarning
from tamis.table import eager
from tamis.table.like import TableLike
from tamis.transform.base import NumericTransform
from tamis.wording import first_few


class Center(NumericTransform):
    r"""Subtract the mean of each column.

    .. math:: x \mapsto x - \bar x

    A constant column becomes 0, and a warning says so. A missing value is left out of the mean and stays missing.

    Attributes
    ----------
    mean_ : mean of each touched column in the rows of `fit`; 0 where a column has no value.

    >>> Center().fit_transform([[1.0], [2.0], [6.0]]).ravel()
    array([-2., -1.,  3.])
    """

    vectors: ClassVar[tuple[str, ...]] = ("mean",)

    def fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Learn the means, rows counted by their weights where given."""
        self._weight = sample_weight
        try:
            self._fitted(eager(X), y)
        finally:
            del self._weight
        return self

    def fit_transform(self, X: TableLike, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None) -> Any:
        """Learn from the rows of X, and transform them."""
        return self.fit(X, y, sample_weight).transform(X)

    def _learn(self, X: np.ndarray, y: Any) -> None:
        self._learn_means(X, check.weights(self._weight, len(X)))

    def _learn_means(self, X: np.ndarray, weight: np.ndarray) -> np.ndarray:
        """Learn the means, and say which columns are constant: a mask of them."""
        self.mean_ = means(X, weight)
        weighted_rows = X if weight.all() else X[weight > 0]
        constant = is_constant(weighted_rows)
        self.mean_[constant] = extremes(weighted_rows)[0][constant]  # to the last bit, so that 0 is 0
        say_constant(self.names_, constant)
        return constant

    def _apply(self, X: np.ndarray) -> np.ndarray:
        return X - self.mean_

    def _invert(self, X: np.ndarray) -> np.ndarray:
        return X + self.mean_


class Standardize(Center):
    r"""Subtract the mean of each column and divide by its standard deviation (1/n).

    .. math:: x \mapsto \frac{x - \bar x}{s}, \qquad s^2 = \frac{1}{n} \sum_i (x_i - \bar x)^2

    A constant column becomes 0, and a warning says so. A missing value is left out and stays missing.

    Attributes
    ----------
    mean_, scale_ : mean and standard deviation of each touched column; 1 for the deviation of a constant column.

    >>> Standardize().fit_transform([[1.0], [3.0], [5.0]]).ravel().round(4)
    array([-1.2247,  0.    ,  1.2247])
    """

    vectors = ("mean", "scale")

    def _learn(self, X: np.ndarray, y: Any) -> None:
        weight = check.weights(self._weight, len(X))
        constant = self._learn_means(X, weight)
        self.scale_ = _deviations(X, self.mean_, weight)
        self.scale_[constant | (self.scale_ == 0)] = 1.0  # 0 where all but one row weigh next to nothing

    def _apply(self, X: np.ndarray) -> np.ndarray:
        return super()._apply(X) / self.scale_

    def _invert(self, X: np.ndarray) -> np.ndarray:
        return super()._invert(X * self.scale_)


class UnitRange(NumericTransform):
    r"""Map each column linearly so that its smallest value is 0 and its largest 1.

    .. math:: x \mapsto \frac{x - \min x}{\max x - \min x}

    Values of new rows may lie outside. A constant column becomes 0, and a warning says so.

    Attributes
    ----------
    low_, high_ : smallest and largest value of each touched column in the rows of `fit`.

    >>> UnitRange().fit_transform([[1.0], [2.0], [5.0]]).ravel()
    array([0.  , 0.25, 1.  ])
    """

    vectors = ("low", "high")

    def _learn(self, X: np.ndarray, y: Any) -> None:
        self.low_, self.high_ = extremes(X)
        say_constant(self.names_, is_constant(X))

    def _apply(self, X: np.ndarray) -> np.ndarray:
        half = self._halved()
        return (X * half - self.low_ * half) / self._width()

    def _invert(self, X: np.ndarray) -> np.ndarray:
        half = self._halved()
        return (X * self._width() + self.low_ * half) / half

    def _halved(self) -> np.ndarray:
        """A half for columns whose width is beyond the largest number, else 1: both are exact."""
        with np.errstate(over="ignore"):
            return np.where(np.isfinite(self.high_ - self.low_), 1.0, 0.5)

    def _width(self) -> np.ndarray:
        half = self._halved()
        width = self.high_ * half - self.low_ * half
        return np.where(width > 0, width, 1.0)


def means(X: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Weighted mean of the values that are there; 0 where there is none.

    Columns are summed one by one: a product of matrices rounds by the order in memory and by the columns beside.

    >>> means(np.array([[1.0, np.nan], [4.0, np.nan]]), np.array([2.0, 1.0]))
    array([2., 0.])
    """
    plain = bool((weight == 1).all())
    return np.array([_mean(np.ascontiguousarray(X[:, j]), None if plain else weight) for j in range(X.shape[1])])


def _mean(x: np.ndarray, weight: np.ndarray | None) -> float:
    with np.errstate(over="ignore", invalid="ignore"):
        total = float(x.sum() if weight is None else (x * weight).sum())
    if np.isfinite(total):
        return total / (len(x) if weight is None else float(weight.sum()))
    is_observed = ~np.isnan(x)
    heavy = float(is_observed.sum() if weight is None else weight[is_observed].sum())
    if not heavy > 0:
        return 0.0
    weighted = (
        x[is_observed] / heavy if weight is None else x[is_observed] * (weight[is_observed] / heavy)
    )  # no sum beyond the largest
    return (
        float(weighted.sum())
        if is_observed.all()
        else _mean(x[is_observed], None if weight is None else weight[is_observed])
    )


def _deviations(X: np.ndarray, mean: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Weighted standard deviation (1/n) around the mean; the second pass keeps digits of data far from 0.

    Squares are of shares of the largest distance, so that none is too large or too small for a number.

    >>> _deviations(np.array([[1e-200, 1e200], [3e-200, 3e200]]), np.array([2e-200, 2e200]), np.ones(2))
    array([1.e-200, 1.e+200])
    """
    off = X - mean
    largest = np.fmax.reduce(np.abs(off), axis=0, initial=0.0)
    unit = np.where(largest > 0, 2.0 ** np.floor(np.log2(np.where(largest > 0, largest, 1.0))), 1.0)  # exact
    return np.sqrt(means(np.square(off / unit), weight)) * unit


def extremes(X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Smallest and largest value of each column; 0 where there is none."""
    low, high = np.fmin.reduce(X, axis=0), np.fmax.reduce(X, axis=0)
    return np.nan_to_num(low), np.nan_to_num(high)


def is_constant(X: np.ndarray) -> np.ndarray:
    """A mask of the columns without two different values."""
    low, high = extremes(X)
    return ~(high > low)


def say_constant(names: Sequence[str], constant: np.ndarray) -> None:
    """One warning that names the constant columns."""
    constant_names = [name for name, flat in zip(names, constant) if flat]
    if constant_names:
        listed = first_few(list(map(repr, constant_names)), 5)
        warnings.warn(f"constant in the rows of fit, so 0 after it: column(s) {listed}", TamisWarning, stacklevel=6)
