"""Which metric a function returns, read from its scores where only a constant answer can be learned.

From rows that are all alike one answer for all of them is learned, and the scores of constant answers tell metrics
apart when the classes are unequal, once this way and once the other way round.
"""

from collections.abc import Callable, Sequence

import numpy as np

from tamis.evaluate.chance.uninformed import constant_answers
from tamis.metrics import METRICS, Metric, find
from tamis.task import CLASSIFICATION, REGRESSION

_NAMES = {
    CLASSIFICATION: (
        *("accuracy", "balanced_accuracy", "roc_auc", "average_precision", "matthews", "kappa"),
        *("f1", "f1_macro", "f1_weighted", "log_loss", "brier", "error"),
    ),
    REGRESSION: ("r2", "mse", "rmse", "mae"),
}
_FACTOR = 1000.0

Score = Callable[[np.ndarray], float]


def recognised(scores: Sequence[Score], y: np.ndarray, labels: np.ndarray | None) -> list[Metric]:
    """The metrics, larger is better, that explain the scores of a function; often one, none when no known one does.

    Parameters
    ----------
    scores : the function's score for a target (NaN where it fails): on a table of almost equal rows, of equal rows.
    y, labels : the target, and its classes (None for numbers).

    >>> shares = lambda y: float(np.mean(y == np.bincount(y).argmax()))
    >>> [metric.name for metric in recognised([shares, shares], np.arange(40) % 2, np.array([0, 1]))]
    ['accuracy']
    """
    targets = [y, y * _FACTOR] if labels is None else unequal(len(y), labels)
    almost, equal = ([score(target) for target in targets] for score in scores)
    if forms := _fitting(almost, targets, labels, odd=False):
        return forms
    forms = _fitting(equal, targets, labels, odd=False)
    if forms and all(metric.base in ("matthews", "kappa") for metric in forms):
        return [*forms, METRICS["f1"]]  # it is 0 too where equal rows make a model answer the first class always
    return forms or _fitting(equal, targets, labels, odd=True)


def _fitting(scores: list[float], targets: list[np.ndarray], labels: np.ndarray | None, odd: bool) -> list[Metric]:
    if not np.isfinite(scores).all():
        return []
    named = [METRICS[name] for name in _NAMES[REGRESSION if labels is None else CLASSIFICATION]]
    forms = [m if m.larger else find(f"neg_{m.name}", classes=labels is not None) for m in named]
    return [form for form in forms if _explains(form, scores, targets, labels, odd)]


def unequal(n: int, labels: np.ndarray) -> list[np.ndarray]:
    """Two targets of unequal classes: the first class largest, and the last class largest.

    >>> [np.bincount(y).tolist() for y in unequal(10, np.array([0, 1]))]
    [[8, 2], [2, 8]]
    """
    k = len(labels)
    weights = np.arange(k, 0, -1, dtype=float) ** 2  # 0.8 and 0.2 for two classes
    edges = np.round(np.cumsum(weights) / weights.sum() * n).astype(int)
    codes = np.searchsorted(edges, np.arange(n), side="right")
    mixed = np.random.Generator(np.random.PCG64(0)).permutation(codes)
    return [labels[mixed], labels[k - 1 - mixed]]


def _explains(
    metric: Metric, observed: list[float], targets: list[np.ndarray], labels: np.ndarray | None, odd: bool
) -> bool:
    """True when one way of answering, the same for both targets, gives both scores.

    The usual answer is the largest class: the first for the first target, the last for the other. Odd ones are the
    smallest class, as after balancing the classes, and always the first, or always the last.
    """
    scores = [constant_answers(metric, target, labels) for target in targets]
    ways = [(0, 0)]
    if labels is not None and metric.needs == "labels":
        ways = [(-1, 0), (0, 0), (-1, -1)] if odd else [(0, -1)]
    expected = [[each[index] for each, index in zip(scores, way)] for way in ways]
    return any(np.all(np.abs(np.subtract(way, observed)) <= _slack(metric, way, labels is None)) for way in expected)


def _slack(metric: Metric, expected: list[float], numbers: bool) -> np.ndarray:
    """The mean of folds is not quite the score of all rows, and what is learned on other rows is a bit worse."""
    if not numbers:
        return np.full(len(expected), 0.03 if metric.needs == "probabilities" else 0.015)
    return np.full(len(expected), 0.25) if metric.base == "r2" else 0.1 * np.abs(expected)
