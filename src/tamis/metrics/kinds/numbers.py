"""Metrics of predicted numbers and counts."""

import numpy as np
from scipy.special import xlogy
from sklearn import metrics as sk

from tamis.errors import ParameterError
from tamis.metrics.metric import Metric, mean_of
from tamis.task import REGRESSION


def _mape(y: np.ndarray, answer: np.ndarray, labels: np.ndarray) -> float:
    nonzero = y != 0
    if not nonzero.any():
        raise ParameterError("every target is 0, so there is no percentage error; give scoring='mae'")
    return float(sk.mean_absolute_percentage_error(y[nonzero], answer[nonzero]))


def _r2(y: np.ndarray, answer: np.ndarray, labels: np.ndarray) -> float:
    if len(y) < 2:
        raise ParameterError("r2 needs at least 2 rows to be judged on; give scoring='mse', or larger folds")
    return float(sk.r2_score(y, answer))


def _poisson_deviances(y: np.ndarray, answer: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Twice the gap in Poisson log likelihood of each row: 2 (y log(y / a) − y + a)."""
    if len(y) and y.min() < 0:
        raise ParameterError(f"the Poisson deviance is for counts, but a target is {y.min():g}; give scoring='mse'")
    prediction = np.maximum(answer, np.finfo(np.float64).tiny)
    return np.asarray(2 * (xlogy(y, y / prediction) - y + prediction))


def _squares(y: np.ndarray, answer: np.ndarray, labels: np.ndarray) -> np.ndarray:
    return (y - answer) ** 2


def _distances(y: np.ndarray, answer: np.ndarray, labels: np.ndarray) -> np.ndarray:
    return np.abs(y - answer)


METRICS = (
    Metric("r2", REGRESSION, "labels", True, _r2),
    Metric("mse", REGRESSION, "labels", False, lambda y, a, k: float(sk.mean_squared_error(y, a)), _squares),
    Metric("rmse", REGRESSION, "labels", False, lambda y, a, k: float(sk.root_mean_squared_error(y, a))),
    Metric("mae", REGRESSION, "labels", False, lambda y, a, k: float(sk.mean_absolute_error(y, a)), _distances),
    Metric("mape", REGRESSION, "labels", False, _mape),
    Metric("poisson_deviance", REGRESSION, "labels", False, mean_of(_poisson_deviances), _poisson_deviances),
)
