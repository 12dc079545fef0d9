"""Rules of a single node: bins made again in every node, and stopping by the node's own gain or purity."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tamis.table import Column, Table
from tamis.tree.grow.fit import TreeData, grow_tree
from tamis.tree.grow.layout import CHI2, TreeLimits, TreeTarget
from tamis.tree.grow.variant import Variant
from tamis.tree.stumps import Stump, grow_by_stumps, of_rows
from tamis.tree.tree import Tree, matrix_of

_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class NodeRules(Variant):
    """A problem whose trees follow rules that look at one node at a time.

    Attributes
    ----------
    n_bins : numbers are cut into so many bins of about equal size in every node, and split at a bin's largest value.
    min_gain : a split must lower the impurity of its node by this much, per unit of the node's own weight.
    max_purity : a node is a leaf when a class has at least this share of its weight.
    """

    table: Table
    n_bins: int | None
    min_gain: float
    max_purity: float

    def grow_on(self, rows: np.ndarray, limits: TreeLimits) -> tuple[Tree, np.ndarray]:
        """A tree grown on the rows; and each row's leaf."""
        return self.base.grow_on(rows, limits, grow=self._grow)

    def _grow(
        self, data: TreeData, target: TreeTarget, limits: TreeLimits, rows: np.ndarray
    ) -> tuple[Tree, np.ndarray]:
        def find(node_rows: np.ndarray, stump: TreeLimits) -> Stump:
            tree = self._split(data, target, stump, node_rows)
            weight = float(target.weight[node_rows].sum())
            too_small = tree.improvement[0] < self.min_gain * weight * (1 - _ROUNDING)
            if tree.left[0] >= 0 and (too_small or self._is_pure(target, node_rows)):
                tree = self._split(data, target, stump._replace(max_depth=0), node_rows)
            return Stump(tree)

        return grow_by_stumps(find, matrix_of(self.table), target, limits, rows)

    def _is_pure(self, target: TreeTarget, node_rows: np.ndarray) -> bool:
        if target.criterion > CHI2 or self.max_purity >= 1.0:
            return False
        shares = np.bincount(target.classes[node_rows], weights=target.weight[node_rows])
        return bool(shares.max() >= self.max_purity * shares.sum() * (1 - _ROUNDING))

    def _split(self, data: TreeData, target: TreeTarget, stump: TreeLimits, node_rows: np.ndarray) -> Tree:
        """The best split of a node as a tree of one split, or of none."""
        if self.n_bins is None:
            return grow_tree(data, target, stump, node_rows)[0]
        columns = [self.table.column(j).take(node_rows) for j in range(self.table.n_columns)]
        columns = [column if column.is_categorical else _binned(column, self.n_bins) for column in columns]
        binned = TreeData.of(Table(columns))
        tree = grow_tree(binned, of_rows(target, node_rows), stump, np.arange(len(node_rows)))[0]
        return replace(
            tree,
            threshold=_largest_below(columns, tree.feature, tree.threshold),
            surrogate_threshold=_largest_below(columns, tree.surrogate[:, 0], tree.surrogate_threshold),
        )


def _binned(column: Column, n_bins: int) -> Column:
    """Numbers replaced by the largest value of their bin; bins are stretches of the sorted rows."""
    values = column.values[~column.missing]
    if not values.size or len(np.unique(values)) <= n_bins:
        return column
    largest = np.unique([group[-1] for group in np.array_split(np.sort(values), n_bins) if group.size])
    bins = np.minimum(np.searchsorted(largest, column.values), len(largest) - 1)
    return replace(column, values=np.where(column.missing, np.nan, largest[bins]))


def _largest_below(columns: list[Column], features: np.ndarray, thresholds: np.ndarray) -> np.ndarray:
    """Thresholds between two bins, moved down to the largest value of the lower one."""
    moved = np.array(thresholds, dtype=np.float64)
    for index, feature in enumerate(features):
        if feature >= 0 and not columns[feature].is_categorical:
            values = columns[feature].values
            moved[index] = values[values <= thresholds[index]].max()
    return moved
