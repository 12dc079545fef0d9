"""Oblique splits: sparse linear combinations of numeric columns, where they are clearly better than one column.

Method, at each node: rows with all numbers present are standardised; the direction that separates the classes best
(Fisher's discriminant with a ridge, first one for several classes) or predicts the target best (ridge regression) is
found; it is refitted on its 2, 3, 5 and 8 largest coefficients; each projection is cut like a column. The best of
them replaces the axis split when it improves by 5% more for every column beyond the first.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tamis.table import Table
from tamis.tree.grow.fit import TreeData, grow_tree
from tamis.tree.grow.layout import CHI2, MAJORITY, TreeLimits, TreeTarget
from tamis.tree.grow.variant import Variant
from tamis.tree.stumps import Stump, grow_by_stumps, of_rows
from tamis.tree.tree import Tree

SIZES = (2, 3, 5, 8)
PRICE = 0.05  # how much better a combination must be, per column beyond the first


@dataclass(frozen=True, eq=False)
class ObliqueProblem(Variant):
    """A problem whose trees may split on linear combinations."""

    X: np.ndarray

    def grow_on(self, rows: np.ndarray, limits: TreeLimits) -> tuple[Tree, np.ndarray]:
        """A tree grown on the rows; and each row's leaf."""
        return self.base.grow_on(rows, limits, grow=self._grow)

    def _grow(
        self, data: TreeData, target: TreeTarget, limits: TreeLimits, rows: np.ndarray
    ) -> tuple[Tree, np.ndarray]:
        numeric = np.flatnonzero(~data.bins.is_categorical)

        def find(node_rows: np.ndarray, stump: TreeLimits) -> Stump:
            axis, _ = grow_tree(data, target, stump, node_rows)
            return self._combine(target, stump, node_rows, numeric, axis) if axis.left[0] >= 0 else Stump(axis)

        return grow_by_stumps(find, self.X, target, limits, rows)

    def _combine(
        self, target: TreeTarget, stump: TreeLimits, rows: np.ndarray, numeric: np.ndarray, axis: Tree
    ) -> Stump:
        """The best oblique stump, when it is better enough than the axis split; else that."""
        result = Stump(axis)
        values = self.X[np.ix_(rows, numeric)]
        complete = ~np.isnan(values).any(axis=1)
        complete_rows, values = rows[complete], values[complete]
        if target.case[complete_rows].sum() < 8.0 or len(numeric) < 2:
            return result
        full = _direction(values, target, complete_rows)
        if full is None:
            return result
        ranking = np.argsort(-np.abs(full) * _spread(values, target.weight[complete_rows]), kind="stable")
        for size in SIZES:
            if size > len(numeric):
                break
            chosen = np.sort(ranking[:size])
            factors = _direction(values[:, chosen], target, complete_rows)
            if factors is None or not factors.any():
                continue
            factors = factors / np.abs(factors).max()
            tree = _cut(self.X[np.ix_(rows, numeric[chosen])] @ factors, target, stump, rows)
            if tree.left[0] >= 0 and tree.improvement[0] > result.gain * (1.0 + PRICE * (size - 1)):
                result = Stump(axis, tree, numeric[chosen], factors)
        return result


def _cut(projected: np.ndarray, target: TreeTarget, stump: TreeLimits, rows: np.ndarray) -> Tree:
    """The best cut of a projection of the rows, as a stump."""
    data = TreeData.of(Table(matrix=projected[:, None]))
    return grow_tree(data, of_rows(target, rows), stump._replace(missing=MAJORITY), np.arange(len(rows)))[0]


def _spread(X: np.ndarray, weight: np.ndarray) -> np.ndarray:
    w = weight / weight.sum()
    return np.sqrt(w @ (X - w @ X) ** 2)


def _direction(X: np.ndarray, target: TreeTarget, rows: np.ndarray) -> np.ndarray | None:
    """Coefficients, in the columns' own units, of the direction that tells most about the target."""
    w = target.weight[rows] / target.weight[rows].sum()
    mean = w @ X
    Z = X - mean
    scale = np.sqrt(w @ Z**2)
    if not np.any(scale > 0):
        return None
    Z = Z / np.where(scale > 0, scale, 1.0)
    if target.criterion <= CHI2:
        share = np.zeros((target.n_stats, len(rows)))
        share[target.classes[rows], np.arange(len(rows))] = w
        size = share.sum(axis=1)
        centres = (share @ Z)[size > 0] / size[size > 0, None]
        between = (centres * size[size > 0, None]).T @ centres
        scatter = (Z * w[:, None]).T @ Z - between
    else:
        y = target.values[rows] - w @ target.values[rows]
        slope = (Z * w[:, None]).T @ y
        between = slope @ slope.T
        scatter = (Z * w[:, None]).T @ Z
    scatter = scatter + 1e-3 * np.eye(len(scatter))
    values, vectors = np.linalg.eigh(between)
    half = vectors * np.sqrt(np.maximum(values, 0.0))
    solved = np.linalg.solve(scatter, half)
    strength, turn = np.linalg.eigh(half.T @ solved)
    v = solved @ turn[:, np.argmax(strength)]
    v = v * np.sign(v[np.argmax(np.abs(v))] or 1.0)
    return np.where(scale > 0, v / np.where(scale > 0, scale, 1.0), 0.0)
