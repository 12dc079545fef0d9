"""Which metric a function returns, read from its scores on a table of equal rows.

All that can be learned from equal rows is one answer for all of them, and the scores of constant answers tell metrics
apart when the classes are unequal, once this way and once the other way round.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tamis.evaluate.chance.uninformed import constant_answers
from tamis.evaluate.metrics import METRICS, Metric, find

__all__ = ["recognised", "unequal"]

_NAMES = {
    "classes": (
        *("accuracy", "balanced_accuracy", "roc_auc", "average_precision", "matthews", "kappa"),
        *("f1", "f1_macro", "f1_weighted", "log_loss", "brier", "error"),
    ),
    "numbers": ("r2", "mse", "rmse", "mae"),
}
_FACTOR = 1000.0

Score = Callable[[np.ndarray], float]


def recognised(score: Score, y: np.ndarray, labels: np.ndarray | None) -> list[Metric]:
    """The metrics, larger is better, that explain the scores of a function on a table of equal rows; often one.

    Parameters
    ----------
    score : the function's score for a target, on that table; NaN where it fails.
    y, labels : the target, and its classes (None for numbers).

    >>> shares = lambda y: float(np.mean(y == np.bincount(y).argmax()))
    >>> [metric.name for metric in recognised(shares, np.arange(40) % 2, np.array([0, 1]))]
    ['accuracy']
    """
    targets = [y, y * _FACTOR] if labels is None else unequal(len(y), labels)
    found = [score(target) for target in targets]
    if not np.isfinite(found).all():
        return []
    kind = "numbers" if labels is None else "classes"
    named = [METRICS[name] for name in _NAMES[kind]]
    forms = [m if m.larger else find(f"neg_{m.name}", classes=labels is not None) for m in named]
    return [form for form in forms if _explains(form, found, targets, labels)]


def unequal(n: int, labels: np.ndarray) -> list[np.ndarray]:
    """Two targets of unequal classes: the first class largest, and the last class largest.

    >>> [np.bincount(y).tolist() for y in unequal(9, np.array([0, 1]))]
    [[6, 3], [3, 6]]
    """
    k = len(labels)
    weights = np.arange(k, 0, -1, dtype=float)  # two thirds and a third for two classes
    edges = np.round(np.cumsum(weights) / weights.sum() * n).astype(int)
    codes = np.searchsorted(edges, np.arange(n), side="right")
    mixed = np.random.Generator(np.random.PCG64(0)).permutation(codes)
    return [labels[mixed], labels[k - 1 - mixed]]


def _explains(metric: Metric, found: list[float], targets: list[np.ndarray], labels: np.ndarray | None) -> bool:
    """True when one way of answering, the same for both targets, gives both scores."""
    ways = [[constant_answers(metric, target, labels)[0] for target in targets]]
    if labels is not None and metric.needs == "labels":
        scores = [constant_answers(metric, target, labels) for target in targets]
        largest = [int(np.argmax([np.sum(target == label) for label in labels])) for target in targets]
        # beside the largest class: models that fail on equal rows often answer with the first class, or the last
        ways = [[each[place] for each, place in zip(scores, largest)]]
        ways += [[each[place] for each in scores] for place in (0, -1)]
    return any(np.all(np.abs(np.subtract(way, found)) <= _slack(metric, way, labels is None)) for way in ways)


def _slack(metric: Metric, expected: list[float], numbers: bool) -> np.ndarray:
    """The mean of folds is not quite the score of all rows, and a constant learned on other rows is a bit worse."""
    if not numbers:
        return np.full(len(expected), 0.015)
    return np.full(len(expected), 0.25) if metric.base == "r2" else 0.1 * np.abs(expected)
