"""Procedures that a study compares only where they are named: over many tables none of them earned a place by default.

What each brought, and what it costs, is in docs/reference/study.md, "Procedures". All are pipelines of public
estimators.
"""

from __future__ import annotations

from typing import Any

from tamis.errors import ParameterError
from tamis.evaluate.inner import InnerFolds
from tamis.study.procedure.transformed import Transformed
from tamis.task import COUNT, predicts_numbers

#: What a model that takes plain numbers alone needs before it.
PLAIN = "encode,impute,standardize"

#: Neighbours that inner folds choose among.
NEIGHBOURS = (1, 3, 7, 15)


def linear(task: str, penalty: str, **settings: Any) -> Any:
    """A linear model whose strength is the one that does best in inner folds; missing values are means."""
    from tamis.linear import LinearClassifier, LinearRegressor

    if task == COUNT:
        settings = {"loss": "poisson", **settings}
    kind = LinearRegressor if predicts_numbers(task) else LinearClassifier
    return kind(penalty, missing="mean", rule="min", cv=InnerFolds(), **settings)


def subset(task: str) -> Any:
    """The linear model of the best k columns."""
    return linear(task, "subset")


def elastic_net(task: str) -> Any:
    """A linear model whose penalty drops columns, but keeps those that say the same together."""
    return linear(task, "elastic-net")


def log_lasso(task: str) -> Any:
    """A lasso of columns of which those that are positive and skewed come in as logarithms."""
    from tamis.transform import Symmetrize

    return Transformed([("transform", Symmetrize()), ("model", linear(task, "lasso"))])


def svm(task: str) -> Any:
    """A sparse linear support vector machine."""
    if predicts_numbers(task):
        raise ParameterError("the procedure 'svm' tells classes apart, but the target holds numbers; leave it out")
    return linear(task, "lasso", loss="squared_hinge")


def rank(task: str) -> Any:
    """The better half of the columns by relief and mutual information, and a lasso of these."""
    from tamis.score import RankSelector

    ranked = RankSelector(by=["relief", "mutual_information"], share=0.5)
    return Transformed([("columns", ranked), ("model", linear(task, "lasso"))])


def forward(task: str) -> Any:
    """Columns added one by one while they tell more of the target than of each other, and a ridge of these."""
    from tamis.search import SubsetSelector

    return Transformed([("columns", SubsetSelector("cfs", search="forward")), ("model", linear(task, "ridge"))])


def optimal_tree(task: str) -> Any:
    """The best tree of at most eight leaves; the number of leaves is the one that does best in inner folds."""
    from tamis.tree import TreeClassifier, TreeRegressor

    settings: dict[str, Any] = {"search": "optimal", "prune": "cv", "rule": "min", "cv": InnerFolds()}
    settings |= {"min_samples_leaf": 5, "random_state": None}
    return TreeRegressor(**settings) if predicts_numbers(task) else TreeClassifier(prune_by="log_loss", **settings)


def score_card(task: str) -> Any:
    """Whole points for yes-or-no statements; two classes, or numbers."""
    from tamis.linear import ScoreCard, ScoreCardRegressor

    return (ScoreCardRegressor if predicts_numbers(task) else ScoreCard)(cv=InnerFolds(), random_state=None)


def model_tree(task: str) -> Any:
    """A pruned tree with a linear model in every leaf."""
    if not predicts_numbers(task):
        raise ParameterError("the procedure 'model-tree' predicts numbers, but the target holds classes; leave it out")
    from tamis.tree import TreeRegressor

    return TreeRegressor(prune="cv", rule="min", cv=InnerFolds(), leaf="linear", random_state=None)


def knn(task: str, n_rows: int | None = None) -> Any:
    """scikit-learn's nearest neighbours, weighted by distance, on the standardised columns of the study's forest."""
    from sklearn.model_selection import GridSearchCV
    from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
    from sklearn.pipeline import make_pipeline

    from tamis.study.procedures import sifted_forest
    from tamis.transform import Transforms

    kind = KNeighborsRegressor if predicts_numbers(task) else KNeighborsClassifier
    near = GridSearchCV(kind(weights="distance"), {"n_neighbors": NEIGHBOURS}, cv=InnerFolds())
    return make_pipeline(sifted_forest(task, n_rows).set_output(transform="pandas"), Transforms(PLAIN), near)
