"""Texts that are dates, in any of the common spellings, and the numbers a date becomes."""

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tamis.table.column import Column

PARTS = ("year", "month", "weekday", "elapsed days")
HOUR = "hour"  # a fifth part, of dates with a time of day
IN_UTC = "times are in UTC"
_DAY = 86_400e6  # microseconds

_TIME = (
    r"(?:[T ]+(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2}(?:[.,]\d+)?))?"
    r"\s*(?P<half>[AaPp]\.?[Mm]\.?)?\s*(?P<zone>Z|z|UTC|GMT|[-+]\d{2}:?\d{2})?)?$"
)
_PATTERNS = (
    r"^(?P<year>\d{4})[-/.](?P<month>\d{1,2})[-/.](?P<day>\d{1,2})" + _TIME,
    r"^(?P<one>\d{1,2})[-/.](?P<two>\d{1,2})[-/.](?P<year>\d{4})" + _TIME,
    r"^(?P<one>\d{1,2})/(?P<two>\d{1,2})/(?P<year>\d{2})" + _TIME,
    r"^(?P<day>\d{1,2})(?:st|nd|rd|th)?[-/. ]+(?P<word>[A-Za-z]{3,9})[-/., ]+(?P<year>\d{4}|\d{2})" + _TIME,
    r"^(?P<word>[A-Za-z]{3,9})[. ]+(?P<day>\d{1,2})(?:st|nd|rd|th)?,? +(?P<year>\d{4})" + _TIME,
)
_COMPACT = r"^(?P<year>\d{4})(?P<month>\d{2})(?P<day>\d{2})$"  # read only when the user says date
_QUICK = tuple(re.compile(pattern) for pattern in _PATTERNS)
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_LENGTHS = np.array([0, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31])


@dataclass(frozen=True)
class Dates:
    """Days since 1970-01-01 of every text (NaN where it is no date or none), and what had to be assumed."""

    days: np.ndarray
    bad: np.ndarray  # places of texts that are no dates
    n_spellings: int
    day_first: bool | None = None
    note: str = ""


def could_be_dates(texts: pa.Array, share: float = 0.8) -> bool:
    """A quick look at the first texts."""
    first_texts = [text for text in texts.slice(0, 40).to_pylist() if text is not None]
    return bool(first_texts) and sum(any(p.match(text) for p in _QUICK) for text in first_texts) >= share * len(
        first_texts
    )


def dates_of(texts: pa.Array, day_first: bool | None = None, *, compact: bool = False) -> Dates:
    """The dates of texts; spellings may be mixed, and 03/04/2021 follows the texts that leave no doubt."""
    quick = _iso(texts)
    if quick is not None:
        return Dates(quick[0], np.empty(0, dtype=np.int64), 1, None, IN_UTC if quick[1] else "")
    days = np.full(len(texts), np.nan)
    open_places = pc.is_valid(texts).to_numpy(zero_copy_only=False)
    used, first, note = 0, day_first, ""
    for pattern in (*_PATTERNS, _COMPACT) if compact else _PATTERNS:
        unread = np.flatnonzero(open_places)
        if not len(unread):
            break
        matched = pc.extract_regex(texts.take(pa.array(unread)), pattern)
        hit = pc.is_valid(matched).to_numpy(zero_copy_only=False)
        if not hit.any():
            continue
        fields = {name: _field(matched, name, hit) for name in re.findall(r"\?P<(\w+)>", pattern)}
        if "one" in fields:
            first, order_note = _order(fields, first)
            note = order_note or note
        matched_days = _days(fields, first)
        days[unread[hit]] = matched_days
        open_places[unread[hit]] = np.isnan(matched_days)
        used += 1
    return Dates(days, np.flatnonzero(open_places), used, first, note)


def iso_days(texts: pa.Array) -> np.ndarray:
    """Days since 1970-01-01 of texts that begin with year, month and day; NaN for those that are no such date.

    >>> iso_days(pa.array(["1970-01-02", "1970-02-30", "1970-01-01 12:00"])).tolist()
    [1.0, nan, 0.5]
    """
    quick = _iso(texts)
    if quick is not None:
        return quick[0]
    days = np.full(len(texts), np.nan)
    matched = pc.extract_regex(texts, _PATTERNS[0])
    hit = pc.is_valid(matched).to_numpy(zero_copy_only=False)
    if hit.any():
        fields = {name: _field(matched, name, hit) for name in re.findall(r"\?P<(\w+)>", _PATTERNS[0])}
        days[hit] = _days(fields, None)
    return days


def tell_hours(days: np.ndarray) -> bool:
    """True when dates have a time of day: some are no whole days.

    >>> tell_hours(np.array([1.0, np.nan])), tell_hours(np.array([1.0, 1.5]))
    (False, True)
    """
    present = days[~np.isnan(days)]
    return bool(np.any(present != np.floor(present)))


def date_columns(name: str, days: np.ndarray, *, hour: bool | None = None) -> list[Column]:
    """The columns a date becomes: year, month (1 to 12), weekday (1 Monday to 7 Sunday), days since 1970-01-01.

    Where there are times of day (`hour`; None to look), the hour (0 to 23) stands before the days.

    >>> [float(c.values[0]) for c in date_columns("when", np.array([0.5]))]
    [1970.0, 1.0, 4.0, 12.0, 0.5]
    """
    is_known = ~np.isnan(days)
    everywhere = bool(is_known.all())
    present = days if everywhere else days[is_known]
    values_of_part = dict(zip(PARTS[:3], _calendar(np.floor(present).astype(np.int64))))
    if tell_hours(days) if hour is None else hour:
        values_of_part[HOUR] = np.floor(np.rint((present - np.floor(present)) * _DAY) / 3_600e6) % 24
    columns = []
    for unit, values in values_of_part.items():
        filled = values
        if not everywhere:
            filled = np.full(len(days), np.nan)
            filled[is_known] = values
        columns.append(Column(f"{name} ({unit})", "numeric", filled, source=name))
    return [*columns, Column(f"{name} ({PARTS[3]})", "numeric", days, source=name)]


def days_of_times(array: Any) -> np.ndarray:
    """Days since 1970-01-01 of an Arrow column of dates or times; NaN for missing."""
    stamps = pc.cast(array, pa.timestamp("us", tz=getattr(array.type, "tz", None)), safe=False)
    numbers = pc.cast(stamps, pa.int64())
    days = np.empty(len(numbers))
    start = 0
    for chunk in numbers.chunks if isinstance(numbers, pa.ChunkedArray) else [numbers]:
        target = days[start : start + len(chunk)]
        np.divide(pc.fill_null(chunk, 0).to_numpy(), _DAY, out=target)
        if chunk.null_count:
            target[pc.is_null(chunk).to_numpy(zero_copy_only=False)] = np.nan
        start += len(chunk)
    return days


def _calendar(day_numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Year, month and weekday of days since 1970; looked up by day, which is five times faster in a long column."""
    if len(day_numbers) and int(np.ptp(day_numbers)) < len(day_numbers):
        low = int(day_numbers.min())
        year, month, weekday = _calendar_of(np.arange(low, int(day_numbers.max()) + 1))
        offsets = day_numbers - low
        return year[offsets], month[offsets], weekday[offsets]
    return _calendar_of(day_numbers)


def _calendar_of(day_numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    months = day_numbers.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64)
    return (months // 12 + 1970.0), (months % 12 + 1.0), ((day_numbers + 3) % 7 + 1.0)


def _iso(texts: pa.Array) -> tuple[np.ndarray, bool] | None:
    """The one spelling that Arrow reads itself, fifty times faster; and whether it tells a zone."""
    for type in (pa.timestamp("us"), pa.timestamp("us", tz="UTC")):
        try:
            pc.cast(texts.slice(0, 100), type)  # a failing cast of all texts is slow
            return days_of_times(pc.cast(texts, type)), type.tz is not None
        except pa.ArrowInvalid:
            continue
    return None


def _field(matched: pa.StructArray, name: str, hit: np.ndarray) -> np.ndarray:
    texts = pc.struct_field(matched, name).filter(pa.array(hit))
    if name in _WORDS:  # few different ones, so each is looked at once
        coded = texts.dictionary_encode()
        return np.array([_WORDS[name](word) for word in coded.dictionary.to_pylist()])[coded.indices.to_numpy()]
    texts = pc.replace_substring(texts, ",", ".")
    texts = pc.if_else(pc.equal(texts, ""), "0", texts)
    return np.array(pc.cast(texts, pa.float64()).to_numpy(zero_copy_only=False))


def _order(fields: dict[str, np.ndarray], first: bool | None) -> tuple[bool, str]:
    """Whether the day comes first, from values above 12; by the majority when both occur, and day first in doubt."""
    day, month = int((fields["one"] > 12).sum()), int((fields["two"] > 12).sum())
    if first is not None:
        return first, ""
    if day and month:
        return day >= month, f"day and month change places: {day:,} values have the day first, {month:,} the month"
    if not day and not month:
        return True, "no value shows whether day or month comes first; the day was assumed"
    return day > 0, ""


def _days(fields: dict[str, np.ndarray], day_first: bool | None) -> np.ndarray:
    year = fields["year"].astype(np.int64)
    year = np.where(year < 100, year + np.where(year < 70, 2000, 1900), year)
    if "one" in fields:
        first, two = fields["one"].astype(np.int64), fields["two"].astype(np.int64)
        day, month = (first, two) if day_first else (two, first)
        swapped = (month > 12) & (day <= 12)
        day, month = np.where(swapped, month, day), np.where(swapped, day, month)
    else:
        day = fields["day"].astype(np.int64)
        month = fields["word" if "word" in fields else "month"].astype(np.int64)
    leap = (year % 4 == 0) & ((year % 100 != 0) | (year % 400 == 0))
    inside = (month >= 1) & (month <= 12) & (day >= 1) & (year >= 1)
    length = _LENGTHS[np.where(inside, month, 0)] - ((month == 2) & ~leap)
    good = inside & (day <= length)
    safe_month = np.where(good, month, 1)
    months = (np.where(good, year, 1970) - 1970) * 12 + safe_month - 1
    start = months.astype("datetime64[M]").astype("datetime64[D]").astype(np.int64)
    clock, sound = _clock(fields, len(year))
    return np.where(good & sound, start + day - 1 + clock, np.nan)


def _clock(fields: dict[str, np.ndarray], n: int) -> tuple[np.ndarray, np.ndarray]:
    """The share of the day that is over, in UTC when a zone is given, and whether it is a time at all."""
    if "hour" not in fields:
        return np.zeros(n), np.ones(n, dtype=bool)
    hour, minute, second = fields["hour"], fields["minute"], fields["second"]
    half = fields["half"]
    sound = (hour < 24) & (minute < 60) & (second < 61) & ((half < 0) | ((hour >= 1) & (hour <= 12)))
    hour = np.where(half < 0, hour, hour % 12 + 12 * half)
    return (hour * 3600 + minute * 60 + second - fields["zone"]) / 86_400, sound


def _half(half: str) -> int:
    """-1 for a time without am or pm, 0 for am, 1 for pm."""
    return -1 if not half else int(half[0].lower() == "p")


def _zone(zone: str) -> int:
    """Seconds by which a zone is ahead of UTC."""
    if not zone or zone[0] not in "+-":
        return 0
    digits = zone[1:].replace(":", "")
    return (1 if zone[0] == "+" else -1) * (int(digits[:2]) * 3600 + int(digits[2:]) * 60)


def _month(word: str) -> int:
    return _MONTHS.index(word[:3].lower()) + 1 if word[:3].lower() in _MONTHS else 0


_WORDS = {"word": _month, "half": _half, "zone": _zone}
