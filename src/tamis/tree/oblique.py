"""Oblique splits: sparse linear combinations of numeric columns, where they are clearly better than one column.

Method, at each node: rows with all numbers present are standardised; the direction that separates the classes best
(Fisher's discriminant with a ridge, first one for several classes) or predicts the target best (ridge regression) is
found; it is refitted on its 2, 3, 5 and 8 largest coefficients; each projection is cut like a column. The best of
them replaces the axis split when it improves by 5% more for every column beyond the first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tamis.table import Table
from tamis.tree.fit import Soil, grow_tree
from tamis.tree.layout import CHI2, MAJORITY, Limits, Target
from tamis.tree.tree import Tree

SIZES = (2, 3, 5, 8)
PRICE = 0.05  # how much better a combination must be, per column beyond the first


@dataclass(frozen=True, eq=False)
class ObliqueProblem:
    """A problem whose trees may split on linear combinations."""

    base: Any
    X: np.ndarray

    def __getattr__(self, name: str) -> Any:
        return getattr(self.base, name)  # classes, weights and costs are the same

    def plant(self, rows: np.ndarray, limits: Limits) -> tuple[Tree, np.ndarray]:
        """A tree grown on the rows; and each row's leaf."""
        return self.base.plant(rows, limits, grow=self._grow)

    def _grow(self, soil: Soil, target: Target, limits: Limits, rows: np.ndarray) -> tuple[Tree, np.ndarray]:
        numeric = np.flatnonzero(~soil.bins.is_categorical)
        stump = limits._replace(max_depth=1, max_leaves=0, min_decrease=0.0)
        made: list[tuple[Tree, Tree | None, Any]] = []  # the node's axis stump, its oblique one, its direction
        links, inside = [[-1, -1, 0]], [rows]  # parent, left child, depth; rows of each node
        frontier: list[int] = []
        total = float(target.weight[rows].sum())

        def look(node: int) -> None:
            depth = links[node][2]
            mine = inside[node]
            share = limits.min_share * total / float(target.weight[mine].sum())
            here = stump._replace(max_depth=int(depth < limits.max_depth), min_share=share)
            axis, _ = grow_tree(soil, target, here, mine)
            best = self._combine(target, here, mine, numeric, axis) if axis.left[0] >= 0 else None
            made.append((axis, *(best or (None, None))))
            gain = float((best[0] if best else axis).improvement[0])
            if axis.left[0] >= 0 and gain >= limits.min_decrease * total:
                frontier.append(node)

        look(0)
        while frontier and not (limits.max_leaves and (len(links) + 1) // 2 >= limits.max_leaves):
            gains = [float((made[n][1] or made[n][0]).improvement[0]) for n in frontier]
            node = frontier.pop(int(np.argmax(gains)) if limits.max_leaves else len(frontier) - 1)
            axis, oblique, direction = made[node]
            left = _sides(axis, oblique, direction, self.X, inside[node])
            links[node][1] = len(links)
            for side in (left, ~left):
                links.append([node, -1, links[node][2] + 1])
                inside.append(inside[node][side])
                look(len(links) - 1)
        tree = _assemble(made, links)
        leaf = np.empty(len(self.X), dtype=np.int64)
        for node in map(int, np.flatnonzero(tree.left < 0)):
            leaf[inside[node]] = node
        return tree, leaf[rows]

    def _combine(
        self, target: Target, stump: Limits, rows: np.ndarray, numeric: np.ndarray, axis: Tree
    ) -> tuple[Tree, tuple[np.ndarray, np.ndarray]] | None:
        """The best oblique stump and its direction, when it is better enough than the axis split."""
        whole = rows[~np.isnan(self.X[np.ix_(rows, numeric)]).any(axis=1)]
        if target.case[whole].sum() < 8.0 or len(numeric) < 2:
            return None
        best, found = float(axis.improvement[0]), None
        full = _direction(self.X[np.ix_(whole, numeric)], target, whole)
        if full is None:
            return None
        ranking = np.argsort(
            -np.abs(full) * _spread(self.X[np.ix_(whole, numeric)], target.weight[whole]), kind="stable"
        )
        for size in SIZES:
            if size > len(numeric):
                break
            which = np.sort(numeric[ranking[:size]])
            factors = _direction(self.X[np.ix_(whole, which)], target, whole)
            if factors is None or not factors.any():
                continue
            factors = factors / np.abs(factors).max()
            projected = self.X[np.ix_(rows, which)] @ factors
            column = np.full((len(self.X), 1), np.nan)
            column[rows, 0] = projected
            one = Soil.of(Table(matrix=column[rows]))
            local = target._replace(
                classes=target.classes[rows] if len(target.classes) else target.classes,
                values=target.values[rows] if len(target.values) else target.values,
                weight=target.weight[rows],
                case=target.case[rows],
            )
            tree, _ = grow_tree(one, local, stump._replace(missing=MAJORITY, max_features=1), np.arange(len(rows)))
            if tree.left[0] >= 0 and tree.improvement[0] > best * (1.0 + PRICE * (size - 1)):
                best, found = float(tree.improvement[0]), (tree, (which, factors))
        return found


def _spread(X: np.ndarray, weight: np.ndarray) -> np.ndarray:
    w = weight / weight.sum()
    return np.sqrt(w @ (X - w @ X) ** 2)


def _direction(X: np.ndarray, target: Target, rows: np.ndarray) -> np.ndarray | None:
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
        within = (Z * w[:, None]).T @ Z - between
    else:
        y = target.values[rows] - w @ target.values[rows]
        slope = (Z * w[:, None]).T @ y
        between = slope @ slope.T
        within = (Z * w[:, None]).T @ Z
    within = within + 1e-3 * np.eye(len(within))
    values, vectors = np.linalg.eigh(between)
    half = vectors * np.sqrt(np.maximum(values, 0.0))
    solved = np.linalg.solve(within, half)
    strength, turn = np.linalg.eigh(half.T @ solved)
    v = solved @ turn[:, np.argmax(strength)]
    v = v * np.sign(v[np.argmax(np.abs(v))] or 1.0)
    return np.where(scale > 0, v / np.where(scale > 0, scale, 1.0), 0.0)


def _sides(axis: Tree, oblique: Tree | None, direction: Any, X: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Mask of the node's rows that go left."""
    if oblique is None:
        return axis.apply(np.ascontiguousarray(X[rows])) == 1
    which, factors = direction
    projected = (X[np.ix_(rows, which)] @ factors)[:, None]
    return oblique.apply(np.ascontiguousarray(projected)) == 1


def _assemble(made: list[tuple[Tree, Tree | None, Any]], links: list[list[int]]) -> Tree:
    """One tree from the stumps of its nodes."""
    n = len(links)
    link = np.array(links, dtype=np.int32)
    inner = link[:, 1] >= 0
    out: dict[str, Any] = {name: [] for name in ("feature", "threshold", "default", "improvement")}
    level: list[Any] = []
    coefficient: list[Any] = []
    surrogate: list[Any] = []
    threshold: list[Any] = []
    agreement: list[Any] = []
    first_level, n_levels, n_surrogates = np.zeros(n, np.int64), np.zeros(n, np.int32), np.zeros(n, np.int32)
    for node, (axis, oblique, direction) in enumerate(made):
        stump = oblique or axis
        out["feature"].append(-1 if not inner[node] else (-2 if oblique else int(axis.feature[0])))
        out["threshold"].append(stump.threshold[0] if inner[node] else 0.0)
        out["default"].append(stump.default[0])
        out["improvement"].append(stump.improvement[0] if inner[node] else 0.0)
        first_level[node] = len(level)
        if not inner[node]:
            continue
        if oblique is not None:
            which, factors = direction
            level += [[int(j), 0] for j in which]
            coefficient += factors.tolist()
            n_levels[node] = len(which)
            continue
        n_levels[node], n_surrogates[node] = axis.n_levels[0], axis.n_surrogates[0]
        offset = len(level)
        level += axis.level.tolist()
        coefficient += [0.0] * len(axis.level)
        first_level[node] = offset + int(axis.first_level[0])
        for q in range(int(axis.n_surrogates[0])):
            column, flip, first, count = axis.surrogate[q].tolist()
            surrogate.append([column, flip, first + offset, count])
            threshold.append(axis.surrogate_threshold[q])
            agreement.append(axis.agreement[q].tolist())
    first = made[0][0]

    def stack(name: str) -> np.ndarray:
        return np.array([getattr(axis, name)[0] for axis, _, _ in made])

    return Tree(
        names=first.names,
        levels=first.levels,
        feature=np.array(out["feature"], dtype=np.int32),
        threshold=np.array(out["threshold"], dtype=np.float64),
        left=link[:, 1].copy(),
        parent=link[:, 0].copy(),
        depth=link[:, 2].copy(),
        default=np.array(out["default"], dtype=np.uint8),
        first_level=first_level,
        n_levels=n_levels,
        level=np.array(level, dtype=np.int64).reshape(-1, 2),
        coefficient=np.array(coefficient, dtype=np.float64),
        first_surrogate=np.cumsum(n_surrogates.astype(np.int64)) - n_surrogates,
        n_surrogates=n_surrogates,
        surrogate=np.array(surrogate, dtype=np.int64).reshape(-1, 4),
        surrogate_threshold=np.array(threshold, dtype=np.float64),
        agreement=np.array(agreement, dtype=np.float64).reshape(-1, 2),
        n_rows=stack("n_rows"),
        weight=stack("weight"),
        impurity=stack("impurity"),
        improvement=np.array(out["improvement"], dtype=np.float64),
        risk=stack("risk"),
        value=np.array([axis.value[0] for axis, _, _ in made]),
    )
