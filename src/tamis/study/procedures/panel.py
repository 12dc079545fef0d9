"""Panels: few of many columns, chosen together."""

from typing import Any

from tamis.evaluate.inner_folds import InnerFolds
from tamis.study.procedures import Procedure, suits_wide
from tamis.study.procedures.models.sized import SizedPanels


def panel(task: str) -> Any:
    """Linear models of few columns, the same for all classes."""
    return SizedPanels(task, cv=InnerFolds())


PROCEDURE = Procedure(
    "panel",
    "a linear model of few columns out of many, chosen together for all classes",
    panel,
    order=100,
    compared="always",
    readable=True,
    takes_monotone=True,
    suits=suits_wide,
    by_size=True,
    article="the",
    plural="panels",
)
