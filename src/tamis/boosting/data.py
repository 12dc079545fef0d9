"""A table made ready for boosting: at most 255 bins a column, learned from the rows that weigh something."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tamis.boosting.layout import BinnedColumns
from tamis.engine import map_threads
from tamis.table import Table
from tamis.views.binned import bin_columns
from tamis.views.binned_table import BinnedTable

BLOCK = 2_000_000  # codes that a task joins at most


@dataclass(frozen=True, eq=False)
class BoostingData:
    """The training rows.

    Attributes
    ----------
    binned : their codes, columns in the order of names.
    columns : position in the user's table of each column of the binned table.
    rows : position in the user's table of each row.
    weight, counted : of each row its weight, and how many rows it counts for: whole weights count as copies.
    level_codes : by position, of a categorical column the code of each of its levels: -1 where no row has it; rare
        levels share the last code where there are more than bins.
    """

    binned: BinnedColumns
    columns: np.ndarray
    rows: np.ndarray
    weight: np.ndarray
    counted: np.ndarray
    level_codes: dict[int, np.ndarray]

    @classmethod
    def of(cls, table: Table, weight: np.ndarray, max_bins: int, n_jobs: int | None = None) -> BoostingData:
        """The data of a table.

        >>> data = BoostingData.of(Table.of([[1.5], [0.5], [float("nan")]]), np.ones(3), 255)
        >>> data.binned.codes.tolist(), data.binned.edges.tolist()
        ([[1, 0, 2]], [[1.0, inf]])
        """
        rows = np.flatnonzero(weight > 0)
        if len(rows) < table.n_rows:
            table, weight = table.take(rows), weight[rows]
        counted = weight if np.all(weight == np.round(weight)) else np.ones(len(weight))
        columns = table.order()
        found, codings = bin_columns(table, columns, n_jobs)
        most = min(max_bins, int(found.n_values.max(initial=1)))
        codes = np.empty(found.codes.shape, dtype=np.uint8)
        n_bins, edges = np.zeros(len(columns), dtype=np.int32), np.zeros((len(columns), max(most, 1)))
        _join(found, counted, max_bins, (codes, n_bins, edges), n_jobs)
        level_codes = {}
        for p in np.flatnonzero(found.category):
            j = int(columns[p])
            own = _level_codes(found.codes[p], int(found.n_values[p]), counted, max_bins)
            codes[p], n_bins[p] = own[found.codes[p]], own.max(initial=0)
            known = codings[j].table
            level_codes[j] = np.where(own == n_bins[p], -1, own)[:-1][known if known is not None else slice(None)]
        first = np.concatenate([[0], np.cumsum(n_bins.astype(np.int64) + 1)])
        binned = BinnedColumns(codes, n_bins, found.category, first, edges)
        return cls(binned, columns, rows, weight, counted, level_codes)


def _join(
    found: BinnedTable,
    counted: np.ndarray,
    max_bins: int,
    out: tuple[np.ndarray, np.ndarray, np.ndarray],
    n_jobs: int | None,
) -> None:
    """Fill codes, numbers of bins and edges of the columns of numbers."""
    from tamis.boosting.grow.bins import join_codes

    n_columns, n_rows = found.codes.shape
    step = max(1, BLOCK // max(n_rows, 1))

    def several(begin: int) -> None:
        join_codes(found, begin, min(begin + step, n_columns), counted, max_bins, *out)

    map_threads(several, range(0, n_columns, step), n_jobs)


def _level_codes(codes: np.ndarray, n_levels: int, counted: np.ndarray, max_bins: int) -> np.ndarray:
    """The bin of each level and, last, of missing: their number, which levels without a row have, too."""
    counts = np.bincount(codes, weights=counted, minlength=n_levels + 1)[:n_levels]
    there = np.flatnonzero(counts > 0)
    alone = there
    if len(there) > max_bins:
        alone = np.sort(there[np.argsort(-counts[there], kind="stable")[: max_bins - 1]])
    n_bins = min(len(there), max_bins)
    own = np.full(n_levels + 1, n_bins, dtype=np.int64)
    own[there] = n_bins - 1
    own[alone] = np.arange(len(alone))
    return own
