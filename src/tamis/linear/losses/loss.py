"""Losses: value, first and second derivative by the linear predictor, convex conjugate for the duality gap.

Each loss holds the target and works on the linear predictor eta (rows × outputs). `residual` is minus the derivative,
the residual for the squared loss; `conjugate(residual)` is the conjugate at minus the residual, up to scaling.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


class Loss(ABC):
    """A convex loss of one or several linear predictors a row.

    Attributes
    ----------
    target : "numbers" (LinearRegressor) or "classes" (LinearClassifier, coded 0 and 1; several classes one against the
        rest).
    predictor : what the linear predictor is, in words, where the target is a number.
    takes_offset : whether a number of each row may be added to its linear predictor.
    constant_curvature : whether the curvature is the same everywhere.
    is_smooth : whether it has a derivative everywhere, so that Newton steps and refits of subsets serve it.
    has_thresholds : whether the classes are ordered, with a threshold between neighbours instead of an intercept.
    stride : longest step of an intercept, where the loss is far from quadratic.
    """

    target = "numbers"
    predictor = "target"
    takes_offset = False
    constant_curvature = False
    is_smooth = True
    has_thresholds = False
    stride = np.inf

    def __init__(self, y: np.ndarray, offset: np.ndarray | None = None) -> None:
        self.y = y if y.ndim == 2 else y[:, None]
        self.offset = None if offset is None else offset[:, None]

    @classmethod
    def of(cls, y: np.ndarray, weights: np.ndarray, offset: np.ndarray | None, model: BaseEstimator) -> Loss:
        """The loss of a target, checked; `model` is the estimator, whose parameters a loss may read."""
        return cls(y, offset)

    @staticmethod
    def respond(eta: np.ndarray) -> np.ndarray:
        """The prediction at a linear predictor: the inverse link, where the target is a number."""
        return eta

    @property
    def outputs(self) -> int:
        return self.y.shape[1]

    @property
    def n_intercepts(self) -> int:
        """Free intercepts or thresholds; of several classes one less, as a number added to all changes nothing."""
        return max(self.outputs - 1, 1)

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

    def unit(self, share: np.ndarray, centred: bool) -> float:
        """The unit of the linear predictor, of which the target has a deviation of one; 1 where it has none.

        `share` are weights of the rows that sum to 1; without an intercept the predictor is not `centred`.
        """
        return 1.0

    def magnitude(self, weights: np.ndarray) -> float:
        """Size of the terms whose difference the mean loss is: below its rounding nothing can be told."""
        return 0.0

    def over(self, unit: float) -> Loss:
        """The loss of the target divided by its unit."""
        return self

    def take(self, rows: np.ndarray) -> Loss:
        """The same loss for some of the rows."""
        offset = None if self.offset is None else self.offset[rows, 0]
        return type(self)(self.y[rows], offset)
