"""Metrics of ordered classes."""

import numpy as np

from tamis.metrics.metric import Metric, mean_of
from tamis.task import CLASSIFICATION


def _rank_errors(y: np.ndarray, answer: np.ndarray, labels: np.ndarray) -> np.ndarray:
    return np.abs(y - answer).astype(np.float64)


def _weighted_kappa(y: np.ndarray, answer: np.ndarray, labels: np.ndarray) -> float:
    """1 − mean squared difference of ranks over that of answers drawn in the same shares; 0 where that is 0."""
    codes = np.arange(len(labels))
    truth, predicted_rates = ((values[:, None] == codes).mean(axis=0) for values in (y, answer))
    by_chance = float(truth @ (codes[:, None] - codes) ** 2 @ predicted_rates)
    return 1 - float(np.mean((y - answer) ** 2)) / by_chance if by_chance > 0 else 0.0


METRICS = (
    Metric("mean_rank_error", CLASSIFICATION, "labels", False, mean_of(_rank_errors), _rank_errors),
    Metric("weighted_kappa", CLASSIFICATION, "labels", True, _weighted_kappa),
)
