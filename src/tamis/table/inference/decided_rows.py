"""Rows that decide nothing: read as other rows decided; a value that does not fit is missing, and counted."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tamis.table.column import UNSEEN, Column
from tamis.table.inference.amounts import amounts_among, hours_of_times
from tamis.table.inference.dates import date_columns, dates_of, days_of_times
from tamis.table.inference.declared_types import cells_of, is_number, truth_of
from tamis.table.inference.distinct_texts import DistinctTexts
from tamis.table.inference.kinds import Rules, floats_of, has_own_categories, own_categories
from tamis.table.inference.missing import without_values
from tamis.table.inference.text_words import text_columns
from tamis.table.inference.word_columns import category_column
from tamis.table.types import Type


def read_as_decided(
    name: str, array: pa.ChunkedArray, type: Type, rules: Rules, *, target: bool = False
) -> tuple[list[Column], np.ndarray]:
    """The columns of some rows by a type that others decided, and a mask of the rows whose value does not fit it.

    Categories keep levels of their own: whether one is known is for the caller to say.
    """
    array = without_values(array, type.missing)
    if type.kind == "categorical":
        has_own = has_own_categories(array, rules)
        column = (
            own_categories(name, array) if has_own else category_column(name, cells_of(array, rules, type, soft=False))
        )
        return [column], np.zeros(len(array), dtype=bool)
    if type.kind == "text":
        cells = cells_of(array, rules, type, soft=False).collected()
        return text_columns(name, cells, type.levels or ()), np.zeros(len(array), dtype=bool)
    if type.kind == "date":
        days, strange = _days(array, type, rules)
        return ([Column(name, "numeric", days)] if target else date_columns(name, days, hour=type.hour)), strange
    if type.kind == "numeric":
        values, strange = _numbers(array, type, rules)
    else:
        values, strange = _words(array, type, rules)
    return [Column(name, type.kind, values, type.levels, unit=type.unit)], strange


def joined(decided: Column, held_column: Column, rows: np.ndarray, held_rows: np.ndarray) -> tuple[Column, np.ndarray]:
    """One column of the rows that decided and those that followed, and a mask of the latter whose level is unknown.

    Parameters
    ----------
    rows, held_rows : positions of the two kinds of rows in the whole.
    """
    if decided.is_categorical:
        held_column = held_column.recode(decided.levels or ())
    values = np.empty(len(rows) + len(held_rows), dtype=decided.values.dtype)
    values[rows], values[held_rows] = decided.values, held_column.values
    unknown = held_column.values == UNSEEN if decided.is_categorical else np.zeros(len(held_rows), dtype=bool)
    return replace(decided, values=values), unknown


def _numbers(array: pa.ChunkedArray, type: Type, rules: Rules) -> tuple[np.ndarray, np.ndarray]:
    if pa.types.is_null(array.type):
        return _none(array)
    if is_number(array.type):
        values = floats_of(array)
    elif pa.types.is_duration(array.type):
        values = floats_of(pc.cast(array.cast(pa.duration("us")), pa.int64())) / 86_400e6
    elif pa.types.is_time(array.type):
        values = hours_of_times(array)
    elif pa.types.is_temporal(array.type):
        values = days_of_times(array)
    else:
        cells = cells_of(array, rules, type, soft=True)
        values = cells.by_row(amounts_among(cells.texts, type.unit, type.decimal or rules.decimal, rules.doubt))
        return _finite(values, _is_present(cells) & np.isnan(values))
    return _finite(values, np.zeros(len(values), dtype=bool))


def _finite(values: np.ndarray, strange: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    infinite = np.isinf(values)
    return np.where(infinite, np.nan, values), strange | infinite


def _days(array: pa.ChunkedArray, type: Type, rules: Rules) -> tuple[np.ndarray, np.ndarray]:
    if pa.types.is_null(array.type):
        return _none(array)
    if pa.types.is_temporal(array.type) and not pa.types.is_time(array.type):
        return days_of_times(array), np.zeros(len(array), dtype=bool)
    cells = cells_of(array, rules, type, soft=True)
    days = cells.by_row(dates_of(cells.texts, type.day_first, compact=True).days)
    return days, _is_present(cells) & np.isnan(days)


def _words(array: pa.ChunkedArray, type: Type, rules: Rules) -> tuple[np.ndarray, np.ndarray]:
    """Booleans and ordinals: each text by the levels, or by the words every boolean knows."""
    if pa.types.is_null(array.type):
        return _none(array)
    if pa.types.is_boolean(array.type):
        return floats_of(pc.cast(array, pa.uint8())), np.zeros(len(array), dtype=bool)
    ordinal = type.kind == "ordinal"
    cells = cells_of(array, rules, type, soft=not ordinal).collected()
    rank_of = {level: float(rank) for rank, level in enumerate(type.levels or ())}
    texts = cells.texts.to_pylist()
    per_text = [rank_of.get(text, np.nan if ordinal else truth_of(text, type.levels)) for text in texts]
    values = cells.by_row(np.array(per_text, dtype=np.float64))
    return values, _is_present(cells) & np.isnan(values)


def _is_present(cells: DistinctTexts) -> np.ndarray:
    """A mask of the rows with a text."""
    if cells.codes is None:
        return np.asarray(pc.is_valid(cells.texts).to_numpy(zero_copy_only=False))
    return cells.codes >= 0


def _none(array: pa.ChunkedArray) -> tuple[np.ndarray, np.ndarray]:
    return np.full(len(array), np.nan), np.zeros(len(array), dtype=bool)
