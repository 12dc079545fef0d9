"""A linear model as studies fit it."""

from __future__ import annotations

from typing import Any

from tamis.evaluate.inner import InnerFolds
from tamis.linear import LinearClassifier, LinearRegressor
from tamis.task import COUNT, predicts_numbers


def tuned_linear(task: str, penalty: str, **settings: Any) -> LinearClassifier | LinearRegressor:
    """A linear model whose strength is the one that does best in inner folds; missing values are means."""
    if task == COUNT:
        settings = {"loss": "poisson", **settings}
    kind = LinearRegressor if predicts_numbers(task) else LinearClassifier
    return kind(penalty, missing="mean", rule="min", cv=InnerFolds(), **settings)
