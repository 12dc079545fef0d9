"""From a table and a target to a grown Tree: codes in, thresholds out."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tamis import _core
from tamis.table.like import TableLike
from tamis.tree.grow.layout import TreeLimits, TreeTarget
from tamis.tree.tree import Tree
from tamis.views.bins import Bins

#: Trees keep every distinct value apart, however many there are: splits stay exact.
LOSSLESS = 2**30 - 2
MAX_SORTED = 2**30  # bytes that columns sorted once may take; rows of longer tables are sorted at each node


@dataclass(frozen=True, eq=False)
class TreeData:
    """What every tree on the same table shares: its bins, and their sorted rows."""

    bins: Bins
    max_sorted: int = MAX_SORTED

    @classmethod
    def of(cls, X: TableLike) -> TreeData:
        """Lossless codes of a table's columns."""
        return cls(Bins.of(X, most=LOSSLESS))

    @cached_property
    def table(self) -> _core.TreeTable:
        """The codes, as the core reads them."""
        bins = self.bins
        codes = bins.codes if bins.binned is None else bins.binned.codes
        low, first = bins.code_values
        high = low if bins.binned is None else bins.binned.high
        is_categorical, order = np.ascontiguousarray(bins.is_categorical), np.ascontiguousarray(bins.order())
        n_values, n_rows = bins.n_values.astype(np.int32), bins.n_rows
        return _core.TreeTable(codes, n_values, is_categorical, order, first, low, high, n_rows, self.max_sorted)

    def tree(self, grown: tuple[dict[str, np.ndarray], np.ndarray]) -> tuple[Tree, np.ndarray]:
        """What the core grew: the tree, and the leaf of each of its rows."""
        arrays, leaf = grown
        return Tree(names=self.bins.names, levels=self.bins.levels, **arrays), leaf


def grow_tree(data: TreeData, target: TreeTarget, limits: TreeLimits, rows: np.ndarray) -> tuple[Tree, np.ndarray]:
    """Grow one tree on some rows; the tree, and the leaf of each of those rows.

    A row may appear once only; give it a weight to count it more often.
    """
    return data.tree(data.table.grow(target, limits, rows))
