"""Histogram gradient boosting on all columns: the black box that readable models are compared with."""

from typing import Any

from tamis.study.procedures import Procedure, Reference
from tamis.study.procedures.models.boosting import Boosting

WORDS = "histogram gradient boosting of at most 100 rounds, on all columns as they are"


def boosting(task: str) -> Any:
    """Boosting of at most 100 rounds."""
    return Boosting(task)


PROCEDURE = Procedure(
    "boosting",
    WORDS,
    boosting,
    order=210,
    cost=3,
    takes_monotone=True,
    article="",
    noun="gradient boosting",
    reference=Reference(WORDS, "gradient boosting", boosting, cost=3, with_custom=True, takes_monotone=True),
)
