"""A tree from its splits: what its nodes hold, and how rows are sent down."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis.tree.grow.fit import TreeData
from tamis.tree.grow.layout import CHI2, TreeTarget
from tamis.tree.optimal.axes import Axis
from tamis.tree.tree import Tree


def build_tree(
    data: TreeData, target: TreeTarget, rows: np.ndarray, axes: list[Axis], splits: np.ndarray
) -> tuple[Tree, np.ndarray]:
    """The tree of splits at positions 0 … 6 (children at 2i + 1 and 2i + 2), and the leaf of each row."""
    positions, inside, parent = [0], [np.arange(len(rows))], [-1]
    nodes: list[dict[str, Any]] = []
    level: list[np.ndarray] = []
    leaf = np.zeros(len(rows), dtype=np.int64)
    for node in range(15):
        if node >= len(positions):
            break
        position, members = positions[node], inside[node]
        record = _node(target, rows[members]) | {"parent": parent[node], "depth": (position + 1).bit_length() - 1}
        leaf[members] = node
        axis_index = int(splits[position, 0]) if position < 7 else -1
        if axis_index >= 0:
            axis, cut = axes[axis_index], int(splits[position, 1])
            goes_left = axis.codes[members] <= cut
            record |= _split(data, axis, cut, rows[members], goes_left, target) | {"left": len(positions)}
            record["first_level"] = sum(map(len, level))
            level.append(record.pop("levels"))
            record["n_levels"] = len(level[-1])
            for child, side in ((2 * position + 1, goes_left), (2 * position + 2, ~goes_left)):
                positions.append(child)
                inside.append(members[side])
                parent.append(node)
        nodes.append(record)
    return _tree(data, nodes, level), leaf


def _node(target: TreeTarget, rows: np.ndarray) -> dict[str, Any]:
    """What a node holds, as the greedy grower records it."""
    weight = target.weight[rows]
    total = float(weight.sum())
    if target.criterion <= CHI2:
        value = np.bincount(target.classes[rows], weights=weight, minlength=target.n_stats)
        impurity = float(total - (value**2).sum() / total) if np.count_nonzero(value) > 1 else 0.0
        risk = 0.0
    else:
        value = np.average(target.values[rows], axis=0, weights=weight)
        is_same = bool((target.values[rows] == target.values[rows[:1]]).all())
        impurity = 0.0 if is_same else float((weight[:, None] * (target.values[rows] - value) ** 2).sum())
        risk = impurity
    return {
        **{"feature": -1, "threshold": 0.0, "left": -1, "default": 0, "first_level": 0, "n_levels": 0},
        **{
            "n_rows": len(rows),
            "weight": total,
            "impurity": impurity,
            "improvement": 0.0,
            "risk": risk,
            "value": value,
        },
    }


def _split(
    data: TreeData, axis: Axis, cut: int, rows: np.ndarray, goes_left: np.ndarray, target: TreeTarget
) -> dict[str, Any]:
    """How rows are sent down: a threshold, or the side of each level; where rows without a value go."""
    j = axis.column
    codes, n_values = data.bins.codes[j][rows].astype(np.int64), int(data.bins.n_values[j])
    is_missing = codes == n_values
    heavier_right = target.case[rows][~goes_left].sum() > target.case[rows][goes_left].sum()
    default = int(not goes_left[is_missing][0]) if is_missing.any() else int(heavier_right)
    levels = np.empty((0, 2), dtype=np.int64)
    threshold = 0.0
    if data.bins.is_categorical[j]:
        present, first = np.unique(codes[~is_missing], return_index=True)
        levels = np.column_stack([present, (~goes_left[~is_missing][first]).astype(np.int64)])
    else:
        threshold = _threshold(data, j, codes, is_missing, goes_left)
    return {"feature": j, "threshold": threshold, "default": default, "levels": levels}


def _threshold(data: TreeData, j: int, codes: np.ndarray, is_missing: np.ndarray, goes_left: np.ndarray) -> float:
    """Midway between the values beside the cut; beyond all values where only missing ones go to a side."""
    values, first = data.bins.code_values
    left, right = codes[goes_left & ~is_missing], codes[~goes_left & ~is_missing]
    if not len(right):
        return float("inf")
    high = float(values[first[j] + right.min()])
    if not len(left):
        return float(np.nextafter(high, -np.inf))
    low = float(values[first[j] + left.max()])
    middle = 0.5 * low + 0.5 * high
    return middle if low <= middle < high else low


def _tree(data: TreeData, nodes: list[dict[str, Any]], level: list[np.ndarray]) -> Tree:
    def each(name: str, dtype: Any) -> np.ndarray:
        return np.array([node[name] for node in nodes], dtype=dtype)

    impurity, left = each("impurity", np.float64), each("left", np.int32)
    is_split = left >= 0
    improvement = np.zeros(len(nodes))
    improvement[is_split] = impurity[is_split] - impurity[left[is_split]] - impurity[left[is_split] + 1]
    levels = np.concatenate([np.empty((0, 2), dtype=np.int64), *level])
    return Tree(
        names=data.bins.names,
        levels=data.bins.levels,
        feature=each("feature", np.int32),
        threshold=each("threshold", np.float64),
        left=left,
        parent=each("parent", np.int32),
        depth=each("depth", np.int32),
        default=each("default", np.uint8),
        first_level=each("first_level", np.int64),
        n_levels=each("n_levels", np.int32),
        level=levels,
        coefficient=np.zeros(len(levels)),
        first_surrogate=np.zeros(len(nodes), dtype=np.int64),
        n_surrogates=np.zeros(len(nodes), dtype=np.int32),
        surrogate=np.empty((0, 4), dtype=np.int64),
        surrogate_threshold=np.empty(0),
        agreement=np.empty((0, 2)),
        n_rows=each("n_rows", np.int64),
        weight=each("weight", np.float64),
        impurity=impurity,
        improvement=improvement,
        risk=each("risk", np.float64),
        value=np.array([node["value"] for node in nodes]),
    )
