"""The trees of a forest as a few plain arrays: 16 bytes a node, leaf tables apart, no training row."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tamis import _core
from tamis.engine import workers
from tamis.forest.layout import COLUMN, OBLIQUE


@dataclass(frozen=True, eq=False)
class Trees:
    """Every tree of a forest, ready to predict.

    Attributes
    ----------
    nodes : all nodes (see `layout.NODE`), tree after tree; columns are positions in the user's table.
    roots : where each tree begins, and the number of nodes.
    table : shares of classes, or answers of several targets, of the leaves that need more than one number.
    sets : the levels that go left at categorical splits: see `_core/level_set.hpp`.
    sum_column, sum_factor : columns and factors of oblique splits.
    n_classes, n_outputs : 0 classes for numbers.
    """

    nodes: np.ndarray
    roots: np.ndarray
    table: np.ndarray
    sets: np.ndarray
    sum_column: np.ndarray
    sum_factor: np.ndarray
    n_classes: int
    n_outputs: int

    @classmethod
    def of_numbers(cls, nodes: np.ndarray, roots: np.ndarray, sets: np.ndarray) -> Trees:
        """Trees that answer with one number and split along columns: no leaf tables, no sums."""
        none = np.empty((0, 3))
        return cls(nodes, roots, np.empty((0, 1)), sets, none.astype(np.int64), none, n_classes=0, n_outputs=1)

    def __post_init__(self) -> None:
        for array in self.arrays.values():  # never written to: several forests may share them
            array.flags.writeable = False

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.__post_init__()

    def in_units(self, scale: np.ndarray) -> Trees:
        """The trees of several targets with each answer times a factor; others as they are."""
        return replace(self, table=self.table * scale) if self.n_outputs > 1 and not self.n_classes else self

    def __len__(self) -> int:
        return len(self.roots) - 1

    @property
    def nbytes(self) -> int:
        return sum(array.nbytes for array in self.arrays.values())

    def mean(self, X: np.ndarray, n_jobs: int | None = None) -> np.ndarray:
        """Average of the trees' answers for every row of a C-ordered float64 matrix."""
        out = self.total(X, n_jobs)
        out /= len(self)
        return out

    def total(self, X: np.ndarray, n_jobs: int | None = None) -> np.ndarray:
        """Sum of the trees' answers for every row of a C-ordered float64 matrix, in the order of the trees."""
        return _core.sum_answers(self, X, self.n_classes, self.n_classes or self.n_outputs, workers(n_jobs))

    def stretch(self, begin: int, end: int) -> Trees:
        """Some of the trees, which share the arrays of all."""
        return replace(self, roots=self.roots[begin : end + 1])

    def drawn(self, X: np.ndarray, n_jobs: int | None = None) -> np.ndarray:
        """A training answer from the leaf of each row in each tree (one numeric target): rows × trees, float32."""
        return _core.drawn_answers(self, X, workers(n_jobs))

    def leaves(self, X: np.ndarray, n_jobs: int | None = None) -> np.ndarray:
        """The leaf of each row in each tree, counted from the tree's root: rows × trees."""
        return np.ascontiguousarray(_core.leaves(self, X, workers(n_jobs)).T)

    def used(self, t: int | None = None) -> np.ndarray:
        """The columns that tree t, or some tree, asks for, by position, each once."""
        nodes = self.nodes if t is None else self.nodes[self.roots[t] : self.roots[t + 1]]
        flags = nodes["column"][nodes["left"] >= 0]
        oblique = flags & OBLIQUE != 0
        sums = self.sum_column[flags[oblique] & COLUMN].ravel()
        return np.unique(np.concatenate([flags[~oblique] & COLUMN, sums.astype(np.int64)]))

    @property
    def arrays(self) -> dict[str, np.ndarray]:
        """The arrays, by name."""
        names = ("nodes", "roots", "table", "sets", "sum_column", "sum_factor")
        return {name: getattr(self, name) for name in names}
