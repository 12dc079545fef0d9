"""The trees of a forest as a few plain arrays: 16 bytes a node, leaf tables apart, no training row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tamis.engine import map_threads, workers
from tamis.forest.layout import COLUMN, NODE, OBLIQUE, ForestArrays

ROWS = 16_384  # rows that go down a tree before the next: enough of them to be worth bringing it into the cache
FEW = 256  # rows below which threads do not pay


@dataclass(frozen=True, eq=False)
class TreeArrays:
    """Several trees as they were grown: columns in the binned table's order.

    Attributes
    ----------
    nodes, table, sets, sum_column, sum_factor : as in `Trees`, but counted from each tree's own first.
    ends : how many nodes, words of sets, sums and rows of leaf table the trees before each have, and all of them.
    """

    nodes: np.ndarray
    table: np.ndarray
    sets: np.ndarray
    sum_column: np.ndarray
    sum_factor: np.ndarray
    ends: np.ndarray

    def __len__(self) -> int:
        return len(self.ends) - 1

    def one(self, t: int) -> TreeArrays:
        """One of the trees."""
        (a, b, c, d), (e, f, g, h) = self.ends[t : t + 2]
        ends = self.ends[t : t + 2] - self.ends[t]
        return TreeArrays(
            self.nodes[a:e], self.table[d:h], self.sets[b:f], self.sum_column[c:g], self.sum_factor[c:g], ends
        )


_NO_TREES = TreeArrays(*(np.empty(0) for _ in range(6)))


@dataclass(frozen=True, eq=False)
class Trees:
    """Every tree of a forest, ready to predict.

    Attributes
    ----------
    nodes : all nodes (see `layout.NODE`), tree after tree; columns are positions in the user's table.
    roots : where each tree begins, and the number of nodes.
    table : shares of classes, or answers of several targets, of the leaves that need more than one number.
    sets : the levels that go left at categorical splits: see `forest.sets`.
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

    def __post_init__(self) -> None:
        # never written to, wherever they come from: kernels are compiled once and not again for read-only arrays
        for part in self.arrays:
            part.flags.writeable = False

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.__post_init__()

    @classmethod
    def join(cls, grown: list[TreeArrays], columns: np.ndarray, n_classes: int, n_outputs: int) -> Trees:
        """One forest of trees; `columns` are the positions of the binned table's columns in the user's table.

        Empties the list on the way: no tree is in memory twice.
        """
        from tamis.forest.predict.merge import renumber

        sizes = np.concatenate([np.zeros((1, 4), dtype=np.int64), *(np.diff(some.ends, axis=0) for some in grown)])
        ends = np.cumsum(sizes, axis=0)
        roots = ends[:, 0].copy()
        first = grown[0]
        nodes, table = np.empty(ends[-1, 0], dtype=NODE), np.empty((ends[-1, 3], first.table.shape[1]))
        sets = np.concatenate([some.sets for some in grown])
        sum_column = columns[np.concatenate([some.sum_column for some in grown])].astype(np.int64)
        sum_factor = np.concatenate([some.sum_factor for some in grown])
        del first
        at, row = 0, 0
        for k in range(len(grown)):
            some, grown[k] = grown[k], _NO_TREES
            nodes[at : at + len(some.nodes)] = some.nodes
            table[row : row + len(some.table)] = some.table
            at, row = at + len(some.nodes), row + len(some.table)
        grown.clear()
        renumber(nodes, roots, columns, ends[:, 1:].copy(), n_classes, n_classes > 0 or n_outputs > 1)
        return cls(nodes, roots, table, sets, sum_column, sum_factor, n_classes, n_outputs)

    def __len__(self) -> int:
        return len(self.roots) - 1

    @property
    def nbytes(self) -> int:
        return sum(part.nbytes for part in self.arrays)

    def mean(self, X: np.ndarray, n_jobs: int | None = None) -> np.ndarray:
        """Average of the trees' answers for every row of a C-ordered float64 matrix."""
        out = self.total(X, n_jobs)
        out /= len(self)
        return out

    def total(self, X: np.ndarray, n_jobs: int | None = None) -> np.ndarray:
        """Sum of the trees' answers for every row of a C-ordered float64 matrix, in the order of the trees."""
        from tamis.forest.predict.route import add_answers

        X = _read_only(X)
        out = np.zeros((len(X), self.n_classes or self.n_outputs))

        def some(begin: int, end: int) -> None:
            add_answers(X, begin, end, self.arrays, self.n_classes, self._copy_buffer(end - begin), out)

        _blocks(some, len(X), n_jobs)
        return out

    def stretch(self, begin: int, end: int) -> Trees:
        """Some of the trees, which share the arrays of all."""
        return replace(self, roots=self.roots[begin : end + 1])

    def _copy_buffer(self, n_rows: int) -> np.ndarray:
        """A buffer for a copy of the largest tree, for a block of rows; empty for a few rows."""
        return np.empty(np.diff(self.roots).max(initial=0) if n_rows >= FEW else 0, dtype=NODE)

    def drawn(self, X: np.ndarray, n_jobs: int | None = None) -> np.ndarray:
        """A training answer from the leaf of each row in each tree (one numeric target): rows × trees, float32."""
        from tamis.forest.predict.route import drawn_answers

        X = _read_only(X)
        out = np.empty((len(X), len(self)), dtype=np.float32)

        def some(begin: int, end: int) -> None:
            drawn_answers(X, begin, end, self.arrays, self._copy_buffer(end - begin), out)

        _blocks(some, len(X), n_jobs)
        return out

    def leaves(self, X: np.ndarray, n_jobs: int | None = None) -> np.ndarray:
        """The leaf of each row in each tree, counted from the tree's root: rows × trees."""
        from tamis.forest.predict.route import leaves_of

        X = _read_only(X)
        out = np.empty((len(self), len(X)), dtype=np.int64)

        def one(t: int) -> None:
            leaves_of(X, 0, len(X), self.arrays, t, out[t])
            out[t] -= self.roots[t]

        map_threads(one, range(len(self)), n_jobs)
        return np.ascontiguousarray(out.T)

    def used(self, t: int) -> np.ndarray:
        """The columns that tree t asks for, by position, each once."""
        nodes = self.nodes[self.roots[t] : self.roots[t + 1]]
        flags = nodes["column"][nodes["left"] >= 0]
        oblique = flags & OBLIQUE != 0
        sums = self.sum_column[flags[oblique] & COLUMN].ravel()
        return np.unique(np.concatenate([flags[~oblique] & COLUMN, sums.astype(np.int64)]))

    @property
    def arrays(self) -> ForestArrays:
        """The arrays, as the kernels take them."""
        return ForestArrays(self.nodes, self.roots, self.table, self.sets, self.sum_column, self.sum_factor)


def _read_only(X: np.ndarray) -> np.ndarray:
    """The same rows, as kernels get them from everyone: they may come from a file in memory or another process."""
    X = X.view()
    X.flags.writeable = False
    return X


def _blocks(some: Callable[[int, int], None], n: int, n_jobs: int | None) -> None:
    """All rows in blocks, as many for each thread; a row's answer does not depend on its block."""
    if n <= FEW:
        some(0, n)
        return
    threads = max(4, workers(n_jobs))
    size = max(FEW, -(-n // (threads * -(-n // (threads * ROWS)))))
    map_threads(lambda begin: some(begin, min(begin + size, n)), range(0, n, size), n_jobs)
