"""From a table and a target to a grown Tree: codes in, thresholds out."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from tamis.tree.grow.layout import (
    BEGIN,
    CATEGORY,
    CHI2,
    CHILD,
    CUT,
    DEFAULT,
    DEPTH,
    ENTROPY,
    FEATURE,
    FIRST_LEVEL,
    FIRST_SUR,
    GINI,
    IMPROVEMENT,
    IMPURITY,
    N_LEVELS,
    N_ROWS,
    N_SUR,
    PARENT,
    RISK,
    SQUARED_ERROR,
    UPPER,
    WEIGHT,
    GrowBuffers,
    TreeLimits,
    TreeTarget,
    buffers_for,
)
from tamis.tree.tree import Tree
from tamis.views.binned import BinnedByWidth
from tamis.views.bins import Bins

#: Trees keep every distinct value apart, however many there are: splits stay exact.
LOSSLESS = 2**30 - 2
FEW_CELLS = 2**20  # sorted in some milliseconds: one kernel then grows stumps and trees, and the other is not compiled


@dataclass(frozen=True, eq=False)
class TreeData:
    """What every tree on the same table shares: its bins, and their sorted keys."""

    bins: Bins

    @classmethod
    def of(cls, X: Any) -> TreeData:
        """Lossless codes of a table's columns."""
        return cls(Bins.of(X, most=LOSSLESS))

    @property
    def columns(self) -> BinnedByWidth:
        """The codes, as the kernels read them."""
        return self.bins.by_width

    @cached_property
    def ordered(self) -> np.ndarray:
        """Keys of every numeric column in order: sorted once, however many trees grow on some of the rows."""
        from tamis.tree.grow.scan.presorted import sort_columns

        keys = np.empty((self.bins.n_columns, self.bins.n_rows), dtype=np.int64)
        sort_columns(self.columns, keys, np.empty(self.bins.n_rows, dtype=np.int64), np.empty(2049, dtype=np.int64))
        return keys


def grow_tree(data: TreeData, target: TreeTarget, limits: TreeLimits, rows: np.ndarray) -> tuple[Tree, np.ndarray]:
    """Grow one tree on some rows; the tree, and the leaf of each of those rows.

    A row may appear once only; give it a weight to count it more often.
    """
    from tamis.tree.grow.grow import grow, grow_ordered
    from tamis.tree.grow.layout import nodes_of

    tree_rows = rows.astype(np.int32)
    buffers = _buffers(data, target, limits, tree_rows)
    most_leaves = max(1, len(tree_rows) // max(1, limits.min_leaf))
    if limits.max_leaves:
        most_leaves = min(most_leaves, limits.max_leaves)
    if limits.max_depth < 40:
        most_leaves = min(most_leaves, 1 << limits.max_depth)
    nodes = nodes_of(2 * most_leaves + 1, target.n_stats)
    kernel = grow_ordered if buffers.all_ordered else grow
    n, level, surrogate, agreement = kernel(data.columns, target, limits, tree_rows, buffers, nodes)
    ints, floats, stats = nodes.ints[:n], nodes.floats[:n].copy(), nodes.stats[:n].copy()
    leaves = np.flatnonzero(ints[:, CHILD] < 0)
    leaves = leaves[np.argsort(ints[leaves, BEGIN])]
    leaf = np.empty(data.bins.n_rows, dtype=np.int64)
    leaf[tree_rows] = np.repeat(leaves, ints[leaves, N_ROWS])
    return _tree_of(data, target, ints, floats, stats, level, surrogate, agreement), leaf[rows]


def _buffers(data: TreeData, target: TreeTarget, limits: TreeLimits, rows: np.ndarray) -> GrowBuffers:
    """Buffers for a tree on some rows; the columns in order where that pays, and the weights where they are simple."""
    presort = _pays_to_presort(data, target, limits, len(rows))
    buffers = buffers_for(data.columns, target, len(rows), presort)
    if presort:
        from tamis.tree.grow.scan.presorted import choose_rows

        inside = np.zeros(data.bins.n_rows, dtype=np.uint8)
        inside[rows] = 1
        choose_rows(data.ordered, data.columns.about, inside, target.classes, buffers.presorted)
    case, unit = target.case[rows], float(target.case[rows[0]])
    if np.any(case != unit):
        return buffers
    share = np.zeros(target.n_stats)
    if target.criterion <= CHI2:
        share[target.classes[rows]] = target.weight[rows]
        if not np.array_equal(share[target.classes[rows]], target.weight[rows]):
            share = np.empty(0)
    return buffers._replace(unit=unit, share=share)


def _pays_to_presort(data: TreeData, target: TreeTarget, limits: TreeLimits, n_rows: int) -> bool:
    """Whether to keep every column sorted from node to node: when all are tried at each, and they fit into a gigabyte.

    A single split of a large table has nothing to keep them for (5 million rows: 1.9 of 2.5 s).

    Otherwise columns are sorted at the nodes that try them; splits are the same.
    """
    cells = n_rows * data.bins.n_columns
    simple = target.criterion in (GINI, ENTROPY, CHI2) or (target.criterion == SQUARED_ERROR and target.n_stats == 2)
    every = limits.max_features >= data.bins.n_columns and limits.missing != CATEGORY
    return simple and every and (cells <= FEW_CELLS or (limits.max_depth > 1 and 8 * cells <= 2**30))


def _tree_of(
    data: TreeData,
    target: TreeTarget,
    ints: np.ndarray,
    floats: np.ndarray,
    stats: np.ndarray,
    level: np.ndarray,
    surrogate: np.ndarray,
    agreement: np.ndarray,
) -> Tree:
    return Tree(
        names=data.bins.names,
        levels=data.bins.levels,
        feature=ints[:, FEATURE].astype(np.int32),
        threshold=_thresholds(data, ints[:, FEATURE], ints[:, CUT], ints[:, UPPER]),
        left=ints[:, CHILD].astype(np.int32),
        parent=ints[:, PARENT].astype(np.int32),
        depth=ints[:, DEPTH].astype(np.int32),
        default=ints[:, DEFAULT].astype(np.uint8),
        first_level=ints[:, FIRST_LEVEL].copy(),
        n_levels=ints[:, N_LEVELS].astype(np.int32),
        level=level.copy(),
        coefficient=np.zeros(len(level)),
        first_surrogate=ints[:, FIRST_SUR].copy(),
        n_surrogates=ints[:, N_SUR].astype(np.int32),
        surrogate=surrogate[:, [0, 3, 4, 5]].copy(),
        surrogate_threshold=_thresholds(data, surrogate[:, 0], surrogate[:, 1], surrogate[:, 2]),
        agreement=agreement.copy(),
        n_rows=ints[:, N_ROWS].copy(),
        weight=floats[:, WEIGHT].copy(),
        impurity=floats[:, IMPURITY].copy(),
        improvement=floats[:, IMPROVEMENT].copy(),
        risk=floats[:, RISK].copy(),
        value=stats if target.criterion <= CHI2 else stats[:, 1:].copy(),
    )


def _thresholds(data: TreeData, feature: np.ndarray, cut: np.ndarray, upper: np.ndarray) -> np.ndarray:
    """Midway between the largest value on the left and the smallest on the right, among the node's own rows."""
    out = np.zeros(len(feature))
    cuts = (feature >= 0) & (cut >= 0)
    values, first = data.bins.code_values
    j = feature[cuts]
    low, high = (
        values[first[j] + cut[cuts]],
        values[np.where(upper[cuts] < 0, first[j + 1] - 1, first[j] + upper[cuts])],
    )
    middle = 0.5 * low + 0.5 * high
    out[cuts] = np.where((low <= middle) & ((middle < high) | np.isinf(high)), middle, low)
    return out


def weights_of_classes(
    weight: np.ndarray, classes: np.ndarray, priors: Any, loss: np.ndarray
) -> tuple[np.ndarray, ...]:
    """Factors of each class: for probabilities (priors) and for splits (altered priors).

    With class totals n_c, priors π_c and costs L: a row of class c counts π_c n / n_c towards probabilities, and
    π_c Σ_j L_cj (scaled to the same total) towards splits. (Breiman et al. 1984, section 4.4.)
    """
    n_classes = len(loss)
    totals = np.bincount(classes, weights=weight, minlength=n_classes)
    share = totals / totals.sum()
    prior = share if priors is None else np.asarray(priors, dtype=np.float64)
    altered = prior * (loss.sum(axis=1) if loss.any() else 1.0)  # a single class has no mistakes to weigh
    altered = altered / altered.sum()
    safe = np.where(share > 0, share, 1.0)
    return prior / safe, np.maximum(altered / safe, 1e-12)


__all__ = ["TreeData", "grow_tree", "weights_of_classes"]
