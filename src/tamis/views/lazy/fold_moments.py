"""Moments of every fold of a lazy table, in one pass: one partial a cell and fold, merged in the order of the grid."""

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NoReturn

import numpy as np

from tamis.engine.hash import text_hash
from tamis.errors import MissingValueError, TableError
from tamis.table import Column, LazyTable
from tamis.table.lazy.grid import Cell
from tamis.table.lazy.lazy_table import CellTable
from tamis.table.lazy.sampled import row_hashes
from tamis.views.indicators import Indicators
from tamis.views.lazy.target import LazyTarget, refuse_words
from tamis.views.moments import FoldMoments, Moments, all_but_one, power_above, sum_of

_LARGE = 2.0**400  # squares of larger numbers, or of smaller than its inverse, would leave the range


@dataclass(frozen=True)
class RowFolds:
    """The fold of every row, by a keyed hash of its number: the same for any cut of the files.

    >>> np.bincount(RowFolds(2).of(np.arange(1000))).tolist()
    [476, 524]
    """

    n_folds: int
    seed: int = 0

    def of(self, rows: np.ndarray) -> np.ndarray:
        """The folds of rows by their numbers."""
        hashes = row_hashes(rows, int(text_hash(f"fold {self.seed}")))
        return (hashes % np.uint64(self.n_folds)).astype(np.int64)


@dataclass(frozen=True, eq=False)
class MomentsOfCell:
    """Makes the moments of each fold's rows in a cell, each about the mean of its own rows.

    A shift taken from other rows would let rows that are held out touch the bits of a training part.

    Parameters
    ----------
    read : turns a cell into a table.
    encoding : of the columns as numbers.
    target : the column to be learned, or None.
    folds : the fold of each row.
    answer : of a target of classes, how they are numbered; the moments are then those of the numbers.
    fill : what stands for a missing value of each encoded column; None to refuse missing values.
    """

    read: CellTable
    encoding: Indicators
    target: str | None
    folds: RowFolds
    answer: LazyTarget | None = None
    fill: np.ndarray | None = None

    def __call__(self, cell: Cell) -> tuple[Moments, ...]:
        block, ends = self.rows(cell)
        return tuple(self._moments(block[a:b]) for a, b in pairwise(ends))

    def rows(self, cell: Cell) -> tuple[np.ndarray, list[int]]:
        """The encoded rows of a cell that have a target, which comes last, fold by fold; and where each fold ends."""
        table = self.read(cell)
        columns = [table.column(name) for name in self.encoding.names]
        y = None if self.target is None else table.column(self.target)
        if y is not None and self.answer is not None:
            codes = self.answer.codes(y)
            y = Column(y.name, "numeric", np.where(codes < 0, np.nan, codes))
        index = np.arange(cell.n_rows) if y is None else np.flatnonzero(~y.missing)
        fold = self.folds.of(cell.first + index)
        rows = index[np.argsort(fold, kind="stable")]
        block = self._block(cell, columns, y, rows)
        ends = np.concatenate([[0], np.cumsum(np.bincount(fold, minlength=self.folds.n_folds))])
        return block, ends.tolist()

    def _block(self, cell: Cell, columns: list[Column], y: Column | None, rows: np.ndarray) -> np.ndarray:
        """The encoded rows in the order given, targets last."""
        out = np.empty((len(rows), self.encoding.n_encoded + (y is not None)), order="F")
        at = 0
        for column, levels in zip(columns, self.encoding.levels):
            values = column.values[rows]
            if levels is None:
                out[:, at] = values
                at += 1
                continue
            is_missing = values < 0
            if self.fill is None and is_missing.any():
                self._refuse(cell, column, rows)
            for code in range(1 if self.encoding.reference else 0, len(levels)):
                out[:, at] = values == code
                if self.fill is not None:
                    out[is_missing, at] = self.fill[at]
                at += 1
        if y is not None:
            out[:, at] = y.values[rows]
        for j in np.flatnonzero(~np.isfinite(out.sum(axis=0)) & np.isnan(out).any(axis=0)):
            if self.fill is None:
                self._refuse(cell, columns[int(self.encoding.groups[j])], rows)
            out[np.isnan(out[:, j]), j] = self.fill[j]
        return out

    def _refuse(self, cell: Cell, column: Column, rows: np.ndarray) -> NoReturn:
        row = int(rows[column.missing[rows]].min())
        raise MissingValueError(
            f"column {column.name!r} has no value in {cell.location(row)}, which these models cannot take from a table "
            "larger than memory; give missing='mean' to a linear model, fill it in the source, or leave the column out"
        )

    def _moments(self, block: np.ndarray) -> Moments:
        """Of some rows, about their own mean; overwrites them."""
        n, q = block.shape
        targets = 0 if self.target is None else 1
        if n == 0:
            return Moments(0, 0.0, np.zeros(q), np.ones(q), np.zeros(q), np.zeros((q, q)), self.encoding, targets)
        shift = block.mean(axis=0)
        block -= shift
        spread = np.abs(block).max(axis=0)
        scale = power_above(spread, shift)
        if (scale > _LARGE).any() or (scale < 1 / _LARGE).any():
            block /= scale
            scatter = block.T @ block
        else:  # by powers of two: the same bits as if the rows had been divided
            scatter = block.T @ block / scale / scale[:, None]
        return Moments(n, float(n), shift, scale, np.zeros(q), scatter, self.encoding, targets)


def merge(a: tuple[Moments, ...], b: tuple[Moments, ...]) -> tuple[Moments, ...]:
    """The moments of both, fold by fold."""
    return tuple(_sum_of_two(left, right) for left, right in zip(a, b))


def _sum_of_two(a: Moments, b: Moments) -> Moments:
    if not a.n_rows or not b.n_rows:
        return b if not a.n_rows else a
    return a + b


def fold_moments(
    table: LazyTable,
    target: str | None = None,
    *,
    n_folds: int = 1,
    seed: int = 0,
    encoding: Indicators | None = None,
    answer: LazyTarget | None = None,
    fill: np.ndarray | None = None,
) -> FoldMoments:
    """Moments of all rows with a target, and of the training and test rows of every fold; one pass over the rows.

    Parameters
    ----------
    table : the columns, and the target among them.
    target : name of the target, or None.
    n_folds, seed : folds of rows by `RowFolds`; one fold has no training rows.
    encoding : how columns become numbers; indicators of all levels by default.
    answer : of a target of classes, how they are numbered.
    fill : what stands for a missing value of each encoded column; None to refuse missing values.
    """
    if target is not None and answer is None:
        refuse_words(table.heads[table.index(target)])
    if encoding is None:
        encoding = encoding_of(table, [name for name in table.names if name != target])
    columns = table.select([*encoding.names, target] if target is not None else list(encoding.names))
    make = MomentsOfCell(columns.cell_table(), encoding, target, RowFolds(n_folds, seed), answer, fill)
    moments = columns.reduce(make, merge)
    if any(not fold.n_rows for fold in moments):
        raise TableError(f"a fold of {n_folds} has no row with a value of {target!r}; give more rows or fewer folds")
    return FoldMoments(sum_of(moments), all_but_one(moments), moments)


def encoding_of(table: LazyTable, names: list[str], *, reference: bool = False) -> Indicators:
    """How some columns of a lazy table become numbers."""
    heads = [table.heads[table.index(name)] for name in names]
    levels = tuple(tuple(column.levels or ()) if column.is_categorical else None for column in heads)
    return Indicators(tuple(names), levels, reference)


def in_units(moments: Moments, scale: np.ndarray) -> Moments:
    """The same moments in other units, powers of two: nothing is rounded."""
    ratio = moments.scale / scale
    return replace(
        moments,
        scale=scale,
        unit_mean=moments.unit_mean * ratio,
        unit_scatter=moments.unit_scatter * ratio[:, None] * ratio,
    )
