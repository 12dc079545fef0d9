"""The boundary to dataframes: pandas, polars, pyarrow and what else narwhals reads, and arrays of mixed objects."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any

import narwhals as nw
import numpy as np

from tamis.errors import KindError, TableError
from tamis.table.column import SPAN, Column, categories, coded_categories, is_missing
from tamis.table.like import TableLike


def is_frame(X: Any) -> bool:
    """True for a dataframe, eager or lazy, of any library that narwhals knows."""
    try:
        return isinstance(nw.from_native(X, pass_through=True), (nw.DataFrame, nw.LazyFrame))
    except nw.exceptions.DuplicateError as error:
        raise _twice([str(name) for name in X.columns]) from error


def eager(X: Any) -> Any:
    """A lazy frame, collected; anything else as it is."""
    if not is_frame(X):
        return X
    frame = nw.from_native(X)
    return frame.collect().to_native() if isinstance(frame, nw.LazyFrame) else X


def is_mixed(X: Any) -> bool:
    """True for an eager frame with a column of something else than numbers and booleans."""
    if not is_frame(X):
        return False
    schema = nw.from_native(X, eager_only=True).schema
    return not all(dtype.is_numeric() or dtype == nw.Boolean for dtype in schema.values())


def dates_and_spans(X: Any) -> dict[str, str]:
    """Columns of an eager frame that hold dates or time spans, by name, and which of the two."""
    if not is_frame(X):
        return {}
    schema = nw.from_native(X, eager_only=True).schema
    return {
        str(name): "time spans" if dtype == nw.Duration else "dates"
        for name, dtype in schema.items()
        if dtype.is_temporal() and dtype != nw.Time
    }


def in_days(X: Any) -> Any:
    """A frame or array whose dates (since 1970) and time spans are numbers of days; everything else as it is."""
    if isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.kind in "mM":
        return np.column_stack([column.values for column in columns_of_frame(X)])
    in_day_units = dates_and_spans(X)
    if not in_day_units:
        return X
    frame = nw.from_native(X, eager_only=True)
    days = {n: _of_series(str(n), frame.get_column(n)).values for n in frame.columns if str(n) in in_day_units}
    if frame.implementation.is_pandas():  # a new series would be aligned to the frame's index
        out = X.copy(deep=False)
        for name, values in days.items():
            out[name] = values
        return out
    backend = frame.implementation
    return frame.with_columns(*(nw.new_series(n, v, nw.Float64, backend=backend) for n, v in days.items())).to_native()


def columns_of_frame(X: TableLike, names: Sequence[str] | None = None) -> list[Column]:
    """Typed columns of a frame, by its own types; or of an array of objects, with the names given."""
    if isinstance(X, np.ndarray):
        labels = names if names is not None else [f"x{j}" for j in range(X.shape[1])]
        return [_of_objects(name, X[:, j]) for j, name in enumerate(labels)]
    frame = nw.from_native(eager(X), eager_only=True)
    names = [str(name) for name in frame.columns]
    if len(set(names)) < len(names):
        raise _twice(names)
    return [_of_series(str(name), frame.get_column(name)) for name in frame.columns]


def _twice(names: list[str]) -> TableError:
    twice = next(name for name in names if names.count(name) > 1)
    return TableError(f"the column name {twice!r} appears more than once; give every column a name of its own")


def _of_series(name: str, series: nw.Series[Any]) -> Column:
    if series.implementation.is_pandas() and getattr(series.to_native().dtype, "tz", None) is not None:
        # narwhals takes zones whose names have a "_", "-" or digit for unknown types
        series = nw.from_native(series.to_native().dt.tz_convert("UTC"), series_only=True)
    if series.implementation.is_pyarrow():
        series = _of_arrow(series)
    dtype = series.dtype
    if dtype == nw.Boolean:
        return Column(name, "boolean", _floats(series.cast(nw.Float64)))
    if dtype.is_numeric():
        return Column(name, "numeric", _floats(series))
    if dtype.is_temporal() and dtype != nw.Duration and dtype != nw.Time:
        moments = series if isinstance(dtype, nw.Datetime) else series.cast(nw.Datetime("us"))  # a zone's moment: UTC
        return Column(name, "date", _floats(moments.dt.timestamp("us")) / 86_400e6)
    if dtype == nw.Duration:
        return Column(name, "numeric", _floats(series.dt.total_microseconds()) / 86_400e6, unit=SPAN)
    if dtype in (nw.Categorical, nw.Enum, nw.String):  # only levels that occur: the rest is how the frame was made
        return _of_words(name, series)
    return _of_objects(name, _objects(series.to_list()))


def _objects(values: list[Any]) -> np.ndarray:
    """One object a row: NumPy would make a second dimension of lists of one length."""
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def _of_arrow(series: nw.Series[Any]) -> nw.Series[Any]:
    """Whole numbers beyond 2**53 are rounded, as pandas and polars do, and dates in milliseconds are dates."""
    import pyarrow as pa

    values = series.to_native()
    if pa.types.is_integer(values.type):
        return nw.from_native(values.cast(pa.float64(), safe=False), series_only=True)
    if pa.types.is_date64(values.type):
        return nw.from_native(values.cast(pa.timestamp("ms")), series_only=True)
    return series


def _of_words(name: str, series: nw.Series[Any]) -> Column:
    """Categories by the codes that pandas and polars have or make: 20 times faster than an object a row."""
    if series.implementation.is_pandas():
        native = series.to_native()
        if series.dtype == nw.String:
            codes, labels = native.factorize()
        else:
            codes, labels = native.cat.codes.to_numpy(), native.cat.categories
        return coded_categories(name, codes, labels.tolist())
    if series.implementation.is_polars():
        labels = series.drop_nulls().unique().cast(nw.String).to_list()
        codes = series.cast(nw.Enum(labels)).to_native().to_physical().cast(int).fill_null(-1).to_numpy()
        return coded_categories(name, codes, labels)
    return categories(name, series.to_list())


def _floats(series: nw.Series[Any]) -> np.ndarray:
    return np.asarray(series.cast(nw.Float64).to_numpy(), dtype=np.float64)


def _of_objects(name: str, values: np.ndarray) -> Column:
    """Objects: all numbers, dates or time spans (or missing) make a column of these; anything of text, categories."""
    is_present = np.array([not is_missing(v) for v in values], dtype=bool)
    kinds = {type(v) for v in values[is_present]}
    if any(issubclass(kind, (complex, np.complexfloating)) for kind in kinds):
        raise KindError(f"column {name!r} holds complex numbers; give their real and imaginary parts as two columns")
    if kinds and all(issubclass(kind, (date, datetime, np.datetime64)) for kind in kinds):
        return Column(name, "date", _days(values, is_present, "datetime64[us]"))
    if kinds and all(issubclass(kind, (timedelta, np.timedelta64)) for kind in kinds):
        return Column(name, "numeric", _days(values, is_present, "timedelta64[us]"), unit=SPAN)
    try:
        numbers = np.array([v if is_known else np.nan for v, is_known in zip(values, is_present)], dtype=np.float64)
        if numbers.ndim == 1 and not any(issubclass(kind, str) for kind in kinds):
            return Column(name, "numeric", numbers)
    except (TypeError, ValueError):
        pass
    try:
        return categories(name, list(values))
    except TypeError as error:
        kind = next(type(value).__name__ for value in values if not _is_hashable(value))
        raise KindError(
            f"column {name!r} holds values that are neither a number nor a string (of type {kind}); give their parts "
            "as columns of their own"
        ) from error


def _is_hashable(value: object) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _days(values: np.ndarray, is_present: np.ndarray, unit: str) -> np.ndarray:
    """Dates (since 1970, a zone's moment in UTC) or time spans in days; NaN where there is none."""
    days = np.full(len(values), np.nan)
    plain = [v.astimezone(UTC).replace(tzinfo=None) if getattr(v, "tzinfo", None) else v for v in values[is_present]]
    days[is_present] = np.array(plain, dtype=unit).astype(np.int64) / 86_400e6
    return days


def take(X: Any, *, rows: Any = None, columns: Any = None) -> Any:
    """Some rows and columns (positions) of an array, sparse matrix, frame or Table, in the form it was given.

    >>> take(np.array([[1, 2], [3, 4]]), columns=[1])
    array([[2],
           [4]])
    """
    if hasattr(X, "select") and hasattr(X, "digest"):  # a Table, which this module cannot import
        X = X if columns is None else X.select([int(j) for j in columns])
        return X if rows is None else X.take(rows)
    if is_frame(X):
        frame = nw.from_native(eager(X), eager_only=True)
        frame = frame if columns is None else frame.select([frame.columns[int(j)] for j in columns])
        return (frame if rows is None else frame[np.asarray(rows), :]).to_native()
    X = X if columns is None else X[:, np.asarray(columns)]
    return X if rows is None else X[np.asarray(rows)]


def beside(X: Any, real: np.ndarray, copied: np.ndarray, rows: np.ndarray, names: Sequence[str]) -> Any:
    """An eager frame of the columns `real`, then the columns `copied`, the c-th in the order rows[:, c], renamed."""
    frame = nw.from_native(X, eager_only=True)
    series_list = [frame.get_column(frame.columns[int(j)]) for j in real]
    for c, j in enumerate(copied):
        shuffled = frame.select(frame.columns[int(j)])[rows[:, c], :].get_column(frame.columns[int(j)])
        if frame.implementation.is_pandas():  # so that it is not put back in order by its index
            shuffled = nw.from_native(shuffled.to_native().set_axis(X.index), series_only=True)
        series_list.append(shuffled)
    return frame.select(*(series.alias(name) for series, name in zip(series_list, names))).to_native()
