"""What a metric is: its name, what it reads from a model, which way is better, and its value."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Score = Callable[[np.ndarray, np.ndarray, np.ndarray], float]
Each = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]

#: Other names of metrics, scikit-learn's among them.
SYNONYMS = {
    "error_rate": "error",
    "auc": "roc_auc",
    "roc_auc_ovr": "roc_auc",
    "brier_score": "brier",
    "matthews_corrcoef": "matthews",
    "mcc": "matthews",
    "cohen_kappa": "kappa",
    "mean_squared_error": "mse",
    "root_mean_squared_error": "rmse",
    "mean_absolute_error": "mae",
    "mean_absolute_percentage_error": "mape",
    "mean_poisson_deviance": "poisson_deviance",
    "rps": "ranked_probability_score",
    "quadratic_weighted_kappa": "weighted_kappa",
}


@dataclass(frozen=True)
class Metric:
    """A way to judge answers.

    Attributes
    ----------
    name : the word it is asked for by; of a user's function, its name and "()".
    task : "classification" or "regression": the kind of target it judges.
    needs : what it reads from a model: "labels" (or predicted numbers), "probabilities", "decision", or "model" where
        it is computed from the fitted model itself.
    larger : True when a larger value is better.
    value : f(y, answer, labels) -> number; for classes y and predicted labels are codes into the labels.
    each : where the metric is a mean over rows, f -> the part of each row; else None.
    negated : True for a `neg_` form, turned so that larger is better.
    source : the scorer or function it was made from; None for a metric of Tamis's own.
    of_model : f(model, X, y) -> number, where it needs the model.
    base : the name of the metric it is a form of.
    """

    name: str
    task: str
    needs: str
    larger: bool
    value: Score
    each: Each | None = None
    negated: bool = False
    source: Any = None
    of_model: Callable[[Any, Any, Any], float] | None = None

    @property
    def base(self) -> str:
        word = self.name.removeprefix("neg_")
        return SYNONYMS.get(word, word)


def mean_of(each: Each) -> Score:
    """The metric whose value is the mean over rows."""
    return lambda y, answer, labels: float(np.mean(each(y, answer, labels)))


def label_text(label: Any) -> str:
    return repr(label.item() if hasattr(label, "item") else label)
