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
    category = np.array([coding.is_categorical for coding in codings])
    found = _core.surrogates_by_counts(counts, offset, category, order, primary, most)
    return [Surrogate(*fields) for fields in found]
