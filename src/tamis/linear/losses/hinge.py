"""Distance to the margin, of two classes: the loss of the support vector machine."""

from __future__ import annotations

import numpy as np

from tamis.linear.losses.loss import Loss


class Hinge(Loss):
    """max(0, 1 - yη) of a class coded 0 or 1 (read as -1 and 1); of its corner `solvers.hinge` takes care."""

    target = "classes"
    is_smooth = False

    def _side(self) -> np.ndarray:
        return 2 * self.y - 1

    def value(self, eta: np.ndarray) -> np.ndarray:
        return np.maximum(0.0, 1 - self._side() * eta)[:, 0]

    def residual(self, eta: np.ndarray) -> np.ndarray:
        side = self._side()
        return np.where(side * eta < 1, side, 0.0)

    def curvature(self, eta: np.ndarray) -> np.ndarray:
        return np.zeros_like(eta)

    def conjugate(self, residual: np.ndarray) -> np.ndarray:
        return -np.clip(residual * self._side(), 0.0, 1.0)[:, 0]

    def start(self, weights: np.ndarray) -> np.ndarray:
        return np.sign(weights @ self._side())
