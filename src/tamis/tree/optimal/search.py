"""The best small tree of every size on some rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tamis import _core
from tamis.tree.grow.fit import TreeData, grow_tree
from tamis.tree.grow.layout import CHI2, MAJORITY, TreeLimits, TreeTarget
from tamis.tree.optimal.axes import axes_of, code_tables, greedy_cuts, n_bins_of, screen
from tamis.tree.optimal.build import build_tree
from tamis.tree.tree import Tree

MAX_DEPTH, MAX_LEAVES = 3, 8
BUDGET = 4000  # sides of roots that a search of three levels solves before it stops without a proof


@dataclass(frozen=True, eq=False)
class SizedTrees:
    """The best tree for each number of leaves from 1 to `max_leaves`, smallest first; equal ones only once."""

    trees: list[Tree]
    leaf: list[np.ndarray]
    proved: bool


def search_trees(data: TreeData, target: TreeTarget, limits: TreeLimits, rows: np.ndarray) -> SizedTrees:
    """The best trees on some rows, of at most limits.max_depth levels and limits.max_leaves leaves."""
    depth = min(MAX_DEPTH, limits.max_depth)
    values, weight = _values(target, rows), np.ascontiguousarray(target.weight[rows])
    greedy, _ = grow_tree(
        data, target, limits._replace(max_depth=depth, max_leaves=0, missing=MAJORITY, n_surrogates=0), rows
    )
    axes = [axis for j in data.bins.order() for axis in axes_of(data, int(j), rows, values, weight)]
    used = set(greedy.feature[greedy.left >= 0].tolist())
    axes = screen(axes, used, values, weight, limits.min_leaf, depth)
    splits = np.full((MAX_LEAVES, 7, 2), -1, dtype=np.int32)
    proved = True
    if axes and len(rows) >= 2 * limits.min_leaf:
        tables = code_tables(axes, greedy_cuts(data, greedy), weight, n_bins_of(depth, len(axes)))
        coarse, n_coarse, fine, n_fine, last_fine = tables
        splits, _, proved = _core.optimal_trees(
            coarse, n_coarse, fine, n_fine, last_fine, values, weight, depth, limits.min_leaf, BUDGET
        )
    trees: list[Tree] = []
    leaves: list[np.ndarray] = []
    n_leaves = 0
    for size in range(1, min(MAX_LEAVES, limits.max_leaves or MAX_LEAVES, 2**depth) + 1):
        tree, leaf = build_tree(data, target, rows, axes, splits[size - 1])
        if tree.n_leaves > n_leaves and (not trees or _cost(tree) < _cost(trees[-1])):
            trees.append(tree)
            leaves.append(leaf)
            n_leaves = tree.n_leaves
    return SizedTrees(trees, leaves, bool(proved))


def _cost(tree: Tree) -> float:
    return float(tree.impurity[tree.left < 0].sum())


def _values(target: TreeTarget, rows: np.ndarray) -> np.ndarray:
    """What squares are summed of: centred numbers, or indicators of classes (of one of two)."""
    if target.criterion <= CHI2:
        classes = target.classes[rows]
        values = (classes[:, None] == np.arange(1 if target.n_stats == 2 else 0, target.n_stats)).astype(np.float64)
    else:
        values = target.values[rows]
    return np.ascontiguousarray(values - np.average(values, axis=0, weights=target.weight[rows]))
