"""Metrics that users bring: scikit-learn's scorers, and functions of their own."""

import inspect
import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
from sklearn import metrics as sk
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.metaestimators import available_if

from tamis.errors import KindError, ParameterError
from tamis.fingerprint import CODE, digest_of
from tamis.metrics.metric import SYNONYMS, Metric
from tamis.task import CLASSIFICATION, REGRESSION

#: How the names of functions end whose smaller value is better, as scikit-learn's do.
SMALLER = ("_error", "_loss", "_cost", "_deviance")

#: What the second argument of a function is called, and what it then needs from a model.
_SECOND = {
    "y_score": "decision",
    "y_prob": "probabilities",
    "y_proba": "probabilities",
    "y_pred_proba": "probabilities",
    "probabilities": "probabilities",
}

#: scikit-learn's functions that are metrics of Tamis's own.
_FUNCTIONS: dict[Any, str] = {
    sk.accuracy_score: "accuracy",
    sk.balanced_accuracy_score: "balanced_accuracy",
    sk.precision_score: "precision",
    sk.recall_score: "recall",
    sk.f1_score: "f1",
    sk.matthews_corrcoef: "matthews",
    sk.cohen_kappa_score: "kappa",
    sk.roc_auc_score: "roc_auc",
    sk.average_precision_score: "average_precision",
    sk.log_loss: "log_loss",
    sk.brier_score_loss: "brier",
    sk.r2_score: "r2",
    sk.mean_squared_error: "mse",
    sk.root_mean_squared_error: "rmse",
    sk.mean_absolute_error: "mae",
    sk.mean_absolute_percentage_error: "mape",
    sk.mean_poisson_deviance: "poisson_deviance",
}


def name_of(scoring: Any) -> str | None:
    """The name of a metric that a function or scorer of scikit-learn's is; None of any other.

    >>> name_of(sk.mean_squared_error), name_of(sk.get_scorer("neg_log_loss")), name_of(max)
    ('mse', 'neg_log_loss', None)
    """
    if inspect.isfunction(scoring):
        return _FUNCTIONS.get(scoring)
    return _scorers().get(repr(scoring)) if is_scorer(scoring) else None


def named(name: str, *, classes: bool, labels: Any = None) -> Metric | None:
    """The metric of one of scikit-learn's names that Tamis has no metric of its own for; None for an unknown name."""
    names = set(sk.get_scorer_names())
    if name in names:
        return _of_scorer(sk.get_scorer(name), classes, labels, name)
    if f"neg_{name}" not in names:
        return None
    turned = _of_scorer(sk.get_scorer(f"neg_{name}"), classes, labels, name)
    return replace(turned, larger=False, value=lambda y, answer, labels: -turned.value(y, answer, labels))


def metric_of(scoring: Any, *, classes: bool, labels: Any = None) -> Metric:
    """The metric that a scorer or function stands for; how they are told apart is said in `metrics.find`."""
    if is_scorer(scoring):
        return _of_scorer(scoring, classes, labels, spoken(scoring))
    if not callable(scoring):
        raise KindError(
            f"scoring={scoring!r} is no name of a metric, scorer or function; give one, as in scoring='accuracy'"
        )
    needs, name = _needs(scoring), spoken(scoring)
    task = CLASSIFICATION if classes else REGRESSION
    if needs == "model":
        return Metric(name, task, needs, True, _only_with_model(name), source=scoring, of_model=_checked(scoring, name))
    if not classes and needs != "labels":
        raise ParameterError(f"scoring={name} asks for {needs}, but the target holds numbers; give f(y_true, y_pred)")
    call = _checked(scoring, name)

    def value(y: np.ndarray, answer: np.ndarray, labels: np.ndarray) -> float:
        truth, answered = _in_labels(y, answer, labels, needs) if classes else (y, answer)
        return call(truth, answered)

    return Metric(name, task, needs, not _stem(name).endswith(SMALLER), value, source=scoring)


def spoken(scoring: Any) -> str:
    """How a scorer or function is named in results: by what scikit-learn shows of it, or its own name and "()".

    >>> def profit(y_true, y_pred): ...
    >>> spoken(profit), spoken(sk.make_scorer(sk.fbeta_score, beta=2))
    ('profit()', "make_scorer(fbeta_score, response_method='predict', beta=2)")
    """
    if is_scorer(scoring):
        return repr(scoring)
    inner = getattr(scoring, "func", scoring)  # a partial function
    return f"{getattr(inner, '__name__', type(inner).__name__)}()"


def fingerprint(scoring: Any) -> str:
    """What tells one scorer or function from another of the same name: its name, code and state, as text."""
    return f"{spoken(scoring)} {CODE}{digest_of(scoring)}"


def is_spent(name: str) -> bool:
    """True for the name, in results, of a scorer or function that is not at hand.

    >>> is_spent("profit()"), is_spent("accuracy")
    (True, False)
    """
    return name.endswith(")")


def spent(name: str, *, classes: bool) -> Metric:
    """What is still known of a function by its name: its direction."""

    def value(y: np.ndarray, answer: np.ndarray, labels: np.ndarray) -> float:
        raise ParameterError(f"the scoring was {name}, of which only the name was kept; give it again as scoring")

    larger = name.startswith("make_scorer(") or not _stem(name).endswith(SMALLER)
    return Metric(name, CLASSIFICATION if classes else REGRESSION, "labels", larger, value, source=name)


def in_words(metric: Metric, labels: Any) -> Metric:
    """The metric where classes are judged as codes 0, 1, …: a user's function is given the classes themselves.

    A code behind the last is that of a class that was never seen.
    """
    if metric.source is None or not len(labels):
        return metric
    all_integers = all(isinstance(label, int) for label in labels)
    mixed = not all_integers and not all(isinstance(label, str) for label in labels)
    labels_and_unknown = np.array(
        [*labels, max(labels) + 1 if all_integers else "(never seen)"], dtype=object if mixed else None
    )
    value = metric.value
    return replace(
        metric, value=lambda y, answer, codes: value(y, answer, labels_and_unknown[: max(len(codes), len(labels))])
    )


def _stem(name: str) -> str:
    return name.removesuffix("()")


def is_scorer(scoring: Any) -> bool:
    """True for what `make_scorer` and `get_scorer` give."""
    return isinstance(scoring, type(sk.get_scorer("accuracy")))


@cache
def _scorers() -> dict[str, str]:
    """What scikit-learn shows of its own scorers -> their names, where the name is that of a metric of Tamis's."""
    our_names = {*_FUNCTIONS.values(), *SYNONYMS}
    names = [name for name in sk.get_scorer_names() if name.removeprefix("neg_") in our_names]
    return {repr(sk.get_scorer(name)): name for name in names}


def _needs(function: Callable[..., Any]) -> str:
    """What a function is to be given, by its arguments."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # a builtin without a signature
        parameters = ()  # type: ignore[assignment]
    placed = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    required = [p.name for p in placed if p.default is p.empty]
    first = placed[0].name if placed else ""
    if len(required) == 3 or (first in ("estimator", "model") and len(placed) >= 3 and len(required) <= 3):
        return "model"
    if len(required) == 2:
        return _SECOND.get(required[1], "labels")
    raise KindError(
        f"scoring={spoken(function)} requires {len(required)} arguments; give f(y_true, y_pred) or f(estimator, X, y)"
    )


def _checked(function: Callable[..., Any], name: str) -> Callable[..., float]:
    """The function, whose failures are told in a sentence and whose value is one number."""

    def call(*args: Any) -> float:
        try:
            returned = function(*args)
        except (ValueError, TypeError, ArithmeticError, LookupError) as error:
            message = (str(error).strip() or type(error).__name__).splitlines()[0][:150]
            raise ParameterError(f"scoring={name} failed on {len(args[-1]):,} rows: {message}") from error
        try:
            return float(returned)
        except (TypeError, ValueError) as error:
            raise KindError(f"scoring={name} gave {str(returned)[:50]!r}; it must return one number") from error

    return call


def _only_with_model(name: str) -> Callable[[np.ndarray, np.ndarray, np.ndarray], float]:
    def value(y: np.ndarray, answer: np.ndarray, labels: np.ndarray) -> float:
        raise ParameterError(f"scoring={name} needs the fitted model, which is not at hand; give f(y_true, y_pred)")

    return value


def _in_labels(y: np.ndarray, answer: np.ndarray, labels: np.ndarray, needs: str) -> tuple[np.ndarray, np.ndarray]:
    """Truth and answer as a user knows them: classes, and of two classes the probability of the second."""
    if needs == "labels":
        return labels[y], labels[answer]
    return labels[y], answer[:, 1] if answer.ndim == 2 and answer.shape[1] == 2 else answer


def _of_scorer(scorer: Any, classes: bool, labels: Any, name: str) -> Metric:
    """A scikit-learn scorer, called with answers that are at hand instead of with a model."""
    needs = _needs_of(scorer, classes, labels, name)
    call = _checked(scorer, name)

    def value(y: np.ndarray, answer: np.ndarray, labels: np.ndarray) -> float:
        model = _ClassAnswers(labels, needs, answer) if classes else _NumberAnswers(None, needs, answer)
        return call(model, np.empty((len(y), 1)), labels[y] if classes else y)

    return Metric(name, CLASSIFICATION if classes else REGRESSION, needs, True, value, source=scorer)


def _needs_of(scorer: Any, classes: bool, labels: Any, name: str) -> str:
    """What a scorer asks of a model, found by letting it score a few rows of this task."""
    class_labels = np.arange(2) if labels is None else np.asarray(labels)
    y = np.tile(np.arange(len(class_labels)), 3) if classes else np.array([1.0, 2.0, 3.5, 2.5])
    shares = np.full((len(y), len(class_labels)), 1 / len(class_labels))
    answer = shares if classes else y + 0.25
    model = _ClassAnswers(class_labels, "any", answer) if classes else _NumberAnswers(None, "any", answer)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            scorer(model, np.empty((len(y), 1)), class_labels[y] if classes else y)
    except (ValueError, TypeError, AttributeError) as error:
        message, kind = str(error).strip().splitlines()[0][:150], "classes" if classes else "numbers"
        raise ParameterError(f"scoring={name} does not fit a target of {kind}: {message}") from error
    return model.asked[0] if model.asked else "labels"


class _Answers(BaseEstimator):
    """Stands in for a fitted model: gives the answers it was made with, and remembers what it was asked for."""

    def __init__(self, labels: Any, needs: str, answer: Any) -> None:
        self.labels, self.needs, self.answer = labels, needs, answer
        self.asked: list[str] = []

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def predict(self, X: Any) -> Any:
        self.asked.append("labels")
        if self.labels is None:
            return self.answer
        codes = self.answer if self.needs == "labels" else np.asarray(self.answer).argmax(axis=1)
        return np.asarray(self.labels)[codes]


class _NumberAnswers(RegressorMixin, _Answers):
    """Of a regressor."""


class _ClassAnswers(ClassifierMixin, _Answers):
    """Of a classifier."""

    @property
    def classes_(self) -> Any:
        return self.labels

    def _has_probabilities(self) -> bool:
        return bool(np.ndim(self.answer) == 2)

    def _has_decision(self) -> bool:
        return self.needs == "any" or bool(np.ndim(self.answer) == 1 and self.needs == "decision")

    @available_if(_has_probabilities)
    def predict_proba(self, X: Any) -> Any:
        self.asked.append("probabilities")
        return self.answer

    @available_if(_has_decision)
    def decision_function(self, X: Any) -> Any:
        self.asked.append("decision")
        values = np.asarray(self.answer)
        return values[:, 1] if values.ndim == 2 and values.shape[1] == 2 else values
