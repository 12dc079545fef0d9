"""Metrics of predicted classes."""

from collections.abc import Callable

import numpy as np
from sklearn import metrics as sk

from tamis.metrics.metric import Metric, Score, mean_of
from tamis.task import CLASSIFICATION

#: How precision, recall and F1 are averaged over classes.
AVERAGES = ("macro", "micro", "weighted")

_SCORES = {"precision": sk.precision_score, "recall": sk.recall_score, "f1": sk.f1_score}


def _averaged(function: Callable[..., float], average: str | None = None) -> Score:
    """Precision, recall, F1: of the second of two classes, else (or when asked) averaged over the classes."""

    def value(y: np.ndarray, answer: np.ndarray, labels: np.ndarray) -> float:
        how = average or ("binary" if len(labels) == 2 else "macro")
        only = None if how == "binary" else np.arange(len(labels))
        return float(function(y, answer, labels=only, average=how, zero_division=0.0))

    return value


def _balanced(y: np.ndarray, answer: np.ndarray, labels: np.ndarray) -> float:
    return float(np.mean([np.mean(answer[y == code] == code) for code in np.unique(y)]))


def _kappa(y: np.ndarray, answer: np.ndarray, labels: np.ndarray) -> float:
    """Cohen's: agreement beyond that of answers drawn in the same shares; 0 where those agree always."""
    codes = np.arange(len(labels))
    by_chance = float(((y[:, None] == codes).mean(axis=0) * (answer[:, None] == codes).mean(axis=0)).sum())
    return (float(np.mean(y == answer)) - by_chance) / (1 - by_chance) if by_chance < 1 else 0.0


def _hits(y: np.ndarray, answer: np.ndarray, labels: np.ndarray) -> np.ndarray:
    return (answer == y).astype(np.float64)


def _misses(y: np.ndarray, answer: np.ndarray, labels: np.ndarray) -> np.ndarray:
    return (answer != y).astype(np.float64)


METRICS = (
    Metric("accuracy", CLASSIFICATION, "labels", True, mean_of(_hits), _hits),
    Metric("error", CLASSIFICATION, "labels", False, mean_of(_misses), _misses),
    Metric("balanced_accuracy", CLASSIFICATION, "labels", True, _balanced),
    *(Metric(name, CLASSIFICATION, "labels", True, _averaged(function)) for name, function in _SCORES.items()),
    *(
        Metric(f"{name}_{average}", CLASSIFICATION, "labels", True, _averaged(function, average))
        for name, function in _SCORES.items()
        for average in AVERAGES
    ),
    Metric("matthews", CLASSIFICATION, "labels", True, lambda y, a, k: float(sk.matthews_corrcoef(y, a))),
    Metric("kappa", CLASSIFICATION, "labels", True, _kappa),
)
