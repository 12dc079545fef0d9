"""Rows written to files, cut as one likes, and the lazy table of such files."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tamis.table import LazyTable
from tamis.table.inference.kinds import Rules
from tamis.table.lazy.files import files_of, footers_of
from tamis.table.lazy.grid import GridSource


def write_parts(folder: Path, rows: pa.Table, parts: Iterable[int], row_group_size: int) -> Path:
    """For each number of parts a folder of that name, with the rows cut into so many files."""
    for n in parts:
        (folder / str(n)).mkdir()
        for k, cut in enumerate(np.array_split(np.arange(rows.num_rows), n)):
            name = folder / str(n) / f"{k}.parquet"
            pq.write_table(rows.slice(cut[0], len(cut)), name, row_group_size=row_group_size)
    return folder


def lazy_table(folder: Path, cell: int, **options: Any) -> LazyTable:
    """The lazy table of a folder's files, in cells of so many rows: smaller ones than a table of its size would get."""
    source = GridSource.of(footers_of(files_of(folder)), "the files", cell=cell)
    return LazyTable(source, Rules(trusted=True), **options)
