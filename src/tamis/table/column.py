"""One named, typed column of a table."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tamis.wording import first_few

#: What a column can be. Numbers, booleans and ordinals are float64 values with NaN for missing; categories are codes.
KINDS = ("numeric", "boolean", "categorical", "ordinal", "date", "text", "identifier", "constant")

#: Units of numbers that are times: hours since midnight, and days.
CLOCK, SPAN = "time of day", "time span"

MISSING = -1  # code of a missing category
UNSEEN = -2  # code of a level that the fitted model never saw


@dataclass(frozen=True, eq=False)
class Column:
    """A column: float64 `values` with NaN for missing, or, for categories, int32 codes into `levels`.

    A categorical code of -1 is a missing value, of -2 a level unknown to the model that asked for `recode`.
    Booleans are 0.0 and 1.0, ordinals 0.0, 1.0, …; both may carry `levels`, the words their numbers stand for.
    `source` names the column of the source it was made from, when that has another name (the parts of a date).
    `unit` says what was written beside numbers read from texts: %, a currency, "time of day" (the values are hours
    since midnight) or "time span" (days).
    """

    name: str
    kind: str
    values: np.ndarray
    levels: tuple[Any, ...] | None = None
    source: str | None = None
    unit: str | None = None

    @property
    def origin(self) -> str:
        """The column of the source that this one was made from; mostly its own name."""
        return self.name if self.source is None else self.source

    @property
    def is_categorical(self) -> bool:
        """True when the values are codes without an order."""
        return self.kind == "categorical"

    @property
    def missing(self) -> np.ndarray:
        """A mask of the rows without a value."""
        return self.values == MISSING if self.is_categorical else np.isnan(self.values)

    def facts(self) -> dict[str, Any]:
        """Kind, number of missing values, and range or levels, for a look in a notebook.

        >>> Column("age", "numeric", np.array([31.0, 44.0, np.nan])).facts()
        {'kind': 'numeric', 'missing': 1, 'values': '31 to 44'}
        """
        is_missing = self.missing
        if self.levels is not None:
            words = first_few([str(level) for level in self.levels], 5)
        else:
            known = self.values[~is_missing]
            words = f"{known.min():.6g} to {known.max():.6g}" if len(known) else ""
        return {"kind": self.kind, "missing": int(is_missing.sum()), "values": words}

    def take(self, rows: Any) -> "Column":
        """The same column, some of its rows; its levels stay as they are."""
        # not by replace, which takes three times as long: a fold takes every column
        return Column(self.name, self.kind, self.values[rows], self.levels, self.source, self.unit)

    def recode(self, levels: Sequence[Any]) -> "Column":
        """The same categories as codes into another list of levels; those not in it become `UNSEEN`."""
        if self.levels is None or tuple(levels) == self.levels:
            return replace(self, levels=tuple(levels))
        code_of = {level: code for code, level in enumerate(levels)}
        table = np.array([code_of.get(level, UNSEEN) for level in self.levels] + [UNSEEN, MISSING], dtype=np.int32)
        return replace(self, values=table[self.values], levels=tuple(levels))

    def trimmed(self) -> "Column":
        """The same categories without the levels that no row has."""
        levels = self.levels or ()
        is_used = np.bincount(self.values[self.values >= 0], minlength=len(levels)) > 0
        return self if is_used.all() else self.recode([level for level, used in zip(levels, is_used) if used])


def categories(name: str, values: Sequence[Any] | np.ndarray) -> Column:
    """A categorical column from its values, levels sorted by their text, missing kept as missing.

    >>> categories("colour", ["red", None, "blue"]).values
    array([ 1, -1,  0], dtype=int32)
    """
    code_of: dict[Any, int] = {}
    codes = (MISSING if is_missing(value) else code_of.setdefault(value, len(code_of)) for value in values)
    return coded_categories(name, np.fromiter(codes, dtype=np.int32, count=len(values)), list(code_of))


def coded_categories(name: str, codes: np.ndarray, labels: Sequence[Any]) -> Column:
    """A categorical column from codes into a list of different labels, -1 for missing; only levels that occur.

    >>> coded_categories("colour", np.array([2, -1, 1]), ["grey", "red", "blue"]).levels
    ('blue', 'red')
    """
    labels, codes = _in_words(labels, codes)
    shifted = codes.astype(np.int64) + 1
    used = np.flatnonzero(np.bincount(shifted, minlength=len(labels) + 1)[1:])
    order = sorted(used.tolist(), key=lambda code: (str(labels[code]), str(type(labels[code]))))
    table = np.full(len(labels) + 1, MISSING, dtype=np.int32)
    table[np.array(order, dtype=np.int64) + 1] = np.arange(len(order))
    return Column(name, "categorical", table[shifted], tuple(labels[code] for code in order))


def _in_words(labels: Sequence[Any], codes: np.ndarray) -> tuple[Sequence[Any], np.ndarray]:
    """Labels that JSON holds: intervals, dates, periods and bytes become their texts, equal ones one label."""
    if all(isinstance(label, (str, bool, int, float, np.generic)) for label in labels):
        return labels, codes
    words = [label if isinstance(label, (str, bool, int, float, np.generic)) else level_text(label) for label in labels]
    distinct = {word: index for index, word in enumerate(dict.fromkeys(words))}
    moved = np.array([MISSING, *(distinct[word] for word in words)], dtype=np.int64)
    return list(distinct), moved[codes.astype(np.int64) + 1]


def level_text(level: Any) -> str:
    """A level that is no text or number, as a text.

    >>> from datetime import date
    >>> level_text(b"red"), level_text(date(2024, 5, 1))
    ('red', '2024-05-01')
    """
    return level.decode("utf-8", "replace") if isinstance(level, bytes) else str(level)


def is_missing(value: object) -> bool:
    """True for None, NaN and NaT (unlike themselves), and pandas' NA (neither like nor unlike itself)."""
    if value is None or type(value).__name__ == "NAType":
        return True
    unlike = value != value
    return isinstance(unlike, (bool, np.bool_)) and bool(unlike)
