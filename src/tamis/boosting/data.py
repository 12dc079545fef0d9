"""A table made ready for boosting: at most 255 bins a column, learned from the rows that weigh something."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tamis import _core
from tamis.engine import workers
from tamis.table import Table
from tamis.views.binned import BinnedTable, bin_columns


@dataclass(frozen=True, eq=False)
class BoostingData:
    """The training rows.

    Attributes
    ----------
    binned : their codes, of one byte; columns in the order of names.
    columns : position in the user's table of each column of the binned table.
    rows : position in the user's table of each row.
    weight, counted : of each row its weight, and how many rows it counts for: whole weights count as copies.
    level_codes : by position, of a categorical column the code of each of its levels: -1 where no row has it; rare
        levels share the last code where there are more than bins.
    """

    binned: BinnedTable
    columns: np.ndarray
    rows: np.ndarray
    weight: np.ndarray
    counted: np.ndarray
    level_codes: dict[int, np.ndarray]

    @classmethod
    def of(cls, table: Table, weight: np.ndarray, max_bins: int, n_jobs: int | None = None) -> BoostingData:
        """The data of a table.

        >>> data = BoostingData.of(Table.of([[1.5], [0.5], [float("nan")]]), np.ones(3), 255)
        >>> data.binned.codes.tolist(), data.binned.low.tolist()
        ([[1, 0, 2]], [0.5, 1.5])
        """
        rows = np.flatnonzero(weight > 0)
        if len(rows) < table.n_rows:
            table, weight = table.take(rows), weight[rows]
        counted = weight if np.all(weight == np.round(weight)) else np.ones(len(weight))
        columns = table.order()
        ranked, codings = bin_columns(table, columns, n_jobs)
        codes, n_bins, first, low, high = _core.join_bins(ranked, counted, max_bins, workers(n_jobs))
        level_codes = {}
        for p in np.flatnonzero(ranked.category):
            j = int(columns[p])
            bins = _level_codes(ranked.codes[p], int(ranked.n_values[p]), counted, max_bins)
            codes[p], n_bins[p] = bins[ranked.codes[p]], bins.max(initial=0)
            level_table = codings[j].table
            level_codes[j] = np.where(bins == n_bins[p], -1, bins)[:-1][
                level_table if level_table is not None else slice(None)
            ]
        by_row = np.empty((0, len(columns)), dtype=np.uint8)
        binned = BinnedTable(codes, by_row, n_bins, ranked.missing, ranked.category, first, low, high)
        return cls(binned, columns, rows, weight, counted, level_codes)


def _level_codes(codes: np.ndarray, n_levels: int, counted: np.ndarray, max_bins: int) -> np.ndarray:
    """The bin of each level and, last, of missing: their number, which levels without a row have, too."""
    counts = np.bincount(codes, weights=counted, minlength=n_levels + 1)[:n_levels]
    present = np.flatnonzero(counts > 0)
    alone = present
    if len(present) > max_bins:
        alone = np.sort(present[np.argsort(-counts[present], kind="stable")[: max_bins - 1]])
    n_bins = min(len(present), max_bins)
    bins = np.full(n_levels + 1, n_bins, dtype=np.int64)
    bins[present] = n_bins - 1
    bins[alone] = np.arange(len(alone))
    return bins
