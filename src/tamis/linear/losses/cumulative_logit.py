"""Log loss of ordered classes, with proportional odds."""

from __future__ import annotations

import numpy as np
from scipy.special import expit, log_expit

from tamis.linear.losses.loss import Loss


class CumulativeLogit(Loss):
    """Log loss of ordered classes 0 … K - 1: logit P(y ≤ c) = θ_c - xβ, one threshold θ_c below each next class.

    Linear predictors are these log-odds, one a threshold (rows × thresholds).
    """

    target = "classes"
    has_thresholds = True

    def __init__(self, y: np.ndarray, offset: np.ndarray | None = None, n_classes: int | None = None) -> None:
        super().__init__(y, offset)
        self.n_classes = int(self.y.max(initial=0)) + 1 if n_classes is None else n_classes

    @property
    def n_intercepts(self) -> int:
        return self.n_classes - 1

    def take(self, rows: np.ndarray) -> Loss:
        return CumulativeLogit(self.y[rows], None, self.n_classes)

    @staticmethod
    def probabilities(eta: np.ndarray) -> np.ndarray:
        """Probabilities of the classes (rows × classes) from the log-odds of the thresholds.

        >>> CumulativeLogit.probabilities(np.array([[0.0, np.log(3.0)]]))
        array([[0.5 , 0.25, 0.25]])
        """
        return np.exp(CumulativeLogit.log_probabilities(eta))

    @staticmethod
    def log_probabilities(eta: np.ndarray) -> np.ndarray:
        """Their logarithms: log F(a) + log F(-b) + log(1 - exp(b - a)) between the log-odds a above and b below."""
        ends = np.full((len(eta), 1), np.inf)
        above, below = np.hstack([eta, ends]), np.hstack([-ends, eta])
        with np.errstate(divide="ignore"):
            return np.asarray(log_expit(above) + log_expit(-below) + np.log1p(-np.exp(below - above)))

    def value(self, eta: np.ndarray) -> np.ndarray:
        code = self.y.astype(np.int64)
        return -np.take_along_axis(self.log_probabilities(eta), code, axis=1)[:, 0]

    def residual(self, eta: np.ndarray) -> np.ndarray:
        """Minus the derivative by a linear predictor that is subtracted from all thresholds (rows × 1)."""
        above, below = self._bounds(eta)
        return np.asarray(expit(above) + expit(below) - 1)

    def curvature(self, eta: np.ndarray) -> np.ndarray:
        above, below = self._bounds(eta)
        return np.asarray(expit(above) * expit(-above) + expit(below) * expit(-below))

    def _bounds(self, eta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The log-odds above and below each row's class (rows × 1)."""
        ends, code = np.full((len(eta), 1), np.inf), self.y.astype(np.int64)
        padded = np.hstack([-ends, eta, ends])
        return np.take_along_axis(padded, code + 1, axis=1), np.take_along_axis(padded, code, axis=1)

    def conjugate(self, residual: np.ndarray) -> np.ndarray:
        raise NotImplementedError("the core bounds the gap without it")

    def start(self, weights: np.ndarray) -> np.ndarray:
        heavy = np.bincount(self.y[:, 0].astype(np.int64), weights=weights, minlength=self.n_classes)
        below = np.clip(np.cumsum(heavy)[:-1] / heavy.sum(), 1e-12, 1 - 1e-12)
        return np.asarray(np.log(below / (1 - below)))
