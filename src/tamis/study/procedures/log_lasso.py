"""A lasso of logarithms."""

from typing import Any

from tamis.study.procedures import Procedure
from tamis.study.procedures.models.linear import tuned_linear
from tamis.study.procedures.models.transformed import Transformed
from tamis.transform import Symmetrize


def log_lasso(task: str) -> Any:
    """A lasso of columns of which those that are positive and skewed come in as logarithms."""
    return Transformed([("transform", Symmetrize()), ("model", tuned_linear(task, "lasso"))])


PROCEDURE = Procedure(
    "log-lasso",
    "a lasso after the logarithm of positive columns with a skewness above 2",
    log_lasso,
    order=120,
    readable=True,
    cost=2,
)
