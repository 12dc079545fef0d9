"""A grown tree as plain arrays: what it takes to send rows down, to print, to prune and to save it."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from tamis import _core
from tamis.engine import workers
from tamis.errors import DamagedError
from tamis.saved import levels, numbers, refuse_outside, refuse_ranges, refuse_shape, refuse_tangled, texts
from tamis.table import Table


@dataclass(frozen=True, eq=False)
class Tree:
    """Nodes 0 (the root), 1, …; the right child of a node follows its left one.

    Attributes
    ----------
    names, levels : the columns, and the levels of the categorical ones (None for numbers).
    feature : column of the split; -1 at a leaf, -2 for a linear combination of columns.
    threshold : x ≤ threshold goes left.
    left : the left child, -1 at a leaf.
    default : side (0 left, 1 right) of a row that neither split nor surrogates can place.
    level, first_level, n_levels : pairs (level, side) of categorical splits; or the columns of a linear combination,
        whose coefficients stand in `coefficient`.
    surrogate : column, 1 when values up to the threshold go right, first of its levels, number of its levels.
    agreement : of each surrogate: agreement, and agreement adjusted for the majority.
    n_rows, weight : training rows of each node, and their weight.
    impurity, improvement : summed over weight.
    risk : what the node's answer costs on its training rows.
    value : (nodes, classes) weight of each class; (nodes, targets) the answers.
    """

    names: tuple[str, ...]
    levels: tuple[tuple[Any, ...] | None, ...]
    feature: np.ndarray
    threshold: np.ndarray
    left: np.ndarray
    parent: np.ndarray
    depth: np.ndarray
    default: np.ndarray
    first_level: np.ndarray
    n_levels: np.ndarray
    level: np.ndarray
    coefficient: np.ndarray
    first_surrogate: np.ndarray
    n_surrogates: np.ndarray
    surrogate: np.ndarray
    surrogate_threshold: np.ndarray
    agreement: np.ndarray
    n_rows: np.ndarray
    weight: np.ndarray
    impurity: np.ndarray
    improvement: np.ndarray
    risk: np.ndarray
    value: np.ndarray

    @property
    def n_nodes(self) -> int:
        return len(self.feature)

    @property
    def n_leaves(self) -> int:
        return int(np.sum(self.left < 0))

    @property
    def max_depth(self) -> int:
        return int(self.depth.max())

    def apply(self, X: np.ndarray, n_jobs: int | None = None) -> np.ndarray:
        """The leaf of every row of a float64 matrix (categories as their codes, NaN for missing and unseen)."""
        return _core.tree_leaves(self, X, workers(n_jobs))

    def preorder(self, opened: np.ndarray | None = None) -> np.ndarray:
        """Nodes from the root down, left before right; of a mask of splits only what hangs below these."""
        is_open = self.left >= 0 if opened is None else opened
        order, stack = [], [0]
        while stack:
            node = stack.pop()
            order.append(node)
            if is_open[node]:
                stack += [int(self.left[node]) + 1, int(self.left[node])]
        return np.array(order)

    def used(self) -> set[int]:
        """The columns that splits ask for, by position: of a linear combination, those that stand among its levels."""
        sums = self.feature == -2
        summed = self.level[_ranges(self.first_level[sums], self.n_levels[sums]), 0]
        return {*self.feature[self.feature >= 0].tolist(), *summed.tolist()}

    def importance(self, surrogates: bool = False) -> np.ndarray:
        """Summed improvement of each column's splits.

        With surrogates, a column is also credited, for every split it could stand in for, with that split's improvement
        times its adjusted agreement: a column masked by a twin is then seen. A linear combination credits its columns
        by the size of their coefficients.
        """
        out = np.zeros(len(self.names))
        inner = np.flatnonzero(self.left >= 0)
        axis = inner[self.feature[inner] >= 0]
        np.add.at(out, self.feature[axis], self.improvement[axis])
        for node in inner[self.feature[inner] == -2]:
            which = slice(int(self.first_level[node]), int(self.first_level[node] + self.n_levels[node]))
            size = np.abs(self.coefficient[which])
            np.add.at(out, self.level[which, 0], self.improvement[node] * size / size.sum())
        if surrogates:
            owner = np.repeat(np.arange(self.n_nodes), self.n_surrogates)
            np.add.at(out, self.surrogate[:, 0], self.improvement[owner] * self.agreement[:, 1])
        return out

    def kept(self, is_leaf: np.ndarray) -> np.ndarray:
        """Mask of the nodes that remain when those of another mask become leaves."""
        keep = np.zeros(self.n_nodes, dtype=bool)
        keep[0] = True
        for node in range(self.n_nodes):  # parents come before their children
            if keep[node] and not is_leaf[node] and self.left[node] >= 0:
                keep[self.left[node] : self.left[node] + 2] = True
        return keep

    def pruned(self, is_leaf: np.ndarray) -> Tree:
        """The tree whose nodes in the mask have become leaves; what hung below them is gone."""
        keep = self.kept(is_leaf)
        split = keep & ~is_leaf & (self.left >= 0)
        index = np.cumsum(keep) - 1
        out = {f.name: getattr(self, f.name)[keep] for f in fields(self) if f.name in _BY_NODE}
        inside = split[keep]
        out["left"] = np.where(inside, index[np.where(split, self.left, 0)][keep], -1).astype(np.int32)
        out["parent"] = np.where(out["parent"] >= 0, index[out["parent"]], -1).astype(np.int32)
        out["feature"] = np.where(inside, out["feature"], -1).astype(np.int32)
        out["threshold"] = np.where(inside, out["threshold"], 0.0)
        out["improvement"] = np.where(inside, out["improvement"], 0.0)
        out["n_levels"] = np.where(inside, out["n_levels"], 0).astype(np.int32)
        out["n_surrogates"] = np.where(inside, out["n_surrogates"], 0).astype(np.int32)
        return replace(self, **out)._compact()

    def _compact(self) -> Tree:
        """Drop levels and surrogates that no node refers to."""
        sur = _ranges(self.first_surrogate, self.n_surrogates)
        surrogate = self.surrogate[sur].copy()
        first = np.concatenate([self.first_level, surrogate[:, 2]])
        count = np.concatenate([self.n_levels.astype(np.int64), surrogate[:, 3]])
        lev = _ranges(first, count)
        start = np.cumsum(count) - count
        surrogate[:, 2] = start[self.n_nodes :]
        n_sur = self.n_surrogates.astype(np.int64)
        return replace(
            self,
            first_level=start[: self.n_nodes],
            level=self.level[lev],
            coefficient=self.coefficient[lev],
            first_surrogate=np.cumsum(n_sur) - n_sur,
            surrogate=surrogate,
            surrogate_threshold=self.surrogate_threshold[sur],
            agreement=self.agreement[sur],
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain lists and numbers that JSON holds exactly; infinite thresholds are written as null."""
        out: dict[str, Any] = {"names": list(self.names), "levels": [_plain_levels(v) for v in self.levels]}
        for field in fields(self)[2:]:
            array = getattr(self, field.name)
            out[field.name] = array.tolist()
        for name in ("threshold", "surrogate_threshold"):
            out[name] = [value if np.isfinite(value) else None for value in out[name]]
        return out

    @classmethod
    def from_dict(cls, saved: dict[str, Any]) -> Tree:
        """The tree that `to_dict` wrote, bit for bit; every index in it is checked."""
        missing = [field.name for field in fields(cls) if field.name not in saved]
        if missing:
            raise DamagedError(f"the saved tree has no {missing[0]!r}")
        names = texts("names", saved["names"])
        saved_levels = saved["levels"]
        if not isinstance(saved_levels, list) or len(saved_levels) != len(names):
            raise DamagedError(f"the tree has no levels for each of its {len(names):,} columns")
        out: dict[str, Any] = {}
        for field in fields(cls)[2:]:
            values, unbounded = saved[field.name], None
            if field.name in ("threshold", "surrogate_threshold"):
                unbounded = np.array([value is None for value in values], dtype=bool)
                values = [0.0 if value is None else value for value in values]
            shape = (None, _SHAPES[field.name]) if field.name in _SHAPES else (None,)
            out[field.name] = numbers(field.name, values, _TYPES.get(field.name, np.float64), shape)
            if unbounded is not None:
                out[field.name][unbounded] = np.inf
        tree = cls(names=names, levels=tuple(None if v is None else levels("levels", v) for v in saved_levels), **out)
        tree._refuse_damaged()
        return tree

    def _refuse_damaged(self) -> None:
        """Raise unless every index leads somewhere: kernels do not look."""
        n, p = self.n_nodes, len(self.names)
        if n == 0:
            raise DamagedError("the tree has no nodes")
        for name in _BY_NODE:
            refuse_shape(name, getattr(self, name), (n, None) if name == "value" else (n,))
        refuse_tangled("the tree", self.left, np.zeros(n, dtype=np.int64), np.full(n, n))
        split = self.left >= 0
        refuse_outside("feature", self.feature[split], -2, p - 1)
        if np.any(self.feature[split] == -1):
            raise DamagedError("a split of the tree has no column")
        refuse_outside("parent", self.parent, -1, n - 1)
        refuse_outside("default", self.default, 0, 1)
        refuse_ranges("a list of levels", self.first_level, self.n_levels, len(self.level))
        refuse_shape("coefficient", self.coefficient, (len(self.level),))
        refuse_outside("n_rows", self.n_rows, 0, 2**62)
        sums = split & (self.feature == -2)
        used = _ranges(self.first_level[sums], self.n_levels[sums])
        refuse_outside("the columns of a sum", self.level[used, 0], 0, p - 1)
        refuse_ranges("a list of surrogates", self.first_surrogate, self.n_surrogates, len(self.surrogate))
        refuse_outside("the columns of surrogates", self.surrogate[:, 0], 0, p - 1)
        refuse_ranges("a surrogate's levels", self.surrogate[:, 2], self.surrogate[:, 3], len(self.level))
        for name in ("surrogate_threshold", "agreement"):
            refuse_shape(name, getattr(self, name), (len(self.surrogate), *getattr(self, name).shape[1:]))
        self._refuse_unknown_levels(split)

    def _refuse_unknown_levels(self, split: np.ndarray) -> None:
        """Raise unless lists of levels belong to categorical columns and hold their codes, in order, with a side."""
        lists = [
            (self.feature[i], self.first_level[i], self.n_levels[i])
            for i in np.flatnonzero(split & (self.n_levels > 0))
        ]
        lists += [(j, first, count) for j, _, first, count in self.surrogate if count]
        for j, first, count in lists:
            if j == -2:
                continue
            levels, codes = self.levels[j], self.level[first : first + count]
            if levels is None:
                raise DamagedError(f"the tree asks for levels of {self.names[j]!r}, which holds numbers")
            refuse_outside(f"levels of {self.names[j]!r}", codes[:, 0], -1, len(levels))  # one more for missing
            refuse_outside(f"sides of {self.names[j]!r}", codes[:, 1], 0, 2)
            if np.any(np.diff(codes[:, 0]) <= 0):
                raise DamagedError(f"levels of {self.names[j]!r} are not in order")


_BY_NODE = {
    *("feature", "threshold", "left", "parent", "depth", "default", "first_level", "n_levels", "first_surrogate"),
    *("n_surrogates", "n_rows", "weight", "impurity", "improvement", "risk", "value"),
}
_TYPES: dict[str, Any] = {
    **dict.fromkeys(("feature", "left", "parent", "depth", "n_levels", "n_surrogates"), np.int32),
    **dict.fromkeys(("first_level", "first_surrogate", "level", "surrogate", "n_rows"), np.int64),
    "default": np.uint8,
}
_SHAPES: dict[str, int | None] = {"level": 2, "surrogate": 4, "agreement": 2, "value": None}


def _ranges(first: np.ndarray, count: np.ndarray) -> np.ndarray:
    """The concatenation of first[i] … first[i] + count[i] - 1."""
    count = count.astype(np.int64)
    total = int(count.sum())
    start = np.cumsum(count) - count
    return np.arange(total) - np.repeat(start, count) + np.repeat(first, count)


def _plain_levels(levels: tuple[Any, ...] | None) -> list[Any] | None:
    if levels is None:
        return None
    return [level.item() if isinstance(level, np.generic) else level for level in levels]


def matrix_of(table: Table) -> np.ndarray:
    """A table as one C-ordered float64 matrix: categories by their codes, NaN for missing and for levels never seen."""
    if table.dense is not None:
        return np.ascontiguousarray(table.dense, dtype=np.float64)
    out = np.empty(table.shape)
    for j, column in enumerate(table.columns):
        if column.is_categorical:
            out[:, j] = np.where(column.values < 0, np.nan, column.values)
        else:
            out[:, j] = column.values
    return out
