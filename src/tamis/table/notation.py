"""How the numbers of a column are written for people: dates as dates, yes and no as words, time spans with units."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import narwhals as nw
import numpy as np

from tamis.table.column import CLOCK, SPAN, Column
from tamis.table.inference.dates import PARTS
from tamis.table.like import TableLike
from tamis.table.sources.frame import is_frame
from tamis.table.table import Table

_UNITS = {"day": 86_400_000_000, "minute": 60_000_000, "second": 1_000_000, "microsecond": 1}  # in microseconds
_SPECS = {"minute": "minutes", "second": "seconds", "microsecond": "microseconds"}
_MONTHS = (
    *("", "January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_WEEKDAYS = ("", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_EPOCH = datetime(1970, 1, 1)
_FIRST = (datetime.min - _EPOCH) // timedelta(microseconds=1)
_LAST = (datetime.max - _EPOCH) // timedelta(microseconds=1)


@dataclass(frozen=True)
class Notation:
    """What the numbers of a column stand for.

    Parameters
    ----------
    kind : "boolean" (0 and 1), "ordinal" (places in `levels`), "date" (days since 1970-01-01), "span" (days) or "clock"
        (hours since midnight).
    levels : what the numbers of a boolean or ordinal stand for.
    unit : of a date, span or clock, the coarsest of day, minute, second, microsecond that all values are whole numbers
        of.
    """

    kind: str
    levels: tuple[str, ...] | None = None
    unit: str = "day"

    def write(self, value: float) -> str:
        """The last value of the column that is not above a number.

        >>> Notation("date").write(18262.5)
        '2020-01-01'
        >>> Notation("ordinal", ("low", "middle", "high")).write(1.5)
        'middle'
        """
        if self.kind == "date":
            return _date(value, self.unit)
        if self.kind == "span":
            return _span(value, self.unit)
        if self.kind == "clock":
            return _clock(value, self.unit)
        levels = self.levels or ("false", "true")
        return levels[int(np.clip(np.floor(value), 0, len(levels) - 1))]

    def above(self, value: float) -> str:
        """The word for the values above a number, where there is only one: yes for a boolean above 0.5."""
        return (self.levels or ("false", "true"))[1] if self.kind == "boolean" else ""

    def values(self) -> tuple[Any, ...]:
        """What the whole numbers from 0 stand for, as the source holds it; nothing where it has no such column.

        >>> Notation("boolean").values(), Notation("ordinal", ("low", "high")).values()
        ((False, True), ('low', 'high'))
        """
        if self.kind not in ("boolean", "ordinal") or self.levels in (_MONTHS, _WEEKDAYS):
            return ()
        return self.levels or (False, True)

    def moment(self, value: float) -> str:
        """A number of a date or clock in ISO 8601, the day for a column of days, else to the second or microsecond.

        Empty for other kinds, and outside the calendar.

        >>> Notation("date").moment(18262.5), Notation("date", unit="minute").moment(18262.5)
        ('2020-01-01', '2020-01-01 12:00:00')
        """
        ticks = int(np.rint(value * _UNITS["day"] / (24 if self.kind == "clock" else 1)))
        unit = "day" if self.unit == "day" else "microsecond" if ticks % 1_000_000 else "second"
        if self.kind == "clock":
            return _clock(value, "second" if unit == "day" else unit)
        if self.kind != "date" or not _FIRST <= ticks <= _LAST:
            return ""
        return _date(value, unit)

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {"kind": self.kind, "levels": None if self.levels is None else list(self.levels), "unit": self.unit}

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any]) -> "Notation":
        """The notation that `as_dict` wrote."""
        levels = saved.get("levels")
        return cls(str(saved["kind"]), None if levels is None else tuple(levels), str(saved.get("unit", "day")))


def notations_of(X: TableLike, table: Table) -> dict[str, Notation]:
    """The notation of every column that is neither plain numbers nor categories, by name.

    X is what the user gave, `table` what it was read as: a matrix no longer knows that a column was boolean.

    >>> notations_of(None, Table([Column("ill", "boolean", np.array([0.0, 1.0]))]))["ill"].write(0.5)
    'false'
    """
    if X is not table and is_frame(X):
        return _of_frame(X, table)
    if table.matrix is not None:
        boolean = getattr(getattr(X, "dtype", None), "kind", "") == "b"
        return {name: Notation("boolean") for name in table.names} if boolean else {}
    notations = {table.names[j]: _of_column(table.column(j)) for j in table.special().tolist()}
    return {name: notation for name, notation in notations.items() if notation is not None}


def _of_frame(X: Any, table: Table) -> dict[str, Notation]:
    notations: dict[str, Notation] = {}
    for j, (name, dtype) in enumerate(nw.from_native(X, eager_only=True).schema.items()):
        notation: Notation | None = None
        if dtype == nw.Boolean:
            notation = Notation("boolean")
        elif dtype == nw.Duration:
            days = table.matrix[:, j] if table.matrix is not None else table.column(j).values
            notation = Notation("span", unit=_unit(np.asarray(days, dtype=np.float64)))
        elif not dtype.is_numeric() and table.matrix is None:
            notation = _of_column(table.column(j))
        if notation is not None:
            notations[str(name)] = notation
    return notations


def _of_column(column: Column) -> Notation | None:
    if column.kind in ("boolean", "ordinal"):
        levels = None if column.levels is None else tuple(str(level) for level in column.levels)
        return Notation(column.kind, levels)
    if column.kind == "date" or column.name == f"{column.source} ({PARTS[3]})":
        return Notation("date", unit=_unit(column.values))
    if column.name == f"{column.source} ({PARTS[1]})":
        return Notation("ordinal", _MONTHS)
    if column.name == f"{column.source} ({PARTS[2]})":
        return Notation("ordinal", _WEEKDAYS)
    if column.unit == SPAN:
        return Notation("span", unit=_unit(column.values))
    if column.unit == CLOCK:
        return Notation("clock", unit=_unit(column.values / 24))
    return None


def _unit(days: np.ndarray) -> str:
    """The coarsest unit that all days are whole numbers of."""
    ticks = np.rint(days[~np.isnan(days)] * _UNITS["day"])
    return next(unit for unit, size in _UNITS.items() if unit == "microsecond" or np.all(ticks % size == 0))


def _date(days: float, unit: str) -> str:
    ticks = int(np.floor(np.rint(days * _UNITS["day"]) / _UNITS[unit])) * _UNITS[unit]
    try:
        when = _EPOCH + timedelta(microseconds=ticks)
    except OverflowError:  # before the year 1 or after 9999
        return f"{days:.6g} days after 1970"
    return when.date().isoformat() if unit == "day" else when.isoformat(" ", _SPECS[unit])


def _span(days: float, unit: str = "day") -> str:
    """A time span in days, hours, minutes and seconds, as far as the column's unit goes.

    >>> _span(1.0625, "minute")
    '1 d 1 h 30 min'
    """
    ticks = int(np.floor(np.rint(days * _UNITS["day"]) / _UNITS[unit])) * _UNITS[unit]
    sign, remaining, words = "−" if ticks < 0 else "", abs(ticks), []
    for size, word in ((_UNITS["day"], "d"), (3_600_000_000, "h"), (_UNITS["minute"], "min")):
        if remaining >= size:
            words.append(f"{remaining // size:,} {word}")
            remaining %= size
    if remaining or not words:
        words.append(f"{remaining / 1e6:.6g} s" if ticks else f"0 {'d' if unit == 'day' else 's'}")
    return sign + " ".join(words)


def _clock(hours: float, unit: str) -> str:
    """A time of day, to the minute or as fine as the column's unit.

    >>> _clock(14.55, "minute"), _clock(9.5083334, "second")
    ('14:33', '09:30:30')
    """
    size = min(_UNITS[unit], _UNITS["minute"])
    ticks = int(np.floor(np.rint(hours * 3_600_000_000) / size)) * size
    minutes, remainder = divmod(ticks, _UNITS["minute"])
    seconds = {"second": f":{remainder // 1_000_000:02d}", "microsecond": f":{remainder / 1e6:09.6f}"}.get(unit, "")
    return f"{minutes // 60:02d}:{minutes % 60:02d}{seconds}"
