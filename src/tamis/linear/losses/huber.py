"""Squared error of small residuals, absolute error of large ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tamis.linear.losses.loss import Loss
from tamis.linear.losses.squared import deviation

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


class Huber(Loss):
    """Half the squared error up to `width`, then linear: the residual of an outlier is at most `width`."""

    def __init__(self, y: np.ndarray, offset: np.ndarray | None = None, width: float = 1.35) -> None:
        super().__init__(y, offset)
        self.width = width

    @classmethod
    def of(cls, y: np.ndarray, weights: np.ndarray, offset: np.ndarray | None, model: BaseEstimator) -> Loss:
        """The loss whose width is `huber_width` robust standard deviations of the target."""
        return cls(y, width=model.huber_width * _spread(y, weights))

    def value(self, eta: np.ndarray) -> np.ndarray:
        r = np.abs(self.y - eta)
        return np.where(r <= self.width, 0.5 * r**2, self.width * r - 0.5 * self.width**2)[:, 0]

    def residual(self, eta: np.ndarray) -> np.ndarray:
        return np.clip(self.y - eta, -self.width, self.width)

    def curvature(self, eta: np.ndarray) -> np.ndarray:
        return np.where(np.abs(self.y - eta) <= self.width, 1.0, 1e-6)

    def conjugate(self, residual: np.ndarray) -> np.ndarray:
        return (0.5 * residual**2 - residual * self.y)[:, 0]

    def unit(self, share: np.ndarray, centred: bool) -> float:
        return _spread(self.y[:, 0], share)

    def over(self, unit: float) -> Loss:
        offset = None if self.offset is None else self.offset[:, 0]
        return self if unit == 1 else Huber(self.y / unit, offset, self.width / unit)

    def start(self, weights: np.ndarray) -> np.ndarray:
        order = np.argsort(self.y[:, 0])
        below = np.cumsum(weights[order])
        return self.y[order[np.searchsorted(below, 0.5 * below[-1])]]

    def take(self, rows: np.ndarray) -> Loss:
        offset = None if self.offset is None else self.offset[rows, 0]
        return Huber(self.y[rows], offset, self.width)


def _spread(y: np.ndarray, weights: np.ndarray) -> float:
    """A robust standard deviation: 1.4826 times the median distance from the median; the plain one when that is 0.

    A whole weight counts as that many copies of its row.
    """
    middle = _median(y, weights)
    far = 1.4826 * _median(np.abs(y - middle), weights)
    return far if far > 1e-14 * abs(middle) else deviation(y, weights / weights.sum(), True)


def _median(values: np.ndarray, weights: np.ndarray) -> float:
    """The weighted median; the mean of the two in the middle where the weights below and above are equal.

    >>> _median(np.array([3.0, 1.0, 2.0]), np.array([1.0, 2.0, 1.0])), _median(np.arange(4.0), np.ones(4))
    (1.5, 1.5)
    """
    order = np.argsort(values[weights > 0], kind="stable")
    values, below = values[weights > 0][order], np.cumsum(weights[weights > 0][order])
    half, slack = 0.5 * below[-1], 1e-12 * below[-1]  # of sums in another order
    lower, upper = np.searchsorted(below, [half - slack, half + slack])
    return float(0.5 * (values[lower] + values[upper]))
