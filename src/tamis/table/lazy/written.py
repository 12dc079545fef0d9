"""Sources that cannot be read from any row on, written to Parquet first; the order in which they come is kept.

Text files row by row in the order of the files; a query's rows as the database gives them; a Dask or Spark frame
partition by partition, each written by the worker that has it. What is identical is identical from there on.
"""

import errno
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa

from tamis.errors import TableError

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
