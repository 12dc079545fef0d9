"""What a transform gives back: made columns and kept ones, in the form in which the table came."""

from collections.abc import Mapping, Sequence
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from tamis.errors import TableError
from tamis.table import export
from tamis.table.column import Column
from tamis.table.like import TableLike
from tamis.table.sources.frame import is_frame, is_mixed
from tamis.table.table import Table

_TO = {"pandas": "to_pandas", "polars": "to_polars", "pyarrow": "to_arrow"}


def assembled(
    X: TableLike, new_columns: Any, order: Sequence[int], names: Sequence[str], container: str | None = None
) -> Any:
    """Columns that were made and columns of X, side by side.

    A Table gives a Table. A frame with more than numbers, or one that gets categories, gives a frame of its library, in
    which kept columns are untouched. Everything else gives an array: of numbers where all columns are, else of objects.

    Parameters
    ----------
    X : what the user gave: an array, a sparse matrix, an eager frame or a Table.
    new_columns : a matrix, dense or sparse, or a list of Columns.
    order : for every column of the output a position in `new_columns`, or ~j for column j of X as it is.
    names : of the columns of the output.
    container : "pandas" or "polars" where the user asks for one.

    >>> assembled(np.array([[1.0, 2.0]]), np.array([[5.0]]), [~1, 0], ["x1", "x0"])
    array([[2., 5.]])
    """
    if len(set(names)) < len(names):
        twice = next(name for name in names if list(names).count(name) > 1)
        raise TableError(f"the transform makes a second column {twice!r}; rename the column of that name first")
    numbers = not isinstance(new_columns, list) or not any(column.is_categorical for column in new_columns)
    if isinstance(X, Table) and container is None:
        return _table(X, new_columns, order, names)
    if container is None and is_frame(X) and (is_mixed(X) or not numbers):
        return _frame(X, new_columns, order, names, _library(X))
    if container is not None and (not numbers or any(source < 0 for source in order)):
        return _frame(X, new_columns, order, names, container)
    return _array(X, new_columns, order)


def replaced(X: Any, replacements: Mapping[int, Column]) -> Any:
    """X with the columns at some positions exchanged for others of as many rows, in the form it was given.

    >>> replaced(np.array([[1.0, 2.0]]), {1: Column("x1", "numeric", np.array([5.0]))})
    array([[1., 5.]])
    """
    positions = list(replacements)
    columns = [replacements[position] for position in positions]
    order = [positions.index(j) if j in replacements else ~j for j in range(X.shape[1])]
    if isinstance(X, Table):
        return _table(X, columns, order, [column.name for column in X.heads])
    if is_frame(X):
        return _frame(X, columns, order, list(nw.from_native(X, eager_only=True).columns), _library(X))
    return _array(X, columns, order)


def numbers_of(new_columns: Any) -> np.ndarray:
    """Made columns as a dense matrix of float64."""
    if isinstance(new_columns, list):
        return np.column_stack([column.values for column in new_columns]) if new_columns else np.zeros((0, 0))
    return np.asarray(new_columns.toarray() if sparse.issparse(new_columns) else new_columns, dtype=np.float64)


def _table(X: Table, new_columns: Any, order: Sequence[int], names: Sequence[str]) -> Table:
    if not isinstance(new_columns, list) and all(source == k for k, source in enumerate(order)):
        return Table(matrix=new_columns, names=names if X.named else None)
    out = Table([_column(X, new_columns, source, name) for source, name in zip(order, names)], n_rows=X.n_rows)
    out.named = X.named
    return out


def _column(X: TableLike, new_columns: Any, source: int, name: str) -> Column:
    if source < 0:
        return Table.of(X).column(~source)
    if isinstance(new_columns, list):
        return new_columns[source]
    values = new_columns[:, [source]].toarray().ravel() if sparse.issparse(new_columns) else new_columns[:, source]
    return Column(name, "numeric", np.ascontiguousarray(values, dtype=np.float64))


def _array(X: Any, new_columns: Any, order: Sequence[int]) -> Any:
    originals = [position for position in order if position < 0]
    if not originals and not isinstance(new_columns, list):
        in_order = all(position == k for k, position in enumerate(order))
        return new_columns if in_order else new_columns[:, np.asarray(order, dtype=np.int64)]
    source = X.tocsc() if sparse.issparse(X) else X
    arrays = [_values(source, new_columns, position) for position in order]
    if all(values.dtype.kind in "fiub" for values in arrays):
        return np.column_stack(arrays).astype(np.float64)
    out = np.empty((len(arrays[0]), len(arrays)), dtype=object)
    for k, values in enumerate(arrays):
        out[:, k] = values
    return out


def _values(X: Any, new_columns: Any, source: int) -> np.ndarray:
    """One column of the output as an array; categories as their words, None where there is none."""
    if source >= 0:
        column = _column(X, new_columns, source, "")
        if not column.is_categorical:
            return column.values
        words = np.array([*(column.levels or ()), None, None], dtype=object)  # -2 unseen, -1 missing
        return words[column.values]
    if isinstance(X, Table):
        return X.column(~source).values
    if is_frame(X):
        frame = nw.from_native(X, eager_only=True)
        return frame.get_column(frame.columns[~source]).cast(nw.Float64).to_numpy()
    if sparse.issparse(X):
        return X[:, [~source]].toarray().ravel()
    return np.asarray(X)[:, ~source]


def _library(X: Any) -> str:
    kind = nw.from_native(X, eager_only=True).implementation
    return "pandas" if kind.is_pandas() else "polars" if kind.is_polars() else "pyarrow"


def _frame(X: Any, new_columns: Any, order: Sequence[int], names: Sequence[str], library: str) -> Any:
    is_same_library = is_frame(X) and _library(X) == library
    frame = nw.from_native(X, eager_only=True) if is_frame(X) else None
    source = X if frame is not None else Table.of(X)  # once: every column is read
    columns: dict[str, Any] = {}
    for position, name in zip(order, names):
        if position < 0 and frame is not None:
            series = frame.get_column(frame.columns[~position])
            columns[name] = series.to_native() if is_same_library else getattr(series, _TO[library])()
        else:
            columns[name] = export.series_of(_column(source, new_columns, position, name), library)
    if library == "pandas":
        import pandas

        columns = {name: getattr(values, "array", values) for name, values in columns.items()}
        index = X.index if is_same_library else pandas.RangeIndex(_n_rows(X))
        return pandas.DataFrame(columns, index=index, copy=False)
    if library == "polars":
        import polars

        return polars.DataFrame([series.alias(name) for name, series in columns.items()])
    import pyarrow

    return pyarrow.table(columns)


def _n_rows(X: Any) -> int:
    return int(X.n_rows if isinstance(X, Table) else X.shape[0])


def series_like(y: ArrayLike, values: np.ndarray, rows: np.ndarray | None = None) -> Any:
    """A series of the same library, name and index as y with other values, or an array; then some of its rows.

    >>> series_like([1, 2, 3], np.array([3, 1, 2]), rows=np.array([0, 2]))
    array([3, 2])
    """
    series = nw.from_native(y, series_only=True, pass_through=True)
    if not isinstance(series, nw.Series):
        return values if rows is None else values[rows]
    new = nw.new_series(series.name, values, backend=series.implementation)
    native = nw.maybe_set_index(new, index=nw.maybe_get_index(series)) if series.implementation.is_pandas() else new
    return nw.to_native(native if rows is None else native[rows])
