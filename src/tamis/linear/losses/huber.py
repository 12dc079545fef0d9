"""Squared error of small residuals, absolute error of large ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis.linear.losses.loss import Loss


class Huber(Loss):
    """Half the squared error up to `width`, then linear: the residual of an outlier is at most `width`."""

    def __init__(self, y: np.ndarray, offset: np.ndarray | None = None, width: float = 1.35) -> None:
        super().__init__(y, offset)
        self.width = width

    @classmethod
    def of(cls, y: np.ndarray, weights: np.ndarray, offset: np.ndarray | None, model: Any) -> Loss:
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

    def start(self, weights: np.ndarray) -> np.ndarray:
        order = np.argsort(self.y[:, 0])
        below = np.cumsum(weights[order])
        return self.y[order[np.searchsorted(below, 0.5 * below[-1])]]

    def take(self, rows: np.ndarray) -> Loss:
        offset = None if self.offset is None else self.offset[rows, 0]
        return Huber(self.y[rows], offset, self.width)


def _spread(y: np.ndarray, weights: np.ndarray) -> float:
    """A robust standard deviation: 1.4826 times the median distance from the median; the plain one when that is 0."""
    kept = y[weights > 0]
    far = float(1.4826 * np.median(np.abs(kept - np.median(kept))))
    return far if far > 0 else float(kept.std()) or 1.0
