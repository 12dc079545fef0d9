"""A look at the cells of a source before anything is decided: the first ones, and those that would not fit a type."""

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tamis.errors import KindError, TamisError
from tamis.table.inference.decided_rows import read_as_decided
from tamis.table.inference.declared_types import texts_of
from tamis.table.inference.kinds import LEFT_OUT
from tamis.table.raw import RawColumns
from tamis.table.types import Type


def first_cells(raw: RawColumns, name: str, n_cells: int, rows: np.ndarray | None = None) -> list[str]:
    """The first cells of a column that hold anything, as texts; of some rows alone, where they are given.

    >>> from tamis.table import fetch
    >>> first_cells(fetch({"size": [None, "7", "9", "7"], "kind": ["a", "b", "a", "c"]}), "size", 2)
    ['7', '9']
    """
    array = _column(raw, name)
    looked = 40 * n_cells
    first_rows = array.slice(0, looked) if rows is None else array.take(pa.array(rows[:looked]))
    return [text for text in _texts(first_rows) if text][:n_cells]


def cells_at(raw: RawColumns, name: str, rows: Sequence[int]) -> list[str]:
    """The cells of some rows (counted from 0) as texts."""
    return _texts(_column(raw, name).take(pa.array(rows, pa.int64())))


def misfits(raw: RawColumns, name: str, type: Type) -> np.ndarray:
    """The rows (counted from 0) whose cell would not fit a type; a column that is left out takes any cell.

    >>> from tamis.table import fetch
    >>> misfits(fetch({"size": ["7", "9", "unknown"], "kind": ["a", "b", "a"]}), "size", Type("numeric")).tolist()
    [2]
    """
    if type.kind in (*LEFT_OUT, "categorical", "text"):
        return np.empty(0, dtype=np.int64)
    try:
        raw.full_column(name, type)
    except (TamisError, KindError):
        return np.flatnonzero(read_as_decided(name, _column(raw, name), type, raw.rules)[1])
    return np.empty(0, dtype=np.int64)


def without_misfits(raw: RawColumns, types: Mapping[str, Type]) -> tuple[pa.Table, str | None]:
    """The source without the cells that do not fit the types of their columns; and the delimiter of a text file.

    A text file is given as the texts it holds, so that it can be written and read again as it was.
    """
    misfit_rows = {name: misfits(raw, name, type) for name, type in types.items()}
    names = list(raw.names)
    texts = None if raw.texts is None else raw.texts(names)
    columns = []
    for name in names:
        array = _column(raw, name) if texts is None else texts.column(name)
        if len(misfit_rows.get(name, ())):
            mask = np.zeros(raw.n_rows, dtype=bool)
            mask[misfit_rows[name]] = True
            array = pc.if_else(pa.array(mask), pa.scalar(None, array.type), array)
        columns.append(array)
    delimiter = None if texts is None else ";" if raw.rules.doubt == "," else ","
    return pa.table(columns, names=names), delimiter


def _column(raw: RawColumns, name: str) -> pa.ChunkedArray:
    return raw._columns[raw.names.index(name)]


def _texts(array: pa.ChunkedArray) -> list[str]:
    return ["" if cell is None else str(cell) for cell in texts_of(array).to_pylist()]
