"""From any source of many rows to a lazy table."""

import errno
import shutil
import tempfile
import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa

from tamis.errors import TableError
from tamis.table.inference.kinds import Rules
from tamis.table.lazy.files import files_of, footers_of, is_file, is_several
from tamis.table.lazy.formats import format_of
from tamis.table.lazy.grid import GridSource
from tamis.table.sources.csv import text_batches
from tamis.table.sources.file import File
from tamis.table.sources.images import is_image_folder
from tamis.table.sources.sql import sql_batches


def is_lazy_source(source: Any) -> bool:
    """Whether a source is read part by part: several files, a pyarrow dataset, a Dask or Spark DataFrame."""
    return (is_several(source) and not is_image_folder(source)) or _is_dataset(source) or is_cluster_frame(source)


def grid_source(
    source: Any,
    rules: Rules,
    *,
    folder: Path | None = None,
    cell: int | None = None,
    query: str | None = None,
    options: Mapping[str, Any] | None = None,
) -> GridSource:
    """The files of a source; what cannot be read from any row on is written to Parquet in `folder` first.

    Without a folder it goes to a temporary one, which is cleared away with the table.
    """
    if _is_dataset(source) and (plain := _plain_files(source)):
        return GridSource.of(footers_of(plain), "the dataset", cell=cell)
    if is_several(source) or is_file(source):
        files = [Path(source)] if is_file(source) else files_of(source)
        _refuse_empty(files)
        formats = {format_of(path) for path in files}
        label = f"the files {str(source)!r}"
        if None not in formats:
            return GridSource.of(footers_of(files), label, cell=cell)
        if len(formats) > 1:
            unreadable = next(path for path in files if format_of(path) is None)
            raise TableError(
                f"{str(unreadable)!r} is no Parquet or Arrow file, as others of {str(source)!r} are; part them"
            )
        room, temporary = _folder(folder)
        written = [
            write_batches(_texts(path, rules, options or {}), room / f"{k:08d}.parquet", f"the file {str(path)!r}")
            for k, path in enumerate(files)
        ]
        return GridSource.of(footers_of(written, files), label, cell=cell, temporary=temporary)
    room, temporary = _folder(folder)
    if is_cluster_frame(source):
        written = write_frame(source, room)
        if not written:
            raise TableError("the frame has no partition; give one with rows")
        return GridSource.of(footers_of(written), "the frame", cell=cell, temporary=temporary)
    batches: Iterator[Any] = dataset_batches(source) if _is_dataset(source) else sql_batches(source, query)
    label = "the dataset" if _is_dataset(source) else "the query's answer"
    return GridSource.of(
        footers_of([write_batches(batches, room / "rows.parquet", label)]), label, cell=cell, temporary=temporary
    )


def _texts(path: Path, rules: Rules, options: Mapping[str, Any]) -> Iterator[Any]:
    file = File(path)
    if file.format != "text":
        raise TableError(f"{file.label} is {file.format}, which is not read part by part; give it by itself")
    return text_batches(file, rules.tokens, **options)


def _refuse_empty(files: Sequence[Path]) -> None:
    for path in files:
        if not path.stat().st_size:
            raise TableError(f"the file {str(path)!r} is empty; make or fetch it again")


def _is_dataset(source: Any) -> bool:
    return type(source).__module__.startswith("pyarrow") and hasattr(source, "get_fragments")


def _plain_files(dataset: Any) -> list[Path]:
    """The files of a dataset that is nothing but local Parquet or Arrow files in their order; none of another."""
    names = getattr(dataset, "files", None)
    if not names or not all(Path(name).is_file() for name in names):
        return []
    paths = [Path(name) for name in names]
    inside = {field.name for field in dataset.schema}
    if any(format_of(path) is None for path in paths) or set(footers_of(paths)[0].schema.names) != inside:
        return []
    return paths


def _folder(folder: Path | None) -> tuple[Path, Any]:
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        return folder, None
    temporary = _Temporary()
    return temporary.path, temporary


class _Temporary:
    """A folder that is cleared away with the last table that reads it."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="tamis-"))
        weakref.finalize(self, shutil.rmtree, self.path, True)


_GROUP = 1 << 17  # rows of a group
_PLACES = 8  # digits of a part's number


def is_cluster_frame(source: Any) -> bool:
    """Whether a source is a Dask or Spark DataFrame."""
    return _library(source) in ("dask", "dask_expr", "pyspark") and hasattr(source, "columns")


def _library(source: Any) -> str:
    return type(source).__module__.partition(".")[0]


def write_frame(frame: Any, folder: Path) -> list[Path]:
    """The parts of a Dask or Spark DataFrame, written by its own cluster."""
    with _room(folder):
        if _library(frame) == "pyspark":
            frame.write.mode("overwrite").parquet(str(folder))
        else:
            name = f"part.{{:0{_PLACES}d}}.parquet".format
            frame.to_parquet(str(folder), write_index=False, name_function=lambda k: name(k), overwrite=False)
    return sorted(folder.glob("*.parquet"))


def write_batches(batches: Iterable[pa.RecordBatch | pa.Table], path: Path, label: str) -> Path:
    """Batches of rows in one Parquet file; the first batch decides the types of the columns."""
    import pyarrow.parquet as parquet

    writer: Any = None
    try:
        with _room(path.parent):
            for batch in batches:
                table = pa.Table.from_batches([batch]) if isinstance(batch, pa.RecordBatch) else batch
                if writer is None:
                    schema = pa.schema([pa.field(f.name, _storable(f.type)) for f in table.schema])
                    writer = parquet.ParquetWriter(str(path), schema, compression="zstd")
                writer.write_table(_cast(table, writer.schema, label), row_group_size=_GROUP)
    finally:
        if writer is not None:
            writer.close()
    if writer is None:
        raise TableError(f"{label} has names but no rows; give at least one row")
    return path


def dataset_batches(dataset: Any) -> Iterator[pa.RecordBatch]:
    """The rows of a pyarrow dataset, fragment by fragment, with as little read ahead as it allows."""
    return iter(dataset.scanner(use_threads=False, batch_readahead=1, fragment_readahead=1).to_batches())


def _storable(type: pa.DataType) -> pa.DataType:
    return pa.string() if pa.types.is_null(type) else type


def _cast(table: pa.Table, schema: pa.Schema, label: str) -> pa.Table:
    columns = []
    for field in schema:
        column = table.column(field.name)
        try:
            columns.append(column if column.type == field.type else column.cast(field.type))
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            raise TableError(
                f"column {field.name!r} of {label} holds {field.type} first and {column.type} later; give it one type, "
                "in a query by CAST"
            ) from error
    return pa.Table.from_arrays(columns, schema=schema)


@contextmanager
def _room(folder: Path) -> Iterator[None]:
    """No room left on the disk, in a sentence."""
    try:
        yield
    except OSError as error:
        if error.errno != errno.ENOSPC and "No space left" not in str(error):
            raise
        raise TableError(
            f"there is no room left on the disk of {str(folder)!r}; free some, or give another folder"
        ) from error
