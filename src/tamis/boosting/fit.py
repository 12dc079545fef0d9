"""The rounds of a fit: kernels called for as many rounds at a time as fit into a buffer of nodes."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from tamis.boosting.layout import (
    LANES,
    WORDS,
    BinnedColumns,
    BoostingLimits,
    BoostingTarget,
    Buffers,
    ColumnBuffers,
    GrownTrees,
    Scores,
    SortedRows,
)
from tamis.engine import workers
from tamis.forest.layout import CATEGORY, COLUMN, NODE
from tamis.forest.predict.trees import Trees

NODES = 200_000  # of a buffer; a round has one in any case
BYTES = 2**28  # of histograms at most
WORTH = 20_000  # codes below which threads for the classes of a round do not pay
SORTED = 2  # rows for each bin of a column, at most, where they are sorted by every column
DENSE = 2  # rows for each bin of a column: with fewer a node is counted anew instead of subtracted


def boosted(
    table: BinnedColumns,
    target: BoostingTarget,
    limits: BoostingLimits,
    baseline: np.ndarray,
    n_rounds: int,
    n_jobs: int | None,
) -> tuple[Trees, np.ndarray]:
    """The trees of all rounds, those of a class together, and what the splits of each column gained in all.

    Columns are those of the binned table.
    """
    n_sums, n_rows = len(baseline), table.codes.shape[1]
    raw = np.repeat(baseline[:, None], n_rows, axis=1)
    scores = Scores(raw, np.empty_like(raw), np.empty_like(raw))
    threads = min(workers(n_jobs), n_sums) if table.codes.size >= WORTH else 1
    grow = _one_by_one if threads < 2 else _side_by_side(threads)
    grown = grow(table, target, limits, scores, n_rounds) if n_sums else []  # of one class nothing is to be learned
    gain = np.zeros(len(table.n_bins))
    for some in grown:
        gain += some.gain
    return _by_class(grown, n_rounds, n_sums), gain


def dense_rows(table: BinnedColumns) -> int:
    """Rows from which on a node keeps a histogram."""
    return int(DENSE * table.first[-1] // max(1, len(table.n_bins)))


def buffers_for(table: BinnedColumns, limits: BoostingLimits) -> Buffers:
    """What a growing tree works in."""
    n_columns, n_rows = table.codes.shape
    n_bins, n_leaves = int(table.first[-1]), limits.max_leaves
    order = _sorted_rows(table)
    slots = min(n_leaves, n_rows // max(1, limits.dense_rows)) + 2 if n_rows >= limits.dense_rows else 0
    slots = 0 if len(order.lines) else min(slots, BYTES // (8 * LANES * n_bins + 1))
    there = np.zeros(256, dtype=np.uint8)
    column = ColumnBuffers(
        histogram=np.zeros(256 * LANES),
        there=there,
        eight=there.view(np.uint64),
        present=np.empty(256, dtype=np.uint8),
        every=np.arange(256, dtype=np.uint8),
        order=np.empty(256, dtype=np.uint8),
        best=np.empty(4),
    )
    return Buffers(
        rows=np.empty(n_rows, dtype=np.uint32),
        spare=np.empty(n_rows, dtype=np.uint32),
        lines=np.empty(n_rows * LANES),
        histograms=np.empty((slots, LANES * n_bins)),
        free=np.empty(slots + 1, dtype=np.int64),
        leaf=np.empty((8, n_leaves), dtype=np.int64),
        sums=np.empty((4, n_leaves)),
        left=np.empty((n_leaves, WORDS), dtype=np.uint64),
        tried=np.empty(n_columns, dtype=bool),
        column=column,
        order=order,
    )


def _sorted_rows(table: BinnedColumns) -> SortedRows:
    """The order of few rows in every column; of many none."""
    n_columns, n_rows = table.codes.shape
    if n_rows * n_columns > SORTED * int(table.first[-1]) or n_rows > 2**16:
        n_columns = n_rows = 0
    codes = table.codes[:n_columns, :n_rows]
    return SortedRows(
        of_all=np.argsort(codes, axis=1, kind="stable").astype(np.uint16),
        of_nodes=np.empty((n_columns, n_rows), dtype=np.uint16),
        lines=np.empty(n_rows * LANES),
        goes_left=np.empty(n_rows, dtype=np.uint8),
        spare=np.empty(n_rows, dtype=np.uint16),
    )


def _room(table: BinnedColumns, limits: BoostingLimits, n_trees: int) -> GrownTrees:
    """Room for so many trees."""
    most = n_trees * limits.max_leaves
    words = WORDS * most if table.category.any() else 0
    return GrownTrees(
        nodes=np.empty(2 * most, dtype=NODE),
        roots=np.zeros(n_trees + 1, dtype=np.int64),
        sets=np.empty(words, dtype=np.uint64),
        gain=np.zeros(len(table.n_bins)),
        used=np.zeros(3, dtype=np.int64),
    )


def _trimmed(grown: GrownTrees) -> GrownTrees:
    """Without the room that was not needed."""
    return grown._replace(nodes=grown.nodes[: grown.used[1]].copy(), sets=grown.sets[: grown.used[2]].copy())


def _one_by_one(
    table: BinnedColumns, target: BoostingTarget, limits: BoostingLimits, scores: Scores, n_rounds: int
) -> list[GrownTrees]:
    """All rounds in this thread."""
    from tamis.boosting.grow.rounds import boost

    n_sums, done, parts = len(scores.raw), 0, []
    buffers = buffers_for(table, limits)
    while done < n_rounds:
        rounds = min(n_rounds - done, max(1, NODES // (2 * limits.max_leaves * n_sums)))
        grown = _room(table, limits, rounds * n_sums)
        boost(table, target, limits._replace(seed=limits.seed + done * n_sums), scores, buffers, grown, rounds, -1)
        parts.append(_trimmed(grown))
        done += rounds
    return parts


def _side_by_side(threads: int) -> Callable[..., list[GrownTrees]]:
    """The trees of the classes of a round, on so many threads."""

    def grow(table: Any, target: Any, limits: Any, scores: Any, n_rounds: int) -> list[GrownTrees]:
        from tamis.boosting.grow.rounds import boost, differentiate

        n_sums = len(scores.raw)
        parts: list[GrownTrees] = []
        buffers = [buffers_for(table, limits) for _ in range(n_sums)]
        pool = ThreadPoolExecutor(threads)  # one for all rounds
        try:
            for done in range(0, n_rounds * n_sums, n_sums):
                differentiate(target, scores.raw, scores.gradient, scores.hessian)
                rooms = [_room(table, limits, 1) for _ in range(n_sums)]

                def one(k: int, rooms: list[GrownTrees] = rooms, before: int = done) -> None:
                    own = limits._replace(seed=limits.seed + before + k)
                    boost(table, target, own, scores, buffers[k], rooms[k], 1, k)

                list(pool.map(one, range(n_sums)))
                parts.extend(_trimmed(grown) for grown in rooms)
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
        return parts

    return grow


def _by_class(grown: list[GrownTrees], n_rounds: int, n_sums: int) -> Trees:
    """The trees, grown round by round, class by class."""
    sets_before = np.cumsum([0, *(len(some.sets) for some in grown)])
    for some, before in zip(grown, sets_before):
        asks = (some.nodes["left"] >= 0) & (some.nodes["column"] & CATEGORY != 0)
        some.nodes["threshold"][asks] += before
    trees = [some.nodes[a:b] for some in grown for a, b in zip(some.roots[:-1], some.roots[1:])]
    trees = [trees[r * n_sums + k] for k in range(n_sums) for r in range(n_rounds)]
    none = np.empty(0, dtype=NODE)
    return Trees(
        nodes=np.concatenate([none, *trees]),
        roots=np.cumsum([0, *map(len, trees)]).astype(np.int64),
        table=np.empty((0, 1)),
        sets=np.concatenate([np.empty(0, dtype=np.uint64), *(some.sets for some in grown)]),
        sum_column=np.empty((0, 3), dtype=np.int64),
        sum_factor=np.empty((0, 3)),
        n_classes=0,
        n_outputs=1,
    )


def in_columns_of(trees: Trees, columns: np.ndarray) -> Trees:
    """The trees with columns by their positions in the user's table."""
    nodes = trees.nodes.copy()
    split = nodes["left"] >= 0
    flags = nodes["column"][split]
    nodes["column"][split] = (flags & ~COLUMN) | columns[flags & COLUMN].astype(np.int32)
    return Trees(**{**vars(trees), "nodes": nodes})
