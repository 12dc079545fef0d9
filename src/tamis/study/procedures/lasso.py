"""The lasso."""

from typing import Any

from tamis.study.procedures import Procedure
from tamis.study.procedures.models.linear import tuned_linear


def lasso(task: str) -> Any:
    """A linear model whose penalty drops columns."""
    return tuned_linear(task, "lasso")


PROCEDURE = Procedure(
    "lasso",
    "a linear model whose penalty drops columns; its strength is the one that does best in inner folds",
    lasso,
    order=110,
    compared="best",
    readable=True,
    takes_monotone=True,
    article="the",
)
