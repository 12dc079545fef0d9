"""A table as a frame of another library: words for categories, numbers else, missing values as it has them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tamis.errors import TableError
from tamis.table.column import Column

if TYPE_CHECKING:
    from tamis.table.table import Table


def to_arrow(table: Table) -> Any:
    """A pyarrow Table: categories as dictionaries of their levels, booleans as booleans, numbers as float64."""
    import pyarrow as pa

    return pa.table([_array(column) for column in table.columns], names=list(table.names))


def to_pandas(table: Table) -> Any:
    """A pandas DataFrame; pandas must be installed."""
    try:
        import pandas  # noqa: F401
    except ImportError as error:
        raise TableError("to_pandas() needs pandas, which is not installed; install it, or call to_arrow()") from error
    return to_arrow(table).to_pandas()


def to_polars(table: Table) -> Any:
    """A polars DataFrame; polars must be installed."""
    try:
        import polars
    except ImportError as error:
        raise TableError("to_polars() needs polars, which is not installed; install it, or call to_arrow()") from error
    return polars.from_arrow(to_arrow(table))


def _array(column: Column) -> Any:
    import pyarrow as pa

    missing = column.values < 0 if column.is_categorical else column.missing  # a level never seen has no word
    if column.levels is not None:  # a code that stands for a word
        codes = np.where(missing, 0, np.nan_to_num(column.values)).astype(np.int32)
        words = [level if _is_plain(column.levels) else str(level) for level in column.levels]
        return pa.DictionaryArray.from_arrays(pa.array(codes, mask=missing), pa.array(words))
    if column.kind == "boolean":
        return pa.array(np.nan_to_num(column.values) != 0, mask=missing)
    return pa.array(np.asarray(column.values, dtype=np.float64), mask=missing)


def _is_plain(levels: tuple[Any, ...]) -> bool:
    """True where all levels are of one type."""
    return len({type(level) for level in levels}) == 1


def series_of(column: Column, library: str) -> Any:
    """One column as a series of pandas or polars, or an array of pyarrow."""
    array = _array(column)
    if library == "pandas":
        return array.to_pandas()
    if library == "polars":
        import polars

        return polars.from_arrow(array)
    return array
