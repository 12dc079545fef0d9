"""Reading a table from any source; every column gets a kind, and every kind a reason."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypedDict, cast

import numpy as np
import pyarrow as pa
from scipy import sparse

from tamis import check
from tamis.check import nearest
from tamis.errors import KindError, ParameterError, TableError
from tamis.table.inference.kinds import Rules
from tamis.table.lazy.lazy_table import LazyTable
from tamis.table.lazy.read_lazy import grid_source, is_lazy_source
from tamis.table.lazy.sampled import draw
from tamis.table.raw import EARLIER, GIVEN, Raw, RawColumns, RawMatrix, RawTable
from tamis.table.sources.arrow import from_array, from_frame, from_mapping, read_feather, read_json_lines, read_parquet
from tamis.table.sources.csv import read_text
from tamis.table.sources.excel import read_excel
from tamis.table.sources.file import File
from tamis.table.sources.frame import is_frame
from tamis.table.sources.images import LABEL, is_image_folder, read_images
from tamis.table.sources.sql import is_url, read_sql
from tamis.table.table import Table
from tamis.table.types import Type, types_of

#: Cells of several files that are read into memory where a method needs all of them there: 800 MB of numbers.
MOST_IN_MEMORY = 100_000_000


class ReadOptions(TypedDict, total=False):
    """Options of `read` that functions which read a table take and pass on."""

    types: Any
    query: str | None
    sheet: str | int | None
    missing: Any
    delimiter: str | None
    quote: str | None
    decimal: str | None
    encoding: str | None
    header: Any


def read(
    source: Any,
    *,
    types: Any = None,
    target: str | None = None,
    query: str | None = None,
    sheet: str | int | None = None,
    missing: Any = None,
    like: Any = None,
    delimiter: str | None = None,
    quote: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    header: Any = None,
    lazy: bool | None = None,
    folder: str | os.PathLike[str] | None = None,
) -> Table:
    """A table from a file, a database, a frame, an array or a sparse matrix; a lazy one from many files.

    Parameters
    ----------
    source : a path (CSV, TSV, …, packed or not; Parquet, Feather, JSON lines, Excel), a database address, an open file,
        a folder of images (PNG, PGM, JPEG …: a row per image, a column per pixel, the folder's name as `label`),
        a pandas, polars or pyarrow frame, a dict of columns, a NumPy array, a SciPy sparse matrix, or a Table.
    types : what columns are, when that should not be inferred: `"zip=categorical,size=ordinal:small<large"`, a dict,
        or the path of a TOML file.
    target : the column to be learned; it is never left out.
    query : for a database, a SELECT or the name of a table.
    sheet : for Excel, the name or number (from 1) of the sheet.
    missing : values that mean missing, besides the usual texts: a list, a dict by column, or both in one text, as in
        `"999; age=-1,0"`.
    like : a Table (or its `types`) whose reading this one should follow; columns it does not know are inferred.
    header : of a text file or a sheet, the number of the row with the names (3), two such rows that are joined ("2,3"),
        or False for none; found by itself otherwise, titles above the names included.
    delimiter, quote, decimal, encoding : of a text file, when they should not be guessed.
    lazy : whether rows stay in their files and are read part by part: by default those of a folder, of a path with `*`,
        of a pyarrow dataset, of a Dask or Spark DataFrame. With True also those of one file or of a query.
    folder : where a lazy table's text files, query or frame are written as Parquet; a temporary one by default.

    Returns
    -------
    A Table with `decisions`: what each column of the source was taken for, why, and whether it is used. A LazyTable has
    the same face.

    >>> table = read({"size": [1.5, 2.5, 3.5], "colour": ["red", "blue", "red"], "unit": ["m", "m", "m"]})
    >>> [(d.name, d.kind, d.used) for d in table.decisions]
    [('size', 'numeric', True), ('colour', 'categorical', True), ('unit', 'constant', False)]
    """
    declared, recipe = types_of(types), types_of(like.types if isinstance(like, Table) else like)
    options: dict[str, Any] = {
        "delimiter": delimiter,
        "quote": quote,
        "decimal": decimal,
        "encoding": encoding,
        "header": header,
    }
    if is_image_folder(source):
        source = read_images(source)
        declared = {**{name: Type("numeric") for name in source.column_names if name != LABEL}, **declared}
    if isinstance(source, LazyTable) or lazy or (lazy is None and is_lazy_source(source)):
        folder_path = None if folder is None else Path(folder)
        lazy_table = lazy_of(
            source, declared, recipe, target, query=query, missing=missing, folder=folder_path, options=options
        )
        return cast(Table, lazy_table)
    raw = fetch(source, types={**recipe, **declared}, query=query, sheet=sheet, missing=missing, **options)
    return table_of(raw, types=declared, target=target, like=recipe)


def lazy_of(
    source: Any,
    declared: Mapping[str, Type],
    recipe: Mapping[str, Type],
    target: str | None,
    *,
    query: str | None = None,
    missing: Any = None,
    folder: Path | None = None,
    options: Mapping[str, Any] | None = None,
) -> LazyTable:
    """The lazy table of a source, or of the files of another lazy table."""
    options = dict(options or {})
    rules = Rules.of(missing, options.pop("decimal", None))
    if isinstance(source, LazyTable):
        grid = source.source
    else:
        grid = grid_source(source, rules, folder=folder, query=query, options=options)
    known_names(grid.names, target, declared)
    return LazyTable(grid, rules, declared=declared, recipe=recipe, target=target)


def fetch(
    source: Any,
    *,
    types: Any = None,
    query: str | None = None,
    sheet: str | int | None = None,
    missing: Any = None,
    decimal: str | None = None,
    **options: Any,
) -> Raw:
    """A source before anything is decided about it; parameters as in `read`."""
    if decimal is not None:
        check.one_of("decimal", decimal, (".", ","))
    declared = types_of(types)
    if isinstance(source, Raw):
        return source
    if is_image_folder(source):
        source = read_images(source)
    if isinstance(source, Table):
        return RawTable(source)
    rules = Rules.of(missing, decimal)
    if sparse.issparse(source) or (_is_numeric_array(source) and not declared and not rules.missing):
        return RawMatrix(source)
    if isinstance(source, LazyTable) or is_lazy_source(source):
        return _read_all(source, rules, options)
    as_text = {name for name, type in declared.items() if type.kind not in ("numeric", "date")}
    raw = _fetched(source, query, sheet, rules, as_text, options)
    if raw.n_rows == 0:
        raise TableError(f"{raw.label} has names but no rows; give at least one row")
    return raw


def _read_all(source: Any, rules: Rules, options: Mapping[str, Any]) -> RawColumns:
    """All rows of several files in memory, where there is room for them."""
    grid = source.source if isinstance(source, LazyTable) else grid_source(source, rules, options=options)
    if grid.n_rows * len(grid.names) > MOST_IN_MEMORY:
        raise TableError(
            f"{grid.label} hold {grid.n_rows:,} rows of {len(grid.names):,} columns, too many for this in memory; take "
            "some of the rows, as in tamis.read(…).sample(100_000)"
        )
    return RawColumns(draw(grid, grid.n_rows)[0], rules, grid.label)


def fetch_some(
    source: Any, rows: int, *, seed: int = 0, missing: Any = None, query: str | None = None, header: Any = None
) -> RawColumns:
    """Some rows of a lazy source, drawn by a keyed hash of their numbers, before anything is decided about them."""
    rules, options = Rules.of(missing), {"header": header}
    grid = source.source if isinstance(source, LazyTable) else grid_source(source, rules, query=query, options=options)
    raw = RawColumns(draw(grid, rows, seed)[0], rules, grid.label)
    raw.drawn_from = grid.n_rows if grid.n_rows > rows else 0
    return raw


def table_of(raw: Raw, *, types: Any = None, target: str | None = None, like: Any = None) -> Table:
    """The table of a source in which all rows decide what columns are; a source is read once."""
    declared, recipe = types_of(types), types_of(like)
    known_names(raw.names, target, declared)
    earlier = {name: (type, EARLIER) for name, type in recipe.items()}
    return raw.table({**earlier, **{name: (type, GIVEN) for name, type in declared.items()}}, target)


def _fetched(
    source: Any,
    query: str | None,
    sheet: str | int | None,
    rules: Rules,
    as_text: set[str],
    options: dict[str, Any],
) -> RawColumns:
    if is_url(source):
        return RawColumns(read_sql(source, query), rules, "the query's answer")
    if query is not None:
        raise ParameterError("query= is for a database; give its address as the source, for example sqlite:///file.db")
    if isinstance(source, (pa.RecordBatch, pa.RecordBatchReader)):
        source = pa.Table.from_batches([source]) if isinstance(source, pa.RecordBatch) else source.read_all()
    if is_frame(source):
        return RawColumns(from_frame(source), rules, "the frame")
    if isinstance(source, Mapping):
        return RawColumns(from_mapping(source), rules, "the mapping")
    if isinstance(source, (np.ndarray, list, tuple)) or hasattr(source, "__array__"):
        array = source if isinstance(source, np.ndarray) else np.asarray(source)
        return RawColumns(from_array(_two_dimensional(array)), rules, "the array", named=bool(array.dtype.names))
    if not isinstance(source, str) and not hasattr(source, "read") and not hasattr(source, "__fspath__"):
        raise KindError(f"a table cannot be read from {type(source).__name__}; give a path, a frame or an array")
    return _of_file(File(source), sheet, rules, as_text, options)


def _of_file(
    file: File, sheet: str | int | None, rules: Rules, as_text: set[str], options: dict[str, Any]
) -> RawColumns:
    if file.format == "parquet":
        return RawColumns(read_parquet(file), rules, file.label)
    if file.format == "feather":
        return RawColumns(read_feather(file), rules, file.label)
    if file.format == "excel":
        table, remarks = read_excel(file, sheet, options.get("header"))
        return _with_remarks(RawColumns(table, rules, file.label), remarks)
    if file.format == "old excel":
        raise TableError(f"{file.label} is an Excel file of the old kind (.xls); save it as .xlsx or CSV")
    if file.format == "old feather":
        raise TableError(f"{file.label} is a Feather file of version 1; write it again in version 2")
    if file.format == "sqlite":
        raise TableError(f"{file.label} is an SQLite database; give sqlite:///{file.path} as the source, and query=")
    if file.suffix.endswith((".jsonl", ".ndjson", ".json", ".jsonl.gz", ".ndjson.gz", ".json.gz")):
        return RawColumns(read_json_lines(file), rules, file.label)
    _refuse_sheet(sheet, file.label)
    formats = {".parquet": "a Parquet", ".feather": "a Feather", ".arrow": "an Arrow", ".xlsx": "an Excel"}
    for suffix, what in formats.items():
        if file.suffix.endswith(suffix):
            raise TableError(f"{file.label} is not {what} file, whatever its name says; make or fetch it again")
    table, dialect, texts = read_text(file, rules.tokens, as_text, **options)
    rules = replace(rules, trusted=False, doubt="," if dialect.delimiter == ";" else ".")  # the two signs go together
    return _with_remarks(RawColumns(table, rules, file.label, texts=texts), [dialect.remark])


def _refuse_sheet(sheet: str | int | None, label: str) -> None:
    if sheet is not None:
        raise ParameterError(f"sheet={sheet!r} is for an Excel workbook, and {label} is none; leave sheet out")


def _with_remarks(raw: RawColumns, remarks: Sequence[str]) -> RawColumns:
    raw.remarks = tuple(remark for remark in remarks if remark)
    return raw


def known_names(names: Sequence[str], target: str | None, declared: Mapping[str, Any]) -> None:
    """Refuse a target or a type of a column that is not there."""
    known_columns = set(names)
    if target is not None and target not in known_columns:
        raise TableError(f"there is no target column {target!r}{nearest(target, names)}; columns: {_some(names)}")
    for name in declared:
        if name not in known_columns:
            raise TableError(f"types: there is no column {name!r}{nearest(name, names)}; columns: {_some(names)}")


def _some(names: Sequence[str], max_names: int = 8) -> str:
    listed = ", ".join(repr(name) for name in names[:max_names])
    return listed + (f", … ({len(names):,} in all)" if len(names) > max_names else "")


def _is_numeric_array(source: Any) -> bool:
    return isinstance(source, np.ndarray) and source.ndim == 2 and source.dtype.kind in "fiub"


def _two_dimensional(array: np.ndarray) -> np.ndarray:
    if array.ndim != (1 if array.dtype.names else 2):
        raise TableError(
            f"the table has {array.ndim} dimension(s); give rows × columns (2D). Reshape your data: X.reshape(-1, 1) "
            "makes one column of it"
        )
    return array
