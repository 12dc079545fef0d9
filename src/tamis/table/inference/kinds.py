"""Deciding what a column is: from its text, or from the type its source gave it; with the reason in words."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tamis.errors import TableError
from tamis.table.column import CLOCK, SPAN, Column
from tamis.table.decision import Decision
from tamis.table.inference.amounts import amounts_of, hours_of_times
from tamis.table.inference.dates import IN_UTC, could_be_dates, date_columns, dates_of, days_of_times, tell_hours
from tamis.table.inference.distinct_texts import DistinctTexts
from tamis.table.inference.missing import NOTHING_MISSING, SOFT_TOKENS, TOKENS, MissingValues
from tamis.table.inference.ordinal import order_note
from tamis.table.inference.parse_numbers import EXACT, ParsedNumbers, numerals_of, share_of_numbers
from tamis.table.inference.quantity import judge_numbers
from tamis.table.inference.text_words import PROBE, are_names, min_rows_of_word, recurring_words, text_columns
from tamis.table.inference.word_columns import (
    category_column,
    codes_with_na,
    judge_words,
    ordinal_column,
    signs,
    yes_or_no,
)
from tamis.table.types import Type

_PREFIX = 100_000
_TRUTHS = ("false", "true")
LEFT_OUT = ("identifier", "constant")


@dataclass(frozen=True)
class Rules:
    """What holds for every column of one reading."""

    tokens: tuple[str, ...] = TOKENS
    decimal: str | None = None
    doubt: str = "."  # the decimal sign when 1,234 may have thousands or decimals
    trusted: bool = False  # a dictionary column is the frame's own categories, not a way of storing texts
    rows: np.ndarray | None = None  # positions in the source of the rows that decide; None for all of them
    missing: MissingValues = NOTHING_MISSING  # what the user says is missing; `tokens` has the texts of every column

    @classmethod
    def of(cls, missing: Any, decimal: str | None = None) -> "Rules":
        """Rules of a source whose categories are its own, with what the user says is missing."""
        values = MissingValues.of(missing)
        return cls(values.tokens, decimal, trusted=True, missing=values)

    def row(self, index: int) -> int:
        """The number (from 1) in the source of the deciding row at a place."""
        return 1 + (index if self.rows is None else int(self.rows[index]))


@dataclass(frozen=True)
class Inferred:
    """A decision and how to make its columns (four for a date); those of a left-out column are mostly never made."""

    decision: Decision
    make: Callable[[], list[Column]]


def decide(name: str, array: pa.ChunkedArray, rules: Rules, *, target: bool = False) -> Inferred:
    """The kind of a column from its values alone."""
    inferred = _by_type(name, array, rules, target)
    return _kept_target(name, inferred, array, rules) if target else inferred


def infinite(name: str, values: np.ndarray, rules: Rules) -> None:
    """Refuse an infinite value by column and row."""
    with np.errstate(invalid="ignore", over="ignore"):
        total = values.sum()
    if np.isfinite(total) or not np.isinf(values).any():
        return
    row = int(np.flatnonzero(np.isinf(values))[0])
    raise TableError(
        f"column {name!r} holds an infinite value ({values[row]}) in row {rules.row(row):,}; "
        "replace it in the source, or name its text in missing="
    )


def is_text(type: pa.DataType) -> bool:
    """True for the types of text columns."""
    return pa.types.is_string(type) or pa.types.is_large_string(type)


def floats_of(array: pa.ChunkedArray) -> np.ndarray:
    """A numeric Arrow column as a float64 array of its own, NaN for missing."""
    if not pa.types.is_integer(array.type) and not pa.types.is_floating(array.type):
        array = pc.cast(array, pa.float64(), safe=False)
    values = np.empty(len(array))
    start = 0
    for chunk in array.chunks:
        values[start : start + len(chunk)] = chunk.to_numpy(zero_copy_only=False)
        start += len(chunk)
    return values


def _by_type(name: str, array: pa.ChunkedArray, rules: Rules, target: bool) -> Inferred:
    type = array.type
    if pa.types.is_null(type) or array.null_count == len(array):
        return _empty(name, len(array))
    if has_own_categories(array, rules):
        return _ordered_categories(name, array) if target and type.ordered else _own_categories(name, array)
    if pa.types.is_dictionary(type) or is_text(type):
        return _of_text(name, DistinctTexts.of(array), rules, target)
    if pa.types.is_boolean(type):
        return _own_boolean(name, array)
    if pa.types.is_temporal(type) and not pa.types.is_duration(type) and not pa.types.is_time(type):
        zone = IN_UTC if getattr(type, "tz", None) else ""
        n = len(array) - array.null_count
        return _of_days(name, days_of_times(array), _dates(n), Type("date"), zone, target)
    if pa.types.is_time(type):
        parsed = ParsedNumbers(
            hours_of_times(array), "of hours since midnight, the source says times of day", unit=CLOCK
        )
        return _of_numerals(name, parsed.values, rules, parsed)
    if pa.types.is_duration(type):
        days = floats_of(pc.cast(array.cast(pa.duration("us")), pa.int64())) / 86_400e6
        return _of_numerals(name, days, rules, ParsedNumbers(days, "of days"), SPAN)
    if pa.types.is_integer(type) and too_long(array):
        return _of_text(name, DistinctTexts.of(pc.cast(array, pa.string())), rules, target)
    if pa.types.is_integer(type) or pa.types.is_floating(type) or pa.types.is_decimal(type):
        return _of_numbers(name, floats_of(array), rules)
    return _left(name, "text", f"its values ({type}) are neither numbers nor words")


def _of_text(name: str, cells: DistinctTexts, rules: Rules, target: bool) -> Inferred:
    """Numbers first, then yes or no, dates, codes, words."""
    numerals_of_all = numerals_of(cells, rules.decimal, doubt=rules.doubt) if cells.codes is None else None
    if numerals_of_all is not None and not numerals_of_all.code and not np.isinf(numerals_of_all.values).any():
        return _of_numerals(name, cells.by_row(numerals_of_all.values), rules, numerals_of_all)
    if cells.codes is None and cells.n_rows > 2 * _PREFIX:
        quick = _by_prefix(name, cells, rules)
        if quick is not None:
            return quick
    cells = cells.trimmed()
    if dashes := signs(cells.texts):
        return _of_words(name, cells.without([t for t in rules.tokens if t not in dashes]), keep=dashes)
    hard = cells.without(rules.tokens)
    soft = hard.without(SOFT_TOKENS)
    if soft.n_present:
        numerals = numerals_of(soft, rules.decimal, doubt=rules.doubt)
        numerals = amounts_of(soft, rules.decimal, doubt=rules.doubt) if numerals is None else numerals
        if numerals is not None and not numerals.code:
            return _of_numerals(name, soft.by_row(numerals.values), rules, numerals)
        if numerals is not None:
            inferred = _of_words(name, soft, numerals.code)
            hint = "give numeric when they are quantities"
            return (
                replace(inferred, decision=replace(inferred.decision, note=hint))
                if inferred.decision.used
                else inferred
            )
        pair = yes_or_no(soft)
        if pair is not None:
            return _of_yes_or_no(name, soft.by_row(pair[0]), pair[1])
        if could_be_dates(soft.texts):
            return _of_dates(name, soft, hard, rules, target)
    elif not hard.n_present:
        return _empty(name, cells.n_rows)
    if len(hard.texts) < len(cells.texts) and (codes := codes_with_na(hard.texts)):
        return _with_na(name, cells.without([token for token in rules.tokens if token != "NA"]), hard, codes)
    return _of_words(name, hard)


def _by_prefix(name: str, cells: DistinctTexts, rules: Rules) -> Inferred | None:
    """The decision to leave out a long column of different words, from its first rows: more rows cannot undo it."""
    start = cells.texts.slice(0, _PREFIX)
    inferred = _of_text(name, DistinctTexts(start, None), rules, False)
    if inferred.decision.kind != "identifier" or inferred.decision.type is None:
        return None
    if pc.count_distinct(start).as_py() > cells.n_rows / 100:
        reason = f"{inferred.decision.reason}, in the first {_PREFIX:,} rows"
        tokens = [token for token in rules.tokens if token not in inferred.decision.type.keep]
        decision = replace(inferred.decision, reason=reason)
        return Inferred(decision, lambda: [category_column(name, cells.trimmed().without(tokens))])
    return None


def _of_numbers(name: str, values: np.ndarray, rules: Rules, written: str = "") -> Inferred:
    return _of_numerals(name, values, rules, ParsedNumbers(values, written))


def _of_numerals(
    name: str, values: np.ndarray, rules: Rules, numerals: ParsedNumbers, unit: str | None = None
) -> Inferred:
    """Numbers by row, read from texts as `numerals` says; `unit` is what the source says they are, where it does."""
    infinite(name, values, rules)
    finding = judge_numbers(name, values, numerals.written, measured=numerals.unit is not None)
    type = Type(finding.kind, decimal=numerals.decimal, unit=numerals.unit)
    decision = Decision(
        name, finding.kind, finding.reason, finding.kind not in LEFT_OUT, finding.note, type, finding.sentinel
    )
    return Inferred(decision, lambda: [Column(name, "numeric", values, unit=unit or numerals.unit)])


def _of_yes_or_no(name: str, values: np.ndarray, words: tuple[str, str] | None = None) -> Inferred:
    no, yes = words or ("false", "true")
    column = Column(name, "boolean", values, words)
    decision = Decision(name, "boolean", f"only the words {no!r} and {yes!r}", type=Type("boolean", words))
    return Inferred(decision, lambda: [column])


def _of_dates(name: str, cells: DistinctTexts, hard: DistinctTexts, rules: Rules, target: bool) -> Inferred:
    dates = dates_of(cells.texts)
    if len(dates.bad):
        inferred = _of_words(name, hard)
        bad_index = int(dates.bad[0])
        row, text = rules.row(cells.first_row(bad_index) - 1), cells.texts[bad_index].as_py()
        note = f"most values are dates, but row {row:,} holds {text!r}; name it in missing= to read dates"
        return replace(inferred, decision=replace(inferred.decision, note=note))
    reason = _dates(cells.n_present, dates.n_spellings)
    return _of_days(name, cells.by_row(dates.days), reason, Type("date", day_first=dates.day_first), dates.note, target)


def _dates(n: int, spellings: int = 1) -> str:
    return f"all {n:,} values are dates" + ("" if spellings == 1 else f" in {spellings} spellings")


def _of_days(name: str, days: np.ndarray, reason: str, type: Type, note: str, target: bool) -> Inferred:
    if target:
        note = "the target is read as days since 1970-01-01"
        return Inferred(Decision(name, "numeric", reason, True, note, type), lambda: [Column(name, "numeric", days)])
    type = replace(type, hour=tell_hours(days))
    return Inferred(Decision(name, "date", reason, True, note, type), lambda: date_columns(name, days, hour=type.hour))


def _with_na(name: str, cells: DistinctTexts, hard: DistinctTexts, codes: list[str]) -> Inferred:
    n = cells.n_present - hard.n_present
    inferred = _of_words(name, cells, keep=("NA",))
    listed = ", ".join(codes)
    note = f"NA ({n:,} rows) is a level, because the other values are two-letter codes like {listed}"
    return replace(inferred, decision=replace(inferred.decision, note=note)) if n else inferred


def _of_words(name: str, cells: DistinctTexts, what: str = "", keep: tuple[str, ...] = ()) -> Inferred:
    verdict, cells = judge_words(cells, what)
    missing = cells.n_rows - cells.n_present
    if cells.codes is not None and cells.n_rows > 1 and np.count_nonzero(cells.counts) == 1 and not missing:
        value = cells.texts[int(np.argmax(cells.counts))].as_py()
        value = value.lower() if value.lower() in _TRUTHS else value  # as a source with booleans of its own says it
        verdict = replace(
            verdict, kind="constant", reason=f"every one of {cells.n_rows:,} values is {value!r}", note=""
        )
    reason = f"{verdict.reason} (missing in {missing:,})" if missing else verdict.reason
    note = verdict.note
    share = 0.0 if what else share_of_numbers(cells)
    if share >= 0.8:
        note = f"{share:.0%} of the values are numbers; name the others in missing= to read numbers"
    elif verdict.kind in ("categorical", "identifier") and not note and len(cells.texts) <= 100:
        used = np.flatnonzero(cells.counts).tolist()
        note = order_note(name, [cells.texts[j].as_py() for j in used])
    if verdict.kind == "text":
        return _of_prose(name, cells, reason, Type("text", keep=keep))
    type = Type(verdict.kind, keep=keep)
    decision = Decision(name, verdict.kind, reason, verdict.kind not in LEFT_OUT, note, type)
    return Inferred(decision, lambda: [category_column(name, cells)])


def _of_prose(name: str, cells: DistinctTexts, reason: str, type: Type) -> Inferred:
    """A text: its words that recur are columns; names and addresses are left out, for they tell who, not what."""
    left = Decision(name, "text", reason, False, "", type)
    if are_names(cells.texts.slice(0, PROBE)):
        note = f"its words begin with capitals, as names do; give types='{name}=text' to learn from its words"
        return Inferred(replace(left, note=note), lambda: [category_column(name, cells)])
    words = recurring_words(cells)
    decision = prose_decision(name, reason, words, cells.n_rows, type)
    if not decision.used:
        return Inferred(decision, lambda: [category_column(name, cells)])
    return Inferred(decision, lambda: text_columns(name, cells, words))


def prose_decision(name: str, reason: str, words: tuple[str, ...], n_rows: int, type: Type) -> Decision:
    """The decision to read a text as columns of words; it is left out where no word tells rows apart."""
    if not words:
        note = f"no word separates rows: none is in {_rows_of_words(n_rows)} rows"
        return Decision(name, "text", reason, False, note, type)
    note = f"{len(words):,} words are columns: those in {_rows_of_words(n_rows)} rows"
    return Decision(name, "text", reason, True, note, replace(type, levels=words))


def _rows_of_words(n_rows: int) -> str:
    min_rows = min_rows_of_word(n_rows)
    return f"{min_rows:,} to {n_rows - min_rows:,}"


def own_categories(name: str, array: pa.ChunkedArray) -> Column:
    """The categories of a dictionary column, its levels as the source wrote them."""
    return category_column(name, own_category_texts(array))


def own_category_texts(array: pa.ChunkedArray) -> DistinctTexts:
    """The categories of a dictionary column as texts."""
    if not is_text(array.type.value_type):
        array = pa.chunked_array([_texts_of_dictionary(chunk) for chunk in array.chunks])
    return DistinctTexts.of(array)


def has_own_categories(array: pa.ChunkedArray, rules: Rules) -> bool:
    """True for a dictionary column that is more than a way of storing texts."""
    type = array.type
    return pa.types.is_dictionary(type) and (rules.trusted or not is_text(type.value_type))


def _own_categories(name: str, array: pa.ChunkedArray) -> Inferred:
    column = own_categories(name, array)
    levels, n = column.levels or (), int(np.count_nonzero(~column.missing))
    if len(levels) == 1 and n == len(array) > 1:
        return _left(name, "constant", f"every one of {n:,} values is {levels[0]!r}", column)
    reason = f"the source says so, {len(levels):,} levels"
    return Inferred(Decision(name, "categorical", reason, type=Type("categorical")), lambda: [column])


def _ordered_categories(name: str, array: pa.ChunkedArray) -> Inferred:
    """Categories whose order the source gives, as places in it."""
    cells = own_category_texts(array)
    levels = tuple(str(level) for level in array.chunk(0).dictionary.to_pylist())
    column = ordinal_column(name, cells.collected(), levels)
    if isinstance(column, int) or len(levels) < 2:
        return _own_categories(name, array)
    reason = f"the source says so, {len(levels):,} levels from {levels[0]} to {levels[-1]}"
    return Inferred(Decision(name, "ordinal", reason, type=Type("ordinal", levels)), lambda: [column])


def _texts_of_dictionary(chunk: pa.DictionaryArray) -> pa.DictionaryArray:
    texts = pa.array([None if v is None else str(v) for v in chunk.dictionary.to_pylist()], pa.string())
    return pa.DictionaryArray.from_arrays(chunk.indices, texts)


def _own_boolean(name: str, array: pa.ChunkedArray) -> Inferred:
    values = floats_of(pc.cast(array, pa.uint8()))
    present = values[~np.isnan(values)]
    column = Column(name, "boolean", values)
    if len(present) == len(values) > 1 and present.min() == present.max():
        return _left(name, "constant", f"every one of {len(values):,} values is {_TRUTHS[int(present[0])]!r}", column)
    return _of_yes_or_no(name, values)


def too_long(array: pa.ChunkedArray) -> bool:
    """True when whole numbers are beyond what float64 holds exactly."""
    ends = pc.min_max(array).as_py()
    return max(abs(ends["min"] or 0), abs(ends["max"] or 0)) >= EXACT


def _left(name: str, kind: str, reason: str, column: Column | None = None) -> Inferred:
    decision = Decision(name, kind, reason, used=False, type=Type(kind))
    return Inferred(decision, lambda: [] if column is None else [column])


def _empty(name: str, n_rows: int) -> Inferred:
    nothing = Column(name, "numeric", np.full(n_rows, np.nan))
    return _left(name, "constant", f"none of its {n_rows:,} rows has a value", nothing)


def _kept_target(name: str, inferred: Inferred, array: pa.ChunkedArray, rules: Rules) -> Inferred:
    """The target stays, whatever it is: numbers as they are, texts as categories."""
    if inferred.decision.used and inferred.decision.kind == "text":
        cells = DistinctTexts.of(array).trimmed().without(rules.tokens)
        inferred = Inferred(replace(inferred.decision, used=False), lambda: [category_column(name, cells)])
    if inferred.decision.used:
        return inferred
    columns = inferred.make()
    if not columns:
        raise TableError(f"the target {name!r} cannot be learned: {inferred.decision.reason}; give another column")
    note = f"the target is kept; another column like it would be left out as {inferred.decision.kind}"
    keep = inferred.decision.type.keep if inferred.decision.type else ()
    type = Type(columns[0].kind, columns[0].levels if columns[0].kind == "boolean" else None, keep)
    decision = replace(inferred.decision, kind=columns[0].kind, used=True, note=note, type=type)
    return Inferred(decision, lambda: columns)
