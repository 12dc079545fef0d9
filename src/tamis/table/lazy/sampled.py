"""Some rows of a large table in memory: drawn by a keyed hash of their numbers, the same for any cut of the files."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from tamis.engine import reduce
from tamis.engine.hash import mix, text_hash
from tamis.table.lazy.grid import Cell, GridSource


@dataclass(frozen=True, eq=False)
class DrawnRows:
    """Rows as they came from their files, their numbers in the whole, and the hashes that drew them."""

    arrow: pa.Table
    rows: np.ndarray
    hashes: np.ndarray

    def __add__(self, other: "DrawnRows") -> "DrawnRows":
        arrow = pa.concat_tables([self.arrow, other.arrow], promote_options="permissive")
        rows, hashes = np.append(self.rows, other.rows), np.append(self.hashes, other.hashes)
        return DrawnRows(arrow, rows, hashes)


@dataclass(frozen=True)
class DrawFromCell:
    """Draws the rows of a cell whose hash is below a bound."""

    key: int
    bound: int

    def __call__(self, cell: Cell) -> DrawnRows:
        rows = np.arange(cell.first, cell.first + cell.n_rows)
        hashes = row_hashes(rows, self.key)
        is_drawn = hashes <= np.uint64(self.bound)
        return DrawnRows(cell.arrow.filter(pa.array(is_drawn)).combine_chunks(), rows[is_drawn], hashes[is_drawn])


def merge(a: DrawnRows, b: DrawnRows) -> DrawnRows:
    """The rows of both."""
    return a + b


def row_hashes(rows: np.ndarray, key: int) -> np.ndarray:
    """64 bits a row, from its number and a key."""
    return mix(mix(rows.astype(np.uint64)) + np.uint64(key))


def draw(source: GridSource, n: int, seed: int = 0, columns: Any = None) -> tuple[pa.Table, np.ndarray]:
    """Rows with the n smallest hashes, in their order, and their numbers; one pass, which keeps no more than these."""
    if n >= source.n_rows:
        bound = (1 << 64) - 1
    else:
        bound = int(min(1.0, (n + 8 * n**0.5 + 16) / source.n_rows) * ((1 << 64) - 1))
    key = int(text_hash(f"sample {seed}"))
    drawn = reduce(source.partitions(columns), DrawFromCell(key, min(bound, (1 << 64) - 1)), merge)
    assert drawn is not None
    chosen = np.sort(np.argsort(drawn.hashes, kind="stable")[:n])
    return drawn.arrow.take(pa.array(chosen)).combine_chunks(), drawn.rows[chosen]
