"""Log loss: of two classes, and of several with one linear predictor a class."""

from __future__ import annotations

import numpy as np
from scipy.special import expit, xlogy

from tamis.linear.losses.loss import Loss


class Logistic(Loss):
    """Log loss of a class coded 0 or 1."""

    target = "classes"
    stride = 5.0

    def value(self, eta: np.ndarray) -> np.ndarray:
        return (np.logaddexp(0, eta) - self.y * eta)[:, 0]

    def residual(self, eta: np.ndarray) -> np.ndarray:
        return self.y - expit(eta)

    def curvature(self, eta: np.ndarray) -> np.ndarray:
        p = expit(eta)
        return p * (1 - p)

    def conjugate(self, residual: np.ndarray) -> np.ndarray:
        q = np.clip(self.y - residual, 0.0, 1.0)
        return (xlogy(q, q) + xlogy(1 - q, 1 - q))[:, 0]

    def start(self, weights: np.ndarray) -> np.ndarray:
        mean = np.clip(weights @ self.y / weights.sum(), 1e-12, 1 - 1e-12)
        return np.log(mean / (1 - mean))


class Multinomial(Loss):
    """Log loss of classes coded as indicator columns, one linear predictor a class."""

    target = "classes"
    stride = 5.0

    def cross(self, eta: np.ndarray, k: int, other: int) -> np.ndarray:
        p = _shares(eta)
        return -p[:, k] * p[:, other]

    def value(self, eta: np.ndarray) -> np.ndarray:
        peak = eta.max(axis=1)
        return np.asarray(np.log(np.exp(eta - peak[:, None]).sum(axis=1)) + peak - (self.y * eta).sum(axis=1))

    def residual(self, eta: np.ndarray) -> np.ndarray:
        return self.y - _shares(eta)

    def curvature(self, eta: np.ndarray) -> np.ndarray:
        p = _shares(eta)
        return p * (1 - p)

    def conjugate(self, residual: np.ndarray) -> np.ndarray:
        q = np.clip(self.y - residual, 0.0, 1.0)
        return xlogy(q, q).sum(axis=1)

    def start(self, weights: np.ndarray) -> np.ndarray:
        mean = np.log(np.clip(weights @ self.y / weights.sum(), 1e-12, None))
        return mean - mean.mean()


def _shares(eta: np.ndarray) -> np.ndarray:
    """Softmax over the outputs (scipy's own costs more than the arithmetic on small tables)."""
    raised = np.exp(eta - eta.max(axis=1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=1, keepdims=True))
