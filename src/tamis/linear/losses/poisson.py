"""Poisson deviance of counts, with a log link."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import xlogy

from tamis.errors import ParameterError
from tamis.linear.losses.loss import Loss

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


class Poisson(Loss):
    """Half the Poisson deviance of counts with a log link: y (log y - η) - (y - e^η), 0 for perfect predictions.

    The deviance is the log likelihood less that of perfect predictions. Without the second term the standard error over
    folds is that of the counts' sizes, and the one-standard-error rule keeps no column where counts are large.
    """

    predictor = "log of the expected count"
    takes_offset = True
    stride = 5.0

    @classmethod
    def of(cls, y: np.ndarray, weights: np.ndarray, offset: np.ndarray | None, model: BaseEstimator) -> Loss:
        """The loss of counts of at least 0, one of them above."""
        bad = np.flatnonzero(y < 0)
        if bad.size:
            raise ParameterError(
                f"Negative values in y: row {bad[0] + 1:,} has {y[bad[0]]:g}; loss='poisson' takes counts of at least 0"
            )
        if not (weights @ y) > 0:
            raise ParameterError("the target is 0 in every row; loss='poisson' needs at least one count above 0")
        return cls(y, offset)

    @staticmethod
    def respond(eta: np.ndarray) -> np.ndarray:
        """The expected count."""
        return np.exp(np.minimum(eta, 700))

    def value(self, eta: np.ndarray) -> np.ndarray:
        eta = np.minimum(eta, 700)
        above = np.log(np.where(self.y > 0, self.y, 1.0)) - eta
        return np.where(self.y > 0, self.y * (np.expm1(-above) + above), np.exp(eta))[:, 0]

    def residual(self, eta: np.ndarray) -> np.ndarray:
        return self.y - np.exp(np.minimum(eta, 700))

    def curvature(self, eta: np.ndarray) -> np.ndarray:
        return np.exp(np.minimum(eta, 700))

    def conjugate(self, residual: np.ndarray) -> np.ndarray:
        q = np.maximum(self.y - residual, 0.0)
        return (xlogy(q, q) - q - xlogy(self.y, self.y) + self.y)[:, 0]

    def magnitude(self, weights: np.ndarray) -> float:
        return float(weights @ self.y[:, 0])

    def start(self, weights: np.ndarray) -> np.ndarray:
        base = np.ones_like(self.y) if self.offset is None else np.exp(self.offset)
        return np.log(np.maximum(weights @ self.y, 1e-300) / (weights @ base))
