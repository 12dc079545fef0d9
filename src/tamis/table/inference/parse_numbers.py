"""Texts that are numbers, and digits that are not (codes)."""

from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tamis.table.inference.distinct_texts import DistinctTexts

_LEADING_ZERO = r"^[-+]?0[0-9]"
_DIGITS = r"^[0-9]+$"
_LONG = r"^[-+]?[0-9]{16,}$"  # 2**53 has 16 digits; above it float64 no longer tells neighbours apart
_PLAIN = r"[-+]?[0-9]*[.]?[0-9]+([eE][-+]?[0-9]+)?"
DECIMAL_COMMA = r"^[-+]?([0-9]+|[0-9]{1,3}([.][0-9]{3})+)(,[0-9]*)?([eE][-+]?[0-9]+)?$"
_NOT_THOUSANDS = r"^[-+]?(0|[0-9]{4,})?,[0-9]+|,[0-9]{1,2}$|,[0-9]{4,}|,[0-9]+[eE]"
SPACES = " \u00a0\u202f\u2009'\u2019"  # between thousands: also without a break, narrow, thin; apostrophes
_SPACE = f"[{SPACES}]"
SPACED = rf"^[-+]?[1-9][0-9]{{0,2}}({_SPACE}[0-9]{{3}})+([.,][0-9]+)?$"
THOUSANDS = rf"^([-+]?[0-9]{{1,3}}(,[0-9]{{3}})+([.][0-9]+)?|{_PLAIN})$"

#: What float64 reads from a text; digits that are rather a code, for float64 would not give them back.
NUMBER = rf"(?i)^({_PLAIN}|[-+]?[0-9]+[.]|[-+]?(inf|infinity|nan))$"
CODE = r"^[-+]?(0[0-9]+|[0-9]{16,})$"

EXACT = 2.0**53
_SHARE = 10_000


@dataclass(frozen=True)
class ParsedNumbers:
    """The number of every text (NaN for none), how it is written, and why its digits are rather codes, if so."""

    values: np.ndarray
    written: str = ""
    code: str = ""
    decimal: str | None = None  # the decimal sign, where commas had to be read
    unit: str | None = None  # what was written beside the number, such as % or $


def numerals_of(cells: DistinctTexts, decimal: str | None = None, *, doubt: str = ".") -> ParsedNumbers | None:
    """The numbers of the texts, or None when some text is none.

    Integers with a leading zero (`01234`) are marked as codes, as are those too long to be held exactly. Where no text
    tells whether 1,234 has thousands or decimals, `doubt` is the decimal sign.
    """
    values = _plain(cells.texts) if decimal != "," else None
    if values is not None:
        return ParsedNumbers(values, code=_why_code(cells.texts, values))
    texts = cells.texts
    if len(texts) == texts.null_count:
        return None
    if (
        decimal != "."
        and all_match(texts, DECIMAL_COMMA)
        and ("," in (decimal, doubt) or any_match(texts, _NOT_THOUSANDS))
    ):
        values = _plain(pc.replace_substring(pc.replace_substring(texts, ".", ""), ",", "."))
        if values is None:
            return None
        return ParsedNumbers(values, "with a decimal comma", _why_code(texts, values), ",")
    if all_match(texts, THOUSANDS):
        values = _plain(pc.replace_substring(texts, ",", ""))
        return None if values is None else ParsedNumbers(values, "with commas between thousands", decimal=".")
    return _of_spaced(cells, decimal, doubt)


def _of_spaced(cells: DistinctTexts, decimal: str | None, doubt: str) -> ParsedNumbers | None:
    """Numbers with spaces between thousands, but for codes."""
    texts = cells.texts
    if not any_match(texts.slice(0, 1_000), SPACED):
        return None
    parsed = numerals_of(DistinctTexts(unspaced(texts), cells.codes), decimal, doubt=doubt)
    if parsed is None or parsed.code or grouped_codes(texts):
        return None
    return replace(parsed, written=" and ".join(filter(None, ("with spaces between thousands", parsed.written[5:]))))


def grouped_codes(texts: pa.Array) -> bool:
    """True for digits in groups that all have one shape and no fraction: codes (110 001) rather than numbers."""
    if not all_match(texts, SPACED) or any_match(texts, "[.,]"):
        return False
    return bool(pc.count_distinct(pc.utf8_length(texts)).as_py() == 1)


def unspaced(texts: pa.Array) -> pa.Array:
    """Texts that are numbers with spaces between thousands without these spaces; others as they are."""
    fits = pc.fill_null(pc.match_substring_regex(texts, SPACED), False)
    if not pc.any(fits).as_py():
        return texts
    return pc.if_else(fits, pc.replace_substring_regex(texts, _SPACE, ""), texts)


def numbers_among(texts: pa.Array, decimal: str | None, doubt: str) -> np.ndarray:
    """The number of each text read by a sign that is known, NaN for a text that is none: no text changes another."""
    plain_numbers = _plain(texts) if decimal != "," else None
    if plain_numbers is not None:
        return plain_numbers
    texts = unspaced(texts)
    values = np.full(len(texts), np.nan)
    if decimal != ",":
        _fill(values, texts, NUMBER)
    if "," in (decimal, None if decimal else doubt):
        plain = pc.replace_substring(pc.replace_substring(texts, ".", ""), ",", ".")
        _fill(values, texts, DECIMAL_COMMA, plain)
    else:
        _fill(values, texts, THOUSANDS, pc.replace_substring(texts, ",", ""))
    return values


def _fill(values: np.ndarray, texts: pa.Array, pattern: str, plain: pa.Array | None = None) -> None:
    """Write the numbers of the texts that fit a pattern where there is none yet."""
    fits = pc.fill_null(pc.match_substring_regex(texts, pattern), False).to_numpy(zero_copy_only=False)
    fits = fits & np.isnan(values)
    written = (texts if plain is None else plain).filter(pa.array(fits))
    values[fits] = pc.cast(written, pa.float64()).to_numpy(zero_copy_only=False)


def first_that_is_none(cells: DistinctTexts, decimal: str | None = None) -> int | None:
    """The place of the first text (in the order of rows) that is not a number, if any."""
    pattern = DECIMAL_COMMA if decimal == "," else rf"^({_PLAIN}|[-+]?[0-9]+[.]?|[-+]?(inf|infinity|nan))$"
    bad = _not_matching(cells.texts, pattern)
    if not len(bad):
        return None
    return int(min(bad, key=lambda index: cells.first_row(int(index)))) if len(bad) <= 1000 else int(bad[0])


def share_of_numbers(cells: DistinctTexts) -> float:
    """The share of rows with a text whose text is a number; of the first rows, in a long column."""
    counts = cells.counts[:_SHARE]
    if not counts.sum():
        return 0.0
    fits = pc.fill_null(pc.match_substring_regex(cells.texts.slice(0, _SHARE), rf"^{_PLAIN}$"), False)
    return float(counts[fits.to_numpy(zero_copy_only=False)].sum() / counts.sum())


def _plain(texts: pa.Array) -> np.ndarray | None:
    try:
        if len(texts) > 1_000:  # a cast goes on after its first failure, at 1 µs for each: 100 rows find most out
            pc.cast(texts.slice(0, 100), pa.float64())
        numbers = pc.cast(texts, pa.float64())
    except pa.ArrowInvalid:
        return None
    return np.array(numbers.to_numpy(zero_copy_only=False), dtype=np.float64)


def _why_code(texts: pa.Array, values: np.ndarray) -> str:
    if any_match(texts, _LEADING_ZERO) and all_match(texts, _DIGITS):
        return "digits with leading zeros"
    with np.errstate(invalid="ignore"):
        long = np.any(np.abs(values) >= EXACT)
    return "whole numbers too long to hold exactly" if long and any_match(texts, _LONG) else ""


def matches(texts: pa.Array, pattern: str) -> np.ndarray:
    """A mask of the texts that a pattern is found in."""
    mask = pc.fill_null(pc.match_substring_regex(texts, pattern), False)
    return np.asarray(mask.to_numpy(zero_copy_only=False))


def any_match(texts: pa.Array, pattern: str) -> bool:
    """True when a pattern is found in some text."""
    return bool(pc.any(pc.match_substring_regex(texts, pattern)).as_py())


def all_match(texts: pa.Array, pattern: str) -> bool:
    """True when a pattern is found in every text that is there."""
    if len(texts) > 1_000 and not all_match(
        texts.slice(0, 100), pattern
    ):  # spares most long columns of words the search
        return False
    return bool(pc.all(pc.match_substring_regex(texts, pattern)).as_py())


def _not_matching(texts: pa.Array, pattern: str) -> np.ndarray:
    fits = pc.fill_null(pc.match_substring_regex(texts, pattern, ignore_case=True), True)
    return np.flatnonzero(~fits.to_numpy(zero_copy_only=False))
