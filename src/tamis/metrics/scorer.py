"""A metric as a function of a fitted model: what it is asked, and the score of its answers."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.metrics import check_scoring, get_scorer_names

from tamis.errors import ParameterError
from tamis.metrics.given import is_scorer
from tamis.metrics.metric import SYNONYMS, Metric
from tamis.metrics.metrics import find, prepare, utility
from tamis.table.interface.target import codes_among
from tamis.table.like import TableLike
from tamis.typing import Scoring


def answer(model: BaseEstimator, X: TableLike, metric: Metric, labels: np.ndarray | None) -> np.ndarray:
    """What the metric needs from a fitted model: predictions, or probabilities in the order of the labels."""
    if metric.needs in ("labels", "model"):
        prediction = np.asarray(model.predict(X))
        return prediction.ravel() if prediction.ndim == 2 and prediction.shape[1] == 1 else prediction
    two = labels is not None and len(labels) == 2
    if metric.needs == "decision" and two and hasattr(model, "decision_function"):
        return np.asarray(model.decision_function(X)).ravel()
    if not hasattr(model, "predict_proba"):
        raise ParameterError(
            f"{metric.name} needs probabilities, but {_model_text(model)} has no predict_proba; "
            "give another scoring, or a model with probabilities"
        )
    prediction = np.asarray(model.predict_proba(X), dtype=np.float64)
    model_classes = np.asarray(getattr(model, "classes_", labels))
    if labels is None or np.array_equal(model_classes, labels):
        return prediction
    aligned = np.zeros((len(prediction), len(labels)))
    aligned[:, codes_among(labels, model_classes)] = prediction
    return aligned


def score_model(
    model: BaseEstimator, X: TableLike, y: ArrayLike, *, metric: Metric, labels: np.ndarray | None
) -> float:
    """The metric's value for a fitted model on some rows, in the metric's units."""
    if metric.of_model is not None:
        return metric.of_model(model, X, y)
    return float(metric.value(*prepare(metric, y, answer(model, X, metric, labels), labels)))


def scorer_of(
    estimator: BaseEstimator, scoring: Scoring, *, classes: bool, labels: ArrayLike | None = None
) -> Callable[..., float]:
    """The function (estimator, X, y) -> number that `scoring` stands for, larger is better.

    None is the estimator's own `score`; a scorer, and a function that needs the estimator, is itself; a name or any
    other function is the metric that `find` finds, so that a name means here what it means everywhere: F1 of two
    classes that are texts, or of three. Rows are weighted by scikit-learn's metric of the same name.
    """
    if scoring is None and not hasattr(estimator, "score"):
        raise ParameterError(f"scoring=None, but {type(estimator).__name__} has no score of its own; give scoring")
    metric = None if scoring is None else find(scoring, classes=classes, labels=labels)
    if metric is None or metric.needs == "model" or is_scorer(scoring):
        return check_scoring(estimator, scoring=scoring)  # type: ignore[no-any-return]
    word = in_their_words(scoring) if isinstance(scoring, str) else None
    weighted = None if word is None else check_scoring(estimator, scoring=word)
    return partial(_turned, metric=metric, labels=None if labels is None else np.asarray(labels), weighted=weighted)


def in_their_words(scoring: str) -> str | None:
    """scikit-learn's name of a metric, turned so that larger is better; None where it has none.

    >>> in_their_words("mse"), in_their_words("neg_log_loss"), in_their_words("kappa")
    ('neg_mean_squared_error', 'neg_log_loss', None)
    """
    names = get_scorer_names()
    if scoring in names:
        return scoring
    synonyms = [name for name in names if _base(name) == _base(scoring)]
    return min(synonyms, key=len) if synonyms else None


def _base(name: str) -> str:
    word = name.removeprefix("neg_")
    return SYNONYMS.get(word, word)


def _turned(
    model: BaseEstimator,
    X: TableLike,
    y: ArrayLike,
    *,
    metric: Metric,
    labels: np.ndarray | None,
    weighted: Any,
    sample_weight: ArrayLike | None = None,
) -> float:
    if sample_weight is not None and weighted is not None:
        return float(weighted(model, X, y, sample_weight=sample_weight))
    if sample_weight is not None:
        raise ParameterError(f"sample_weight was given, but scoring={metric.name} takes none; give another scoring")
    return float(utility(metric, score_model(model, X, y, metric=metric, labels=labels)))


def _model_text(model: BaseEstimator) -> str:
    steps = getattr(model, "steps", None)
    return type(steps[-1][1]).__name__ if steps else type(model).__name__
