"""Growing many trees on threads, handed out in order; stopped at once from outside."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from tamis.engine import seed_of, workers
from tamis.forest.combine import Combined
from tamis.forest.field import Ground
from tamis.forest.layout import Limits, Target
from tamis.forest.lot import Lot
from tamis.forest.trees import Grown

CHUNK = 2_000_000  # codes a task looks at, about: small trees are grown several at a time


@dataclass(frozen=True, eq=False)
class Sapling:
    """A tree, the rows it left out with their leaves, and what its columns bring."""

    tree: Grown
    rows: np.ndarray
    leaf: np.ndarray
    gain: np.ndarray
    share: float


def plant(
    ground: Ground,
    target: Target,
    limits: Limits,
    lot: Lot,
    n_trees: int,
    *,
    honest: bool,
    loss: np.ndarray | None,
    n_jobs: int | None,
) -> Generator[Sapling]:
    """Trees 0, 1, … in order, grown on threads. Closing the iterator, or an interrupt, stops them at the next node.

    honest : send the rows left out down, and measure what columns bring on them.
    loss : when trees vote, the cost of each (truth, answer).
    """
    stop = np.zeros(1, dtype=np.uint8)
    n_rows = len(target.weight)
    chunk = max(1, min(CHUNK // (n_rows * n_rows.bit_length() * limits.max_features), 16))
    starts = iter(range(0, n_trees, chunk))

    def several(first: int) -> list[Sapling]:
        return [
            _grow_one(ground, target, limits, lot, t, honest, loss, stop)
            for t in range(first, min(first + chunk, n_trees))
        ]

    n_threads = workers(n_jobs)
    pool = ThreadPoolExecutor(n_threads, thread_name_prefix="tamis-forest")
    queue: deque[Future[list[Sapling]]] = deque()
    try:
        for first in starts:
            queue.append(pool.submit(several, first))
            if len(queue) > 2 * n_threads:
                yield from queue.popleft().result()
        while queue:
            yield from queue.popleft().result()
    finally:
        stop[0] = 1
        pool.shutdown(wait=True, cancel_futures=True)


def _grow_one(
    ground: Ground,
    target: Target,
    limits: Limits,
    lot: Lot,
    t: int,
    honest: bool,
    loss: np.ndarray | None,
    stop: np.ndarray,
) -> Sapling:
    from tamis.forest import route
    from tamis.forest.grow import grow

    field, sums = ground.field, None
    if limits.n_combined and not field.category.all():
        sums = Combined.of(field, ground.values, limits.n_combined, lot.seed, t)
        field = sums.field
        # a random sum is a poorer guess than a column: twice as many are tried
        limits = limits._replace(max_features=min(2 * limits.max_features, len(field.n_values)))
    counts = lot.counts(t, len(target.weight))
    nodes, cuts, value, table, sets, gain = grow(
        field, target, limits, counts, seed_of(lot.seed, "tree", t), honest, stop
    )
    if loss is not None and len(table):
        mixed = (nodes["left"] < 0) & (nodes["column"] >= target.n_classes)
        nodes["column"][mixed] = (table @ loss).argmin(axis=1)[nodes["column"][mixed] - target.n_classes]
        table = table[:0]
    rows = route.left_out(counts)
    leaf = np.empty(len(rows), dtype=np.int32)
    share = len(rows) / len(counts)
    if honest and len(rows) and not stop[0]:
        route.leaves_of_codes(field.by_row, rows, nodes, cuts, field.n_values, sets, leaf)
        gain = np.zeros(len(gain))
        route.honest_gain(target.kind, target.classes, target.values, target.weight, rows, leaf, nodes, value, gain)
    asked, factors = np.zeros((0, 1), dtype=np.int64), np.zeros((0, 1))
    if sums is not None:
        gain = sums.spread(gain, len(ground.field.n_values))
        asked, factors = sums.named(nodes)
    return Sapling(Grown(nodes, cuts, table, sets, asked, factors), rows, leaf, gain, share)
