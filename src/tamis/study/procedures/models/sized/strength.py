"""Strength of a ridge on chosen columns, by folds that choose their own columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

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
        model = ridge(alpha="cv", cv=[pair], rule="min", n_alphas=N_ALPHAS)
        path = y.fitted(model, table.select(list(chosen))).path_
        paths.append((path.alphas, path.cv_mean))
    return least_loss(paths)


def least_loss(folds: Sequence[tuple[np.ndarray, np.ndarray]]) -> float:
    """The strength of least mean loss: losses along each fold's falling strengths are interpolated in log strength.

    >>> least_loss([(np.array([1.0, 0.1, 0.01]), np.array([3.0, 1.0, 2.0]))])
    0.1
    """
    grid = folds[0][0][::-1]
    losses = [np.interp(np.log(grid), np.log(alphas[::-1]), values[::-1]) for alphas, values in folds]
    return float(grid[int(np.argmin(np.mean(losses, axis=0)))])
