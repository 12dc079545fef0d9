r"""Forward selection by the gain of a penalised ridge: columns that add to those chosen before, and stable ones.

With standardised columns Z (rows × columns) and targets Y (rows × outputs), the columns S lower the ridge objective

.. math:: \min_B \lVert Y - Z_S B \rVert^2 + \lambda \lVert B \rVert^2 .

A further column j lowers it by :math:`\lVert z_j^\top M Y \rVert^2 / (\lambda + z_j^\top M z_j)` with
:math:`M = (I + Z_S Z_S^\top / \lambda)^{-1}`. λ → 0 is forward selection by least squares, λ → ∞ the ranking of single
columns. A step costs one product of the matrix with a vector.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.sparse import issparse

from tamis.linear.encoding import EncodedInputs
from tamis.study.procedures.models.sized.base import Sample
from tamis.table import Table
from tamis.task import predicts_classes


@dataclass(frozen=True, eq=False)
class Standardized:
    """A table's encoded columns in the order of their names, standardised without being copied.

    Attributes
    ----------
    matrix : rows × encoded columns, dense or sparse, missing values at the mean.
    mean, variance, scale : of each encoded column. An indicator of frequency p has scale √p, so that the squared
        correlations of a category's indicators sum to χ² / n; constant columns have scale infinity.
    groups : for each encoded column, the position of its column in the table; `starts` are the first ones of groups.
    inputs : how rows of the same columns are encoded.
    """

    matrix: Any
    mean: np.ndarray
    variance: np.ndarray
    scale: np.ndarray
    groups: np.ndarray
    starts: np.ndarray
    inputs: EncodedInputs

    @classmethod
    def of(cls, table: Table) -> Standardized:
        inputs = EncodedInputs.learn(table, np.ones(table.n_rows), missing="mean", reference=False)
        matrix = inputs.arrange(inputs.read(table))
        matrix = matrix.tocsc() if issparse(matrix) else matrix
        mean = np.asarray(matrix.mean(axis=0)).ravel()
        variance = _variance(matrix, mean)
        indicator = np.array([levels is not None for levels in inputs.encoding.levels], dtype=bool)[inputs.groups]
        scale = np.sqrt(np.where(indicator, mean, variance))
        constant = variance <= 1e-12 * mean**2
        return cls(
            matrix,
            mean,
            np.where(constant, 0.0, variance),
            np.where(constant, np.inf, scale),
            inputs.groups,
            inputs.starts,
            inputs,
        )

    @property
    def n_rows(self) -> int:
        return int(self.matrix.shape[0])

    def column(self, j: int) -> np.ndarray:
        """One standardised column."""
        values = self.matrix[:, [j]].toarray().ravel() if issparse(self.matrix) else self.matrix[:, j]
        return np.asarray((values - self.mean[j]) / self.scale[j])

    def of_rows(self, table: Table) -> Standardized:
        """Other rows, encoded and standardised as these."""
        matrix = self.inputs.arrange(self.inputs.read(table))
        return replace(self, matrix=matrix.tocsc() if issparse(matrix) else matrix)

    def encoded(self, columns: np.ndarray) -> np.ndarray:
        """Some encoded columns, standardised, side by side."""
        values = self.matrix[:, columns].toarray() if issparse(self.matrix) else self.matrix[:, columns]
        return np.asarray((values - self.mean[columns]) / self.scale[columns])

    def products(self, vectors: np.ndarray) -> np.ndarray:
        """Z' v of one vector or several (rows × outputs)."""
        raw = np.asarray(self.matrix.T @ vectors)
        shape = (-1,) + (1,) * (raw.ndim - 1)
        return np.asarray((raw - self.mean.reshape(shape) * vectors.sum(axis=0)) / self.scale.reshape(shape))


def _variance(matrix: Any, mean: np.ndarray) -> np.ndarray:
    """Variance (1/n) of each column, dense or sparse."""
    if not issparse(matrix):
        return np.asarray(matrix.var(axis=0))
    return np.maximum(np.asarray(matrix.multiply(matrix).mean(axis=0)).ravel() - mean**2, 0.0)


def selection_target(
    y: Sample, task: str, train: np.ndarray | None = None, rows: np.ndarray | None = None
) -> np.ndarray:
    """Indicators of classes, or numbers (rows × outputs), about the mean of training rows, the largest of these 1.

    Of all rows by default; of `rows` where they are given, else of the training rows.
    """
    train = np.arange(len(y)) if train is None else train
    if y.weight is not None:  # of rates, residuals of equal variance about the rate of the training rows
        target = np.sqrt(y.weight) * (y.y - np.average(y.y[train], weights=y.weight[train]))
        target = target[:, None]
    elif predicts_classes(task):
        target = np.asarray(y.y[:, None] == np.unique(y.y), dtype=np.float64)
    else:
        target = np.asarray(y.y[:, None], dtype=np.float64)
    centred = target - target[train].mean(axis=0)
    scale = float(np.abs(centred[train]).max()) or 1.0
    return np.asarray(centred[train if rows is None else rows] / scale)


def ridge_forward(
    columns: Standardized,
    Y: np.ndarray,
    penalty: float,
    n_columns: int,
    max_terms: int,
    signs: np.ndarray | None = None,
) -> list[int]:
    """Positions (in the table) of at most `n_columns` columns, in the order in which they are chosen.

    `penalty` is λ per row; `Y` has columns of mean 0. A category enters with all its indicators; the gain that each has
    by chance is subtracted, so that many levels are no advantage. A column of more terms than `max_terms` leaves is
    passed over, as is one whose coefficient for the last column of `Y` would have the other of its `signs` (1, -1; 0 is
    either).
    """
    lam = penalty * columns.n_rows
    state = _State.start(columns, Y)
    noise = float((Y**2).sum()) / columns.n_rows
    sizes = np.diff(columns.starts)
    free = np.logical_or.reduceat(np.isfinite(columns.scale), columns.starts[:-1])
    chosen: list[int] = []
    n_terms = 0
    while len(chosen) < n_columns:
        gains = ((state.correlation**2).sum(axis=1) - noise * state.length) / (lam + state.length)
        gains = np.where(free & (sizes <= max_terms - n_terms), np.add.reduceat(gains, columns.starts[:-1]), -np.inf)
        if signs is not None:
            contrary = signs[columns.groups] * state.correlation[:, -1] < 0
            gains[np.logical_or.reduceat(contrary, columns.starts[:-1])] = -np.inf
        best = int(np.argmax(gains))
        if gains[best] == -np.inf:
            break
        for j in range(columns.starts[best], columns.starts[best + 1]):
            state.add(columns, j, lam)
        chosen.append(int(columns.groups[columns.starts[best]]))
        free[best], n_terms = False, n_terms + int(sizes[best])
    return chosen


@dataclass(eq=False)
class _State:
    """z' M Y and z' M z of every column, and the rank-one parts that M consists of."""

    correlation: np.ndarray
    length: np.ndarray
    vectors: list[np.ndarray]
    weights: list[np.ndarray]

    @classmethod
    def start(cls, columns: Standardized, Y: np.ndarray) -> _State:
        variance = columns.variance / columns.scale**2
        return cls(columns.products(Y), columns.n_rows * variance, [], [])

    def add(self, columns: Standardized, j: int, lam: float) -> None:
        """Sherman-Morrison: M becomes M - M z z' M / (λ + z' M z)."""
        if self.length[j] <= 0:
            return
        vector = columns.column(j)
        for earlier, weight in zip(self.vectors, self.weights):
            vector -= weight[j] * earlier
        products, divisor = columns.products(vector), lam + float(self.length[j])
        self.vectors.append(vector)
        self.weights.append(products / divisor)
        self.length = np.maximum(self.length - products**2 / divisor, 0.0)
        self.correlation = self.correlation - np.outer(products / divisor, self.correlation[j])


def held_out_errors(
    train: Standardized,
    Y: np.ndarray,
    held_out: Standardized,
    truth: np.ndarray,
    panels: Sequence[Sequence[int]],
    ridges: Sequence[float],
) -> np.ndarray:
    """Squared errors, summed over outputs, by ridges of so much strength per row on each panel of columns.

    Rows held out × panels × strengths. Panels are beginnings of the last one, whose products serve them all.
    """
    encoded = np.flatnonzero(np.isin(train.groups, panels[-1]))
    Z, held_out_Z = train.encoded(encoded), held_out.encoded(encoded)
    gram, products = Z.T @ Z, Z.T @ Y
    out = np.empty((len(truth), len(panels), len(ridges)))
    for s, panel in enumerate(panels):
        part = np.flatnonzero(np.isin(train.groups[encoded], panel))
        block = gram[np.ix_(part, part)]
        for r, ridge in enumerate(ridges):
            coef = np.linalg.solve(block + ridge * len(Z) * np.eye(len(part)), products[part])
            out[:, s, r] = ((truth - held_out_Z[:, part] @ coef) ** 2).sum(axis=1)
    return out
