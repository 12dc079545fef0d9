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
from tamis.tree.grow.fit import TreeData, grow_tree
from tamis.tree.grow.layout import CHI2, MAJORITY, TreeLimits, TreeTarget
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

    def grow_on(self, rows: np.ndarray, limits: TreeLimits) -> tuple[Tree, np.ndarray]:
        """A tree grown on the rows; and each row's leaf."""
        return self.base.grow_on(rows, limits, grow=self._grow)

    def _grow(
        self, data: TreeData, target: TreeTarget, limits: TreeLimits, rows: np.ndarray
    ) -> tuple[Tree, np.ndarray]:
        numeric = np.flatnonzero(~data.bins.is_categorical)
        stump = limits._replace(max_depth=1, max_leaves=0, min_decrease=0.0)
        made: list[_Stump] = []
        links, inside = [[-1, -1, 0]], [rows]  # parent, left child, depth; rows of each node
        frontier: list[int] = []
        total = float(target.weight[rows].sum())

        def look(node: int) -> None:
            depth = links[node][2]
            mine = inside[node]
            share = limits.min_share * total / float(target.weight[mine].sum())
            here = stump._replace(max_depth=int(depth < limits.max_depth), min_share=share)
            axis, _ = grow_tree(data, target, here, mine)
            made.append(self._combine(target, here, mine, numeric, axis) if axis.left[0] >= 0 else _Stump(axis))
            if axis.left[0] >= 0 and made[node].gain >= limits.min_decrease * total:
                frontier.append(node)

        look(0)
        while frontier and not (limits.max_leaves and (len(links) + 1) // 2 >= limits.max_leaves):
            gains = [made[n].gain for n in frontier]
            node = frontier.pop(int(np.argmax(gains)) if limits.max_leaves else len(frontier) - 1)
            left = made[node].goes_left(self.X, inside[node])
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
        self, target: TreeTarget, stump: TreeLimits, rows: np.ndarray, numeric: np.ndarray, axis: Tree
    ) -> _Stump:
        """The best oblique stump, when it is better enough than the axis split; else that."""
        found = _Stump(axis)
        part = self.X[np.ix_(rows, numeric)]
        complete = ~np.isnan(part).any(axis=1)
        whole, part = rows[complete], part[complete]
        if target.case[whole].sum() < 8.0 or len(numeric) < 2:
            return found
        full = _direction(part, target, whole)
        if full is None:
            return found
        ranking = np.argsort(-np.abs(full) * _spread(part, target.weight[whole]), kind="stable")
        for size in SIZES:
            if size > len(numeric):
                break
            chosen = np.sort(ranking[:size])
            factors = _direction(part[:, chosen], target, whole)
            if factors is None or not factors.any():
                continue
            factors = factors / np.abs(factors).max()
            tree = _cut(self.X[np.ix_(rows, numeric[chosen])] @ factors, target, stump, rows)
            if tree.left[0] >= 0 and tree.improvement[0] > found.gain * (1.0 + PRICE * (size - 1)):
                found = _Stump(axis, tree, numeric[chosen], factors)
        return found


def _cut(projected: np.ndarray, target: TreeTarget, stump: TreeLimits, rows: np.ndarray) -> Tree:
    """The best cut of a projection of the rows, as a stump."""
    local = target._replace(
        classes=target.classes[rows] if len(target.classes) else target.classes,
        values=target.values[rows] if len(target.values) else target.values,
        weight=target.weight[rows],
        case=target.case[rows],
    )
    one = TreeData.of(Table(matrix=projected[:, None]))
    return grow_tree(one, local, stump._replace(missing=MAJORITY, max_features=1), np.arange(len(rows)))[0]


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


@dataclass(frozen=True, eq=False)
class _Stump:
    """What was found for a node: its axis split (or none), and the combination that is better, with its direction."""

    axis: Tree
    oblique: Tree | None = None
    which: np.ndarray | None = None
    factors: np.ndarray | None = None

    @property
    def best(self) -> Tree:
        return self.axis if self.oblique is None else self.oblique

    @property
    def gain(self) -> float:
        return float(self.best.improvement[0])

    @property
    def level(self) -> np.ndarray:
        """The levels of the split and of its surrogates; or the columns of the combination."""
        return self.axis.level if self.which is None else np.column_stack([self.which, np.zeros_like(self.which)])

    @property
    def coefficient(self) -> np.ndarray:
        return self.axis.coefficient if self.factors is None else self.factors

    @property
    def n_surrogates(self) -> int:
        return int(self.axis.n_surrogates[0]) if self.oblique is None else 0

    def goes_left(self, X: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Mask of the rows that go left."""
        matrix = X[rows] if self.which is None else (X[np.ix_(rows, self.which)] @ self.factors)[:, None]
        return self.best.apply(np.ascontiguousarray(matrix)) == 1


def _assemble(stumps: list[_Stump], links: list[list[int]]) -> Tree:
    """One tree from the stumps of its nodes."""
    link = np.array(links, dtype=np.int32)
    inner = link[:, 1] >= 0
    made = [stump for stump, split in zip(stumps, inner) if split]
    length, n_levels, n_surrogates = (np.zeros(len(link), dtype=np.int64) for _ in range(3))
    length[inner] = [len(stump.level) for stump in made]
    n_levels[inner] = [stump.axis.n_levels[0] if stump.which is None else len(stump.which) for stump in made]
    n_surrogates[inner] = [stump.n_surrogates for stump in made]
    first = np.cumsum(length) - length
    axis = [(stump.axis, int(start)) for stump, start in zip(made, first[inner]) if stump.n_surrogates]
    within = np.array([0 if stump.oblique else stump.axis.first_level[0] for stump in stumps], dtype=np.int64)
    root, none = stumps[0].axis, np.empty(0)

    def each(name: str) -> np.ndarray:
        return np.array([getattr(stump.axis, name)[0] for stump in stumps])

    def split(name: str) -> np.ndarray:
        return np.where(inner, [float(getattr(stump.best, name)[0]) for stump in stumps], 0.0)

    return Tree(
        names=root.names,
        levels=root.levels,
        feature=np.where(inner, [-2 if s.oblique else int(s.axis.feature[0]) for s in stumps], -1).astype(np.int32),
        threshold=split("threshold"),
        left=link[:, 1].copy(),
        parent=link[:, 0].copy(),
        depth=link[:, 2].copy(),
        default=np.array([stump.best.default[0] for stump in stumps], dtype=np.uint8),
        first_level=first + np.where(inner, within, 0),
        n_levels=n_levels.astype(np.int32),
        level=np.concatenate([np.empty((0, 2), dtype=np.int64), *(stump.level for stump in made)]),
        coefficient=np.concatenate([none, *(stump.coefficient for stump in made)]),
        first_surrogate=np.cumsum(n_surrogates) - n_surrogates,
        n_surrogates=n_surrogates.astype(np.int32),
        surrogate=np.concatenate(
            [np.empty((0, 4), dtype=np.int64), *(t.surrogate + np.array([0, 0, a, 0]) for t, a in axis)]
        ),
        surrogate_threshold=np.concatenate([none, *(tree.surrogate_threshold for tree, _ in axis)]),
        agreement=np.concatenate([none.reshape(0, 2), *(tree.agreement for tree, _ in axis)]),
        n_rows=each("n_rows"),
        weight=each("weight"),
        impurity=each("impurity"),
        improvement=split("improvement"),
        risk=each("risk"),
        value=each("value"),
    )
