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

    def start(self, weights: np.ndarray) -> np.ndarray:
        return weights @ self.y / weights.sum()
