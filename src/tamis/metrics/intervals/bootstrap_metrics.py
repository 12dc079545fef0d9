"""A metric under many sets of row weights at once: what resampling asks a thousand times.

A metric that is a mean over rows is a matrix product; one of confusion counts or of moments is a formula of a few such
products; a ranking is sorted once. Weights are whole numbers (how often a row was drawn); NaN where the drawn
rows leave the metric undefined.
"""

import warnings
from collections.abc import Callable

import numpy as np

from tamis.metrics import Metric
from tamis.metrics.r_squared import bootstrap_r_squared
from tamis.metrics.ranking import auc, average_precision

#: Resamples of a metric that has a formula here, and of one that is called for each: scikit-learn's take 5 ms a call,
#: so that a study of 120 rows, three repeats and five procedures would spend over a minute on intervals.
DRAWS, FEW_DRAWS = 1_000, 300

Many = Callable[[np.ndarray, np.ndarray, np.ndarray, np.ndarray], np.ndarray]
Counted = Callable[[np.ndarray], np.ndarray]


def bootstrap_metric(
    metric: Metric,
    y: np.ndarray,
    answer: np.ndarray,
    labels: np.ndarray,
    weights: np.ndarray,
    reference: np.ndarray | None = None,
) -> np.ndarray:
    """The metric for each row of weights (draws × rows); y, answer and labels as `prepare` gives them.

    R² is about the `reference` of each row, the mean of the rows it was trained on, where that is given.

    >>> from tamis.metrics import METRICS
    >>> drawn = np.array([[1.0, 1.0], [2.0, 0.0]])
    >>> bootstrap_metric(METRICS["mse"], np.zeros(2), np.array([1.0, 3.0]), np.empty(0), drawn)
    array([5., 1.])
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        if metric.each is not None:
            return np.asarray((weights @ metric.each(y, answer, labels)) / weights.sum(axis=1))
        if metric.base in COUNTED:
            values = COUNTED[metric.base](_cells(y, answer, labels, weights))
        elif metric.base == "r2":
            values = bootstrap_r_squared(y, answer, weights, reference)
        elif metric.base in _MANY:
            values = _MANY[metric.base](y, answer, labels, weights)
        else:
            return _one_by_one(metric, y, answer, labels, weights)
        return -values if metric.negated else values


def n_draws(metric: Metric) -> int:
    """How many resamples an interval of the metric is made from."""
    quick = metric.each is not None or metric.base in COUNTED or metric.base in _MANY or metric.base == "r2"
    return DRAWS if quick else FEW_DRAWS


def _one_by_one(
    metric: Metric, y: np.ndarray, answer: np.ndarray, labels: np.ndarray, weights: np.ndarray
) -> np.ndarray:
    values = np.full(len(weights), np.nan)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a user's function: it is called hundreds of times, on odd draws too
        for draw, weight in enumerate(weights):
            again = np.repeat(np.arange(len(y)), weight.astype(np.int64))
            try:
                values[draw] = metric.value(y[again], answer[again], labels)
            except ValueError:  # a draw without a class, or without rows
                continue
    return values


def _cells(y: np.ndarray, answer: np.ndarray, labels: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Confusion counts: draws × truth × answer."""
    k = len(labels)
    one_hot = np.zeros((len(y), k * k))
    one_hot[np.arange(len(y)), y * k + answer] = 1
    return np.asarray((weights @ one_hot).reshape(-1, k, k))


def _balanced(cells: np.ndarray) -> np.ndarray:
    truth = cells.sum(axis=2)
    recall = np.divide(np.einsum("bkk->bk", cells), truth, out=np.zeros_like(truth), where=truth > 0)
    return np.asarray(recall.sum(axis=1) / (truth > 0).sum(axis=1))


def _matthews(cells: np.ndarray) -> np.ndarray:
    n, right = cells.sum(axis=(1, 2)), np.einsum("bkk->b", cells)
    truth, predicted = cells.sum(axis=2), cells.sum(axis=1)
    above = n * right - (truth * predicted).sum(axis=1)
    below = np.sqrt((n**2 - (predicted**2).sum(axis=1)) * (n**2 - (truth**2).sum(axis=1)))
    return np.where(below > 0, above / below, np.where(n > 0, 0.0, np.nan))


def _kappa(cells: np.ndarray) -> np.ndarray:
    n, right = cells.sum(axis=(1, 2)), np.einsum("bkk->b", cells)
    chance = (cells.sum(axis=2) * cells.sum(axis=1)).sum(axis=1) / n
    return np.where(n > chance, (right - chance) / (n - chance), np.where(n > 0, 0.0, np.nan))


def _averaged(name: str, average: str | None) -> Counted:
    """Precision, recall or F1 from confusion counts; 0 where there is nothing to divide by."""

    def averaged(cells: np.ndarray) -> np.ndarray:
        hit, truth, predicted = np.einsum("bkk->bk", cells), cells.sum(axis=2), cells.sum(axis=1)
        how = average or ("binary" if cells.shape[1] == 2 else "macro")
        if how == "micro":
            hit, truth, predicted = (totals.sum(axis=1, keepdims=True) for totals in (hit, truth, predicted))
        below = {"precision": predicted, "recall": truth, "f1": (predicted + truth) / 2}[name]
        value = np.divide(hit, below, out=np.zeros_like(hit), where=below > 0)
        if how == "binary":
            average_value = value[:, 1]
        elif how == "weighted":
            average_value = (value * truth).sum(axis=1) / truth.sum(axis=1)
        else:
            average_value = value.mean(axis=1)
        return np.where(cells.sum(axis=(1, 2)) > 0, average_value, np.nan)

    return averaged


#: Metrics that are functions of confusion counts: draws × truth × answer -> one value a draw.
COUNTED: dict[str, Counted] = {
    "balanced_accuracy": _balanced,
    "matthews": _matthews,
    "cohen_kappa": _kappa,
    "kappa": _kappa,
    **{
        name if average is None else f"{name}_{average}": _averaged(name, average)
        for name in ("precision", "recall", "f1")
        for average in (None, "macro", "micro", "weighted")
    },
}


def _rmse(y: np.ndarray, answer: np.ndarray, labels: np.ndarray, weights: np.ndarray) -> np.ndarray:
    return np.asarray(np.sqrt(weights @ (y - answer) ** 2 / weights.sum(axis=1)))


def _mape(y: np.ndarray, answer: np.ndarray, labels: np.ndarray, weights: np.ndarray) -> np.ndarray:
    nonzero = y != 0
    used = weights[:, nonzero]
    return np.asarray(used @ np.abs((y[nonzero] - answer[nonzero]) / y[nonzero]) / used.sum(axis=1))


def _auc(y: np.ndarray, answer: np.ndarray, labels: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """P(a positive outranks a negative), ties by half; for more classes, the mean of each against the rest."""
    if len(labels) == 2:
        return auc(y == 1, answer[:, 1] if answer.ndim == 2 else answer, weights)
    return np.asarray(np.mean([auc(y == k, answer[:, k], weights) for k in range(len(labels))], axis=0))


def _average_precision(y: np.ndarray, answer: np.ndarray, labels: np.ndarray, weights: np.ndarray) -> np.ndarray:
    if len(labels) == 2:
        return average_precision(y == 1, answer[:, 1] if answer.ndim == 2 else answer, weights)
    each = [average_precision(y == k, answer[:, k], weights) for k in range(len(labels))]
    return np.asarray(np.mean(each, axis=0))


_MANY: dict[str, Many] = {
    "rmse": _rmse,
    "mape": _mape,
    "roc_auc": _auc,
    "average_precision": _average_precision,
}
