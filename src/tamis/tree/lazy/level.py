"""What the nodes of a level hold, counted in one pass over the mapped codes; whole numbers, so any order is exact."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from tamis import _core
from tamis.engine import current
from tamis.tree.lazy.fixed_point import FixedPoint
from tamis.views.lazy.mapped_codes import MappedCodes

BLOCK = 1 << 16  # rows that are copied out of the map at a time
_PARTS = 4  # a worker: the last one to end keeps the others waiting for a quarter of its work at most
MOST_NUMBERS = 1 << 23  # in the counts of a pass, 64 MB: nodes beyond wait for the next


class CodeRoutes(NamedTuple):
    """Splits as tables of sides: node k asks its rules one after the other, the split first, then its surrogates."""

    left: np.ndarray  # int64 (nodes): left child, the right one follows; -1: none
    default: np.ndarray  # uint8 (nodes): side of rows that no rule places
    first_rule: np.ndarray  # int64 (nodes + 1)
    column: np.ndarray  # int64 (rules)
    side: np.ndarray  # uint8 (rules, 256): LEFT, RIGHT or UNKNOWN of each code


@dataclass(frozen=True)
class RowSpan:
    """Consecutive rows of the mapped codes; as a partition, cells of `BLOCK` rows."""

    first: int
    end: int

    def cells(self) -> Iterator[slice]:
        """The rows of each cell."""
        return self.blocks()

    def blocks(self) -> Iterator[slice]:
        """The rows, some at a time."""
        for first in range(self.first, self.end, BLOCK):
            yield slice(first, min(first + BLOCK, self.end))


def spans(n_rows: int) -> list[RowSpan]:
    """All rows, in some parts for every worker of the engine in use."""
    size = max(BLOCK, -(-n_rows // (_PARTS * current().workers)))
    return [RowSpan(first, min(first + size, n_rows)) for first in range(0, n_rows, size)]


def partitions(n_rows: int) -> list[RowSpan]:
    """All rows in partitions of equally many cells, a power of two, for sums whose order counts."""
    share = max(1, -(-n_rows // BLOCK) // (_PARTS * current().workers))
    size = BLOCK << (share.bit_length() - 1)
    return [RowSpan(first, min(first + size, n_rows)) for first in range(0, n_rows, size)]


@dataclass(frozen=True, eq=False)
class LevelCounts:
    """Counts of the nodes that have a slot.

    Attributes
    ----------
    counts : (slots, codes of all columns, classes); of numbers the last axis holds rows, Σ high bits, Σ low bits.
    squares : (slots, 2) Σ high bits and Σ low bits of squares; zeros for classes.
    extremes : (slots, 2) smallest and largest fixed-point target.
    """

    counts: np.ndarray
    squares: np.ndarray
    extremes: np.ndarray


def add(a: LevelCounts, b: LevelCounts) -> LevelCounts:
    """The counts of both; those of `a` are written over."""
    np.add(a.counts, b.counts, out=a.counts)
    low, high = np.minimum(a.extremes[:, 0], b.extremes[:, 0]), np.maximum(a.extremes[:, 1], b.extremes[:, 1])
    return LevelCounts(a.counts, a.squares + b.squares, np.column_stack([low, high]))


@dataclass(frozen=True, eq=False)
class CountLevel:
    """Counts the rows of a span at the nodes that have a slot; `fixed` is None for classes."""

    mapped: MappedCodes
    routes: CodeRoutes
    slot_of: np.ndarray
    n_slots: int
    fixed: FixedPoint | None

    def __call__(self, span: RowSpan) -> LevelCounts:
        offset = offsets(self.mapped)
        n_stats = self.mapped.n_classes or 3
        size = np.uint32 if self.fixed is None else np.int64  # rows of a span are counted in 32 bits
        counts = np.zeros((self.n_slots, int(offset[-1]), n_stats), dtype=size)
        squares = np.zeros((self.n_slots, 2), dtype=np.int64)
        extremes = np.tile(np.array([1 << 62, -(1 << 62)]), (self.n_slots, 1))
        codes = self.mapped.codes
        for rows in span.blocks():
            block, y = np.array(codes[rows]), self.mapped.learned(rows)
            if self.fixed is None:
                _core.count_level_classes(block, y, self.routes, self.slot_of, offset, counts)
            else:
                q, q2 = self.fixed.encode(y), self.fixed.squares(y)
                _core.sum_level_numbers(block, q, q2, self.routes, self.slot_of, offset, counts, squares, extremes)
        return LevelCounts(counts, squares, extremes)


@dataclass(frozen=True, eq=False)
class CountSides:
    """Counts the rows of a span by the side of their node's split; see `count_sides` of the core."""

    mapped: MappedCodes
    routes: CodeRoutes
    slot_of: np.ndarray
    primary: np.ndarray

    def __call__(self, span: RowSpan) -> np.ndarray:
        offset = offsets(self.mapped)
        counts = np.zeros((len(self.primary), int(offset[-1]), 2), dtype=np.uint32)
        codes = self.mapped.codes
        for rows in span.blocks():
            present = self.mapped.has_target(self.mapped.learned(rows))
            block = np.array(codes[rows])
            _core.count_level_sides(block, present, self.routes, self.slot_of, self.primary, offset, counts)
        return counts


def count_level(make: CountLevel) -> LevelCounts:
    """The counts of all rows, worked out by the engine in use."""
    total: LevelCounts | None = None
    for part in current().each(make, spans(make.mapped.n_rows)):  # added as they come: few wait, each of up to 64 MB
        total = replace(part, counts=part.counts.astype(np.int64)) if total is None else add(total, part)
    assert total is not None
    return total


def count_sides_of(make: CountSides) -> np.ndarray:
    """The sides of all rows, worked out by the engine in use."""
    total: np.ndarray | None = None
    for part in current().each(make, spans(make.mapped.n_rows)):
        total = part.astype(np.int64) if total is None else np.add(total, part, out=total)
    assert total is not None
    return total


def offsets(mapped: MappedCodes) -> np.ndarray:
    """Where the codes of each column begin among those of all, missing included; and their number."""
    sizes = [coding.n_values + 1 for coding in mapped.codings]
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def at_a_time(mapped: MappedCodes, n_stats: int) -> int:
    """How many nodes a pass counts."""
    return max(1, MOST_NUMBERS // (int(offsets(mapped)[-1]) * n_stats))
