"""Squeeze numbers into (0, 1)."""

from dataclasses import field

import numpy as np
from scipy.special import expit, logit

from tamis import check
from tamis.errors import TableError
from tamis.table.interface.takes_table import parameters
from tamis.transform.base import NumericTransform


@parameters
class Sigmoid(NumericTransform):
    r"""The logistic function of each value.

    .. math:: x \mapsto \frac{1}{1 + e^{-b x}}

    Missing values stay missing. Values far from 0 are all but 0 or 1: standardize first.

    Parameters
    ----------
    b : steepness, above 0.

    >>> Sigmoid(2.0).fit_transform([[-1.0], [0.0], [1.0]]).ravel().round(4)
    array([0.1192, 0.5   , 0.8808])
    """

    b: float = field(default=1.0, kw_only=False)

    def _check(self) -> None:
        check.number("b", self.b, low=0, open_low=True)

    def _apply(self, X: np.ndarray) -> np.ndarray:
        return np.asarray(expit(self.b * X))

    def _invert(self, X: np.ndarray) -> np.ndarray:
        rows, columns = np.nonzero((X < 0) | (X > 1))
        if len(rows):
            i, j = int(rows[0]), int(columns[0])
            name, value = self.names_[j], float(X[i, j])
            raise TableError(f"column {name!r} holds {value!r} in row {i + 1:,}; a sigmoid lies between 0 and 1")
        return np.asarray(logit(X)) / self.b
