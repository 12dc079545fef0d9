"""Splits of model trees: where two linear models fit better than the node's one.

At each node the rows' residuals from the node's own linear model are split where a constant, or a line in one numeric
column, fits each side best: a column that turns the slope of another one round is found though it is of no use by
itself. The sums of every bin of every column (count, Σr, Σr², Σx, Σx², Σxr for each x) are made in one pass over the
rows; those of the two sides are sums over bins. Numeric columns are cut between 64 bins, then exactly.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from tamis import _core
from tamis.tree.grow.fit import TreeData, grow_tree
from tamis.tree.grow.layout import SQUARED_ERROR, TreeLimits, TreeTarget
from tamis.tree.stumps import Stump, grow_by_stumps
from tamis.tree.tree import Tree

BINS = 64  # of a numeric column; a category has a bin for every level
MISSING = 255  # the bin of a row without a value
LEAST = 10.0  # weight that a side must have: a line has two coefficients
_OF_NODE = ("n_rows", "weight", "impurity", "improvement", "risk", "value")
MOST = 50  # numeric columns whose slopes are tried; of more, those that tell most about the residuals or their size


class LinearNode(NamedTuple):
    """The rows of a node, in any order."""

    rows: np.ndarray  # int64: rows of the table
    X: np.ndarray  # float64 (rows, regressors), centred
    residual: np.ndarray  # float64: of the node's linear model
    weight: np.ndarray  # float64


@dataclass(frozen=True, eq=False)
class LinearSplits:
    """Grows trees of numbers whose splits suit linear leaves.

    Attributes
    ----------
    X : all columns as numbers (rows × columns).
    filled : the numeric ones, without missing values.
    residual : from rows to what the linear model of a node that holds them leaves.
    """

    X: np.ndarray
    filled: np.ndarray
    residual: Any

    def grow(self, data: TreeData, target: TreeTarget, limits: TreeLimits, rows: np.ndarray) -> tuple[Tree, np.ndarray]:
        """A tree grown on the rows; and each row's leaf."""
        category = np.asarray(data.bins.is_categorical)
        codes = _coarse(self.X, category, rows, target.weight)
        root, _ = grow_tree(data, target, limits._replace(max_depth=0), rows)

        def find(node_rows: np.ndarray, stump: TreeLimits) -> Stump:
            alone = _leaf(root, target.values[node_rows, 0], target.weight[node_rows])
            column, gain, left = self._split(alone, target.weight[node_rows], stump, node_rows, codes, category)
            if column < 0:
                return Stump(alone)
            return Stump(_as_tree(data, target, stump, node_rows, self.X[node_rows, column], left, alone, gain))

        return grow_by_stumps(find, self.X, target, limits, rows)

    def _split(
        self,
        alone: Tree,
        weight: np.ndarray,
        stump: TreeLimits,
        node_rows: np.ndarray,
        codes: np.ndarray,
        category: np.ndarray,
    ) -> tuple[int, float, np.ndarray]:
        """The column of the best split of a node (-1: none), its gain, and which rows go left."""
        none = -1, 0.0, np.empty(0, dtype=bool)
        if stump.max_depth < 1 or len(node_rows) < stump.min_split or weight.sum() < 2 * LEAST:
            return none
        if not alone.impurity[0] > 0.0:
            return none
        node = self._node(node_rows, weight)
        if not node.weight @ node.residual**2 > 1e-12 * alone.impurity[0]:
            return none
        minimum = np.array([stump.min_leaf, max(LEAST, stump.min_share * weight.sum())], dtype=np.float64)
        column, gain, left = _best(codes, category, node, minimum)
        if column >= 0 and not category[column]:
            left = _refined(self.X[node_rows, column], left, node, minimum)
        return column, gain, left

    def _node(self, node_rows: np.ndarray, weight: np.ndarray) -> LinearNode:
        residual = self.residual(node_rows)
        X = self.filled[node_rows]
        X = X - np.average(X, axis=0, weights=weight)
        if X.shape[1] > MOST:
            X = X[:, np.sort(np.argsort(-_relevance(X, residual, weight), kind="stable")[:MOST])]
        return LinearNode(node_rows, np.ascontiguousarray(X), residual, weight)


def _leaf(root: Tree, y: np.ndarray, weight: np.ndarray) -> Tree:
    """A tree of one node with these targets, all else as that of another one."""
    total = float(weight.sum())
    mean = float(weight @ y) / total
    spread = np.array([float(weight @ (y - mean) ** 2)])
    size, value = np.full_like(root.n_rows, len(y)), np.array([[mean]])
    return replace(root, n_rows=size, weight=np.array([total]), impurity=spread, risk=spread, value=value)


def _relevance(X: np.ndarray, residual: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Squared correlation of each column with the residual, or of its square with the residual's, if that is larger."""

    def explained(Z: np.ndarray, r: np.ndarray) -> np.ndarray:
        Z, r = Z - np.average(Z, axis=0, weights=weight), r - np.average(r, weights=weight)
        size = (weight @ Z**2) * (weight @ r**2)
        return np.where(size > 0, (weight * r @ Z) ** 2 / np.where(size > 0, size, 1.0), 0.0)

    return np.maximum(explained(X, residual), explained(X**2, residual**2))


def _coarse(X: np.ndarray, category: np.ndarray, rows: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Bins of all columns (columns × rows of the table), learned from some rows; those of numbers of equal weight."""
    codes = np.full((X.shape[1], len(X)), MISSING, dtype=np.uint8)
    for j in range(X.shape[1]):
        x = X[rows, j]
        present = ~np.isnan(x)
        if not present.any():
            continue
        values, index = np.unique(x[present], return_inverse=True)
        if category[j]:
            if values[-1] < MISSING:  # more levels cannot be told apart in a byte: the column is not asked for
                codes[j, rows[present]] = x[present]
            continue
        heavy = np.cumsum(np.bincount(index, weights=weight[rows[present]]))
        before = np.concatenate([[0.0], heavy[:-1]])
        bins = np.arange(len(values)) if len(values) <= BINS else (before * (BINS / heavy[-1])).astype(np.int64)
        codes[j, rows[present]] = np.minimum(bins, BINS - 1)[index]
    return codes


def _best(
    codes: np.ndarray, category: np.ndarray, node: LinearNode, minimum: np.ndarray
) -> tuple[int, float, np.ndarray]:
    """The column of the best split (-1: none), its gain, and for each row whether it goes left."""
    gains, goes_left = _core.linear_splits(codes, category, *node, *minimum)
    column = int(np.argmax(gains))
    if not gains[column] > 0.0:
        return -1, 0.0, np.empty(0, dtype=bool)
    return column, float(gains[column]), goes_left[column, codes[column, node.rows]] > 0


def _refined(x: np.ndarray, left: np.ndarray, node: LinearNode, minimum: np.ndarray) -> np.ndarray:
    """The rows that go left when the cut may lie between any two values of the bins that it separates now."""
    present = ~np.isnan(x)
    values, index = np.unique(x[present], return_inverse=True)
    width = -(-len(values) // BINS)
    inside = node._replace(rows=np.arange(len(x)))
    codes, is_category = np.full((1, len(x)), MISSING, dtype=np.uint8), np.zeros(1, dtype=bool)
    while width > 1:
        last = int(index[left[present]].max())  # the largest value that goes left
        low, width = last - width, -(-2 * width // BINS)
        codes[0, present] = np.clip((index - low) // width, 0, BINS - 1)
        column, _, goes_left = _best(codes, is_category, inside, minimum)
        if column < 0:
            break
        left = goes_left
    return left


def _as_tree(
    data: TreeData,
    target: TreeTarget,
    stump: TreeLimits,
    node_rows: np.ndarray,
    x: np.ndarray,
    left: np.ndarray,
    alone: Tree,
    gain: float,
) -> Tree:
    """The split as a tree with surrogates: the stump that tells the rows of the two sides apart."""
    present = ~np.isnan(x)
    side = np.zeros((len(target.weight), 1))
    side[node_rows[~left], 0] = 1.0
    sides = TreeTarget(SQUARED_ERROR, 2, target.classes, side, target.weight, target.case)
    free = stump._replace(min_leaf=1, min_split=2, min_share=0.0)
    tree, _ = grow_tree(data, sides, free, node_rows[present])
    if tree.left[0] < 0:
        return alone
    first = {name: getattr(tree, name).copy() for name in _OF_NODE}
    for name, array in first.items():
        array[0] = gain if name == "improvement" else getattr(alone, name)[0]
    return replace(tree, **first)
