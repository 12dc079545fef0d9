"""The best that answers can score without knowing the columns."""

from collections.abc import Iterable

import numpy as np

from tamis.engine import generator
from tamis.evaluate.chance.answers import Answers
from tamis.evaluate.chance.reshuffled import reshuffled
from tamis.metrics import Metric, prepare, utility
from tamis.table.interface.target import codes_among

_FOLDS = 5  # some metrics are larger by chance on few rows: answers are judged in so many folds
_DRAWS = 20


def chance(metric: Metric, y: np.ndarray, labels: np.ndarray | None) -> float:
    """The score of the best constant answer.

    >>> from tamis.metrics import METRICS
    >>> chance(METRICS["accuracy"], np.array([0, 0, 0, 1]), np.array([0, 1]))
    0.75
    """
    return max(constant_answers(metric, y, labels), key=lambda value: utility(metric, value))


def constant_answers(metric: Metric, y: np.ndarray, labels: np.ndarray | None) -> list[float]:
    """Scores of constant answers: each class, the shares of the classes; the mean, and numbers over the range."""
    n = len(y)
    answers: Iterable[np.ndarray]
    if labels is None:
        answers = [np.full(n, value) for value in (y.mean(), *np.quantile(y, np.linspace(0.02, 0.98, 49)))]
    elif metric.needs == "labels":
        answers = [np.full(n, label) for label in labels]
    elif metric.needs == "decision":
        answers = [np.full((n, len(labels)), 1 / len(labels)) if len(labels) > 2 else np.zeros(n)]
    else:
        answers = [np.tile(_shares(y, labels), (n, 1))]
    return [float(metric.value(*prepare(metric, y, answer, labels))) for answer in answers]


def blind(metric: Metric, y: np.ndarray, labels: np.ndarray | None) -> list[float]:
    """What answers can score that know nothing of the columns: one number, or two that bound it.

    For F1 averaged over classes, and for average precision on few rows, answers drawn at random in the shares of the
    classes are better than any constant. For F1 of one class the best is to answer always that class, which no model
    does unasked; drawn answers are the other bound.

    >>> from tamis.metrics import METRICS
    >>> blind(METRICS["matthews"], np.array([0, 0, 0, 1]), np.array([0, 1]))
    [0.0]
    """
    best = chance(metric, y, labels)
    if metric.base == "rmse":
        return [min(abs(best), _root_on_folds(y)) * (-1 if metric.negated else 1)]
    if labels is None or metric.needs == "probabilities" or metric.base in _ANSWERS_DO_NOT_MATTER:
        return [best]
    drawn = _drawn(metric, y, labels)
    return [drawn, best] if metric.base == "f1" else [max(drawn, best)]


#: Metrics for which no drawn answer is better than the best constant one.
_ANSWERS_DO_NOT_MATTER = ("balanced_accuracy", "matthews", "kappa", "roc_auc", "accuracy", "error")


def _drawn(metric: Metric, y: np.ndarray, labels: np.ndarray) -> float:
    """The mean score, on folds, of labels drawn in the shares of the classes, or of decision values in random order."""
    draw = generator(0, "drawn answers")
    folds = np.array_split(_spread(y), max(1, min(_FOLDS, len(y) // 2)))
    values = []
    for number in range(_DRAWS):
        answer = draw.permutation(y)
        if metric.needs == "decision":
            answer = draw.random((len(y), len(labels)))
            answer = answer[:, 1] if len(labels) == 2 else answer / answer.sum(axis=1, keepdims=True)
        values.append(reshuffled(metric, [Answers(y[fold], answer[fold]) for fold in folds], labels, number))
    return float(np.mean(values))


def _spread(y: np.ndarray) -> np.ndarray:
    """The rows in an order whose stretches hold about the same share of every class."""
    order = np.argsort(y, kind="stable")
    return np.concatenate([order[start::_FOLDS] for start in range(_FOLDS)])


def _root_on_folds(y: np.ndarray) -> float:
    """The mean, over small folds, of the root of squared distances from the mean; it is less than the whole root."""
    draw = generator(0, "root on folds")
    samples = [draw.choice(y, size=max(2, len(y) // (2 * _FOLDS)), replace=False) for _ in range(_DRAWS)]
    return float(np.mean([np.sqrt(np.mean((sample - y.mean()) ** 2)) for sample in samples]))


def _shares(y: np.ndarray, labels: np.ndarray) -> np.ndarray:
    return np.asarray(np.bincount(codes_among(labels, y), minlength=len(labels)) / len(y))
