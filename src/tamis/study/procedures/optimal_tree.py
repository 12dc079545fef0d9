"""The best of all small trees, by branch and bound."""

from typing import Any

from tamis.evaluate.inner_folds import InnerFolds
from tamis.study.procedures import Procedure
from tamis.task import predicts_numbers
from tamis.tree import TreeClassifier, TreeRegressor


def optimal_tree(task: str) -> Any:
    """The best tree of at most eight leaves; the number of leaves is the one that does best in inner folds."""
    settings: dict[str, Any] = {"search": "optimal", "prune": "cv", "rule": "min", "cv": InnerFolds()}
    settings |= {"min_samples_leaf": 5, "random_state": None}
    return TreeRegressor(**settings) if predicts_numbers(task) else TreeClassifier(prune_by="log_loss", **settings)


PROCEDURE = Procedure(
    "optimal-tree",
    "of all trees of at most three levels and eight leaves the best one; inner folds choose the number of leaves",
    optimal_tree,
    order=30,
    readable=True,
)
