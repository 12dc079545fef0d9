"""Forward selection by correlations, then a ridge."""

from typing import Any

from tamis.search import SubsetSelector
from tamis.study.procedures import Procedure
from tamis.study.procedures.models.linear import tuned_linear
from tamis.study.procedures.models.transformed import Transformed


def forward(task: str) -> Any:
    """Columns added one by one while they share more with the target than with each other, and a ridge of these."""
    return Transformed([("columns", SubsetSelector("cfs", search="forward")), ("model", tuned_linear(task, "ridge"))])


PROCEDURE = Procedure(
    "forward",
    "a ridge of columns added one by one while they share more with the target than with each other",
    forward,
    order=80,
    readable=True,
    cost=2,
)
