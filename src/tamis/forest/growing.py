"""A forest while it grows: its trees so far, and the sums that are kept of them.

Trees along columns are grown in one call of the core, with their out-of-bag answers. A tree along sums of columns has a
binned table of its own, and a tree of a large table its own rows: these are grown one by one and added in order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from tamis import _core
from tamis.engine import workers
from tamis.engine.cluster.local import Local
from tamis.forest.data.binned import ForestData
from tamis.forest.data.bootstrap import Bootstrap
from tamis.forest.data.oblique import ObliqueColumns
from tamis.forest.layout import NODE, ForestLimits, ForestTarget, TargetCosts
from tamis.forest.predict.interval import ROWS, Depth
from tamis.forest.predict.out_of_bag import EVERY, LEAST, OutOfBag
from tamis.forest.predict.trees import Trees
from tamis.forest.progress import shown_progress
from tamis.views.binned import BinnedTable

#: Grows trees first … end - 1 of a forest; the last argument is called with how many of them are done.
Grow = Callable[["_core.GrowingForest", int, int, Callable[[int], None] | None], None]


@dataclass(frozen=True, eq=False)
class TreeBatch:
    """A tree that was grown by itself, the rows that it left out, and what its columns bring.

    Attributes
    ----------
    nodes, table, sets, sum_column, sum_factor : as in `Trees`, columns in the binned table's order.
    ends : how many nodes, words of sets, sums and rows of leaf table the trees before each have, and all of them.
    rows, leaf : the rows left out, and their leaves, counted from the root. row_ends : where each tree's begin.
    copies, copy_leaf, copy_ends : the same for the copies of rows that count several times, where these are judged.
    gain : trees × columns.
    """

    nodes: np.ndarray
    table: np.ndarray
    sets: np.ndarray
    sum_column: np.ndarray
    sum_factor: np.ndarray
    ends: np.ndarray
    rows: np.ndarray
    leaf: np.ndarray
    row_ends: np.ndarray
    copies: np.ndarray
    copy_leaf: np.ndarray
    copy_ends: np.ndarray
    gain: np.ndarray


class GrowingForest:
    """Trees 0 … n_trees - 1 of a forest. Grown in several steps it is the same as in one.

    Parameters
    ----------
    grow : grows further trees.
    costs : the true targets of the rows that judge, and what wrong answers cost.
    target : what is to be predicted, of the same rows.
    n_columns : of the binned table.
    out_of_bag : whether rows left out are judged.
    population : where a row that counts twice is also judged as two rows, the row of each copy; else None.

    Attributes
    ----------
    judge : answers of the rows left out.
    by_copy : the judge whose curve says when to stop, and by whom settings are compared: for it a row that counts twice
        is two rows, each drawn or left out by itself. When to stop must not depend on whether a row is given twice or
        with the weight 2, and to a forest a table of few different rows is as good as one of many.
    """

    def __init__(
        self,
        grow: Grow,
        costs: TargetCosts,
        target: ForestTarget,
        n_columns: int,
        *,
        out_of_bag: bool,
        population: np.ndarray | None = None,
    ) -> None:
        n_interval = min(ROWS, len(costs.weight)) if out_of_bag and not costs.n_classes else 0
        self._has_intervals = n_interval > 0 and costs.values.shape[1] == 1
        copies = None if population is None else _copies(costs, population)
        self._core = _core.GrowingForest(costs, n_columns, out_of_bag, n_interval if self._has_intervals else 0, copies)
        self._grow, self.out_of_bag, self.n_classes = grow, out_of_bag, costs.n_classes
        self.judge = self.by_copy = OutOfBag(self._core, target, costs.weight)
        if copies is not None:
            copied = target._replace(classes=copies.classes, values=copies.values)
            self.by_copy = OutOfBag(self._core, copied, copies.weight, of_copies=True)

    @property
    def n_trees(self) -> int:
        """How many trees there are so far."""
        return self._core.n_trees

    @property
    def gain(self) -> np.ndarray:
        """Sum over trees of what each column brings."""
        return self._core.gain

    @property
    def share(self) -> float:
        """Sum over trees of the share of rows left out."""
        return self._core.share

    def grow(self, n_trees: int, progress: bool | None = False, stop: bool = False) -> None:
        """Grow up to so many trees, or, with `stop`, until the curve is flat."""
        first = self.n_trees
        with shown_progress(n_trees - first, progress) as show:
            for end in _ends(first, n_trees, stop):
                if stop and self.by_copy.is_stable():
                    return
                done = self.n_trees - first
                self._grow(self._core, self.n_trees, end, None if show is None else partial(_show, show, done))

    def trees(self, columns: np.ndarray) -> Trees:
        """The trees, which are then no longer here; columns: positions of the binned table's in the user's table."""
        n_outputs = 1 if self.n_classes else self.judge.target.values.shape[1]
        trees = joined(self._core, columns, self.n_classes, self.n_classes or n_outputs)
        return trees.in_units(self.judge.target.scale)

    def interval_shares(self) -> np.ndarray | None:
        """How much of the trees' draws intervals must hold; None where there are no intervals."""
        return Depth(*self._core.drawn_answers()).shares(self.judge.weight) if self._has_intervals else None


def joined(forest: _core.GrowingForest, columns: np.ndarray, n_classes: int, n_outputs: int) -> Trees:
    """One set of arrays of all trees; columns: the name of each column of the binned table."""
    has_table = n_classes > 0 or n_outputs > 1
    nodes, table, sets, sum_column, sum_factor, ends = forest.join(columns.astype(np.int64), n_classes, has_table)
    roots = ends[:, 0].copy()
    return Trees(nodes.view(NODE), roots, table, sets, sum_column, sum_factor, n_classes, n_outputs)


def _show(show: Callable[[int], None], before: int, done: int) -> None:
    show(before + done)


def _ends(first: int, n_trees: int, stop: bool) -> Iterator[int]:
    """Where the curve is looked at: never, or after LEAST trees and every EVERY further ones."""
    while stop and max(LEAST, (first // EVERY + 1) * EVERY) < n_trees:
        first = max(LEAST, (first // EVERY + 1) * EVERY)
        yield first
    yield n_trees


def _copies(costs: TargetCosts, population: np.ndarray) -> TargetCosts:
    """The costs of every copy of a row, each as a row of weight 1."""
    return costs._replace(
        classes=costs.classes[population] if costs.n_classes else costs.classes,
        values=costs.values[population] if len(costs.values) else costs.values,
        weight=np.ones(len(population)),
    )


@dataclass(frozen=True, eq=False)
class TreeGrower:
    """Grows trees of a forest on a table in memory, by their numbers.

    Attributes
    ----------
    out_of_bag : send the rows left out down, and measure what columns bring on them.
    loss : when trees vote, the cost of each (truth, answer).
    copies : judge the copies of rows by themselves, too.
    """

    data: ForestData
    target: ForestTarget
    limits: ForestLimits
    bootstrap: Bootstrap
    out_of_bag: bool
    loss: np.ndarray | None
    copies: bool
    n_jobs: int | None

    def __call__(
        self, forest: _core.GrowingForest, first: int, end: int, progress: Callable[[int], None] | None = None
    ) -> None:
        """Trees first … end - 1: in one call of the core; those on sums of columns one by one."""
        data, threads = self.data, workers(self.n_jobs)
        if self.limits.n_combined and not data.binned.category.all():
            add_each(forest, Local(threads).each(self._oblique, range(first, end)), progress)
            return
        draws, seeds = self.bootstrap.draws, self.bootstrap.seeds(first, end)
        forest.grow(
            data.binned, self.target, self.limits, draws, seeds, self.out_of_bag, self.loss, threads, progress
        )  # fmt: skip

    def _oblique(self, t: int) -> TreeBatch:
        """Tree t, on its own random sums of columns."""
        data, bootstrap, limits = self.data, self.bootstrap, self.limits
        sums = ObliqueColumns.of(data.binned, data.values, limits.n_combined, bootstrap.seed, t)
        # a random sum is a poorer guess than a column: twice as many are tried
        limits = limits._replace(max_features=min(2 * limits.max_features, len(sums.binned.n_values)))
        batch = grow_tree(sums.binned, self.target, limits, bootstrap, t, self.out_of_bag, self.loss, self.copies)
        columns, factors = sums.named(batch.nodes)
        return replace(
            batch,
            sum_column=columns,
            sum_factor=factors,
            ends=batch.ends + np.array([[0, 0, 0, 0], [0, 0, len(columns), 0]]),
            gain=sums.spread(batch.gain[0], len(data.binned.n_values))[None, :],
        )


def add_each(forest: _core.GrowingForest, batches: Iterable[TreeBatch], progress: Callable[[int], None] | None) -> None:
    """Add trees that are grown by themselves, in their order."""
    for done, batch in enumerate(batches, 1):
        forest.add(batch)
        if progress is not None:
            progress(done)


def grow_tree(
    binned: BinnedTable,
    target: ForestTarget,
    limits: ForestLimits,
    bootstrap: Bootstrap,
    t: int,
    out_of_bag: bool,
    loss: np.ndarray | None,
    copies: bool = False,
) -> TreeBatch:
    """Tree t by itself."""
    ((row_seed, tree_seed),) = bootstrap.seeds(t, t + 1).tolist()
    draws = bootstrap.draws
    nodes, *arrays = _core.grow_tree(binned, target, limits, draws, row_seed, tree_seed, out_of_bag, loss, copies)
    return TreeBatch(nodes.view(NODE), *arrays)
