"""The elastic net."""

from typing import Any

from tamis.study.procedures import Procedure
from tamis.study.procedures.models.linear import tuned_linear


def elastic_net(task: str) -> Any:
    """A linear model whose penalty drops columns, but keeps those with the same information together."""
    return tuned_linear(task, "elastic-net")


PROCEDURE = Procedure(
    "elastic-net",
    "a linear model that drops columns, but keeps those with the same information",
    elastic_net,
    order=130,
    readable=True,
    takes_monotone=True,
)
