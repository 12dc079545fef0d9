"""Yes-or-no statements about a row: a number above a cut, a level, a missing value."""

from __future__ import annotations

import math
import sys
from typing import Any, NamedTuple

import numpy as np

from tamis.errors import DamagedError
from tamis.table import Column, Table
from tamis.table.notation import Notation

MIN_ROWS = 5  # that a statement must hold for, and not hold for
KINDS = ("above", "at most", "is", "missing")


class Statement(NamedTuple):
    """What is asked of a row; a row without a value only fulfils "missing"."""

    column: str
    kind: str  # "above" or "at most" a cut, "is" a level, "missing"
    value: Any = None

    @property
    def threshold(self) -> float:
        """The cut, raised by the last digits: a row at the cut is at most the cut in every unit, as 3 × 0.1 is 0.3."""
        return min(self.value + 1e-14 * abs(self.value), sys.float_info.max)

    def holds(self, column: Column) -> np.ndarray:
        """Mask of the rows that it holds for."""
        if self.kind == "missing":
            holds = column.missing
        elif self.kind == "is":
            levels = list(column.levels or ())
            code = levels.index(self.value) if self.value in levels else -3
            holds = column.values == code
        else:
            with np.errstate(invalid="ignore"):
                above = self.kind == "above"
                holds = column.values > self.threshold if above else column.values <= self.threshold
        return np.asarray(holds)

    def words(self, notations: dict[str, Notation]) -> str:
        """As people read it: "age > 60"."""
        if self.kind == "missing":
            return f"{self.column} is missing"
        if self.kind == "is":
            return f"{self.column} = {self.value}"
        notation = notations.get(self.column)
        moment = notation.moment(self.value) if notation is not None else ""
        sign = ">" if self.kind == "above" else "≤"
        return f"{self.column} {sign} {moment or format(self.value, 'g')}"

    def opposite(self) -> Statement:
        """The statement that holds for the other rows, where none is missing."""
        return self._replace(kind="at most" if self.kind == "above" else "above")

    def as_list(self) -> list[Any]:
        value = self.value.item() if isinstance(self.value, np.generic) else self.value
        return [self.column, self.kind, value]

    @classmethod
    def from_list(cls, saved: object) -> Statement:
        """What `as_list` wrote."""
        if not isinstance(saved, list) or len(saved) != 3 or saved[1] not in KINDS or not isinstance(saved[0], str):
            raise DamagedError(f"{saved!r} is no statement of a score card")
        if saved[1] in ("above", "at most"):
            return cls(saved[0], saved[1], float(saved[2]))
        return cls(*saved)


def statements_of(table: Table, n_cuts: int, weight: np.ndarray) -> tuple[list[Statement], np.ndarray]:
    """The statements that are tried, column by column in the order of names, and which rows they hold for.

    A row counts as often as it weighs.
    """
    total = float(weight.sum())
    least = min(MIN_ROWS, max(1.0, total / 10)) * (1 - 1e-12)
    statements: list[Statement] = []
    holds: list[np.ndarray] = []
    known: set[bytes] = set()
    for j in table.order():
        column = table.column(int(j))
        for statement in _of_column(column, n_cuts, weight):
            line = statement.holds(column)
            n_true = float(weight[line].sum())
            key = np.packbits(line).tobytes()
            if least <= n_true <= total - least and key not in known:  # of equal statements the first
                known.add(key)
                statements.append(statement)
                holds.append(line)
    return statements, np.array(holds, dtype=np.uint8).reshape(len(holds), table.n_rows)


def _of_column(column: Column, n_cuts: int, weight: np.ndarray) -> list[Statement]:
    if column.is_categorical:
        statements = [Statement(column.name, "is", level) for level in column.levels or ()]
    else:
        present = ~np.isnan(column.values)
        cuts = _cuts(column.values[present], weight[present], n_cuts)
        statements = [Statement(column.name, "above", cut) for cut in cuts]
    if column.missing.any():
        statements.append(Statement(column.name, "missing"))
    return statements


def _cuts(values: np.ndarray, weight: np.ndarray, n_cuts: int) -> list[float]:
    """Cuts between neighbouring values near the quantiles, with as few digits as keep the rows apart."""
    distinct, place = np.unique(values, return_inverse=True)
    if len(distinct) < 2:
        return []
    after = np.arange(len(distinct) - 1)
    if len(after) > n_cuts:
        share = np.cumsum(np.bincount(place, weights=weight))
        wanted = share[-1] * np.arange(1, n_cuts + 1) / (n_cuts + 1)
        nearest = np.searchsorted(0.5 * (share[1:-1] + share[:-2]), wanted)
        after = np.unique(nearest)
    return [short_number(float(distinct[q]), float(distinct[q + 1])) for q in after]


def short_number(low: float, high: float) -> float:
    """The number with the fewest digits that is at least `low` and below `high`; of several the one nearest the middle.

    >>> short_number(59.0, 61.0), short_number(1.2345, 1.2361), short_number(-0.3, 0.4), short_number(2.0, 3.0)
    (60.0, 1.235, 0.0, 2.0)
    """
    middle = 0.5 * low + 0.5 * high
    if not low < high or not math.isfinite(middle):
        return low
    if low <= 0.0 < high:
        return 0.0
    size = max(abs(low), abs(high))
    exponent, rounding = math.floor(math.log10(size) + 1e-12), 1e-12 * size
    for digits in range(18):
        step = digits - exponent
        near = _rounded(middle * (1 + 1e-12), step)  # of a tie the same neighbour in every unit
        for candidate in (near, _rounded(low, step), _rounded(high, step)):
            if abs(candidate - low) <= rounding:
                return low
            if low < candidate < high - rounding:
                return candidate
    return low


def _rounded(value: float, digits: int) -> float:
    if digits >= 300:
        return value
    try:
        return round(value, digits)
    except OverflowError:  # rounded up beyond the largest number
        return value
