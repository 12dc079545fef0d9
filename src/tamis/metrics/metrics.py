"""Every score by name: what it needs from a model, which way is better, and its value.

The only module that knows scikit-learn's metrics; everything Tamis reports is computed here.
"""

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn import metrics as sk

from tamis.check import nearest
from tamis.errors import ParameterError, TamisWarning
from tamis.metrics import given
from tamis.metrics.kinds import listed
from tamis.metrics.kinds.answers import AVERAGES
from tamis.metrics.metric import SYNONYMS, Metric, label_text
from tamis.table.interface.target import codes_among
from tamis.task import predicts_classes, predicts_numbers
from tamis.typing import Scoring

__all__ = [
    "METRICS",
    "Metric",
    "confusion",
    "default",
    "find",
    "precision_recall",
    "prepare",
    "remarks",
    "roc",
    "score",
    "utility",
]


#: Endings of the names of metrics that are averaged over classes.
_ENDINGS = tuple(f"_{average}" for average in AVERAGES)

MOST_SHOWN = 40  # letters of a name that is not known


def find(scoring: Scoring, *, classes: bool, labels: Any = None) -> Metric:
    """The metric a user asked for; None gives the task's default. What `scoring` means is decided here, for all.

    Parameters
    ----------
    scoring : one of

        - a name, in scikit-learn's words or Tamis's: "log_loss" (smaller is better) or "neg_log_loss" (larger is);
        - a scikit-learn scorer, of `make_scorer` or `get_scorer`: larger is better;
        - a function f(y_true, y_pred) of two required arguments; where the second is called y_score it is given
          decision values, where it is y_prob, y_proba or probabilities, probabilities (of the second of two classes,
          else rows × classes), else predicted labels or numbers. Larger is better unless its name ends in _error,
          _loss, _cost or _deviance, as scikit-learn's do;
        - a function f(estimator, X, y) of three, or whose first is called estimator or model: larger is better. It
          is called with the fitted model, so it works only where there is one: not in a study.
    classes : the target holds classes.
    labels : the sorted classes, where they are known.

    >>> find("neg_mean_squared_error", classes=False).larger
    True
    """
    if isinstance(scoring, Metric):
        return scoring
    if scoring is None:
        return default(classes)
    name = scoring if isinstance(scoring, str) else given.name_of(scoring)
    if name is None:
        return given.metric_of(scoring, classes=classes, labels=labels)
    if given.is_spent(name):
        return given.spent(name, classes=classes)
    return _named(name, classes, labels)


def _families(classes: bool) -> str:
    """The names of the metrics of a target; averages over classes are told once, for f1."""
    suiting = (metric.name for metric in METRICS.values() if predicts_classes(metric.task) == classes)
    plain = [name for name in suiting if not name.endswith(_ENDINGS)]
    return ", ".join(plain).replace("f1", f"f1 (or f1{', f1'.join(_ENDINGS)})")


def _named(scoring: str, classes: bool, labels: Any) -> Metric:
    word = scoring.removeprefix("neg_")
    metric = METRICS.get(SYNONYMS.get(word, word))
    if metric is None:
        theirs = given.named(scoring, classes=classes, labels=labels)
        if theirs is not None:
            return theirs
        listed = [*METRICS, *SYNONYMS, *sk.get_scorer_names()]
        text = scoring if len(scoring) <= MOST_SHOWN else f"{scoring[:MOST_SHOWN]}…"
        raise ParameterError(f"scoring={text!r} is not known{nearest(word, listed)}; give one of {_families(classes)}")
    if (predicts_classes(metric.task)) != classes:
        right = [m.name for m in METRICS.values() if (predicts_classes(m.task)) == classes]
        kind = "classes" if classes else "numbers"
        raise ParameterError(f"scoring={scoring!r}, but the target holds {kind}; give one of {', '.join(right)}")
    return _negated(metric, scoring) if scoring.startswith("neg_") else metric


def default(classes: bool) -> Metric:
    """Accuracy for classes, R² for numbers.

    >>> default(True).name
    'accuracy'
    """
    return METRICS["accuracy" if classes else "r2"]


def score(metric: Metric | str, y: ArrayLike, answer: ArrayLike, labels: ArrayLike | None = None) -> float:
    """The value of a metric, in its own units.

    Parameters
    ----------
    metric : a Metric or its name.
    y : the truth: classes or numbers.
    answer : predicted labels or numbers; probabilities, rows × classes in the order of `labels`, or those of the
        second of two classes; decision values: as `metric.needs` says.
    labels : the sorted classes; those found in y when not given. None for numbers.

    >>> score("error", ["a", "b", "b", "b"], ["a", "a", "b", "b"])
    0.25
    """
    if isinstance(metric, str):
        metric = METRICS.get(metric) or _either(metric)
    truth, prediction, class_labels = prepare(metric, y, answer, labels)
    for sentence in remarks(metric, truth):
        warnings.warn(sentence, TamisWarning, stacklevel=2)
    return float(metric.value(truth, prediction, class_labels))


def utility(metric: Metric, value: Any) -> Any:
    """A value turned so that larger is better: the one place where the direction of a metric is read.

    >>> utility(METRICS["mse"], 2.0)
    -2.0
    """
    return value if metric.larger else -value


def remarks(metric: Metric, y: np.ndarray) -> list[str]:
    """What a user should know about this metric on this target, in sentences."""
    if metric.base == "mape":
        zeros = int((np.asarray(y) == 0).sum())
        if zeros:
            return [f"{zeros:,} of {len(y):,} rows have a target of 0 and are left out of the percentage error"]
    return []


def prepare(
    metric: Metric, y: ArrayLike, answer: ArrayLike, labels: ArrayLike | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Truth, answer and labels as the metric's functions read them: classes as codes, probabilities as a matrix."""
    truth, prediction = np.asarray(y), np.asarray(answer)
    if len(truth) != len(prediction):
        raise ParameterError(f"there are {len(prediction):,} answers for {len(truth):,} rows; give one answer per row")
    if predicts_numbers(metric.task):
        return _as_numbers(metric, "y", truth), _as_numbers(metric, "the answers", prediction), np.empty(0)
    class_labels = np.unique(truth) if labels is None else np.asarray(labels)
    truth = _codes(truth, class_labels)
    if metric.needs in ("labels", "model"):
        return truth, _codes(prediction, class_labels), class_labels
    if metric.needs == "probabilities" and prediction.ndim == 1:
        prediction = np.column_stack([1 - prediction, prediction])
    if prediction.ndim == 2 and prediction.shape[1] != len(class_labels):
        raise ParameterError(
            f"the answers have {prediction.shape[1]} columns for {len(class_labels)} classes; give one a class, "
            "in their order"
        )
    return truth, prediction.astype(np.float64, copy=False), class_labels


def _as_numbers(metric: Metric, what: str, values: np.ndarray) -> np.ndarray:
    try:
        return values.astype(np.float64, copy=False)
    except (TypeError, ValueError) as error:
        raise ParameterError(
            f"{metric.name} is of numbers, but {what} holds {label_text(values.ravel()[0])}; give numbers, or a "
            "metric of "
            "classes such as 'accuracy'"
        ) from error


def roc(y: Any, decision: Any, labels: Any = None) -> dict[str, np.ndarray]:
    """The ROC curve of two classes: false and true positive rates, and the threshold of each point.

    >>> roc([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])["true_positive"].tolist()
    [0.0, 0.5, 0.5, 1.0, 1.0]
    """
    truth, prediction, _ = _two(y, decision, labels)
    false, true, thresholds = sk.roc_curve(truth, prediction, drop_intermediate=False)
    return {"false_positive": false, "true_positive": true, "threshold": thresholds}


def precision_recall(y: Any, decision: Any, labels: Any = None) -> dict[str, np.ndarray]:
    """Precision against recall of the second of two classes, and the threshold of each point but the last.

    >>> precision_recall([0, 1], [0.2, 0.7])["precision"].tolist()
    [0.5, 1.0, 1.0]
    """
    truth, prediction, _ = _two(y, decision, labels)
    precision, recall, thresholds = sk.precision_recall_curve(truth, prediction)
    return {"precision": precision, "recall": recall, "threshold": thresholds}


def confusion(y: ArrayLike, predicted: ArrayLike, labels: ArrayLike | None = None) -> np.ndarray:
    """How often each class (row) was given each answer (column), in the order of the labels.

    >>> confusion(["a", "b", "b"], ["a", "a", "b"]).tolist()
    [[1, 0], [1, 1]]
    """
    truth, prediction, class_labels = prepare(METRICS["accuracy"], y, predicted, labels)
    return np.asarray(sk.confusion_matrix(truth, prediction, labels=np.arange(len(class_labels))))


def _two(y: ArrayLike, decision: Any, labels: ArrayLike) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    truth, prediction, class_labels = prepare(METRICS["roc_auc"], y, decision, labels)
    if len(class_labels) != 2:
        raise ParameterError(
            f"a curve is drawn for two classes, but there are {len(class_labels)}; take one against the rest"
        )
    return truth, prediction[:, 1] if prediction.ndim == 2 else prediction, class_labels


def _codes(values: np.ndarray, labels: np.ndarray) -> np.ndarray:
    values = values.ravel()
    codes = codes_among(labels, values)
    wrong = np.flatnonzero(labels[codes] != values)
    if len(wrong):
        label = values[wrong[0]]
        raise ParameterError(
            f"the class {label_text(label)} in row {wrong[0] + 1:,} is none of {', '.join(map(repr, labels.tolist()))}"
        )
    return codes


def _either(name: str) -> Metric:
    """A metric by any of its names, for whichever task."""
    word = name.removeprefix("neg_")
    metric = METRICS.get(SYNONYMS.get(word, word))
    return find(name, classes=metric is not None and predicts_classes(metric.task))


def _negated(metric: Metric, name: str) -> Metric:
    each = metric.each
    return replace(
        metric,
        name=name,
        larger=not metric.larger,
        negated=True,
        value=lambda y, answer, labels: -metric.value(y, answer, labels),
        each=None if each is None else (lambda y, answer, labels: -each(y, answer, labels)),
    )


#: Every metric by its name.
METRICS = listed()
