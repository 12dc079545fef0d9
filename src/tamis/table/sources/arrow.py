"""Sources that carry types: Parquet, Feather, JSON lines, frames, arrays of objects; all become one Arrow table."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from tamis.errors import TableError, cause
from tamis.table.column import level_text
from tamis.table.sources.dialect import refuse_duplicates
from tamis.table.sources.file import File
from tamis.table.sources.frame import eager

#: What pyarrow raises at damaged files: its own errors, and Python's of the disk, of memory and of names of columns.
UNSOUND = (pa.ArrowException, OSError, MemoryError, UnicodeDecodeError)


def read_parquet(file: File) -> pa.Table:
    """The table of a Parquet file."""
    import pyarrow.parquet as parquet

    return _sound(file, "Parquet", lambda: parquet.read_table(_path_or_stream(file), partitioning=None))


def read_feather(file: File) -> pa.Table:
    """The table of a Feather (Arrow IPC) file."""
    from pyarrow import ipc  # pyarrow.feather ends with a TypeError where two columns have one name

    return _sound(file, "Feather", lambda: ipc.open_file(_path_or_stream(file)).read_all())


def read_json_lines(file: File) -> pa.Table:
    """The table of a file with one JSON object a line."""
    from pyarrow import json as arrow_json

    start = file.head(64).lstrip(b"\xef\xbb\xbf \r\n\t")
    if not start:
        raise TableError(f"{file.label} is empty; give one JSON object a line")
    if start.startswith(b"["):
        return _from_objects(file, _json_array(file))
    try:
        table = file.guard(lambda: arrow_json.read_json(file.open()))
        table.validate(full=True)  # texts that are no UTF-8 are found here
        return table
    except (pa.ArrowInvalid, UnicodeDecodeError):  # the latter of the name of a column
        return _from_objects(file, _json_lines(file))  # values of mixed types, or a line to name


def from_frame(frame: Any) -> pa.Table:
    """The Arrow table of a pandas, polars or pyarrow frame, or of any other that narwhals knows."""
    import narwhals as nw

    frame = eager(frame)
    narwhals_frame = nw.from_native(frame, eager_only=True)
    names = [str(name) for name in _labels(frame, narwhals_frame)]
    refuse_duplicates(names)
    arrays = [_from_series(series) for series in narwhals_frame.iter_columns()]
    return pa.Table.from_arrays(arrays, names=names) if arrays else pa.table({})


def from_mapping(columns: Mapping[Any, Any]) -> pa.Table:
    """The Arrow table of columns by name."""
    arrays = {str(name): array_of(values) for name, values in columns.items()}
    lengths = {name: len(array) for name, array in arrays.items()}
    if len(set(lengths.values())) > 1:
        (a, n), (b, m) = min(lengths.items(), key=lambda item: item[1]), max(lengths.items(), key=lambda item: item[1])
        raise TableError(f"column {a!r} has {n:,} values, but column {b!r} has {m:,}; give columns of one length")
    return pa.table(arrays)


def from_array(array: np.ndarray) -> pa.Table:
    """The Arrow table of a NumPy array: by its fields, or by position with the names x0, x1, …"""
    if array.dtype.names:
        return from_mapping({name: array[name] for name in array.dtype.names})
    return from_mapping({f"x{j}": array[:, j] for j in range(array.shape[1])})


def array_of(values: Any) -> pa.Array:
    """Python or NumPy values as one Arrow array; values of mixed types become texts."""
    if isinstance(values, (pa.Array, pa.ChunkedArray)):
        return values
    try:
        return pa.array(values, from_pandas=True)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, TypeError, OverflowError):
        return pa.array([_text(value) for value in list(values)], pa.string())


def _from_series(series: Any) -> pa.Array | pa.ChunkedArray:
    series = _in_words(series)
    if str(series.dtype) == "Unknown" and str(getattr(series.to_native(), "dtype", "")).startswith("period["):
        return pa.array(series.to_native().dt.to_timestamp(), from_pandas=True)  # a month is its first day
    try:
        array = series.to_arrow()
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, TypeError, OverflowError):
        return array_of(series.to_list())
    if str(array.type) == "string_view":
        return array.cast(pa.large_string())
    return _plain(array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array]))


def _in_words(series: Any) -> Any:
    """A series of pandas whose intervals (of pd.cut), and levels that are no texts or numbers, are texts."""
    import narwhals as nw

    native = series.to_native()
    kind = str(getattr(native, "dtype", ""))
    if kind.startswith("interval"):
        texts = native.astype(object).map(str, na_action="ignore")
        return nw.from_native(texts.where(native.notna(), None), series_only=True)
    if kind == "category" and hasattr(native, "cat"):
        levels = native.cat.categories
        if levels.dtype.kind not in "fiubmM" and not all(
            isinstance(level, (str, bool, int, float)) for level in levels
        ):
            return nw.from_native(
                native.cat.rename_categories([level_text(level) for level in levels]), series_only=True
            )
    return series


def _labels(frame: Any, narwhals_frame: Any) -> list[Any]:
    return list(frame.columns) if hasattr(frame, "iloc") else list(narwhals_frame.columns)


def _text(value: object) -> str | None:
    if value is None or value != value:
        return None
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return str(int(value))
    return str(value)


def _path_or_stream(file: File) -> Any:
    return pa.BufferReader(file.data) if file.data is not None else str(file.path)


def _sound(file: File, what: str, read: Any) -> pa.Table:
    try:
        table = read()
        table.validate(full=True)  # a flipped bit in a text or a code is found here, and not by a crash later
    except TypeError as error:  # of a class by which pandas reads its own types
        raise TableError(
            f"{file.label} has a column that cannot be read back, such as intervals of pandas in a Feather file; write "
            "it as text"
        ) from error
    except UNSOUND as error:
        raise TableError(
            f"{file.label} is not a sound {what} file ({reason_of(error)}); make or fetch it again"
        ) from error
    refuse_duplicates(table.column_names)
    return pa.table([_plain(column) for column in table.columns], names=table.column_names)


def reason_of(error: BaseException) -> str:
    """The first line of an error of pyarrow."""
    if isinstance(error, UnicodeDecodeError):
        return "the name of a column is not UTF-8"
    return cause(error)


def _plain(array: pa.ChunkedArray) -> pa.ChunkedArray:
    """A column without pandas' own types: periods as whole numbers, levels that hold several values as texts."""
    if isinstance(array.type, pa.BaseExtensionType):
        array = pa.chunked_array([chunk.storage for chunk in array.chunks], array.type.storage_type)
    type = array.type
    if not pa.types.is_dictionary(type):
        return array
    levels = type.value_type
    if not isinstance(levels, pa.BaseExtensionType) and not pa.types.is_nested(levels):
        return array
    closed = getattr(levels, "closed", "right")
    texts = [
        pa.DictionaryArray.from_arrays(
            chunk.indices, pa.array([_level(value, closed) for value in chunk.dictionary.to_pylist()], pa.string())
        )
        for chunk in array.chunks
    ]
    return pa.chunked_array(texts, pa.dictionary(type.index_type, pa.string()))


def _level(value: object, closed: str) -> str | None:
    """A level as pandas would write it: (0.5, 1.5] for an interval."""
    if not isinstance(value, dict) or set(value) != {"left", "right"}:
        return None if value is None else str(value)
    start, end = "[" if closed in ("left", "both") else "(", "]" if closed in ("right", "both") else ")"
    return f"{start}{value['left']}, {value['right']}{end}"


def _json_lines(file: File) -> list[Any]:
    rows = []
    for number, line in enumerate(_content(file).splitlines(), start=1):
        if not line.strip():
            continue
        try:
            rows.append(json.loads(line))
        except json.JSONDecodeError as error:
            raise TableError(f"line {number:,} of {file.label} is not JSON ({error.msg}); mend the line") from error
        if not isinstance(rows[-1], dict):
            raise TableError(f"line {number:,} of {file.label} is not a JSON object; write one {{…}} a line")
    return rows


def _json_array(file: File) -> list[Any]:
    try:
        rows = json.loads(_content(file))
    except json.JSONDecodeError as error:
        raise TableError(f"{file.label} is not JSON ({cause(error)}); mend it, or write one object a line") from error
    if not rows or not all(isinstance(row, dict) for row in rows):
        raise TableError(f"{file.label} is not a list of JSON objects; write one {{…}} a row")
    return rows


def _content(file: File) -> str:
    with file.open() as stream:
        content: bytes = file.guard(stream.read)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise TableError(f"{file.label} is not UTF-8 text (byte {error.start:,}); JSON must be UTF-8") from error


def _from_objects(file: File, rows: Sequence[dict[str, Any]]) -> pa.Table:
    names = list(dict.fromkeys(name for row in rows for name in row))
    return from_mapping({name: [row.get(name) for row in rows] for name in names})
