"""Parquet files: a small one may claim any number of values, so that its claims are looked at first."""

from __future__ import annotations

from pathlib import Path

from tamis.errors import TableError

#: Values of all columns together, and bytes that they unpack to.
MOST_VALUES, MOST_UNPACKED = 500_000_000, 8 * 1024**3


def refuse_bomb(file: Path) -> None:
    """Refuse a file that would unpack to more than memory should hold."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        metadata = pq.ParquetFile(file).metadata
        groups = [metadata.row_group(g) for g in range(metadata.num_row_groups)]
        unpacked = sum(group.total_byte_size for group in groups)
        values = sum(group.column(j).num_values for group in groups for j in range(group.num_columns))
    except (pa.ArrowInvalid, OSError, ValueError) as error:
        raise TableError("this is no sound Parquet file; write it again") from error
    if max(values, metadata.num_rows * metadata.num_columns) > MOST_VALUES or unpacked > MOST_UNPACKED:
        raise TableError(
            f"the file claims {metadata.num_rows:,} rows × {metadata.num_columns:,} columns, which would unpack "
            "to more than "
            "the page takes; use `tamis run` in a terminal"
        )
