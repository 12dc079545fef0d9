"""Nearest neighbours on the columns of the forest."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.model_selection import GridSearchCV, check_cv
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline

from tamis.evaluate.inner_folds import InnerFolds
from tamis.study.procedures import Procedure
from tamis.study.procedures.forest import sifted_forest
from tamis.task import COUNT, predicts_numbers
from tamis.transform import Transforms

#: What a model that takes plain numbers alone needs before it.
PLAIN = "encode,impute,standardize"

#: Neighbours that inner folds choose among.
NEIGHBOURS = (1, 3, 7, 15)


class _Nearest:
    """As many neighbours as asked for, or all where a training part has fewer rows."""

    n_neighbors: int
    n_samples_fit_: int

    def kneighbors(self, X: Any = None, n_neighbors: int | None = None, return_distance: bool = True) -> Any:
        """Distances and rows of the nearest neighbours."""
        n_nearest = min(self.n_neighbors if n_neighbors is None else n_neighbors, self.n_samples_fit_)
        return super().kneighbors(X, n_nearest, return_distance)  # type: ignore[misc]


class NearestClassifier(_Nearest, KNeighborsClassifier):  # type: ignore[misc]
    """scikit-learn's, for training parts of any size."""


class NearestRegressor(_Nearest, KNeighborsRegressor):  # type: ignore[misc]
    """scikit-learn's, for training parts of any size."""


class NearestRates(RegressorMixin, BaseEstimator):
    """Rates of counts: the counts of the nearest rows over their exposures, both weighted by the inverse distance.

    The number of neighbours has the least squared error of rates, weighted by exposure, in inner folds; the smaller of
    equals.
    """

    def __init__(self, neighbours: tuple[int, ...] = NEIGHBOURS, cv: Any = 5) -> None:
        self.neighbours = neighbours
        self.cv = cv

    def fit(self, X: Any, y: Any, exposure: Any = None) -> NearestRates:
        """Learn from rates and exposures; counts are rates of the exposure 1."""
        X, rate = np.asarray(X, dtype=np.float64), np.asarray(y, dtype=np.float64)
        each = np.ones(len(rate)) if exposure is None else np.asarray(exposure, dtype=np.float64)
        pairs = np.column_stack([rate * each, each])
        losses = np.zeros(len(self.neighbours))
        for train, test in check_cv(self.cv).split(X, rate):
            for k, n in enumerate(self.neighbours):
                errors = (
                    _rate(NearestRegressor(n, weights="distance").fit(X[train], pairs[train]), X[test]) - rate[test]
                )
                losses[k] += each[test] @ errors**2
        self.n_neighbors_ = self.neighbours[int(np.argmin(losses))]
        self.nearest_ = NearestRegressor(self.n_neighbors_, weights="distance").fit(X, pairs)
        self.n_features_in_ = X.shape[1]
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Counts per unit of exposure."""
        return _rate(self.nearest_, np.asarray(X, dtype=np.float64))


def _rate(nearest: NearestRegressor, X: np.ndarray) -> np.ndarray:
    count, exposure = nearest.predict(X).T
    return np.asarray(count / exposure)


def knn(task: str, n_rows: int | None = None) -> Any:
    """scikit-learn's nearest neighbours, weighted by distance, on the standardised columns of the study's forest."""
    if task == COUNT:
        near: Any = NearestRates(cv=InnerFolds())
    else:
        kind = NearestRegressor if predicts_numbers(task) else NearestClassifier
        near = GridSearchCV(kind(weights="distance"), {"n_neighbors": NEIGHBOURS}, cv=InnerFolds())
    return make_pipeline(sifted_forest(task, n_rows).set_output(transform="pandas"), Transforms(PLAIN), near)


PROCEDURE = Procedure(
    "knn", "nearest neighbours on the standardised columns of the forest", knn, order=200, cost=3, sized=True
)
