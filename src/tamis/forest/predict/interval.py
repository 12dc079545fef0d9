"""Prediction intervals that keep their word: how deep in the trees' draws the answers of rows left out lie."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from tamis.forest.grow.build import TreeBatch
from tamis.forest.layout import ForestTarget

ROWS = 10_000  # rows that are looked at; they stand in an order as good as random
FARTHEST = 10.0  # ranges that an interval reaches beyond all draws
GRID = 1_001  # coverages the answer is kept for, between 0 and 1


@dataclass(eq=False)
class Depth:
    r"""How wide the interval of each row must be, as a share of the draws, to hold its answer.

    Every tree that left row i out draws a training answer from its leaf. The interval between the quantiles (1 - s) / 2
    and (1 + s) / 2 of these draws holds y_i when

    .. math:: s \ge s_i = \max\left(0,\; 2 F_i(y_i^-) - 1,\; 1 - 2 F_i(y_i)\right)

    with F_i the share of draws up to a value. An answer beyond all draws needs more than all of them: s_i is then 1 and
    its distance from them, over their range (leaves of one row are learned by heart, and their draws lie too close
    together). An interval of coverage c takes for s the quantile c of all s_i.
    """

    target: ForestTarget
    weight: np.ndarray  # of each row in the quantile
    _below: np.ndarray = field(init=False)
    _upto: np.ndarray = field(init=False)
    _drawn: np.ndarray = field(init=False)
    _least: np.ndarray = field(init=False)
    _most: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        self._truth = self.target.values[:ROWS, 0].astype(np.float32)  # as the leaves keep them
        self._below, self._upto, self._drawn = np.zeros((3, len(self._truth)), dtype=np.int64)
        self._least, self._most = np.full(len(self._truth), np.inf), np.full(len(self._truth), -np.inf)

    def add(self, batch: TreeBatch) -> None:
        """Add a draw for each row that a tree left out."""
        known = batch.rows < len(self._truth)
        rows = batch.rows[known]
        roots = np.repeat(batch.trees.ends[:-1, 0], np.diff(batch.ends))
        drawn = batch.trees.nodes["column"][(roots + batch.leaf)[known]].view(np.float32)
        n, truth = len(self._truth), self._truth[rows]
        self._below += np.bincount(rows[drawn < truth], minlength=n)
        self._upto += np.bincount(rows[drawn <= truth], minlength=n)
        self._drawn += np.bincount(rows, minlength=n)
        ends = np.concatenate([[0], np.cumsum(known)])[batch.ends]
        for first, end in pairwise(ends):  # a tree leaves a row out once: plain indices, four times faster
            own, values = rows[first:end], drawn[first:end]
            self._least[own] = np.minimum(self._least[own], values)
            self._most[own] = np.maximum(self._most[own], values)

    def shares(self) -> np.ndarray:
        """The share of the draws that an interval must hold for each coverage of an even grid from 0 to 1."""
        seen = self._drawn > 1
        if not seen.any():
            return np.linspace(0.0, 1.0, GRID)
        n, below, upto = self._drawn[seen], self._below[seen], self._upto[seen]
        outside = (np.minimum(upto, n - below) - 0.5) / (n - 1)  # y lies between two draws: half way, as a quantile
        need = np.clip(1.0 - 2.0 * outside, 0.0, 1.0) + self._beyond()[seen]
        order = np.argsort(need)
        weight = self.weight[: len(seen)][seen][order]
        reached = np.cumsum(weight) / (weight.sum() + weight.mean())  # one row more: the new one
        place = np.searchsorted(reached, np.linspace(0.0, 1.0, GRID))
        return np.append(need[order], max(1.0, float(need.max())))[place]

    def _beyond(self) -> np.ndarray:
        """How far the answers lie beyond all draws, over the range of these; at most `FARTHEST`."""
        far = np.maximum(0.0, np.maximum(self._least - self._truth, self._truth - self._most))
        spread = self._most - self._least
        over = np.divide(far, spread, out=np.full(len(far), FARTHEST), where=spread > 0)
        return np.where(far > 0, np.minimum(over, FARTHEST), 0.0)
