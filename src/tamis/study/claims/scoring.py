"""The score of some rows, those of classes that could not be learned included.

A row whose class the training rows lack, too rare or never seen, is a wrong answer to every metric of labels. To a
metric of probabilities it is no question that was asked: such rows are left out, and counted.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis.errors import ParameterError
from tamis.metrics import METRICS, Metric, score
from tamis.metrics.distributions import binomial_tail
from tamis.metrics.intervals.bounds import FEWEST
from tamis.study.problem import NEVER_SEEN
from tamis.task import CLASSIFICATION, COUNT, ORDINAL, REGRESSION, predicts_numbers

#: Metrics written down beside the one that is quoted; `rare_recall` is the recall of the class with the fewest rows.
BESIDES = {
    CLASSIFICATION: ("accuracy", "balanced_accuracy", "roc_auc", "log_loss", "brier", "rare_recall"),
    REGRESSION: ("r2", "rmse", "mae"),
    COUNT: ("poisson_deviance", "r2", "rmse", "mae"),
    ORDINAL: ("accuracy", "mean_rank_error", "weighted_kappa", "ranked_probability_score", "rare_recall"),
}

#: Above this share of the largest class, accuracy hardly moves whatever is found, and another metric is quoted.
UNEQUAL = 0.8

#: Classes are told apart in size at this level (two-sided).
SIZE_LEVEL = 0.05


def headline(task: str, y: np.ndarray, n_labels: int, folds: int) -> str:
    """The metric to quote when none is asked for: one that can move where the classes are unequal.

    Accuracy, or R² for numbers, the Poisson deviance for counts, the mean error in ranks for ordered classes. Of three
    classes or more, balanced accuracy, where the smallest has less than half of an equal share of the rows, and every
    class has a row for every fold and ten at least: a class that is never predicted costs accuracy little, but the
    recall of fewer rows cannot be bounded. Where one class has more than
    four fifths of the rows, the area under the ROC curve, if at least two classes have a row for every fold.

    >>> headline("classification", np.repeat([0, 1], [95, 5]), 2, 5)
    'roc_auc'
    >>> headline("classification", np.repeat([0, 1, 2], [46, 30, 12]), 3, 5)
    'balanced_accuracy'
    """
    if task in (COUNT, ORDINAL):
        return {COUNT: "poisson_deviance", ORDINAL: "mean_rank_error"}[task]
    if predicts_numbers(task):
        return "r2"
    counts = np.bincount(y, minlength=n_labels)
    if n_labels > 2 and 2 * n_labels * counts.min() < counts.sum() and counts.min() >= max(folds, FEWEST):
        return "balanced_accuracy"
    unequal = counts.max() > UNEQUAL * counts.sum() and (counts >= folds).sum() >= 2
    return "roc_auc" if unequal else "accuracy"


def majority_share(counts: np.ndarray) -> float | None:
    """The accuracy of guessing the majority on new rows, where which class that is may be chance; else None.

    It is the mean share of the classes that cannot be told from the largest in size (binomial test of the two). Of 54
    and 46 rows either class may be the larger one, and guessing it is right in half of new rows.

    >>> majority_share(np.array([54, 46])), majority_share(np.array([60, 20, 20]))
    (0.5, None)
    """
    alike = largest_classes(counts)
    return float(counts[alike].mean() / counts.sum()) if len(alike) > 1 else None


def largest_classes(counts: np.ndarray) -> np.ndarray:
    """Codes of the classes that cannot be told from the largest in size.

    >>> largest_classes(np.array([54, 46, 9])).tolist()
    [0, 1]
    """
    largest = int(counts.max())
    alike = [2 * binomial_tail(largest, largest + int(count), 0.5) > SIZE_LEVEL for count in counts]
    return np.flatnonzero(alike)


def value(
    metric: Metric, task: str, y: np.ndarray, answer: np.ndarray, labels: tuple[Any, ...], learned: np.ndarray
) -> float | None:
    """A metric's value for some rows; None where it has none.

    Parameters
    ----------
    metric : what is judged.
    task : one of `tamis.task.TASKS`.
    y : codes into `labels`, `NEVER_SEEN` for a class that is none of them; or numbers.
    answer : probabilities, rows × classes, or predicted numbers.
    labels : the classes.
    learned : for each class, whether the rows that were learned from had it.
    """
    if predicts_numbers(task):
        return _defined(metric, y, answer, None) if len(y) > 1 or metric.each is not None else None
    if metric.needs == "labels":
        return _of_labels(metric, y, answer.argmax(axis=1), len(labels))
    learned_rows = is_learned(y, learned)
    truth, predictions = y[learned_rows], answer[learned_rows]
    if not len(truth):
        return None
    if metric.needs == "decision" and metric.source is None:  # a ranking of classes that are there
        classes_present = np.unique(truth)
        if len(classes_present) < 2:
            return None
        if len(classes_present) < len(labels):
            return _of_classes_there(metric, truth, predictions, classes_present)
    return _defined(metric, truth, predictions, labels)


def is_learned(y: np.ndarray, learned: np.ndarray) -> np.ndarray:
    """For each row, whether its class was among the rows learned from."""
    return np.append(learned, False)[y]  # a class never seen is the place behind the last


def besides(
    task: str, y: np.ndarray, answer: np.ndarray, labels: tuple[Any, ...], learned: np.ndarray, rare: int
) -> Any:
    """The other metrics by name; `rare` is the code of the class with the fewest rows."""
    scores: dict[str, float | None] = {}
    for name in BESIDES[task]:
        if name == "rare_recall":
            rows = y == rare
            scores[name] = float((answer[rows].argmax(axis=1) == rare).mean()) if rows.any() else None
        else:
            scores[name] = value(METRICS[name], task, y, answer, labels, learned)
    return scores


def _of_labels(metric: Metric, y: np.ndarray, predictions: np.ndarray, n_labels: int) -> float | None:
    """A class that was never seen is a class of its own, which nothing is ever taken for."""
    if (y == NEVER_SEEN).any():
        return _defined(metric, np.where(y == NEVER_SEEN, n_labels, y), predictions, tuple(range(n_labels + 1)))
    return _defined(metric, y, predictions, tuple(range(n_labels)))


def _of_classes_there(metric: Metric, y: np.ndarray, answer: np.ndarray, classes_present: np.ndarray) -> float | None:
    """A ranking metric over the classes that some row has, each against the rest."""
    if len(classes_present) == 2 and answer.shape[1] == 2:
        return _defined(metric, y, answer, (0, 1))
    values = [_defined(metric, (y == code).astype(int), answer[:, code], (0, 1)) for code in classes_present]
    defined = [class_value for class_value in values if class_value is not None]
    return float(np.mean(defined)) if defined else None


def _defined(metric: Metric, y: np.ndarray, answer: np.ndarray, labels: tuple[Any, ...] | None) -> float | None:
    codes = None if labels is None else np.arange(len(labels))
    try:
        metric_value = score(metric, y, answer, codes)
    except ParameterError:
        return None
    return metric_value if np.isfinite(metric_value) else None
