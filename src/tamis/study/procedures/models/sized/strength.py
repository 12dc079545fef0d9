"""Strength of a ridge on chosen columns, by folds that choose their own columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tamis.linear import LinearClassifier
from tamis.study.procedures.models.sized.base import Sample
from tamis.table import Table

#: Strengths that are compared.
N_ALPHAS = 8


def ridge_strength(
    ridge: Callable[..., Any], table: Table, y: Sample, pairs: Sequence[Any], names: Sequence[Sequence[str]]
) -> float:
    """The strength of least loss on held-out rows, where each fold has the columns that its training rows chose.

    On columns that all rows chose, held-out rows had a part in the choice, and the ridge would be too weak: on noise of
    60 rows and 1,000 columns the Brier score is then 0.8 instead of 0.5.
    """
    paths = []
    for pair, chosen in zip(pairs, names):
        path = errors_by_strength(ridge(cv=[pair], rule="min", n_alphas=N_ALPHAS), table.select(list(chosen)), y)
        paths.append((path.alphas, path.cv_mean))
    return least_loss(paths)


def errors_by_strength(ridge: Any, table: Table, y: Sample) -> Any:
    """The path of a ridge with its errors over the ridge's folds; where there is a shorter way, no model is fitted."""
    if isinstance(ridge, LinearClassifier):
        return ridge.fit_path(table, y.y, y.weight, folds=True)
    return y.fitted(ridge, table).path_


def best_strength(ridge: Any, table: Table, y: Sample) -> float:
    """The strength that a ridge chooses by its rule."""
    if isinstance(ridge, LinearClassifier):
        path = errors_by_strength(ridge, table, y)
        return float(path.alphas[path.choose(ridge.rule)])
    return float(y.fitted(ridge, table).alpha_)


def least_loss(folds: Sequence[tuple[np.ndarray, np.ndarray]]) -> float:
    """The strength of least mean loss: losses along each fold's falling strengths are interpolated in log strength.

    >>> least_loss([(np.array([1.0, 0.1, 0.01]), np.array([3.0, 1.0, 2.0]))])
    0.1
    """
    grid = folds[0][0][::-1]
    losses = [np.interp(np.log(grid), np.log(alphas[::-1]), values[::-1]) for alphas, values in folds]
    return float(grid[int(np.argmin(np.mean(losses, axis=0)))])
