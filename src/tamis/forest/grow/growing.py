"""A forest while it grows: its trees so far, and the sums that are kept of them."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, field

import numpy as np

from tamis.forest.grow.build import TreeBatch
from tamis.forest.predict.interval import Depth
from tamis.forest.predict.out_of_bag import CopyByCopy, OutOfBag
from tamis.forest.predict.trees import TreeArrays
from tamis.forest.progress import watched


@dataclass(eq=False)
class GrowingForest:
    """Trees 0 … n_trees - 1 of a forest. Grown in several steps it is the same as in one.

    Attributes
    ----------
    build : from first and end to trees first … end - 1, some at a time.
    n_columns : of the binned table.
    out_of_bag : whether rows left out are judged.
    judge : their answers. depth : for prediction intervals.
    by_copy : the judge whose curve says when to stop, and by whom settings are compared: for it a row that counts twice
        is two rows.
    batches, n_trees : the trees so far.
    gain, share : sums over trees of what columns bring, and of the share of rows left out.
    """

    build: Callable[[int, int], Generator[TreeBatch]]
    n_columns: int
    out_of_bag: bool
    judge: OutOfBag
    by_copy: OutOfBag | CopyByCopy
    depth: Depth | None = None
    batches: list[TreeArrays] = field(default_factory=list)
    n_trees: int = 0
    share: float = 0.0

    def __post_init__(self) -> None:
        self.gain = np.zeros(self.n_columns)

    def grow(self, n_trees: int, progress: bool | None = False, stop: bool = False) -> None:
        """Grow up to so many trees, or, with `stop`, until the curve is flat."""
        if stop and self.by_copy.is_stable():
            return
        with watched(self.build(self.n_trees, n_trees), n_trees - self.n_trees, progress) as batches:
            for batch in batches:
                self._add(batch)
                if stop and self.by_copy.is_stable():
                    return

    def _add(self, batch: TreeBatch) -> None:
        self.batches.append(batch.trees)
        self.n_trees += len(batch)
        for share, gain in zip(batch.shares.tolist(), batch.gain):  # in order: the same sums for any batch
            self.share += share
            self.gain += gain
        if self.out_of_bag:
            self.judge.add(batch)
        if self.depth is not None:
            self.depth.add(batch)
        if self.by_copy is not self.judge:
            self.by_copy.add(batch)
