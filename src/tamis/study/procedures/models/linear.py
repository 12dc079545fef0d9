"""A linear model as studies fit it."""

from __future__ import annotations

from typing import Any

from tamis.evaluate.inner_folds import InnerFolds
from tamis.linear import LinearClassifier, LinearRegressor
from tamis.task import COUNT, ORDINAL, predicts_numbers


def linear_loss(task: str) -> dict[str, Any]:
    """The loss of linear models of a task where it is not the usual one: that of counts, or of ordered classes.

    Ordered classes have one coefficient a term and a threshold between neighbours, not a coefficient for each class.
    """
    losses = {COUNT: "poisson", ORDINAL: "cumulative_logit"}
    return {"loss": losses[task]} if task in losses else {}


def tuned_linear(task: str, penalty: str, **settings: Any) -> LinearClassifier | LinearRegressor:
    """A linear model whose strength is the one that does best in inner folds; missing values are means."""
    settings = {**linear_loss(task), **settings}
    kind = LinearRegressor if predicts_numbers(task) else LinearClassifier
    return kind(penalty, missing="mean", rule="min", cv=InnerFolds(), **settings)
