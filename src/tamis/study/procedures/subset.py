"""Best subset: the k columns that do best together."""

from typing import Any

from tamis.study.procedures import Procedure
from tamis.study.procedures.models.linear import tuned_linear


def subset(task: str) -> Any:
    """The linear model of the best k columns."""
    return tuned_linear(task, "subset")


PROCEDURE = Procedure(
    "subset", "the linear model of the k columns that do best in inner folds", subset, order=60, readable=True
)
