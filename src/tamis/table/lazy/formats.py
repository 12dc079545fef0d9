"""Files that can be read from any row on: Parquet and Arrow; what their footers say, and batches of their rows."""

import os
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from tamis.errors import TableError
from tamis.table.sources.arrow import UNSOUND, reason_of

BATCH_BYTES = 1 << 24  # of a batch of rows, however wide they are
_BUFFER = 1 << 20  # bytes read at a time of each column; else a column of a row group is read whole

_END = 1 << 16  # bytes at the end of a file that tell whether it was replaced

#: What is in a file, by its first bytes.
MAGIC = {b"PAR1": "parquet", b"ARROW1": "arrow"}


@dataclass(frozen=True)
class Footer:
    """What a file says of itself: its columns, the rows of each group, and about how many bytes a row takes.

    `written_from` is the file that the user knows, where this one was written from it; `stamp` is that of its content.
    """

    path: str
    format: str
    schema: pa.Schema
    group_rows: tuple[int, ...]
    row_bytes: int
    written_from: str = ""
    stamp: str = ""

    @property
    def name(self) -> str:
        """The file as the user knows it."""
        return self.written_from or self.path

    @property
    def n_rows(self) -> int:
        return sum(self.group_rows)


def format_of(path: Path) -> str | None:
    """The format of a file that can be read from any row on; None for another."""
    with sound(str(path)), path.open("rb") as stream:
        start = stream.read(8)
    return next((name for magic, name in MAGIC.items() if start.startswith(magic)), None)


def footer(path: str, format: str) -> Footer:
    """What the file says of itself; no row is read."""
    with sound(path):
        if format == "parquet":
            import pyarrow.parquet as parquet

            parquet_file = parquet.ParquetFile(path)
            meta = parquet_file.metadata
            groups = [meta.row_group(k) for k in range(meta.num_row_groups)]
            size = sum(group.total_byte_size for group in groups) // max(1, meta.num_rows)
            rows_of = tuple(group.num_rows for group in groups)
            return Footer(path, format, parquet_file.schema_arrow, rows_of, max(1, size), stamp=content_stamp(path))
        with pa.ipc.open_file(pa.memory_map(path)) as file:
            batches = [file.get_batch(k) for k in range(file.num_record_batches)]
            for batch in batches:
                batch.validate()  # the size of a text whose offsets are damaged ends in a crash
            rows, size = sum(map(len, batches)), sum(batch.nbytes for batch in batches)
            bytes_of_row, stamp = max(1, size // max(1, rows)), content_stamp(path)
            return Footer(path, format, file.schema, tuple(map(len, batches)), bytes_of_row, stamp=stamp)


def content_stamp(path: str) -> str:
    """The size of a file and a checksum of its end, where a footer says what is before it."""
    with sound(path), open(path, "rb") as stream:
        size = stream.seek(0, os.SEEK_END)
        stream.seek(max(0, size - _END))
        return f"{size} {zlib.crc32(stream.read()):08x}"


def refuse_replaced(path: str, stamp: str, name: str) -> None:
    """Raise when a file is no longer the one whose footer was read: kinds and levels were decided by that."""
    if stamp and content_stamp(path) != stamp:
        raise TableError(f"the file {name!r} was replaced since it was first read; read the table again")


def read_groups(
    path: str, format: str, groups: range, columns: Sequence[str], texts: Sequence[str], row_bytes: int
) -> Iterator[pa.RecordBatch]:
    """The rows of some groups in batches of at most about `BATCH_BYTES`; `texts` come as dictionaries."""
    size = max(64, min(1 << 17, BATCH_BYTES // row_bytes))
    if format == "parquet":
        import pyarrow.parquet as parquet

        with sound(path):
            file = parquet.ParquetFile(path, read_dictionary=list(texts), buffer_size=_BUFFER)
        for k in groups:  # a reader of several groups keeps what it read of each until its end: 416 MB of ten, not 52
            with sound(path):
                batches = file.iter_batches(size, row_groups=[k], columns=list(columns), use_threads=False)
            yield from _each(path, iter(batches))
        return
    with sound(path):
        arrow = pa.ipc.open_file(pa.memory_map(path))
    for k in groups:
        with sound(path):
            batch = arrow.get_batch(k).select(list(columns))
        yield from _each(path, (batch.slice(start, size) for start in range(0, len(batch), size)))


def _each(path: str, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    while True:
        with sound(path):
            batch = next(batches, None)
            if batch is None:
                return
            batch.validate(full=True)  # a flipped bit in a text or a code is found here, and not by a crash later
        yield batch


@contextmanager
def sound(path: str) -> Any:
    """The failures of disks and of damaged files in our words, the file named."""
    try:
        yield
    except UNSOUND as error:
        raise TableError(f"the file {path!r} cannot be read ({reason_of(error)}); make or fetch it again") from error
