"""What a function under audit returned: a score, or predictions beside their truth."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from tamis.errors import KindError, ParameterError
from tamis.metrics import METRICS, Metric, find, prepare
from tamis.metrics.intervals.bootstrap_metrics import bootstrap_metric
from tamis.task import predicts_numbers


class Answers(NamedTuple):
    """The truth and the predictions of one fold, and which rows of the table they are, where that is known."""

    truth: np.ndarray
    answer: np.ndarray
    rows: np.ndarray | None = None


def read_returned(procedure: Callable[..., Any], value: Any) -> float | list[Answers]:
    """A score; or predictions: a pair (truth, prediction), or a list of such pairs, one a fold.

    >>> read_returned(len, 0.5)
    0.5
    >>> [fold.truth.tolist() for fold in read_returned(len, [([1, 0], [1, 1]), ([0, 0], [1, 0])])]
    [[1, 0], [0, 0]]
    """
    name = getattr(procedure, "__name__", type(procedure).__name__)
    if isinstance(value, (tuple, list)):
        if len(value) and all(_is_pair(item) for item in value):
            return [_fold(name, item) for item in value]
        if _is_pair(value):
            return [_fold(name, value)]
    try:
        score = float(value)
    except (TypeError, ValueError) as error:
        raise KindError(
            f"{name}(X, y) gave {value!r}; it must return one number, its score, or its predictions as (truth, "
            "prediction) or a list of such pairs, one a fold"
        ) from error
    if not np.isfinite(score):
        raise ParameterError(f"{name}(X, y) gave {score}; it must return a finite score")
    return score


def _is_pair(value: object) -> bool:
    """Two sequences: not two numbers."""
    return isinstance(value, (tuple, list)) and len(value) == 2 and all(_is_vector(item) for item in value)


def _is_vector(value: object) -> bool:
    return not isinstance(value, (str, bytes)) and hasattr(value, "__len__") and np.ndim(_array(value)) >= 1


def _array(value: object) -> np.ndarray:
    try:
        return np.asarray(value.to_numpy() if hasattr(value, "to_numpy") else value)
    except ValueError:  # a list of pairs of different lengths is no array
        return np.array(0)


def _fold(name: str, pair: Sequence[Any]) -> Answers:
    truth, answer = _array(pair[0]).ravel(), _array(pair[1])
    answer = answer.ravel() if answer.ndim == 2 and answer.shape[1] == 1 else answer
    if len(truth) != len(answer) or not len(truth):
        raise ParameterError(
            f"{name}(X, y) gave {len(answer):,} predictions for {len(truth):,} rows; give one prediction per row"
        )
    if answer.dtype.kind == "f" and not np.isfinite(answer).all():
        raise ParameterError(
            f"{name}(X, y) gave a prediction that is not finite; give a number or a class for each row"
        )
    return Answers(truth, answer)


def labels_of(metric: Metric, folds: Sequence[Answers], labels: np.ndarray | None) -> np.ndarray | None:
    """The classes, sorted: those of the target, unless the function speaks of others (as after encoding them)."""
    if predicts_numbers(metric.task):
        return None
    arrays = [fold.truth for fold in folds]
    if metric.needs == "labels":
        arrays += [fold.answer for fold in folds]
    distinct = np.unique(np.concatenate(arrays))
    return labels if labels is not None and np.isin(distinct, labels).all() else distinct


def usual_metric(folds: Sequence[Answers], classes: bool) -> Metric:
    """R² for numbers; for classes accuracy, or the area under the ROC curve where predictions are no labels."""
    if not classes:
        return find(None, classes=False)
    truth, answer = np.concatenate([fold.truth for fold in folds]), [fold.answer for fold in folds]
    labelled = all(block.ndim == 1 for block in answer) and bool(np.isin(np.concatenate(answer), truth).all())
    return METRICS["accuracy" if labelled else "roc_auc"]


def score_of(metric: Metric, folds: Sequence[tuple[np.ndarray, np.ndarray, np.ndarray]]) -> float:
    """The mean over folds, each as `prepare` gives it; over all rows at once where a fold is too small for the metric.

    A fold on which the metric has no value (no row of a class) is left out.
    """
    if metric.each is None and any(len(truth) < 2 for truth, _, _ in folds):
        truths, answers = (np.concatenate([fold[index] for fold in folds]) for index in (0, 1))
        return float(metric.value(truths, answers, folds[0][2]))
    # scikit-learn's functions check their input at length: F1 of 12 rows 1.6 ms, this 0.02 ms
    values = np.array([bootstrap_metric(metric, *fold, np.ones((1, len(fold[0]))))[0] for fold in folds])
    defined = values[np.isfinite(values)]
    return float(defined.mean()) if len(defined) else float(metric.value(*folds[0]))


def prepared(
    metric: Metric, folds: Sequence[Answers], labels: np.ndarray | None
) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Truth, predictions and labels of each fold as the metric reads them."""
    return [prepare(metric, fold.truth, fold.answer, labels) for fold in folds]
