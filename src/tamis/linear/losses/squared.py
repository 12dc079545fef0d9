"""Half the squared error of a number."""

from __future__ import annotations

import numpy as np

from tamis.linear.losses.loss import Loss


class Squared(Loss):
    """Half the squared error."""

    constant_curvature = True

    def value(self, eta: np.ndarray) -> np.ndarray:
        return 0.5 * ((self.y - eta) ** 2).sum(axis=1)

    def residual(self, eta: np.ndarray) -> np.ndarray:
        return self.y - eta

    def curvature(self, eta: np.ndarray) -> np.ndarray:
        return np.ones_like(eta)

    def conjugate(self, residual: np.ndarray) -> np.ndarray:
        return (0.5 * residual**2 - residual * self.y).sum(axis=1)

    def unit(self, share: np.ndarray, centred: bool) -> float:
        return deviation(self.y[:, 0], share, centred)

    def over(self, unit: float) -> Loss:
        return self if unit == 1 else Squared(self.y / unit)

    def start(self, weights: np.ndarray) -> np.ndarray:
        return weights @ self.y / weights.sum()


def deviation(y: np.ndarray, share: np.ndarray, centred: bool) -> float:
    """Standard deviation of a target (about 0 without an intercept); 1 where it does not vary.

    >>> deviation(np.array([1e200, 3e200]), np.array([0.5, 0.5]), True)
    1e+200
    """
    y, share = y[share > 0], share[share > 0]
    middle = float(share @ y) if centred else 0.0
    largest = float(np.max(np.abs(y - middle), initial=0.0))
    if not largest > 1e-14 * abs(middle):  # rounding of the mean
        return 1.0
    return largest * float(np.sqrt(share @ ((y - middle) / largest) ** 2))
