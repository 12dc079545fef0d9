"""Additive models, one for each number of columns."""

from typing import Any

from tamis.evaluate.inner_folds import InnerFolds
from tamis.study.procedures import Procedure, suits_tall
from tamis.study.procedures.models.sized import SizedAdditive


def additive(task: str) -> Any:
    """Curves of single columns and maps of pairs."""
    return SizedAdditive(task, cv=InnerFolds())


PROCEDURE = Procedure(
    "additive",
    "an additive model: a curve per column and at most five maps of two columns",
    additive,
    order=150,
    compared="always",
    readable=True,
    takes_monotone=True,
    suits=suits_tall,
    by_size=True,
    article="the",
    noun="additive model",
    plural="additive models",
    label="curves",
)
