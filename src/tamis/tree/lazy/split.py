"""The best split of a node of a large table, from its counts alone: the same choice as of a node in memory."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tamis import _core
from tamis.tree.grow.layout import LEFT, RIGHT, UNKNOWN, TreeLimits
from tamis.tree.lazy.statistics import NodeCounts
from tamis.views.coding import Coding

CODES = 256


@dataclass(frozen=True, eq=False)
class Split:
    """How a node is split.

    Attributes
    ----------
    column : the column asked for.
    gain : improvement.
    cut, upper : last code on the left and next one of the node's, for numbers; upper -1: none but missing.
    levels : (levels, 2) code and side, for categories; empty for numbers.
    missing : side of rows without a value; UNKNOWN where surrogates and the majority decide.
    weights : what goes left and right, of the rows with a value.
    """

    column: int
    gain: float
    cut: int
    upper: int
    levels: np.ndarray
    missing: int
    weights: tuple[float, float]

    def sides(self, coding: Coding) -> np.ndarray:
        """The side of each code; codes between two that the node has go with the nearer one, as values do."""
        out = np.full(CODES, UNKNOWN, dtype=np.uint8)
        if len(self.levels):
            out[self.levels[:, 0]] = self.levels[:, 1]
        else:
            middle = coding.n_values - 1 if self.upper < 0 else (self.cut + self.upper) // 2
            out[: coding.n_values] = RIGHT
            out[: middle + 1] = LEFT
        if self.missing != UNKNOWN:
            out[coding.missing] = self.missing
        return out


def best_split(
    node: NodeCounts,
    codings: tuple[Coding, ...],
    order: np.ndarray,
    criterion: int,
    limits: TreeLimits,
    root_weight: float,
    case: np.ndarray,
) -> Split | None:
    """The best split, None where none is worth making; ties go to the column first in `order`.

    case : what a row of each class weighs for majorities.
    """
    stats, rows, cases = node.tables(case)
    category = np.array([coding.is_categorical for coding in codings])
    total, impurity = np.ascontiguousarray(node.total), node.impurity(criterion)
    found = _core.split_by_counts(
        criterion, stats, rows, cases, node.offset, category, order, total, impurity, limits, root_weight
    )
    return None if found is None else Split(*found)
