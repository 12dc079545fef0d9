"""A lasso of the columns that rank highest."""

from typing import Any

from tamis.score import RankSelector
from tamis.study.procedures import Procedure
from tamis.study.procedures.models.linear import tuned_linear
from tamis.study.procedures.models.transformed import Transformed


def rank(task: str) -> Any:
    """The better half of the columns by relief and mutual information, and a lasso of these."""
    ranked = RankSelector(by=["relief", "mutual_information"], share=0.5)
    return Transformed([("columns", ranked), ("model", tuned_linear(task, "lasso"))])


PROCEDURE = Procedure(
    "rank",
    "a lasso of the better half of the columns by relief and mutual information",
    rank,
    order=70,
    readable=True,
    cost=2,
)
