"""Small trees, one for each number of columns."""

from typing import Any

from tamis.evaluate.inner_folds import InnerFolds
from tamis.study.procedures import Procedure
from tamis.study.procedures.models.sized import SizedTrees


def small_tree(task: str) -> Any:
    """Trees of at most 20 leaves."""
    return SizedTrees(task, cv=InnerFolds())


PROCEDURE = Procedure(
    "small-tree",
    "a decision tree of at most 20 leaves, pruned by inner folds",
    small_tree,
    order=40,
    compared="always",
    readable=True,
    takes_monotone=True,
    by_size=True,
    article="the",
    noun="small tree",
    plural="small trees",
    label="tree",
)
