"""Formulas of few columns, one for each number of them."""

from typing import Any

from tamis.evaluate.inner_folds import InnerFolds
from tamis.study.procedures import Procedure, suits_tall
from tamis.study.procedures.models.sized import SizedFormulas


def formula(task: str) -> Any:
    """Linear models of columns that ridge forward selection chooses."""
    return SizedFormulas(task, cv=InnerFolds())


PROCEDURE = Procedure(
    "formula",
    "a linear model of few columns, chosen one after the other by what they add, and fitted with a ridge penalty",
    formula,
    order=90,
    compared="always",
    readable=True,
    takes_monotone=True,
    suits=suits_tall,
    by_size=True,
    article="the",
    plural="formulas",
)
