"""Model trees: a linear model in every leaf."""

from typing import Any

from tamis.errors import ParameterError
from tamis.evaluate.inner_folds import InnerFolds
from tamis.study.procedures import Procedure
from tamis.task import predicts_numbers
from tamis.tree import TreeRegressor


def model_tree(task: str) -> Any:
    """A pruned tree with a linear model in every leaf."""
    if not predicts_numbers(task):
        raise ParameterError("the procedure 'model-tree' predicts numbers, but the target holds classes; leave it out")
    return TreeRegressor(prune="cv", rule="min", cv=InnerFolds(), leaf="linear", random_state=None)


PROCEDURE = Procedure(
    "model-tree", "a pruned tree with a linear model in every leaf", model_tree, order=170, readable=True
)
