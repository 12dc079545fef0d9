"""Files as one run of rows, and the partitions into which an engine takes it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from tamis.engine import current
from tamis.table.lazy.formats import Footer
from tamis.table.lazy.grid import RowPartition, cell_rows, pieces_of

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
