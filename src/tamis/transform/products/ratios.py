"""Ratios of columns."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from tamis import check
from tamis.errors import DamagedError, ParameterError
from tamis.saved import numbers, read_entry, refuse_outside
from tamis.table import same_length
from tamis.table.interface.takes_table import parameters
from tamis.transform.base import NumericTransform
from tamis.transform.products.monomials import check_criterion, refuse_without_target
from tamis.transform.products.screen import best_pairs


@parameters
class Ratios(NumericTransform):
    r"""The columns themselves and ratios of two of them.

    .. math:: x_j, \quad \frac{x_j}{x_k} \; (j < k)

    Where there are more ratios than `most`, those with the highest score are kept, by the rows of `fit` alone: the
    square of the correlation with the target (for classes the share of variance between them). A ratio with a missing
    part, or with 0 below the line, is missing.

    Parameters
    ----------
    both : also the ratios with the later column above the line.
    most : new columns at most; without y more is an error.
    by : "pearson", or a function of a matrix and y that gives a number a column, larger is better.

    Attributes
    ----------
    pairs_ : (above, below) of each new column, as positions among the touched columns.

    >>> t = Ratios().fit([[1.0, 2.0], [3.0, 4.0]])
    >>> t.get_feature_names_out()
    array(['x0', 'x1', 'x0/x1'], dtype=object)
    >>> t.transform([[3.0, 4.0], [3.0, 0.0]])
    array([[3.  , 4.  , 0.75],
           [3.  , 0.  ,  nan]])
    """

    one_to_one = False

    both: bool = False
    most: int = 1000
    by: Any = "pearson"

    def _check(self) -> None:
        check.count("most", self.most)
        if not isinstance(self.both, (bool, np.bool_)):
            raise ParameterError(f"both={self.both!r} is neither True nor False; give one of them")
        check_criterion(self.by)

    def _learn(self, X: np.ndarray, y: Any) -> None:
        n_columns, both_ways = X.shape[1], self.both
        n_new = n_columns * (n_columns - 1) // (1 if both_ways else 2)
        if n_new <= self.most:
            self.pairs_ = [(j, k) for j in range(n_columns) for k in range(n_columns) if j < k or (both_ways and j > k)]
            return
        refuse_without_target(y, n_columns, n_new, "ratios", self.most)
        same_length(X, y)
        self.pairs_ = best_pairs(X, _inverse(X), lambda a, b: (a != b) if both_ways else (a < b), self.most, y, self.by)

    def _apply(self, X: np.ndarray) -> np.ndarray:
        out = np.empty((len(X), X.shape[1] + len(self.pairs_)), order="F")
        out[:, : X.shape[1]] = X
        for at, (j, k) in enumerate(self.pairs_, start=X.shape[1]):
            below = X[:, k]
            np.divide(X[:, j], below, out=out[:, at], where=below != 0)
            out[below == 0, at] = np.nan
        return out

    def _output_names(self, names: Sequence[str]) -> Sequence[str]:
        return [*names, *(f"{names[j]}/{names[k]}" for j, k in self.pairs_)]

    def _state(self) -> dict[str, Any]:
        return {"pairs": [list(pair) for pair in self.pairs_]}

    def _restore(self, state: dict[str, Any]) -> None:
        pairs = numbers("pairs", read_entry(state, "pairs"), np.int64, (None, 2))
        refuse_outside("pairs", pairs, 0, len(self.touched_) - 1)
        if np.any(pairs[:, 0] == pairs[:, 1]):
            raise DamagedError("a ratio of it is one of a column to itself")
        self.pairs_ = [(int(j), int(k)) for j, k in pairs]


def _inverse(X: np.ndarray) -> np.ndarray:
    """1/x; missing where x is 0."""
    return np.divide(1.0, X, out=np.full(X.shape, np.nan), where=X != 0)
