"""A table made ready for growing: codes in the order of column names, rows in the order of their content.

Rows are put in the order of a digest of what they hold, so a forest depends neither on the order of the rows nor on
whether a row that counts twice is given twice or with the weight 2.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tamis import _core
from tamis.forest.data.oblique import values_of
from tamis.forest.data.row_hash import hash_numbers, order_of
from tamis.table import Table
from tamis.views.binned import BinnedTable, bin_columns

MOST_COPIES = 50  # whole weights count as copies of rows up to this many a row on average


@dataclass(frozen=True, eq=False)
class ForestData:
    """The training rows of a forest that weigh something.

    Attributes
    ----------
    binned : their codes.
    columns : position in the user's table of each column of the binned table.
    rows : position in the user's table of each row of the binned table.
    copies : how often each row counts, or None when weights are not whole numbers.
    weight : what a drawn row weighs.
    joined : code of each level, for categorical columns with so many levels that rare ones share a code.
    """

    binned: BinnedTable
    columns: np.ndarray
    rows: np.ndarray
    copies: np.ndarray | None
    weight: np.ndarray
    joined: dict[int, np.ndarray]

    @cached_property
    def values(self) -> np.ndarray:
        """The numbers behind the codes, rows × columns, for trees that add columns up."""
        return values_of(self.binned)

    @property
    def counted(self) -> np.ndarray:
        """What each row counts in a mean over rows."""
        return self.weight if self.copies is None else self.copies.astype(np.float64)

    @classmethod
    def of(cls, table: Table, target: np.ndarray, weight: np.ndarray, n_jobs: int | None = None) -> ForestData:
        """The binned data of a table; `target` is a column or matrix of float64 that tells equal rows apart."""
        live = np.flatnonzero(weight > 0)
        if len(live) < table.n_rows:
            table, target, weight = table.take(live), target[live], weight[live]
        columns, copies = table.order(), _copies(weight)
        binned, codings = bin_columns(table, columns, n_jobs)
        order = _canonical(binned.codes, target, weight if copies is None else None)
        if copies is not None:
            copies, weight = copies[order], np.ones(len(order))
        else:
            weight = weight[order]
        joined = {j: c.table for j, c in codings.items() if c.table is not None and not c.lossless}
        return cls(_in_order(binned, order), columns, live[order], copies, weight, joined)


def _copies(weight: np.ndarray) -> np.ndarray | None:
    """Whole weights as numbers of copies; None when they are not whole, or far too many."""
    is_whole = np.all(weight == np.round(weight)) and weight.sum() <= max(MOST_COPIES * len(weight), 1_000)
    return weight.astype(np.int64) if is_whole else None


def _canonical(codes: np.ndarray, target: np.ndarray, weight: np.ndarray | None) -> np.ndarray:
    digest = _core.hash_codes(codes)
    for values in np.atleast_2d(target.T):
        hash_numbers(np.ascontiguousarray(values, dtype=np.float64).view(np.uint64), digest)
    if weight is not None:
        hash_numbers(weight.view(np.uint64), digest)
    return order_of(digest)


def _in_order(binned: BinnedTable, order: np.ndarray) -> BinnedTable:
    """The rows in another order, their codes column by column and row by row, of one byte each where all fit."""
    last = binned.n_values - 1 + binned.missing
    codes, by_row = _core.arrange(binned.codes, order, bool(last.max(initial=0) < 256))
    return binned._replace(codes=codes, by_row=by_row)
