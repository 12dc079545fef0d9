"""The grid of rows: cells of one size that do not follow the files, and partitions, which describe some of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from tamis.engine import current
from tamis.table.lazy.formats import Footer, read_groups, refuse_replaced

#: Numbers in a cell, about: 32 MB of float64. The size of a cell follows from the number of columns alone.
CELL_NUMBERS = 1 << 22
MOST_ROWS, FEWEST_ROWS = 1 << 16, 1 << 8


def cell_rows(n_columns: int) -> int:
    """Rows of a cell of a table with so many columns: a power of two.

    >>> cell_rows(44), cell_rows(10_000), cell_rows(3)
    (65536, 256, 65536)
    """
    max_rows = CELL_NUMBERS // max(1, n_columns)
    return max(FEWEST_ROWS, min(MOST_ROWS, 1 << max(0, max_rows.bit_length() - 1)))


@dataclass(frozen=True)
class Piece:
    """Consecutive rows of a file: which of its groups to read, how many rows to skip there, and how many to take."""

    path: str
    format: str
    first_group: int
    end_group: int
    skip: int
    n_rows: int
    first: int  # its first row's number in the file
    row_bytes: int
    written_from: str = ""  # the file that the user knows, where this one was written from it
    stamp: str = ""  # of the file's content when its footer was read


@dataclass(frozen=True, eq=False)
class Cell:
    """The rows of one cell as they came from their files.

    Attributes
    ----------
    first : the number of its first row in the whole table.
    arrow : the rows.
    pieces : the pieces of files they came from.
    rows : their numbers in the whole table, where they are not consecutive.
    """

    first: int
    arrow: pa.Table
    pieces: tuple[Piece, ...]
    rows: np.ndarray | None = None

    @property
    def n_rows(self) -> int:
        return int(self.arrow.num_rows)

    def location(self, row: int) -> str:
        """Where a row of the cell is, in words: its number in all files and in its own, both from 1."""
        if self.rows is not None:
            return f"row {int(self.rows[row]) + 1:,}"
        left = row
        for piece in self.pieces:
            if left < piece.n_rows:
                file = piece.written_from or piece.path
                return f"row {self.first + row + 1:,} (row {piece.first + left + 1:,} of {file!r})"
            left -= piece.n_rows
        return f"row {self.first + row + 1:,}"


@dataclass(frozen=True)
class RowPartition:
    """Consecutive cells: which pieces of which files, from which row on, in cells of how many rows.

    This is all that a worker is sent; it reads the rows for itself.
    """

    pieces: tuple[Piece, ...]
    first: int
    cell: int
    columns: tuple[str, ...]
    texts: tuple[str, ...] = ()

    def cells(self) -> Iterator[Cell]:
        """The cells, read one after the other; batches are cut and joined so that none follows a file or a batch."""
        waiting: list[tuple[pa.RecordBatch, Piece]] = []
        first, n_waiting = self.first, 0
        for piece in self.pieces:
            for batch, batch_piece in _rows(piece, self.columns, self.texts):
                while n_waiting + len(batch) >= self.cell:
                    n_missing = self.cell - n_waiting
                    waiting.append((batch.slice(0, n_missing), replace(batch_piece, n_rows=n_missing)))
                    yield _joined(waiting, first)
                    first, n_waiting, waiting = first + self.cell, 0, []
                    batch, batch_piece = (
                        batch.slice(n_missing),
                        replace(batch_piece, first=batch_piece.first + n_missing),
                    )
                if len(batch):
                    waiting.append((batch, replace(batch_piece, n_rows=len(batch))))
                    n_waiting += len(batch)
        if n_waiting:
            yield _joined(waiting, first)
        waiting.clear()
        pa.default_memory_pool().release_unused()  # its pools keep what the largest batches took, thread by thread


def _rows(piece: Piece, columns: Sequence[str], texts: Sequence[str]) -> Iterator[tuple[pa.RecordBatch, Piece]]:
    """Batches of a piece's rows, each with the piece that describes it."""
    skip, left, first = piece.skip, piece.n_rows, piece.first
    groups = range(piece.first_group, piece.end_group)
    refuse_replaced(piece.path, piece.stamp, piece.written_from or piece.path)
    for batch in read_groups(piece.path, piece.format, groups, columns, texts, piece.row_bytes):
        if skip >= len(batch):
            skip -= len(batch)
            continue
        rows = batch.slice(skip, left)
        skip, left = 0, left - len(rows)
        yield rows, replace(piece, first=first, n_rows=len(rows))
        first += len(rows)
        if not left:
            return


def _joined(batches: Sequence[tuple[pa.RecordBatch, Piece]], first: int) -> Cell:
    columns: list[Any] = [
        pa.chunked_array([batch.column(j) for batch, _ in batches]) if _alike(batches, j) else _unified(batches, j)
        for j in range(batches[0][0].num_columns)
    ]
    arrow = pa.Table.from_arrays(columns, names=batches[0][0].schema.names)
    return Cell(first, arrow, tuple(piece for _, piece in batches))


def _alike(batches: Sequence[tuple[pa.RecordBatch, Piece]], j: int) -> bool:
    types = {batch.schema.field(j).type for batch, _ in batches}
    return len(types) == 1


def _unified(batches: Sequence[tuple[pa.RecordBatch, Piece]], j: int) -> Any:
    """A column whose files store it in different types of one kind (whole numbers and fractions)."""
    tables = [pa.table({"x": batch.column(j)}) for batch, _ in batches]
    return pa.concat_tables(tables, promote_options="permissive").column(0)


def pieces_of(footers: Sequence[Footer], first: int, n_rows: int) -> tuple[Piece, ...]:
    """The pieces of files that hold some consecutive rows of all files, one after the other."""
    pieces, start = [], 0
    end = first + n_rows
    for file_footer in footers:
        stop = start + file_footer.n_rows
        low, high = max(first, start) - start, min(end, stop) - start
        if low < high:
            pieces.append(_piece(file_footer, low, high))
        start = stop
        if start >= end:
            break
    return tuple(pieces)


def _piece(file_footer: Footer, low: int, high: int) -> Piece:
    """Rows low … high − 1 of a file."""
    first_group = end_group = before = skipped = 0
    for k, rows in enumerate(file_footer.group_rows):
        if before + rows <= low:
            first_group, skipped = k + 1, before + rows
        before += rows
        end_group = k + 1
        if before >= high:
            break
    skip, rows = low - skipped, high - low
    group = (first_group, end_group, skip, rows, low)
    return Piece(
        file_footer.path, file_footer.format, *group, file_footer.row_bytes, file_footer.written_from, file_footer.stamp
    )


_PARTITIONS = 4  # a worker, at least, where there are so many cells: work is shared evenly, and little is lost


@dataclass(frozen=True, eq=False)
class GridSource:
    """Files of the same columns, one after the other.

    Attributes
    ----------
    footers : what each file says of itself.
    label : what to call the files in a sentence.
    cell : rows of a cell.
    temporary : what must not be cleared away while the files are read.
    """

    footers: tuple[Footer, ...]
    label: str
    cell: int
    temporary: Any = None

    @classmethod
    def of(
        cls, footers: Sequence[Footer], label: str, *, cell: int | None = None, temporary: Any = None
    ) -> "GridSource":
        """The files in their order; cells are of a size that follows from the number of columns."""
        size = cell_rows(len(footers[0].schema.names)) if cell is None else cell
        return cls(tuple(footers), label, size, temporary)

    @property
    def schema(self) -> pa.Schema:
        return self.footers[0].schema

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.schema.names)

    @property
    def n_rows(self) -> int:
        return sum(file_footer.n_rows for file_footer in self.footers)

    @property
    def n_cells(self) -> int:
        return -(-self.n_rows // self.cell)

    def span(
        self, first: int, n_rows: int, columns: Sequence[str] | None = None, texts: Sequence[str] = ()
    ) -> RowPartition:
        """A description of some consecutive rows."""
        names = self.names if columns is None else tuple(columns)
        return RowPartition(pieces_of(self.footers, first, n_rows), first, self.cell, names, tuple(texts))

    def partitions(
        self, columns: Sequence[str] | None = None, texts: Sequence[str] = (), max_rows: int | None = None
    ) -> list[RowPartition]:
        """All rows in partitions of equally many cells, a power of two: several for every worker of the engine.

        `max_rows` is how many cells a partition may have.
        """
        share = max(1, self.n_cells // (_PARTITIONS * current().workers))
        share = share if max_rows is None else min(share, max_rows)
        rows = self.cell * (1 << (share.bit_length() - 1))
        return [
            self.span(first, min(rows, self.n_rows - first), columns, texts) for first in range(0, self.n_rows, rows)
        ]
