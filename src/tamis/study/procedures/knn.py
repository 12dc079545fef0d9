"""Nearest neighbours on the columns of the forest."""

from typing import Any

from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline

from tamis.evaluate.inner_folds import InnerFolds
from tamis.study.procedures import Procedure
from tamis.study.procedures.forest import sifted_forest
from tamis.task import predicts_numbers
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


def knn(task: str, n_rows: int | None = None) -> Any:
    """scikit-learn's nearest neighbours, weighted by distance, on the standardised columns of the study's forest."""
    kind = NearestRegressor if predicts_numbers(task) else NearestClassifier
    near = GridSearchCV(kind(weights="distance"), {"n_neighbors": NEIGHBOURS}, cv=InnerFolds())
    return make_pipeline(sifted_forest(task, n_rows).set_output(transform="pandas"), Transforms(PLAIN), near)


PROCEDURE = Procedure(
    "knn", "nearest neighbours on the standardised columns of the forest", knn, order=200, cost=3, sized=True
)
