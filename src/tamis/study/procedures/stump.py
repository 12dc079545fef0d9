"""The stump: a tree of one question."""

from typing import Any

from tamis.study.procedures import Procedure
from tamis.study.procedures.models.trees import split_criterion
from tamis.task import predicts_numbers
from tamis.tree import TreeClassifier, TreeRegressor


def stump(task: str) -> Any:
    """A tree of depth 1."""
    if predicts_numbers(task):
        return TreeRegressor(criterion=split_criterion(task), max_depth=1, random_state=None)
    return TreeClassifier(max_depth=1, random_state=None)


PROCEDURE = Procedure(
    "stump",
    "one question about one column",
    stump,
    order=10,
    compared="best",
    readable=True,
    takes_monotone=True,
    article="a",
)
