"""Surrogates of a split of a large node, from counts of rows by code and side; as `grow.surrogate`, rows counting 1."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tamis import _core
from tamis.tree.grow.layout import LEFT, RIGHT, UNKNOWN
from tamis.tree.lazy.split import CODES
from tamis.views.coding import Coding


@dataclass(frozen=True, eq=False)
class Surrogate:
    """Another column that sends rows the way the split does.

    Attributes
    ----------
    cut, upper : the codes around the cut; -2 for categories.
    flip : whether codes up to the cut go right.
    levels : (levels, 2) code and side, for categories.
    agreement, adjusted : share of rows that go the same way; measured from the majority upwards.
    """

    column: int
    cut: int
    upper: int
    flip: bool
    levels: np.ndarray
    agreement: float
    adjusted: float

    def sides(self, coding: Coding) -> np.ndarray:
        """The side of each code."""
        out = np.full(CODES, UNKNOWN, dtype=np.uint8)
        if len(self.levels):
            out[self.levels[:, 0]] = self.levels[:, 1]
        else:
            out[: coding.n_values] = LEFT if self.flip else RIGHT
            out[: (self.cut + self.upper) // 2 + 1] = RIGHT if self.flip else LEFT
        return out


def find_surrogates(
    counts: np.ndarray, offset: np.ndarray, codings: tuple[Coding, ...], order: np.ndarray, primary: int, most: int
) -> list[Surrogate]:
    """The best surrogates of a split on column `primary`, at most `most`, best first.

    counts : (codes of all columns, sides) of the rows that the split can place.
    """
    left, right = counts[: offset[1]].sum(axis=0).tolist()
    total, majority = left + right, max(left, right)
    found: list[Surrogate] = []
    for j in order.tolist():
        if j == primary:
            continue
        part = counts[offset[j] : offset[j] + codings[j].n_values]
        bar = majority * (1.0 + 1e-10)
        if len(found) == most:
            bar = max(bar, found[-1].agreement * total * (1.0 - 1e-10))
        agree, cut, upper, flip, levels = _agree(part, codings[j].is_categorical)
        if agree <= bar:
            continue
        one = Surrogate(j, cut, upper, flip, levels, agree / total, (agree - majority) / (total - majority))
        place = len(found)
        while place and found[place - 1].agreement < one.agreement:
            place -= 1
        found.insert(place, one)
        del found[most:]
    return found


_NO_LEVELS = np.empty((0, 2), dtype=np.int64)


def _agree(part: np.ndarray, categorical: bool) -> tuple[float, int, int, bool, np.ndarray]:
    """Agreeing rows of a column's best surrogate, the codes around its cut, whether it is flipped, and its levels."""
    rows, (left, right) = part.sum(axis=1), part.sum(axis=0).tolist()
    if np.count_nonzero(rows) < 2:
        return 0.0, -2, -2, False, _NO_LEVELS
    if categorical:
        present = np.flatnonzero(rows)
        to_left = (part[present, 0] > part[present, 1]) | ((part[present, 0] == part[present, 1]) & (left > right))
        levels = np.column_stack([present, np.where(to_left, LEFT, RIGHT)]).astype(np.int64)
        return float(np.where(to_left, part[present, 0], part[present, 1]).sum()), -2, -2, False, levels
    agree, cut, upper, flip = _core.best_agreement(part.astype(np.float64), rows, float(left), float(right))
    return (agree if cut >= 0 else 0.0), cut, upper, flip, _NO_LEVELS
