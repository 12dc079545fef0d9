"""Losses: what a prediction costs, its slope and curvature, and its convex conjugate for the duality gap.

Each loss holds the target and works on the linear predictor eta (rows × outputs). `residual` is minus the derivative,
the residual for the squared loss; `conjugate(residual)` is the conjugate at minus the residual, up to scaling.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from scipy.special import expit, xlogy


class Loss(ABC):
    """A convex loss of one or several linear predictors a row."""

    constant_curvature = False
    stride = np.inf  # longest step of an intercept, where the loss is far from quadratic

    def __init__(self, y: np.ndarray, offset: np.ndarray | None = None) -> None:
        self.y = y if y.ndim == 2 else y[:, None]
        self.offset = None if offset is None else offset[:, None]

    @property
    def outputs(self) -> int:
        return self.y.shape[1]

    @abstractmethod
    def value(self, eta: np.ndarray) -> np.ndarray:
        """Loss of each row."""

    @abstractmethod
    def residual(self, eta: np.ndarray) -> np.ndarray:
        """Minus the derivative by eta."""

    @abstractmethod
    def curvature(self, eta: np.ndarray) -> np.ndarray:
        """Second derivative by each eta, the others held."""

    def cross(self, eta: np.ndarray, k: int, other: int) -> np.ndarray:
        """Second derivative by two different outputs."""
        return np.zeros(len(eta))

    @abstractmethod
    def conjugate(self, residual: np.ndarray) -> np.ndarray:
        """Conjugate of each row's loss at minus the residual."""

    @abstractmethod
    def start(self, weights: np.ndarray) -> np.ndarray:
        """A good first intercept."""

    def take(self, rows: np.ndarray) -> Loss:
        """The same loss for some of the rows."""
        offset = None if self.offset is None else self.offset[rows, 0]
        return type(self)(self.y[rows], offset)


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


class Logistic(Loss):
    """Log loss of a class coded 0 or 1."""

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


class SquaredHinge(Loss):
    """Squared distance to the margin, max(0, 1 - yη)², of a class coded 0 or 1 (read as -1 and 1)."""

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


class Poisson(Loss):
    """Poisson deviance of counts with a log link: e^η - yη."""

    stride = 5.0

    def value(self, eta: np.ndarray) -> np.ndarray:
        return (np.exp(np.minimum(eta, 700)) - self.y * eta)[:, 0]

    def residual(self, eta: np.ndarray) -> np.ndarray:
        return self.y - np.exp(np.minimum(eta, 700))

    def curvature(self, eta: np.ndarray) -> np.ndarray:
        return np.exp(np.minimum(eta, 700))

    def conjugate(self, residual: np.ndarray) -> np.ndarray:
        q = np.maximum(self.y - residual, 0.0)
        return (xlogy(q, q) - q)[:, 0]

    def start(self, weights: np.ndarray) -> np.ndarray:
        base = np.ones_like(self.y) if self.offset is None else np.exp(self.offset)
        return np.log(np.maximum(weights @ self.y, 1e-300) / (weights @ base))


class Huber(Loss):
    """Half the squared error up to `width`, then linear: the residual of an outlier is at most `width`."""

    def __init__(self, y: np.ndarray, offset: np.ndarray | None = None, width: float = 1.35) -> None:
        super().__init__(y, offset)
        self.width = width

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
