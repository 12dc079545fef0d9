"""Columns whose type was given, by the user or by an earlier reading; a value that does not fit is named."""

from dataclasses import replace
from typing import NoReturn

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tamis.errors import ParameterError, TableError
from tamis.table.column import Column
from tamis.table.decision import Decision
from tamis.table.inference.amounts import amounts_among, amounts_of, hours_of_times
from tamis.table.inference.dates import HOUR, date_columns, dates_of, days_of_times
from tamis.table.inference.distinct_texts import DistinctTexts
from tamis.table.inference.kinds import LEFT_OUT, Inferred, Rules, floats_of, infinite, is_text, prose_decision
from tamis.table.inference.missing import SOFT_TOKENS, without_values
from tamis.table.inference.parse_numbers import first_that_is_none, numerals_of
from tamis.table.inference.text_words import recurring_words, text_columns
from tamis.table.inference.word_columns import PAIRS, category_column, ordinal_column, yes_or_no
from tamis.table.types import Type

#: Words of a boolean that needs no levels to remember, in any case.
TRUTHS: dict[str, float] = {"0": 0.0, "1": 1.0, "0.0": 0.0, "1.0": 1.0, "false": 0.0, "true": 1.0}

#: All words that a boolean knows, whatever those are in which it was first written.
WORDS: dict[str, float] = {**TRUTHS, **{word: float(place) for pair in PAIRS for place, word in enumerate(pair)}}


def truth_of(text: str, levels: tuple[str, ...] | None) -> float:
    """A word of a boolean as 0 or 1: by its levels, else by the words that every boolean knows; NaN for none.

    >>> truth_of("Yes", None), truth_of("1.0", ("no", "yes")), truth_of("yes", ("alive", "dead"))
    (1.0, 1.0, nan)
    """
    words = [level.lower() for level in levels or ()]
    if text.lower() in words:
        return float(words.index(text.lower()))
    usual = all(WORDS.get(word) == index for index, word in enumerate(words))
    return WORDS.get(text.lower(), np.nan) if usual else np.nan


def as_declared(
    name: str, array: pa.ChunkedArray, type: Type, rules: Rules, *, target: bool = False, reason: str = "given"
) -> Inferred:
    """The column as the type says, or the sentence that names the first value that breaks it."""
    if type.kind in LEFT_OUT:
        if target:
            raise ParameterError(
                f"types: the target {name!r} cannot be {type.kind}; give numeric, boolean or categorical"
            )
        return Inferred(Decision(name, type.kind, reason, used=False, type=type), lambda: [])
    array = without_values(array, type.missing)
    if type.kind == "text":
        return _words(name, array, type, rules, target, reason)
    columns = _make(name, array, type, rules, target)
    if type.kind == "date" and not target:
        type = replace(type, hour=f"{name} ({HOUR})" in (column.name for column in columns))
    kind = "numeric" if type.kind == "date" and target else type.kind
    return Inferred(Decision(name, kind, reason, type=type), lambda: columns)


def _words(name: str, array: pa.ChunkedArray, type: Type, rules: Rules, target: bool, reason: str) -> Inferred:
    """A text as columns of its words: those given, or those that recur."""
    if target:
        raise ParameterError(f"types: the target {name!r} cannot be text; give numeric, boolean or categorical")
    cells = cells_of(array, rules, type, soft=False).collected()
    words = type.levels if type.levels is not None else recurring_words(cells)
    if type.levels is not None:
        return Inferred(Decision(name, "text", reason, type=type), lambda: text_columns(name, cells, words))
    return Inferred(prose_decision(name, reason, words, cells.n_rows, type), lambda: text_columns(name, cells, words))


def _make(name: str, array: pa.ChunkedArray, type: Type, rules: Rules, target: bool) -> list[Column]:
    if type.kind == "numeric":
        return [Column(name, "numeric", _numbers(name, array, type, rules), unit=type.unit)]
    if type.kind == "date":
        days = _days(name, array, type, rules)
        return [Column(name, "numeric", days)] if target else date_columns(name, days, hour=type.hour)
    if type.kind == "boolean":
        return [_boolean(name, array, type, rules)]
    cells = cells_of(array, rules, type, soft=False)
    if type.kind == "categorical":
        return [category_column(name, cells)]
    ordinal = ordinal_column(name, cells.collected(), type.levels or ())
    if isinstance(ordinal, int):
        _refuse(name, cells.collected(), rules, ordinal, f"ordinal with the levels {' < '.join(type.levels or ())}")
    return [ordinal]


def texts_of(array: pa.ChunkedArray) -> pa.ChunkedArray:
    """Any column as texts; a whole number is written without a decimal point."""
    type = array.type
    if is_text(type):
        return array
    if pa.types.is_dictionary(type):
        if is_text(type.value_type):
            return array
        return texts_of(pc.cast(array, type.value_type))
    if pa.types.is_floating(type):
        values = floats_of(array)
        texts = [None if v != v else str(int(v)) if v == int(v) else repr(v) for v in values.tolist()]
        return pa.chunked_array([pa.array(texts, pa.string())])
    try:
        return pc.cast(array, pa.string())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):  # lists, structures, bytes that are no text
        return pa.chunked_array([pa.array([None if v is None else str(v) for v in array.to_pylist()], pa.string())])


def cells_of(array: pa.ChunkedArray, rules: Rules, type: Type, *, soft: bool) -> DistinctTexts:
    """The trimmed texts of a column, without those that mean missing; soft ones count among numbers only."""
    tokens = [token for token in (*rules.tokens, *(SOFT_TOKENS if soft else ())) if token not in type.keep]
    return DistinctTexts.of(texts_of(array)).trimmed().without(tokens)


def _numbers(name: str, array: pa.ChunkedArray, type: Type, rules: Rules) -> np.ndarray:
    if is_number(array.type):
        values = floats_of(array)
    elif pa.types.is_null(array.type):
        return np.full(len(array), np.nan)
    elif pa.types.is_time(array.type):
        return hours_of_times(array)
    elif pa.types.is_duration(array.type):
        return floats_of(pc.cast(array.cast(pa.duration("us")), pa.int64())) / 86_400e6
    elif pa.types.is_temporal(array.type):
        return days_of_times(array)
    else:
        cells = cells_of(array, rules, Type("numeric"), soft=True)
        if not cells.n_present:
            return np.full(len(array), np.nan)
        values = cells.by_row(_numbers_of_texts(name, cells, type, rules))
    infinite(name, values, rules)
    return values


def _numbers_of_texts(name: str, cells: DistinctTexts, type: Type, rules: Rules) -> np.ndarray:
    """The number of each text; in the unit of an earlier reading, or in any one unit where none is known."""
    doubt = type.decimal or rules.doubt
    if type.unit is not None:
        values = amounts_among(cells.texts, type.unit, type.decimal or rules.decimal, doubt)
        strange = np.flatnonzero(np.isnan(values) & pc.is_valid(cells.texts).to_numpy(zero_copy_only=False))
        if len(strange):
            _refuse(name, cells, rules, int(strange[0]), f"numeric ({type.unit})")
        return values
    parsed = numerals_of(cells, rules.decimal, doubt=doubt) or amounts_of(cells, rules.decimal, doubt=doubt)
    if parsed is None:
        _refuse(name, cells, rules, first_that_is_none(cells, rules.decimal) or 0, "numeric")
    return parsed.values


def _days(name: str, array: pa.ChunkedArray, type: Type, rules: Rules) -> np.ndarray:
    if pa.types.is_null(array.type):
        return np.full(len(array), np.nan)
    if pa.types.is_temporal(array.type) and not pa.types.is_time(array.type) and not pa.types.is_duration(array.type):
        return days_of_times(array)
    cells = cells_of(array, rules, type, soft=True)
    dates = dates_of(cells.texts, type.day_first, compact=True)
    if len(dates.bad):
        _refuse(name, cells, rules, int(dates.bad[0]), "a date")
    return cells.by_row(dates.days)


def _boolean(name: str, array: pa.ChunkedArray, type: Type, rules: Rules) -> Column:
    if pa.types.is_boolean(array.type):
        return Column(name, "boolean", floats_of(pc.cast(array, pa.uint8())), type.levels)
    cells = cells_of(array, rules, type, soft=True).collected()
    if type.levels is None:
        per_text = np.array([TRUTHS.get(text.lower(), np.nan) for text in cells.texts.to_pylist()])
        if not np.isnan(per_text).any():
            return Column(name, "boolean", cells.by_row(per_text))
    parsed = yes_or_no(cells, type.levels)
    if parsed is not None:
        return Column(name, "boolean", cells.by_row(parsed[0]), parsed[1])
    truths = np.array([truth_of(text, type.levels) for text in cells.texts.to_pylist()], dtype=np.float64)
    strange = np.flatnonzero(np.isnan(truths))
    if not len(strange):
        return Column(name, "boolean", cells.by_row(truths), type.levels)
    description = (
        f"boolean ({' or '.join(type.levels)})" if type.levels else "boolean (true/false, yes/no, t/f, y/n or 0/1)"
    )
    _refuse(name, cells, rules, int(strange[0]) if len(strange) else len(cells.texts) - 1, description)


def is_number(type: pa.DataType) -> bool:
    """True for the types whose values are numbers already."""
    return pa.types.is_integer(type) or pa.types.is_floating(type) or pa.types.is_decimal(type) or type == pa.bool_()


def _refuse(name: str, cells: DistinctTexts, rules: Rules, index: int, description: str) -> NoReturn:
    row, text = rules.row(cells.first_row(index) - 1), cells.texts[index].as_py()
    raise TableError(
        f"column {name!r} cannot be {description}: row {row:,} holds {text!r}; "
        "change the value, name it in missing=, or give another kind"
    )
