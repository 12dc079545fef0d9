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


def knn(task: str, n_rows: int | None = None) -> Any:
    """scikit-learn's nearest neighbours, weighted by distance, on the standardised columns of the study's forest."""
    kind = KNeighborsRegressor if predicts_numbers(task) else KNeighborsClassifier
    near = GridSearchCV(kind(weights="distance"), {"n_neighbors": NEIGHBOURS}, cv=InnerFolds())
    return make_pipeline(sifted_forest(task, n_rows).set_output(transform="pandas"), Transforms(PLAIN), near)


PROCEDURE = Procedure(
    "knn", "nearest neighbours on the standardised columns of the forest", knn, order=200, cost=3, sized=True
)
