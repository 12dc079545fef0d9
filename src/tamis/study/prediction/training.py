"""What a model remembers of its training rows, and in which way a new row is unlike them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tamis.errors import DamagedError
from tamis.saved import mapping, read_entry, read_integer, text
from tamis.study.prediction.distance import Distance
from tamis.table import Column, Table
from tamis.table.column import UNSEEN
from tamis.table.notation import notations_of

#: Reasons that are spelt out for one row; further ones are counted.
MOST_REASONS = 3


@dataclass(frozen=True)
class Seen:
    """What the training rows hold in one column.

    Attributes
    ----------
    name : of the column.
    low, high : smallest and largest value; None for categories, and where all are missing.
    words : how people write these two.
    missing : how many training rows have no value.
    """

    name: str
    low: float | None
    high: float | None
    words: tuple[str, str]
    missing: int

    @classmethod
    def of(cls, column: Column, write: Any) -> Seen:
        """What a column of training rows holds."""
        is_missing = column.missing
        if column.is_categorical or is_missing.all():
            return cls(column.name, None, None, ("", ""), int(is_missing.sum()))
        low, high = float(np.nanmin(column.values)), float(np.nanmax(column.values))
        return cls(column.name, low, high, (write(low), write(high)), int(is_missing.sum()))

    def reasons(self, column: Column) -> list[tuple[np.ndarray, str]]:
        """Masks of the new rows that hold what no training row did, each with its reason."""
        reasons = []
        if self.missing == 0:
            reasons.append((column.missing, f"{self.name} is missing, which it never was in training"))
        if column.is_categorical:
            reasons.append((column.values == UNSEEN, f"{self.name} has a level never seen in training"))
        elif self.low is not None and self.high is not None:
            with np.errstate(invalid="ignore"):
                reasons.append(
                    (column.values < self.low, f"{self.name} is below {self.words[0]}, its least in training")
                )
                reasons.append(
                    (column.values > self.high, f"{self.name} is above {self.words[1]}, its most in training")
                )
        return reasons

    def to_dict(self) -> dict[str, Any]:
        """Plain values that `from_dict` takes back."""
        return {
            "name": self.name,
            "low": self.low,
            "high": self.high,
            "words": list(self.words),
            "missing": self.missing,
        }

    @classmethod
    def from_dict(cls, facts: dict[str, Any]) -> Seen:
        """What `to_dict` wrote, looked at."""
        low, high, words = read_entry(facts, "low"), read_entry(facts, "high"), read_entry(facts, "words")
        name = text("the name of a column", read_entry(facts, "name"))
        for value in (low, high):
            if value is not None and (isinstance(value, bool) or not isinstance(value, (int, float))):
                raise DamagedError(f"the range of {name!r} holds something that is no number")
        if not isinstance(words, list) or len(words) != 2:
            raise DamagedError(f"the range of {name!r} is not written down")
        end_texts = text("an end of a range", words[0]), text("an end of a range", words[1])
        return cls(name, low, high, end_texts, read_integer("missing", read_entry(facts, "missing")))


@dataclass(frozen=True)
class Training:
    """What is remembered of the training rows, in the columns that the model uses: a few numbers a column, no row.

    Attributes
    ----------
    rows : how many there were.
    columns : what each held.
    distance : how far a row is from their middle, several columns taken together; None for fewer than two numbers.

    >>> table = Table([Column("age", "numeric", np.array([20.0, 30.0, 40.0]))])
    >>> Training.of(table, ["age"]).unlike(Table([Column("age", "numeric", np.array([25.0, 90.0]))]))
    {1: 'age is above 40, its most in training'}
    """

    rows: int
    columns: tuple[Seen, ...]
    distance: Distance | None

    @classmethod
    def of(cls, table: Table, used: Sequence[str]) -> Training:
        """Learn from the training rows; `used` names the columns of the model, largest contribution first."""
        notations = notations_of(None, table)
        ranges = []
        for name in sorted(used):
            how = notations.get(name)
            ranges.append(Seen.of(table.column(name), (lambda value: f"{value:.6g}") if how is None else how.write))
        return cls(table.n_rows, tuple(ranges), Distance.of(table, used))

    def unlike(self, ready: Table) -> dict[int, str]:
        """Row -> in which way it is unlike the training rows; rows like them are absent."""
        reasons: dict[int, list[str]] = {}
        for column_range in self.columns:
            for mask, reason in column_range.reasons(ready.column(column_range.name)):
                for row in np.flatnonzero(mask).tolist():
                    reasons.setdefault(row, []).append(reason)
        if self.distance is not None:
            for row, reason in self.distance.far(ready).items():
                if row not in reasons:  # a value out of its range is far, too: said once
                    reasons[row] = [reason]
        return {row: _joined(reasons[row]) for row in sorted(reasons)}

    def to_dict(self) -> dict[str, Any]:
        """Plain values that `from_dict` takes back."""
        return {
            "rows": self.rows,
            "columns": [column_range.to_dict() for column_range in self.columns],
            "distance": None if self.distance is None else self.distance.to_dict(),
        }

    @classmethod
    def from_dict(cls, facts: dict[str, Any], names: Sequence[str]) -> Training:
        """What `to_dict` wrote, looked at; `names` are the columns of the model."""
        ranges = tuple(Seen.from_dict(mapping("a column", column)) for column in read_entry(facts, "columns"))
        stored = read_entry(facts, "distance")
        distance = None if stored is None else Distance.from_dict(mapping("distance", stored))
        strange = {column.name for column in ranges} | set(() if distance is None else distance.names)
        if not strange <= set(names):
            raise DamagedError("it remembers training rows of other columns than it lists")
        return cls(read_integer("rows", read_entry(facts, "rows")), ranges, distance)


def _joined(reasons: list[str]) -> str:
    more = len(reasons) - MOST_REASONS
    return "; ".join([*reasons[:MOST_REASONS], *([f"and {more:,} more"] if more > 0 else [])])
