"""Which models are linear least squares, plain or with a ridge, and what their scores are in squared errors."""

from dataclasses import dataclass

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from tamis.linear import LinearRegressor
from tamis.search.evaluator.task import SearchTask
from tamis.table import refuse_extreme

_SOLVERS = ("auto", "svd", "cholesky")
SCORINGS = ("r2", "neg_mean_squared_error", "neg_root_mean_squared_error")


@dataclass(frozen=True)
class Linear:
    """A least-squares model: minimise Σ (y - Xw)² + ridge · Σ (unit · w)².

    Attributes
    ----------
    ridge : strength; times the number of rows when `per_row`.
    scaled : the unit of a column is its standard deviation on the training rows, not 1.
    intercept : whether the mean is free.
    cut : singular values below this share of the largest are dropped by the model.
    """

    ridge: float = 0.0
    per_row: bool = False
    scaled: bool = False
    intercept: bool = True
    cut: float = 0.0


def linear_of(estimator: BaseEstimator) -> Linear | None:
    """The least-squares model that an estimator is, or None."""
    kind = type(estimator)
    if kind is Pipeline:
        return _piped(estimator)
    if kind is LinearRegression and not estimator.positive:
        return Linear(intercept=estimator.fit_intercept, cut=float(getattr(estimator, "tol", 1e-6)))
    if kind is Ridge and not estimator.positive and estimator.solver in _SOLVERS and np.ndim(estimator.alpha) == 0:
        return Linear(ridge=float(estimator.alpha), intercept=estimator.fit_intercept) if estimator.alpha > 0 else None
    if kind is LinearRegressor:
        return _of_tamis(estimator)
    return None


def _piped(pipeline: Pipeline) -> Linear | None:
    """Standardising before least squares only changes the units of the ridge."""
    steps = [step for _, step in pipeline.steps if step not in (None, "passthrough")]
    if len(steps) != 2 or type(steps[0]) is not StandardScaler or not (steps[0].with_mean and steps[0].with_std):
        return None
    inner = linear_of(steps[1])
    if inner is None or not inner.intercept or type(steps[1]) is LinearRegressor:
        return None
    return Linear(ridge=inner.ridge, scaled=True, cut=inner.cut)


def _of_tamis(estimator: BaseEstimator) -> Linear | None:
    params = estimator.get_params(deep=False)
    if params.get("loss", "squared") != "squared" or params.get("norm_bound") is not None:
        return None
    scaled, intercept = bool(params["standardize"]), bool(params["fit_intercept"])
    if params["penalty"] is None:
        return Linear(intercept=intercept)
    if params["penalty"] == "ridge" and isinstance(params["alpha"], (int, float)) and params["alpha"] > 0:
        return Linear(ridge=float(params["alpha"]), per_row=True, scaled=scaled, intercept=intercept)
    return None


def scoring_of(task: SearchTask) -> str | None:
    """The scoring as a word that squared errors answer, or None."""
    if task.is_r2:
        return "r2"
    return task.word if task.word in SCORINGS else None


def is_plain(task: SearchTask) -> bool:
    """True when the table holds finite numbers only and nothing but weights goes to `fit`."""
    if not task.table.is_numeric or set(task.params) - {"sample_weight"} or np.asarray(task.y).dtype.kind not in "fiu":
        return False
    table = task.table
    if table.is_sparse:
        finite = bool(np.isfinite(table.matrix.data).all())
    else:
        blocks = [table.matrix] if table.matrix is not None else [column.values for column in table.columns]
        with np.errstate(over="ignore", invalid="ignore"):
            finite = all(np.isfinite(block.sum(dtype=np.float64)) or np.isfinite(block).all() for block in blocks)
    if finite:
        refuse_extreme(table)
    return finite


def score_from(errors: np.ndarray, word: str, rows: np.ndarray, spread: np.ndarray) -> np.ndarray:
    """Scores from squared errors (… × folds), weights of the test rows and, for r2, their scatter about their mean."""
    if word == "r2":
        return 1.0 - errors / spread
    mean = np.maximum(errors / rows, 0.0)
    return -mean if word == "neg_mean_squared_error" else -np.sqrt(mean)


def size_of(word: str, variance: float) -> float:
    """The size of a score, to measure rounding by: 1 for r2, else that of the squared error or of its root."""
    return {"r2": 1.0, "neg_mean_squared_error": variance}.get(word) or float(np.sqrt(variance))
