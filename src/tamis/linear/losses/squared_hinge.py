"""Squared distance to the margin, of two classes."""

from __future__ import annotations

import numpy as np

from tamis.linear.losses.loss import Loss


class SquaredHinge(Loss):
    """Squared distance to the margin, max(0, 1 - yη)², of a class coded 0 or 1 (read as -1 and 1)."""

    target = "classes"

    def _side(self) -> np.ndarray:
        return 2 * self.y - 1

    def value(self, eta: np.ndarray) -> np.ndarray:
        return (np.maximum(0.0, 1 - self._side() * eta) ** 2)[:, 0]

    def residual(self, eta: np.ndarray) -> np.ndarray:
        side = self._side()
        return 2 * side * np.maximum(0.0, 1 - side * eta)

    def curvature(self, eta: np.ndarray) -> np.ndarray:
        return np.where(self._side() * eta < 1, 2.0, 1e-6)

    def conjugate(self, residual: np.ndarray) -> np.ndarray:
        t = np.maximum(residual * self._side(), 0.0)
        return (0.25 * t * t - t)[:, 0]

    def start(self, weights: np.ndarray) -> np.ndarray:
        return weights @ self._side() / weights.sum()
