"""What a node of a large table holds, from the counts of a level: statistics as the splitting kernels take them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import xlogy

from tamis.tree.grow.layout import ENTROPY, GAIN_RATIO
from tamis.tree.lazy.fixed_point import FixedPoint, whole
from tamis.tree.lazy.level import LevelCounts


@dataclass(frozen=True, eq=False)
class NodeCounts:
    """The counts of one node, column by column.

    Attributes
    ----------
    counts : (codes of all columns, classes), or rows, Σ high bits and Σ low bits.
    offset : where the codes of each column begin.
    weight : of a row of each class, in the criterion; None for numbers.
    fixed : the scale of a numeric target; None for classes.
    squares, extremes : of a numeric target.
    """

    counts: np.ndarray
    offset: np.ndarray
    weight: np.ndarray | None
    fixed: FixedPoint | None
    squares: np.ndarray
    extremes: np.ndarray

    @classmethod
    def of(
        cls, level: LevelCounts, slot: int, offset: np.ndarray, weight: np.ndarray | None, fixed: FixedPoint | None
    ) -> NodeCounts:
        """The counts of the node in a slot."""
        return cls(level.counts[slot], offset, weight, fixed, level.squares[slot], level.extremes[slot])

    @cached_property
    def all_codes(self) -> np.ndarray:
        """Counts of all rows: those of any column, missing included."""
        return np.asarray(self.counts[: self.offset[1]].sum(axis=0))

    @property
    def n_rows(self) -> int:
        """Rows of the node."""
        return int(self.all_codes[0] if self.weight is None else self.all_codes.sum())

    @cached_property
    def shift(self) -> float:
        """Mean of a numeric target, less the centre of its scale: from the exact sum."""
        assert self.fixed is not None
        return float(self.fixed.value(whole(self.all_codes[1], self.all_codes[2]))) / self.n_rows

    @cached_property
    def value(self) -> np.ndarray:
        """Weight of each class, or the mean."""
        if self.weight is not None:
            return np.asarray(self.all_codes * self.weight)
        assert self.fixed is not None
        return np.array([self.fixed.centre + self.shift])

    @cached_property
    def total(self) -> np.ndarray:
        """Statistics of all rows: weight of each class; or rows and Σ (y − mean)."""
        return self._statistics(self.all_codes[None])[0]

    def is_uniform(self) -> bool:
        """Whether all targets are the same."""
        if self.weight is None:
            return bool(self.extremes[0] == self.extremes[1])
        return bool(np.count_nonzero(self.all_codes) < 2)

    def impurity(self, criterion: int) -> float:
        """Times the weight: Gini, entropy, or Σ (y − mean)²; 0 when all targets are the same."""
        if self.is_uniform():
            return 0.0
        if self.weight is None:
            assert self.fixed is not None
            squares = self.fixed.squares_value(whole(*self.squares))
            return max(squares - self.n_rows * self.shift**2, 0.0)
        total = self.total
        if criterion in (ENTROPY, GAIN_RATIO):
            return float(xlogy(total.sum(), total.sum()) - xlogy(total, total).sum())
        return float(total.sum() - (total**2).sum() / total.sum())

    def tables(self, case: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Statistics, rows and the user's weight of every code of all columns; case: weight of a row of each class."""
        counts = self.counts
        rows = np.ascontiguousarray(counts.sum(axis=1) if self.weight is not None else counts[:, 0], dtype=np.int64)
        cases = counts @ case if self.weight is not None else rows.astype(np.float64)
        return self._statistics(counts), rows, cases

    def _statistics(self, part: np.ndarray) -> np.ndarray:
        if self.weight is not None:
            return np.ascontiguousarray(part * self.weight)
        assert self.fixed is not None
        sums = self.fixed.values(part[:, 1], part[:, 2]) - part[:, 0] * self.shift
        return np.column_stack([part[:, 0].astype(np.float64), sums])
