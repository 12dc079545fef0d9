"""Growing many trees on threads, handed out in order; stopped at once from outside."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tamis.engine import workers
from tamis.forest.data.binned import ForestData
from tamis.forest.data.bootstrap import Bootstrap
from tamis.forest.data.oblique import ObliqueColumns
from tamis.forest.layout import NUMBER, ForestLimits, ForestTarget
from tamis.forest.predict.trees import TreeArrays
from tamis.views.binned_table import BinnedTable

CHUNK = 10_000_000  # codes a task looks at, about (0.05 s): small trees are grown several at a time
MOST = 50  # and at most so many


@dataclass(frozen=True, eq=False)
class TreeBatch:
    """Several trees, the rows each left out with their leaves, and what its columns bring.

    Attributes
    ----------
    trees : the trees.
    rows, leaf : the rows left out, tree after tree, and their leaves, counted from their tree's root.
    ends : where each tree's rows begin, and the last one's end.
    gain : trees × columns.
    n_rows : of the binned table.
    """

    trees: TreeArrays
    rows: np.ndarray
    leaf: np.ndarray
    ends: np.ndarray
    gain: np.ndarray
    n_rows: int

    def __len__(self) -> int:
        return len(self.trees)

    @property
    def shares(self) -> np.ndarray:
        """Of the rows, how many each tree left out."""
        return np.diff(self.ends) / self.n_rows


def build_trees(
    data: ForestData,
    target: ForestTarget,
    limits: ForestLimits,
    bootstrap: Bootstrap,
    first: int,
    end: int,
    *,
    out_of_bag: bool,
    loss: np.ndarray | None,
    n_jobs: int | None,
    divides: int = 0,
) -> Generator[TreeBatch]:
    """Trees first … end - 1 in order, some at a time, grown on threads; stopped when the iterator is closed.

    out_of_bag : send the rows left out down, and measure what columns bring on them.
    loss : when trees vote, the cost of each (truth, answer).
    divides : as many trees at a time as divide this number, so that one can stop after any multiple of it.
    """
    stop = np.zeros(1, dtype=np.uint8)
    chunk = _at_a_time(len(target.weight), limits)
    if divides:
        chunk = max(k for k in range(1, divides + 1) if divides % k == 0 and k <= max(chunk, 1))
    starts = range(first, end, chunk)

    def several(start: int) -> TreeBatch:
        if limits.n_combined and not data.binned.category.all():
            return _oblique(data, target, limits, bootstrap, start, out_of_bag, loss, stop)
        of = start, min(start + chunk, end)
        return grow_trees(data.binned, target, limits, bootstrap, of, out_of_bag, loss, stop)

    n_threads = workers(n_jobs)
    if n_threads == 1 and chunk > 1:  # a call takes milliseconds: no thread is needed to be stopped between two
        yield from map(several, starts)
        return
    pool = ThreadPoolExecutor(n_threads, thread_name_prefix="tamis-forest")
    queue: deque[Future[TreeBatch]] = deque()
    try:
        for start in starts:
            queue.append(pool.submit(several, start))
            if len(queue) > 2 * n_threads:
                yield queue.popleft().result()
        while queue:
            yield queue.popleft().result()
    finally:
        stop[0] = 1
        pool.shutdown(wait=True, cancel_futures=True)


def _at_a_time(n_rows: int, limits: ForestLimits) -> int:
    """How many trees a call grows: each costs Python as much as 50 rows, and a call cannot be interrupted."""
    if limits.n_combined:
        return 1  # each has a binned table of its own
    return max(1, min(CHUNK // (n_rows * n_rows.bit_length() * limits.max_features), MOST))


def grow_trees(
    binned: BinnedTable,
    target: ForestTarget,
    limits: ForestLimits,
    bootstrap: Bootstrap,
    of: tuple[int, int],
    out_of_bag: bool,
    loss: np.ndarray | None,
    stop: np.ndarray,
) -> TreeBatch:
    """The trees of a range of numbers."""
    kernel = _kernel(limits, len(target.weight), bool(binned.category.any()), target.kind)
    nodes, table, sets, ends, rows, leaf, gain = kernel(
        binned, target, limits, bootstrap.draws, bootstrap.seeds(*of), out_of_bag, stop
    )
    n_nodes, n_words, n_leaves, n_out = ends[-1]
    nodes, table, sets = nodes[:n_nodes].copy(), table[:n_leaves].copy(), sets[:n_words].copy()
    rows, leaf = rows[:n_out].copy(), leaf[:n_out].copy()
    row_ends, of_rows = ends[:, 3].copy(), ends
    ends = np.zeros_like(of_rows)
    ends[:, :2], ends[:, 3] = of_rows[:, :2], of_rows[:, 2]
    if loss is not None and len(table):
        before = np.repeat(ends[:-1, 3], np.diff(ends[:, 0]))  # rows of leaf table of the trees before a node's
        mixed = (nodes["left"] < 0) & (nodes["column"] >= target.n_classes)
        cheapest = (table @ loss).argmin(axis=1)
        nodes["column"][mixed] = cheapest[(nodes["column"] + before)[mixed] - target.n_classes]
        table, ends = table[:0], ends * (1, 1, 1, 0)
    trees = TreeArrays(nodes, table, sets, np.zeros((0, 1), dtype=np.int64), np.zeros((0, 1)), ends)
    return TreeBatch(trees, rows, leaf, row_ends, gain, len(target.weight))


def _kernel(limits: ForestLimits, n_rows: int, mixed: bool, kind: int) -> Any:
    """The form of the kernel that has what these trees need, and no more to compile."""
    from tamis.forest.grow import grow

    if limits.by_deviation or limits.max_rows < n_rows:
        one, several = grow.grow_in_parts, grow.grow_in_parts_several
    elif mixed:
        one, several = grow.grow_mixed, grow.grow_mixed_several
    else:
        one, several = grow.grow_numeric, grow.grow_numeric_several
    return one if kind == NUMBER else several


def _oblique(
    data: ForestData,
    target: ForestTarget,
    limits: ForestLimits,
    bootstrap: Bootstrap,
    t: int,
    out_of_bag: bool,
    loss: np.ndarray | None,
    stop: np.ndarray,
) -> TreeBatch:
    """Tree t, on its own random sums of columns."""
    sums = ObliqueColumns.of(data.binned, data.values, limits.n_combined, bootstrap.seed, t)
    # a random sum is a poorer guess than a column: twice as many are tried
    limits = limits._replace(max_features=min(2 * limits.max_features, len(sums.binned.n_values)))
    found = grow_trees(sums.binned, target, limits, bootstrap, (t, t + 1), out_of_bag, loss, stop)
    asked, factors = sums.named(found.trees.nodes)
    ends = found.trees.ends + np.array([[0, 0, 0, 0], [0, 0, len(asked), 0]])
    return replace(
        found,
        trees=replace(found.trees, sum_column=asked, sum_factor=factors, ends=ends),
        gain=sums.spread(found.gain[0], len(data.binned.n_values))[None, :],
    )
