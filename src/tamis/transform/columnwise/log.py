"""Logarithms of numbers that may be zero or below."""

from dataclasses import field
from typing import Any

import numpy as np
from scipy import sparse

from tamis import check
from tamis.errors import TableError
from tamis.table.interface.takes_table import parameters
from tamis.transform.base import NumericTransform
from tamis.transform.scale import extremes


@parameters
class Log(NumericTransform):
    r"""The logarithm of each value plus an offset.

    .. math:: x \mapsto \log(b + x)

    Where no offset is given it is learned for each column: b = 1 when no value is below 0, else 1 minus the smallest
    value. So log(1 + x) of counts, and never a logarithm below 0 in the rows of `fit`. Missing values stay missing.

    Parameters
    ----------
    offset : b, for all columns; None learns it.
    below : what to do with a value that has no logarithm: "raise" an error that names its column and row, or read it as
        the "lowest" value of the rows of `fit` that has one.

    Attributes
    ----------
    offset_ : b of each touched column.
    low_ : its smallest value with a logarithm in the rows of `fit`.

    >>> Log().fit_transform([[0.0], [1.0], [3.0]]).ravel().round(4)
    array([0.    , 0.6931, 1.3863])
    """

    vectors = ("offset", "low")

    offset: float | None = field(default=None, kw_only=False)
    below: str = "raise"

    def _check(self) -> None:
        if self.offset is not None:
            check.number("offset", self.offset)
        check.one_of("below", self.below, ["raise", "lowest"])

    def _sparse_ok(self) -> bool:
        return self.offset is not None and self.offset == 1  # the only one that leaves 0 where it is

    def _learn(self, X: Any, y: Any) -> None:
        low = np.asarray(X.min(axis=0).todense()).ravel() if sparse.issparse(X) else extremes(X)[0]
        self.offset_ = 1.0 - np.minimum(low, 0.0) if self.offset is None else np.full(X.shape[1], float(self.offset))
        self.low_ = np.where(self.offset_ + low > 0, low, 1.0 - self.offset_)
        if self.below == "raise":
            self._apply(X)
        elif np.any(self.offset_ + low <= 0):
            self.low_ = np.array([_lowest(X[:, [j]], b) for j, b in enumerate(self.offset_)])

    def _apply(self, X: Any) -> Any:
        if sparse.issparse(X):
            out = X.tocsc(copy=True)
            columns = np.repeat(np.arange(X.shape[1]), np.diff(out.indptr))
            out.data = self._logarithms(out.data, self.offset_[columns], self.low_[columns], X)
            return out
        return self._logarithms(X, self.offset_, self.low_, X)

    def _logarithms(self, values: np.ndarray, offset: np.ndarray, low: np.ndarray, X: Any) -> np.ndarray:
        shifted = values + offset
        if (shifted <= 0).any():
            if self.below == "raise":
                self._refuse(X)
            shifted = np.where(shifted <= 0, low + offset, shifted)
        return np.log(shifted)

    def _refuse(self, X: Any) -> None:
        """Raise the sentence that names the first value without a logarithm."""
        dense = X.toarray() if sparse.issparse(X) else X
        rows, columns = np.nonzero(dense + self.offset_ <= 0)
        i, j = int(rows[0]), int(columns[0])
        b = float(self.offset_[j])
        more = f" ({len(rows):,} such values in all)" if len(rows) > 1 else ""
        offender = f"column {self.names_[j]!r} holds {float(dense[i, j])!r} in row {i + 1:,}"
        raise TableError(
            f"{'Negative values in data: ' if dense[i, j] < 0 else ''}{offender}, but log({b:g} + x) needs values "
            "above "
            f"{-b:g}{more}; give a larger offset, or clip first"
        )

    def _invert(self, X: np.ndarray) -> np.ndarray:
        return np.exp(X) - self.offset_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = self.offset is not None and self.offset <= 1 and self.below == "raise"
        return tags


def _lowest(column: Any, offset: float) -> float:
    """The smallest value above -offset; 1 - offset, whose logarithm is 0, where there is none."""
    values = (column.toarray() if sparse.issparse(column) else column).ravel()
    positive = values[values + offset > 0]
    return float(positive.min()) if len(positive) else 1.0 - offset
