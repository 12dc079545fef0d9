"""Metrics of probabilities."""

import numpy as np

from tamis.metrics.metric import Metric, mean_of
from tamis.task import CLASSIFICATION


def _log_losses(y: np.ndarray, answer: np.ndarray, labels: np.ndarray) -> np.ndarray:
    eps = np.finfo(np.float64).eps  # as scikit-learn clips
    return np.asarray(-np.log(np.clip(answer[np.arange(len(y)), y], eps, 1 - eps)))


def _briers(y: np.ndarray, answer: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """(p − y)² for two classes; summed over the classes for more."""
    if len(labels) == 2:
        return np.asarray((answer[:, 1] - y) ** 2)
    return np.asarray(((answer - (y[:, None] == np.arange(len(labels)))) ** 2).sum(axis=1))


def _ranked_probability_scores(y: np.ndarray, answer: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Σ over the K − 1 cuts between ordered classes of (P(class ≤ k) − 1[y ≤ k])², over K − 1; two classes: Brier."""
    below = np.cumsum(answer, axis=1)[:, :-1]
    steps = (y[:, None] <= np.arange(answer.shape[1] - 1)).astype(np.float64)
    return np.asarray(((below - steps) ** 2).sum(axis=1) / max(1, answer.shape[1] - 1))


METRICS = (
    Metric("log_loss", CLASSIFICATION, "probabilities", False, mean_of(_log_losses), _log_losses),
    Metric("brier", CLASSIFICATION, "probabilities", False, mean_of(_briers), _briers),
    Metric(
        "ranked_probability_score",
        CLASSIFICATION,
        "probabilities",
        False,
        mean_of(_ranked_probability_scores),
        _ranked_probability_scores,
    ),
)
