"""Trees grown one split at a time, where a kernel that grows whole trees does not know how splits are found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tamis.tree.grow.layout import TreeLimits, TreeTarget
from tamis.tree.tree import Tree


@dataclass(frozen=True, eq=False)
class Stump:
    """The split of a node: by one column (or none), and by the combination of columns that is better, if there is one.

    Attributes
    ----------
    axis : a tree of one split, or of none.
    oblique : a tree of one split, its only column being the combination.
    which, factors : the columns of the combination and their coefficients.
    """

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


def of_rows(target: TreeTarget, rows: np.ndarray) -> TreeTarget:
    """The target of some rows, numbered from 0."""
    return target._replace(
        classes=target.classes[rows] if len(target.classes) else target.classes,
        values=target.values[rows] if len(target.values) else target.values,
        weight=target.weight[rows],
        case=target.case[rows],
    )


def grow_by_stumps(
    find: Callable[[np.ndarray, TreeLimits], Stump],
    X: np.ndarray,
    target: TreeTarget,
    limits: TreeLimits,
    rows: np.ndarray,
) -> tuple[Tree, np.ndarray]:
    """A tree grown on some rows of a matrix; and each row's leaf.

    Parameters
    ----------
    find : from the rows of a node, and the limits of a stump there, to its split.
    limits : of the whole tree; with max_leaves the split that improves most is made first.
    """
    stump = limits._replace(max_depth=1, max_leaves=0, min_decrease=0.0)
    stumps: list[Stump] = []
    links, inside = [[-1, -1, 0]], [rows]  # parent, left child, depth; rows of each node
    frontier: list[int] = []
    total = float(target.weight[rows].sum())

    def look(node: int) -> None:
        node_rows, depth = inside[node], links[node][2]
        share = limits.min_share * total / float(target.weight[node_rows].sum())
        split = find(node_rows, stump._replace(max_depth=int(depth < limits.max_depth), min_share=share))
        stumps.append(split)
        if split.axis.left[0] >= 0 and split.gain >= limits.min_decrease * total:
            frontier.append(node)

    look(0)
    while frontier and not (limits.max_leaves and (len(links) + 1) // 2 >= limits.max_leaves):
        gains = [stumps[n].gain for n in frontier]
        node = frontier.pop(int(np.argmax(gains)) if limits.max_leaves else len(frontier) - 1)
        left = stumps[node].goes_left(X, inside[node])
        links[node][1] = len(links)
        for side in (left, ~left):
            links.append([node, -1, links[node][2] + 1])
            inside.append(inside[node][side])
            look(len(links) - 1)
    tree = _assembled(stumps, links)
    leaf = np.empty(len(X), dtype=np.int64)
    for node in map(int, np.flatnonzero(tree.left < 0)):
        leaf[inside[node]] = node
    return tree, leaf[rows]


def _assembled(stumps: list[Stump], links: list[list[int]]) -> Tree:
    """One tree from the stumps of its nodes."""
    link = np.array(links, dtype=np.int32)
    inner = link[:, 1] >= 0
    splits = [stump for stump, split in zip(stumps, inner) if split]
    length, n_levels, n_surrogates = (np.zeros(len(link), dtype=np.int64) for _ in range(3))
    length[inner] = [len(stump.level) for stump in splits]
    n_levels[inner] = [stump.axis.n_levels[0] if stump.which is None else len(stump.which) for stump in splits]
    n_surrogates[inner] = [stump.n_surrogates for stump in splits]
    first = np.cumsum(length) - length
    axis = [(stump.axis, int(start)) for stump, start in zip(splits, first[inner]) if stump.n_surrogates]
    first_level = np.array([0 if stump.oblique else stump.axis.first_level[0] for stump in stumps], dtype=np.int64)
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
        first_level=first + np.where(inner, first_level, 0),
        n_levels=n_levels.astype(np.int32),
        level=np.concatenate([np.empty((0, 2), dtype=np.int64), *(stump.level for stump in splits)]),
        coefficient=np.concatenate([none, *(stump.coefficient for stump in splits)]),
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
