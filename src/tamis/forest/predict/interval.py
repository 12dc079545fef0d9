"""Prediction intervals that keep their word: how deep in the trees' draws the answers of rows left out lie."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

ROWS = 10_000  # rows that are looked at; they stand in an order as good as random
FARTHEST = 10.0  # ranges that an interval reaches beyond all draws
GRID = 1_001  # coverages the answer is kept for, between 0 and 1


@dataclass(frozen=True, eq=False)
class Depth:
    r"""How wide the interval of each row must be, as a share of the draws, to hold its answer.

    Every tree that left row i out draws a training answer from its leaf. The interval between the quantiles (1 - s) / 2
    and (1 + s) / 2 of these draws holds y_i when

    .. math:: s \ge s_i = \max\left(0,\; 2 F_i(y_i^-) - 1,\; 1 - 2 F_i(y_i)\right)

    with F_i the share of draws up to a value. An answer beyond all draws needs more than all of them: s_i is then 1 and
    its distance from them, over their range (leaves of one row are learned by heart, and their draws lie too close
    together). An interval of coverage c takes for s the quantile c of all s_i.
    """

    below: np.ndarray  # int64 (rows): draws below the answer, up to it, and all draws
    upto: np.ndarray
    drawn: np.ndarray
    smallest: np.ndarray  # float64 (rows): the smallest and the largest draw
    largest: np.ndarray
    truth: np.ndarray  # float32 (rows): the answers, as the leaves keep them

    def shares(self, weight: np.ndarray) -> np.ndarray:
        """The share of the draws that an interval must hold for each coverage of an even grid from 0 to 1.

        weight : of each row in the quantile.
        """
        judged = self.drawn > 1
        if not judged.any():
            return np.linspace(0.0, 1.0, GRID)
        n, below, upto = self.drawn[judged], self.below[judged], self.upto[judged]
        outside = (np.minimum(upto, n - below) - 0.5) / (n - 1)  # y lies between two draws: half way, as a quantile
        need = np.clip(1.0 - 2.0 * outside, 0.0, 1.0) + self._beyond()[judged]
        order = np.argsort(need)
        weight = weight[: len(judged)][judged][order]
        reached = np.cumsum(weight) / (weight.sum() + weight.mean())  # one row more: the new one
        index = np.searchsorted(reached, np.linspace(0.0, 1.0, GRID))
        return np.append(need[order], max(1.0, float(need.max())))[index]

    def _beyond(self) -> np.ndarray:
        """How far the answers lie beyond all draws, over the range of these; at most `FARTHEST`."""
        far = np.maximum(0.0, np.maximum(self.smallest - self.truth, self.truth - self.largest))
        spread = self.largest - self.smallest
        over = np.divide(far, spread, out=np.full(len(far), FARTHEST), where=spread > 0)
        return np.where(far > 0, np.minimum(over, FARTHEST), 0.0)
