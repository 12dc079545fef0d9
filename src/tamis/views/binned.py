"""The binned table: every column as integer codes, in the memory layouts that trees, forests and scores read."""

from threading import Lock
from typing import NamedTuple

import numpy as np

from tamis import _core
from tamis.engine import map_threads
from tamis.table import Column, Origin, Table
from tamis.views.coding import MOST, Coding


class BinnedTable(NamedTuple):
    """Codes of all columns in one matrix of one or two bytes each, and the values behind them end to end."""

    codes: np.ndarray  # uint16, or uint8 where all fit (columns, rows)
    by_row: np.ndarray  # (rows, columns): the same; (0, columns) where nothing reads row by row
    n_values: np.ndarray  # int32 (columns): number of value codes of each column, and its code for missing
    missing: np.ndarray  # bool (columns): whether some row has no value
    category: np.ndarray  # bool (columns)
    first: np.ndarray  # int64 (columns + 1): where a column's values begin in low and high; categories have none
    low: np.ndarray  # float64: smallest and largest training value of each code; one array where all coding is lossless
    high: np.ndarray


BLOCK = 512  # columns of numbers that a task codes at most, and
CELLS = 400_000  # values that it copies: few for the cache, enough that the cost of a task does not count


class CodedColumns(NamedTuple):
    """What the coding of columns fills: line p belongs to column p."""

    codes: np.ndarray  # uint16 (columns, rows)
    values: np.ndarray  # float64 (columns, rows): distinct values in their order, sizes[p] of them
    sizes: np.ndarray  # int64 (columns)
    missing: np.ndarray  # bool (columns): whether some row has no value


def bin_columns(
    table: Table, order: np.ndarray | None = None, n_jobs: int | None = None
) -> tuple[BinnedTable, dict[int, Coding]]:
    """The binned table of a table's columns in the order given; how categorical columns are coded, by position.

    >>> binned, _ = bin_columns(Table.of([[1.5, 3.0], [0.5, float("nan")], [1.5, 2.0]]))
    >>> binned.codes.tolist(), binned.low.tolist(), binned.first.tolist()
    ([[1, 0, 1], [1, 2, 0]], [0.5, 1.5, 2.0, 3.0], [0, 2, 4])
    """
    order = np.arange(table.n_columns) if order is None else order
    origin = table.origin
    if origin is not None and origin.table.n_rows <= MOST and not table.is_sparse:
        return _some_rows(table, order, _binned_once(origin.table, n_jobs), origin, n_jobs)
    return _short(table, order, n_jobs) if table.n_rows <= MOST else _long(table, order, n_jobs)


_KEEPING = Lock()


def _binned_once(table: Table, n_jobs: int | None) -> BinnedTable:
    """The binned table of a table that keeps its views: worked out once."""
    views = table.views
    assert views is not None
    with _KEEPING:
        if "binned" not in views:
            views["binned"] = _short(table, np.arange(table.n_columns), n_jobs)[0]
        binned: BinnedTable = views["binned"]
    return binned


def _some_rows(
    table: Table, order: np.ndarray, all_rows: BinnedTable, origin: Origin, n_jobs: int | None
) -> tuple[BinnedTable, dict[int, Coding]]:
    """The binned table of some rows of a table that is coded: values keep their order, so nothing is sorted."""
    n_rows, n_columns = table.shape
    coded, n_values, categories = _room(n_rows, n_columns)
    heads = () if table.is_numeric else table.heads
    words = {j for j, column in enumerate(heads) if column.is_categorical}
    for p in [p for p in range(n_columns) if int(order[p]) in words] if words else []:
        j = int(order[p])
        categories[j] = _code_category(table.column(j), p, coded, n_values)
    category = np.zeros(n_columns, dtype=bool)
    category[list(words)] = True
    category = category[order]
    numeric = np.flatnonzero(~category)
    columns, rows = origin.columns[order], np.ascontiguousarray(origin.rows, dtype=np.int64)
    step = max(1, CELLS // max(n_rows, 1))

    def several(first: int) -> None:
        some = numeric[first : first + step]
        _core.recode_columns(
            all_rows.codes, all_rows.n_values, all_rows.first, all_rows.low, rows, columns, some, *coded
        )

    map_threads(several, range(0, len(numeric), step), n_jobs)
    return _lossless(coded, n_values, category), categories


def _short(table: Table, order: np.ndarray, n_jobs: int | None) -> tuple[BinnedTable, dict[int, Coding]]:
    """Fewer rows than codes: every column of numbers is lossless."""
    n_rows, n_columns = table.shape
    dense = table.dense
    position = np.empty(n_columns, dtype=np.int64)
    position[order] = np.arange(n_columns)
    coded, n_values, categories = _room(n_rows, n_columns)

    def several(columns: range) -> None:
        if dense is None:
            column = table.column(columns.start)
            if column.is_categorical:
                categories[columns.start] = _code_category(column, position[columns.start], coded, n_values)
                return
            lines = column.values.reshape(1, -1)
        else:
            lines = dense[:, columns.start : columns.stop].T
        lines = np.ascontiguousarray(lines, dtype=np.float64)
        _core.code_columns(lines, position[columns.start : columns.stop], *coded)

    step = max(1, min(BLOCK, CELLS // max(n_rows, 1))) if dense is not None else 1
    map_threads(several, [range(j, min(j + step, n_columns)) for j in range(0, n_columns, step)], n_jobs)
    return _lossless(coded, n_values, np.isin(order, list(categories))), categories


def _long(table: Table, order: np.ndarray, n_jobs: int | None) -> tuple[BinnedTable, dict[int, Coding]]:
    """More rows than codes: columns of numbers may have to share codes."""
    codes = np.empty((table.n_columns, table.n_rows), dtype=np.uint16)

    def learn(p: int) -> Coding:
        coding, codes[p] = Coding.learn(table.column(int(order[p])))
        return coding

    codings = map_threads(learn, range(table.n_columns), n_jobs)
    n_values = np.array([coding.n_values for coding in codings], dtype=np.int32)
    numeric = [coding for coding in codings if coding.low is not None]
    low = np.concatenate([np.empty(0), *(coding.low for coding in numeric)])
    lossless = all(coding.lossless for coding in numeric)
    high = low if lossless else np.concatenate([coding.high for coding in numeric])
    categories = {int(j): coding for j, coding in zip(order, codings) if coding.low is None}
    binned = BinnedTable(
        codes=codes,
        by_row=np.empty((0, table.n_columns), dtype=np.uint16),
        n_values=n_values,
        missing=np.array([(line == k).any() for line, k in zip(codes, n_values)], dtype=bool),
        category=np.isin(order, list(categories)),
        first=_firsts(np.array([0 if coding.low is None else coding.n_values for coding in codings])),
        low=low,
        high=high,
    )
    return binned, categories


def _room(n_rows: int, n_columns: int) -> tuple[CodedColumns, np.ndarray, dict[int, Coding]]:
    """Empty codes of columns, zeros for the numbers of values of categorical ones, no codings yet."""
    codes, values = np.empty((n_columns, n_rows), dtype=np.uint16), np.empty((n_columns, n_rows))
    sizes, missing = np.zeros(n_columns, dtype=np.int64), np.zeros(n_columns, dtype=bool)
    return CodedColumns(codes, values, sizes, missing), np.zeros(n_columns, dtype=np.int64), {}


def _code_category(column: Column, p: int, coded: CodedColumns, n_values: np.ndarray) -> Coding:
    """The coding of a categorical column; fills line p of the codes."""
    coding, coded.codes[p] = Coding.learn(column)
    n_values[p] = coding.n_values
    coded.missing[p] = (coded.codes[p] == coding.n_values).any()
    return coding


def _lossless(coded: CodedColumns, n_values: np.ndarray, category: np.ndarray) -> BinnedTable:
    """The binned table of columns whose distinct values each have a code of their own."""
    codes, values, sizes, missing = coded
    n_columns, n_rows = codes.shape
    low = values.reshape(-1) if (sizes == n_rows).all() else values[np.arange(n_rows) < sizes[:, None]]
    by_row, n_codes = np.empty((0, n_columns), dtype=np.uint16), np.maximum(n_values, sizes).astype(np.int32)
    return BinnedTable(codes, by_row, n_codes, missing, category, _firsts(sizes), low, low)


def _firsts(sizes: np.ndarray) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
