"""Model trees: a linear model in every leaf, of classes a logistic one."""

from typing import Any

from tamis.evaluate.inner_folds import InnerFolds
from tamis.study.procedures import Procedure
from tamis.task import predicts_numbers
from tamis.tree import TreeClassifier, TreeRegressor


def model_tree(task: str) -> Any:
    """A pruned tree with a linear model in every leaf, of classes a logistic one."""
    if not predicts_numbers(task):
        return TreeClassifier(prune="cv", rule="min", cv=InnerFolds(), leaf="logistic", random_state=None)
    return TreeRegressor(prune="cv", rule="min", cv=InnerFolds(), leaf="linear", random_state=None)


PROCEDURE = Procedure(
    "model-tree",
    "a pruned tree with a linear model in every leaf, of classes a logistic one",
    model_tree,
    order=170,
    readable=True,
)
