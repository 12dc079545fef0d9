"""Texts that are numbers with a unit: percentages, money, times of day and time spans."""

import re
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tamis.table.column import CLOCK, SPAN
from tamis.table.inference.distinct_texts import DistinctTexts
from tamis.table.inference.parse_numbers import (
    SPACES,
    ParsedNumbers,
    all_match,
    any_match,
    matches,
    numbers_among,
    numerals_of,
)

PERCENT = "%"

_MICROSECONDS = {"days": 86_400e6, "hours": 3_600e6, "minutes": 60e6, "seconds": 1e6}
_DIGITS = {*"0123456789.,+-", *SPACES}
_HOUR, _DAY = 3_600e6, 86_400e6

_SIGNS = r"(?:(?:US|C|CA|A|AU|NZ|HK|S|R)?[$]|[€£¥₹₽₩₺₪฿₫₴₦₱]"
_NAMES = r"|USD|EUR|GBP|CHF|JPY|CNY|INR|CAD|AUD|NZD|SEK|NOK|DKK|PLN|CZK|HUF|BRL|MXN|ZAR)"
_CURRENCY = _SIGNS + _NAMES
_MONEY = (
    rf"^(?P<sign>[-+]?)\s*(?P<before>{_CURRENCY})?\s*(?P<inner>[-+]?)"
    rf"(?P<number>[0-9](?:[0-9.,{SPACES}]*[0-9])?)[\s{SPACES}]*(?P<after>{_CURRENCY})?$"
)
_CLOCK = (
    r"^(?P<hour>[0-9]{1,2}):(?P<minute>[0-5][0-9])(?::(?P<second>[0-5][0-9](?:[.][0-9]{1,9})?))?"
    r"\s*(?P<half>[AaPp]\.?[Mm]\.?)?$"
)
_NUMBER = "[0-9]+(?:[.][0-9]+)?"
_SPAN = (
    rf"(?i)^(?:(?P<days>{_NUMBER})\s*(?:d|days?))?[\s,]*(?:(?P<hours>{_NUMBER})\s*(?:h|hrs?|hours?))?"
    rf"[\s,]*(?:(?P<minutes>{_NUMBER})\s*(?:m|mins?|minutes?))?"
    rf"[\s,]*(?:(?P<seconds>{_NUMBER})\s*(?:s|secs?|seconds?))?$"
)
# 2 days 01:20:00 as pandas writes it; the sign of the clock is its own
_SPAN_CLOCK = (
    r"^(?P<days>-?[0-9]+) days?(?:,? (?P<sign>[-+]?)(?P<hours>[0-9]{1,2}):(?P<minutes>[0-5][0-9]):"
    r"(?P<seconds>[0-5][0-9](?:[.][0-9]{1,9})?))?$"
)
# Letters alone could be metres, decades or dimensions (5m, 90s, 3d): some text must have two units, or a word.
_SURE_SPAN = r"(?i)[0-9]\s*(?:days?|hrs?|hours?|mins?|minutes?|secs?|seconds?)\b|[0-9]\s*[dhm][\s,]*[0-9]"
_QUICK = tuple(
    re.compile(pattern) for pattern in (rf"^[-+]?[0-9.][0-9.,{SPACES}]*%$", _CLOCK, _SPAN, _SPAN_CLOCK, _MONEY)
)


def could_be_amounts(texts: pa.Array, share: float = 1.0) -> bool:
    """A quick look at the first texts.

    >>> could_be_amounts(pa.array(["6.1%", "7%"])), could_be_amounts(pa.array(["A1", "B2"]))
    (True, False)
    """
    first_texts = [text for text in texts.slice(0, 40).to_pylist() if text]
    return bool(first_texts) and sum(_like_an_amount(text) for text in first_texts) >= share * len(first_texts)


def _like_an_amount(text: str) -> bool:
    """True for a text in one of the forms; digits alone have the form of money, but no currency."""
    text = text.replace("−", "-").strip("()")
    return not set(text) <= _DIGITS and any(pattern.match(text) for pattern in _QUICK)


def amounts_of(cells: DistinctTexts, decimal: str | None = None, *, doubt: str = ".") -> ParsedNumbers | None:
    """The numbers of texts that all have one unit, or None.

    6.1% is 6.1; $4,306.33 is 4306.33; 14:33 is 14.55 hours since midnight; 1h 20m is 0.0556 days, as the time spans of
    frames are. Texts in several currencies, clocks beyond 24 hours and codes (1:160, 5m, 12:3a) are none.
    """
    if not could_be_amounts(cells.texts):
        return None
    texts = _one_minus(cells.texts)
    for unit, bare in ((PERCENT, _bare_percent(texts)), _bare_money(texts)):
        parsed = None if bare is None else numerals_of(DistinctTexts(bare, cells.codes), decimal, doubt=doubt)
        if parsed is not None and not parsed.code and not np.isinf(parsed.values).any():
            return replace(parsed, unit=unit, written=" ".join(filter(None, (_written(unit), parsed.written))))
    clock = clock_hours(texts)
    if _complete(texts, clock) and len(np.unique(np.floor(clock[~np.isnan(clock)]))) > 1:
        return ParsedNumbers(clock, _written(CLOCK), unit=CLOCK)  # one hour alone is rather a ratio: 1:10, 1:20, 1:40
    if any_match(texts, _SURE_SPAN):
        spans = span_days(texts)
        if _complete(texts, spans):
            return ParsedNumbers(spans, _written(SPAN), unit=SPAN)
    return None


def amounts_among(texts: pa.Array, unit: str | None, decimal: str | None, doubt: str) -> np.ndarray:
    """The number of each text in a unit that is known (None for plain numbers), NaN for a text that is none."""
    if unit is None:
        return numbers_among(texts, decimal, doubt)
    texts = _one_minus(texts)
    if unit in (CLOCK, SPAN):
        return clock_hours(texts) if unit == CLOCK else span_days(texts)
    if unit == PERCENT:
        fits, bare = matches(texts, "%$"), pc.replace_substring_regex(texts, r"\s*%$", "")
    else:
        bare, currency = _money(texts)
        fits = pc.fill_null(pc.equal(currency, unit), False).to_numpy(zero_copy_only=False)
    return np.where(fits, numbers_among(pc.fill_null(bare, ""), decimal, doubt), np.nan)


def clock_hours(texts: pa.Array) -> np.ndarray:
    """Hours since midnight of each text that is a time of day, NaN for the others.

    >>> clock_hours(pa.array(["14:33", "2:30 pm", "00:00:36", "24:00", "1:60"])).tolist()
    [14.55, 14.5, 0.01, nan, nan]
    """
    fields = pc.extract_regex(texts, _CLOCK)
    hour, minute, second = (_numbers(fields, name) for name in ("hour", "minute", "second"))
    half = pc.utf8_lower(pc.utf8_slice_codeunits(pc.struct_field(fields, "half"), 0, 1))
    late, early = (_true(pc.equal(half, letter)) for letter in ("p", "a"))
    sound = np.where(late | early, (hour >= 1) & (hour <= 12), hour < 24)
    hour = np.where(late | early, hour % 12 + 12 * late, hour)
    ticks = np.rint(hour * _HOUR + minute * 60e6 + second * 1e6)
    return np.where(sound, ticks / _HOUR, np.nan)


def hours_of_times(array: pa.ChunkedArray) -> np.ndarray:
    """Hours since midnight of an Arrow column of times of day; NaN for missing."""
    ticks = pc.cast(pc.cast(array, pa.time64("us"), safe=False), pa.int64())
    return np.array(pc.cast(ticks, pa.float64()).to_numpy(zero_copy_only=False), dtype=np.float64) / _HOUR


def span_days(texts: pa.Array) -> np.ndarray:
    """Days of each text that is a time span, NaN for the others.

    >>> span_days(pa.array(["1d 12h", "36 hours", "-1 days +12:00:00", "soon"])).tolist()
    [1.5, 1.5, -0.5, nan]
    """
    days = _ticks(texts, _SPAN) / _DAY
    unparsed = np.isnan(days)
    if unparsed.any():
        days[unparsed] = clock_span_days(texts.filter(pa.array(unparsed)))
    return days


def clock_span_days(texts: pa.Array) -> np.ndarray:
    """Days of each text that is a time span as pandas writes it (2 days 01:20:00), NaN for the others."""
    return _ticks(texts, _SPAN_CLOCK) / _DAY


def _ticks(texts: pa.Array, pattern: str) -> np.ndarray:
    """Microseconds of the texts that fit a pattern of days, hours, minutes and seconds, NaN for the others."""
    fields = pc.extract_regex(texts, pattern)
    fits = pc.is_valid(fields).to_numpy(zero_copy_only=False) & ~_true(pc.equal(texts, ""))
    days, *clock = (_numbers(fields, name) * size for name, size in _MICROSECONDS.items())
    clock_days = sum(clock)
    if "sign" in [field.name for field in fields.type]:
        clock_days = np.where(_true(pc.equal(pc.struct_field(fields, "sign"), "-")), -clock_days, clock_days)
    return np.where(fits, np.rint(days + clock_days), np.nan)


def _numbers(fields: pa.StructArray, name: str) -> np.ndarray:
    """The numbers of a field, 0 where it is empty, NaN where nothing fits."""
    texts = pc.struct_field(fields, name)
    texts = pc.if_else(pc.equal(texts, ""), "0", texts)
    return np.array(pc.cast(texts, pa.float64()).to_numpy(zero_copy_only=False), dtype=np.float64)


def _true(mask: pa.Array) -> np.ndarray:
    return np.asarray(pc.fill_null(mask, False).to_numpy(zero_copy_only=False), dtype=bool)


def _one_minus(texts: pa.Array) -> pa.Array:
    return pc.replace_substring(texts, "−", "-")


def _bare_percent(texts: pa.Array) -> pa.Array | None:
    return pc.replace_substring_regex(texts, r"\s*%$", "") if all_match(texts, "%$") else None


def _bare_money(texts: pa.Array) -> tuple[str, pa.Array | None]:
    """The one currency of all texts, and what they are without it."""
    bare, currency = _money(texts)
    units = currency.drop_null().unique().to_pylist()
    is_uniform = currency.null_count == texts.null_count and len(units) == 1
    return (units[0], bare) if is_uniform else ("", None)


def _money(texts: pa.Array) -> tuple[pa.Array, pa.Array]:
    """Sign and number of each text that is money, and its currency; null for the others."""
    fields = pc.extract_regex(pc.replace_substring_regex(texts, r"^\((.*)\)$", r"-\1"), _MONEY)
    fields_of = {name: pc.struct_field(fields, name) for name in ("sign", "before", "inner", "number", "after")}
    one_sided = pc.not_equal(
        pc.equal(fields_of["before"], ""), pc.equal(fields_of["after"], "")
    )  # before or after, not both
    nothing, between = pa.scalar(None, texts.type), pa.scalar("", texts.type)
    currency = pc.binary_join_element_wise(fields_of["before"], fields_of["after"], between)
    bare = pc.binary_join_element_wise(fields_of["sign"], fields_of["inner"], fields_of["number"], between)
    return pc.if_else(one_sided, bare, nothing), pc.if_else(one_sided, currency, nothing)


def _complete(texts: pa.Array, values: np.ndarray) -> bool:
    """True when every text that is there has a number."""
    return int(np.count_nonzero(np.isnan(values))) == texts.null_count < len(texts)


def _written(unit: str) -> str:
    words = {
        PERCENT: "written as percentages",
        CLOCK: "of hours since midnight, written as times of day",
        SPAN: "of days, written as time spans",
    }
    return words.get(unit, f"of money in {unit}")
