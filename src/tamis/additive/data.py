"""A table made ready for curves: bins of one byte, rows in the order of their content, rows that each bag holds out.

Rows are put in the order of a digest of their ranks, and bags are drawn by that digest. So a model depends neither on
the order of the rows, nor on units, nor on whether a row that counts twice is given twice or with the weight 2.
"""

from dataclasses import dataclass

import numpy as np

from tamis import _core
from tamis.engine import seed_of
from tamis.forest.data.row_hash import hash_numbers, order_of
from tamis.table import Table
from tamis.views.binned import BinnedTable, bin_columns

MAX_BINS = 255  # with the bin of missing values they fill a byte


@dataclass(frozen=True, eq=False)
class AdditiveData:
    """The different training rows that weigh something, columns in the order of their names.

    Attributes
    ----------
    codes : uint8 (columns, rows): bins 0 … n_values - 1 of values, n_values of missing values.
    n_values : int32 (columns): bins of values.
    category : bool (columns).
    edges : of each column of numbers, the values between its bins: x has the bin k when k edges lie below it.
    level_codes : by column, of a categorical one the bin of each level; -1 where no row has it.
    columns, rows : positions in the user's table; of equal rows, whose weights are added up, the first.
    weight, counted : of each row its weight, and how many rows it counts for: whole weights count as copies.
    digest : uint64 (rows), rising.
    live, group : positions in the user's table of all rows that weigh something, and the row here that each is.
    """

    codes: np.ndarray
    n_values: np.ndarray
    category: np.ndarray
    edges: list[np.ndarray]
    level_codes: dict[int, np.ndarray]
    columns: np.ndarray
    rows: np.ndarray
    weight: np.ndarray
    counted: np.ndarray
    digest: np.ndarray
    live: np.ndarray
    group: np.ndarray

    @classmethod
    def of(
        cls, table: Table, target: np.ndarray, weight: np.ndarray, max_bins: int = MAX_BINS, n_jobs: int | None = None
    ) -> "AdditiveData":
        """The data of a table; `target` (rows) holds whole numbers that tell equal rows apart: ranks or classes.

        >>> data = AdditiveData.of(Table.of([[1.5], [0.5], [float("nan")]]), np.zeros(3), np.ones(3))
        >>> sorted(data.codes[0].tolist()), data.edges[0].tolist()
        ([0, 1, 2], [1.0])
        """
        live = np.flatnonzero(weight > 0)
        if len(live) < table.n_rows:
            table, target, weight = table.take(live), target[live], weight[live]
        counted = weight if np.all(weight == np.round(weight)) else np.ones(len(weight))
        columns = table.order()
        binned, codings = bin_columns(table, columns, n_jobs)
        digest = _core.hash_codes(binned.codes)
        hash_numbers(np.ascontiguousarray(target, dtype=np.float64).view(np.uint64), digest)
        if counted is not weight:
            hash_numbers(ranks_of(weight).view(np.uint64), digest)
        order = order_of(digest)
        is_first = np.append(True, np.diff(digest[order]) > 0)
        group = np.empty(len(order), dtype=np.int64)
        group[order] = np.cumsum(is_first) - 1
        order = order[is_first]
        total, copies = np.bincount(group, weights=weight), np.bincount(group, weights=counted)
        codes = np.empty((len(columns), len(order)), dtype=np.uint8)
        n_values, edges, level_codes = np.zeros(len(columns), dtype=np.int32), [], {}
        for p in range(len(columns)):
            if binned.category[p]:
                bins = _level_bins(binned.codes[p], int(binned.n_values[p]), counted, max_bins)
                coding = codings[int(columns[p])].table
                levels = np.where(bins == bins[-1], -1, bins)[:-1]
                level_codes[p] = levels if coding is None else levels[coding]
                edges.append(np.empty(0))
            else:
                bins, between = _quantile_bins(binned, p, counted, max_bins)
                edges.append(between)
            n_values[p] = bins[-1]
            codes[p] = bins[binned.codes[p, order]]
        return cls(
            codes, n_values, binned.category.copy(), edges, level_codes, columns, live[order], total, copies,
            digest[order], live, group,
        )  # fmt: skip

    def held_out(self, strata: np.ndarray, n_bags: int, n_folds: int, seed: int) -> np.ndarray:
        """The share of each row's copies that each bag holds out: float64 (bags, rows), 0 or 1 of a single row.

        Bags are folds, drawn again after every `n_folds` of them, so all copies are held out equally often. Copies are
        dealt out in turn: those of a row spread over all folds, and so do those of a stratum.
        """
        out = np.zeros((n_bags, len(self.digest)))
        if self.counted.sum() < 2:
            return out
        for repeat in range(-(-n_bags // n_folds)):
            key = self.digest.copy()
            hash_numbers(np.full(len(key), seed_of(seed, "bags", repeat), dtype=np.uint64), key)
            order = np.lexsort((key, strata))
            end = np.cumsum(self.counted[order])
            begin = end - self.counted[order]
            for f in range(min(n_folds, n_bags - repeat * n_folds)):
                dealt = np.ceil((end - f) / n_folds) - np.ceil((begin - f) / n_folds)
                out[repeat * n_folds + f, order] = dealt / self.counted[order]
        return out


def ranks_of(values: np.ndarray) -> np.ndarray:
    """Rank of each number; numbers that differ by rounding have the same one, so that another unit changes none.

    >>> ranks_of(np.array([0.1 + 0.2, 5.0, 0.3, -1.0])).tolist()
    [1.0, 2.0, 1.0, 0.0]
    """
    distinct, inverse = np.unique(values, return_inverse=True)
    rounding = 16 * np.finfo(float).eps * max(abs(distinct[0]), abs(distinct[-1]))
    return np.cumsum(np.diff(distinct, prepend=distinct[0]) > rounding)[inverse].astype(np.float64)


def _quantile_bins(binned: BinnedTable, p: int, counted: np.ndarray, max_bins: int) -> tuple[np.ndarray, np.ndarray]:
    """The bin of each code and, last, of missing; the values between bins. Values share bins only where they must."""
    n_values, first = int(binned.n_values[p]), int(binned.first[p])
    bins = np.arange(n_values + 1)
    if n_values > max_bins:
        counts = np.bincount(binned.codes[p], weights=counted, minlength=n_values + 1)[:n_values]
        before = np.cumsum(counts) - counts
        quantile = (before * max_bins / counts.sum()).astype(np.int64)
        bins[:n_values] = np.unique(quantile, return_inverse=True)[1]
        bins[n_values] = bins[n_values - 1] + 1
    last = np.flatnonzero(np.diff(bins[:n_values]))
    low, high = binned.low[first + last + 1], binned.high[first + last]
    middle = 0.5 * high + 0.5 * low  # a sum of both could overflow
    return bins, np.where((high <= middle) & (middle < low), middle, high)


def _level_bins(codes: np.ndarray, n_levels: int, counted: np.ndarray, max_bins: int) -> np.ndarray:
    """The bin of each level and, last, of missing, which levels without a row have, too; the rarest may share one."""
    counts = np.bincount(codes, weights=counted, minlength=n_levels + 1)[:n_levels]
    present = np.flatnonzero(counts > 0)
    n_bins = min(len(present), max_bins)
    frequent = present
    if len(present) > max_bins:
        frequent = np.sort(present[np.argsort(-counts[present], kind="stable")[: max_bins - 1]])
    bins = np.full(n_levels + 1, n_bins, dtype=np.int64)
    bins[present] = n_bins - 1
    bins[frequent] = np.arange(len(frequent))
    return bins
