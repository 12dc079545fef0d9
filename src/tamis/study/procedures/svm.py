"""A sparse linear support vector machine."""

from typing import Any

from tamis.errors import ParameterError
from tamis.study.procedures import Procedure
from tamis.study.procedures.models.linear import tuned_linear
from tamis.task import predicts_numbers


def svm(task: str) -> Any:
    """Squared hinge loss and the lasso's penalty."""
    if predicts_numbers(task):
        raise ParameterError("the procedure 'svm' tells classes apart, but the target holds numbers; leave it out")
    return tuned_linear(task, "lasso", loss="squared_hinge")


PROCEDURE = Procedure(
    "svm",
    "a sparse linear support vector machine (squared hinge), sure of its answers",
    svm,
    order=140,
    readable=True,
    cost=2,
)
