"""Sheet: every column's codes in one matrix, the values behind them end to end: for kernels that read many columns."""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock

import numpy as np

from tamis.engine import map_threads
from tamis.table import Column, Origin, Table
from tamis.views.coding import MOST, Coding

BLOCK = 512  # columns of numbers that a task codes at most, and
CELLS = 400_000  # values that it copies: few for the cache, enough that the cost of a task does not count


@dataclass(frozen=True, eq=False)
class Sheet:
    """The codes of a table's columns as `Bins` have them, all in two bytes, without an object for each column.

    Attributes
    ----------
    codes : uint16 (columns, rows).
    n_values : number of value codes of each column, and its code for missing.
    missing : whether some row has no value.
    first : where a column's values begin in `low` and `high`, and the end; categories have none.
    low, high : smallest and largest training value of each code; the same array where all coding is lossless.
    categories : how the categorical columns are coded, by their position in the table.

    >>> sheet = Sheet.of(Table.of([[1.5, 3.0], [0.5, float("nan")], [1.5, 2.0]]))
    >>> sheet.codes.tolist(), sheet.low.tolist(), sheet.first.tolist()
    ([[1, 0, 1], [1, 2, 0]], [0.5, 1.5, 2.0, 3.0], [0, 2, 4])
    """

    codes: np.ndarray
    n_values: np.ndarray
    missing: np.ndarray
    first: np.ndarray
    low: np.ndarray
    high: np.ndarray
    categories: dict[int, Coding]

    @classmethod
    def of(cls, table: Table, order: np.ndarray | None = None, n_jobs: int | None = None) -> Sheet:
        """The sheet of a table, its columns in the order given: positions in the table."""
        order = np.arange(table.n_columns) if order is None else order
        origin = table.origin
        if origin is not None and origin.table.n_rows <= MOST and not table.is_sparse:
            return _cut(table, order, _kept(origin.table, n_jobs), origin, n_jobs)
        return _short(table, order, n_jobs) if table.n_rows <= MOST else _long(table, order, n_jobs)


_KEEPING = Lock()


def _kept(table: Table, n_jobs: int | None) -> Sheet:
    """The sheet of a table that keeps its views: worked out once."""
    views = table.views
    assert views is not None
    with _KEEPING:
        if "sheet" not in views:
            views["sheet"] = _short(table, np.arange(table.n_columns), n_jobs)
        found: Sheet = views["sheet"]
    return found


def _cut(table: Table, order: np.ndarray, whole: Sheet, origin: Origin, n_jobs: int | None) -> Sheet:
    """The sheet of some rows of a table that is coded: values keep their order, so nothing is sorted."""
    from tamis.views import encode as kernels

    n_rows, n_columns = table.shape
    codes, values = np.empty((n_columns, n_rows), dtype=np.uint16), np.empty((n_columns, n_rows))
    sizes, missing = np.zeros(n_columns, dtype=np.int64), np.zeros(n_columns, dtype=bool)
    n_values, categories = np.zeros(n_columns, dtype=np.int64), dict[int, Coding]()
    heads = () if table.is_numeric else table.heads
    words = {j for j, column in enumerate(heads) if column.is_categorical}
    for p in [p for p in range(n_columns) if int(order[p]) in words] if words else []:
        j = int(order[p])
        categories[j], codes[p] = Coding.learn(table.column(j))
        n_values[p] = categories[j].n_values
        missing[p] = (codes[p] == n_values[p]).any()
    places = np.flatnonzero(~np.isin(order, list(words))) if words else np.arange(n_columns)
    columns, rows = origin.columns[order], np.ascontiguousarray(origin.rows, dtype=np.int64)
    known = (whole.codes, whole.n_values, whole.first, whole.low)
    step = max(1, CELLS // max(n_rows, 1))

    def several(first: int) -> None:
        kernels.recode(*known, rows, columns, places[first : first + step], codes, values, sizes, missing)

    map_threads(several, range(0, len(places), step), n_jobs)
    low = values.reshape(-1) if (sizes == n_rows).all() else values[np.arange(n_rows) < sizes[:, None]]
    return Sheet(codes, np.maximum(n_values, sizes), missing, _firsts(sizes), low, low, categories)


def _short(table: Table, order: np.ndarray, n_jobs: int | None) -> Sheet:
    """Fewer rows than codes: every column of numbers is lossless."""
    from tamis.views import encode as kernels

    n_rows, n_columns = table.shape
    dense = table.dense
    place = np.empty(n_columns, dtype=np.int64)
    place[order] = np.arange(n_columns)
    codes, values = np.empty((n_columns, n_rows), dtype=np.uint16), np.empty((n_columns, n_rows))
    sizes, missing = np.zeros(n_columns, dtype=np.int64), np.zeros(n_columns, dtype=bool)
    n_values, categories = np.zeros(n_columns, dtype=np.int64), dict[int, Coding]()

    def words(j: int, column: Column) -> None:
        p = place[j]
        categories[j], codes[p] = Coding.learn(column)
        n_values[p] = categories[j].n_values
        missing[p] = (codes[p] == n_values[p]).any()

    def several(columns: range) -> None:
        if dense is None:
            column = table.column(columns.start)
            if column.is_categorical:
                return words(columns.start, column)
            lines = column.values.reshape(1, -1)
        else:
            lines = dense[:, columns.start : columns.stop].T
        lines = np.array(lines, dtype=np.float64, order="C")  # a copy, be it for one compiled kernel: never read-only
        mine, out = place[columns.start : columns.stop], (codes, values, sizes, missing)
        kernels.code_lines(lines, mine, *kernels.room_for(n_rows), *out)
        for q in np.flatnonzero(sizes[mine] < 0):
            rows, ordered = kernels.ranked_by_bits(lines[q])
            kernels.code_line(lines[q], mine[q], np.int64(len(rows)), rows, ordered, *out)
        return None

    step = max(1, min(BLOCK, CELLS // max(n_rows, 1))) if dense is not None else 1
    map_threads(several, [range(j, min(j + step, n_columns)) for j in range(0, n_columns, step)], n_jobs)
    low = values.reshape(-1) if (sizes == n_rows).all() else values[np.arange(n_rows) < sizes[:, None]]
    return Sheet(codes, np.maximum(n_values, sizes), missing, _firsts(sizes), low, low, categories)


def _long(table: Table, order: np.ndarray, n_jobs: int | None) -> Sheet:
    """More rows than codes: columns of numbers may have to share codes."""
    codes = np.empty((table.n_columns, table.n_rows), dtype=np.uint16)

    def learn(p: int) -> Coding:
        coding, codes[p] = Coding.learn(table.column(int(order[p])))
        return coding

    codings = map_threads(learn, range(table.n_columns), n_jobs)
    n_values = np.array([coding.n_values for coding in codings], dtype=np.int64)
    numeric = [coding for coding in codings if coding.low is not None]
    low = np.concatenate([np.empty(0), *(coding.low for coding in numeric)])
    lossless = all(coding.lossless for coding in numeric)
    high = low if lossless else np.concatenate([coding.high for coding in numeric])
    return Sheet(
        codes=codes,
        n_values=n_values,
        missing=np.array([(line == k).any() for line, k in zip(codes, n_values)], dtype=bool),
        first=_firsts(np.array([0 if coding.low is None else coding.n_values for coding in codings])),
        low=low,
        high=high,
        categories={int(j): coding for j, coding in zip(order, codings) if coding.low is None},
    )


def _firsts(sizes: np.ndarray) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
