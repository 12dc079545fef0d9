"""What scores need of a lazy table, from one pass: contingency tables in whole numbers, means and scatters.

Counts add in any order. Means and scatters are those of each cell about its own means, merged in the order of the grid.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from tamis import _core
from tamis.score.spread import Spread
from tamis.table import Column, Table
from tamis.table.lazy.grid import Cell
from tamis.table.lazy.lazy_table import CellTable
from tamis.views.lazy.key_coding import KeyCoding
from tamis.views.lazy.target import LazyTarget


@dataclass(frozen=True, eq=False)
class ColumnSums:
    """Of every column over the rows that have a value in it; NaN for categories.

    Attributes
    ----------
    n, mean : rows and mean of each class and column (one line for a numeric target).
    scatter : Σ (x − x̄)², of each column.
    target_mean, products, target_scatter : ȳ, Σ (x − x̄)(y − ȳ) and Σ (y − ȳ)², of each column; zeros for classes.
    """

    n: np.ndarray
    mean: np.ndarray
    scatter: np.ndarray
    target_mean: np.ndarray
    products: np.ndarray
    target_scatter: np.ndarray

    @property
    def rows(self) -> np.ndarray:
        """Rows with a value, of each column."""
        return self.n.sum(axis=0)

    @property
    def middle(self) -> np.ndarray:
        """Mean of each column."""
        total = (self.n * self.mean).sum(axis=0)
        return np.asarray(np.divide(total, self.rows, out=np.zeros_like(total), where=self.rows > 0))

    def __add__(self, other: "ColumnSums") -> "ColumnSums":
        n, rows = self.n + other.n, self.rows + other.rows
        share = np.divide(other.n, n, out=np.zeros_like(n), where=n > 0)
        harmonic = np.divide(self.rows * other.rows, rows, out=np.zeros_like(rows), where=rows > 0)
        fraction = np.divide(other.rows, rows, out=np.zeros_like(rows), where=rows > 0)
        shift, target_apart = other.middle - self.middle, other.target_mean - self.target_mean
        return ColumnSums(
            n,
            self.mean + (other.mean - self.mean) * share,
            self.scatter + other.scatter + shift**2 * harmonic,
            self.target_mean + target_apart * fraction,
            self.products + other.products + shift * target_apart * harmonic,
            self.target_scatter + other.target_scatter + target_apart**2 * harmonic,
        )


@dataclass(frozen=True, eq=False)
class LevelSums:
    """A numeric target over the levels of a categorical column: rows, mean and Σ (y − ȳ)² of each."""

    n: np.ndarray
    mean: np.ndarray
    scatter: np.ndarray

    @classmethod
    def of(cls, codes: np.ndarray, y: np.ndarray, size: int) -> "LevelSums":
        n = np.bincount(codes, minlength=size).astype(np.float64)
        total = np.bincount(codes, y, minlength=size)
        mean = np.divide(total, n, out=np.zeros(size), where=n > 0)
        return cls(n, mean, np.bincount(codes, (y - mean[codes]) ** 2, minlength=size))

    def __add__(self, other: "LevelSums") -> "LevelSums":
        n = self.n + other.n
        share = np.divide(other.n, n, out=np.zeros_like(n), where=n > 0)
        shift = other.mean - self.mean
        scatter = self.scatter + other.scatter + shift**2 * self.n * share
        return LevelSums(n, self.mean + shift * share, scatter)


@dataclass(frozen=True, eq=False)
class Tally:
    """What was counted and summed.

    Attributes
    ----------
    rows : rows that have a target.
    counts : of every column whose values were counted, by name: rows of each [code, class], missing last.
    sums : means and scatters, or None where no criterion needs them.
    levels : of categorical columns, by name, a numeric target over their levels.
    """

    rows: int
    counts: dict[str, np.ndarray]
    sums: ColumnSums | None
    levels: dict[str, LevelSums]

    def __add__(self, other: "Tally") -> "Tally":
        sums = None if self.sums is None or other.sums is None else self.sums + other.sums
        for name, counts in other.counts.items():
            self.counts[name] += counts  # the arrays of a cell are nobody else's
        levels = {name: sums + other.levels[name] for name, sums in self.levels.items()}
        return Tally(self.rows + other.rows, self.counts, sums, levels)


def merge(a: Tally, b: Tally) -> Tally:
    """The tally of both."""
    return a + b


@dataclass(frozen=True, eq=False)
class TallyOfCell:
    """Makes the tally of a cell.

    Parameters
    ----------
    read : turns a cell into a table of the columns and the target.
    target : what is to be learned.
    names : the columns to be scored.
    codings : how columns of numbers are coded, by name; from the sample. Those without are not counted.
    groups : how a numeric target is cut into groups, where columns are counted against it.
    with_sums : whether means and scatters are asked for.
    """

    read: CellTable
    target: LazyTarget
    names: tuple[str, ...]
    codings: dict[str, KeyCoding]
    groups: KeyCoding | None
    with_sums: bool

    def __call__(self, cell: Cell) -> Tally:
        cell_table = self.read(cell)
        answer = cell_table.column(self.target.name)
        with_target = np.flatnonzero(~answer.missing)
        columns = [cell_table.column(name) for name in self.names]
        if len(with_target) < cell.n_rows:
            answer, columns = answer.take(with_target), [column.take(with_target) for column in columns]
        y = None if self.target.is_classes else np.ascontiguousarray(answer.values)
        codes, n_classes = self._classes(answer)
        counts = {c.name: _counts(c, self.codings.get(c.name), codes, n_classes) for c in columns if self._counted(c)}
        levels = {} if y is None else {c.name: _levels(c, y) for c in columns if c.is_categorical}
        sums = self._sums(columns, codes, n_classes, y) if self.with_sums else None
        return Tally(len(with_target), counts, sums, levels)

    def _classes(self, answer: Column) -> tuple[np.ndarray, int]:
        if self.target.is_classes:
            return self.target.codes(answer), len(self.target.labels)
        if self.groups is None:
            return np.zeros(len(answer.values), dtype=np.int32), 1
        return self.groups.encode(answer).astype(np.int32), self.groups.n_values

    def _counted(self, column: Column) -> bool:
        return column.name in self.codings or column.is_categorical

    def _sums(self, columns: list[Column], codes: np.ndarray, n_classes: int, y: np.ndarray | None) -> ColumnSums:
        d = len(columns)
        if not len(codes):
            none, lines = np.zeros(d), n_classes if y is None else 1
            return ColumnSums(np.zeros((lines, d)), np.zeros((lines, d)), none, none, none, none)
        spread = Spread(Table(columns))
        sums = spread.sums(codes, n_classes) if y is None else spread.sums(numbers=y)
        mean = sums.shift + np.divide(sums.sums, sums.mass, out=np.zeros_like(sums.sums), where=sums.mass > 0)
        target_mean = np.zeros(d)
        if y is not None:
            target_mean[:] = y.mean()
            for j in np.flatnonzero(sums.n < len(y)):
                target_mean[j] = y[~columns[j].missing].mean() if sums.n[j] > 0 else 0.0
        return ColumnSums(sums.mass, mean, sums.scatter, target_mean, sums.products, sums.target)


def _counts(column: Column, coding: KeyCoding | None, classes: np.ndarray, n_classes: int) -> np.ndarray:
    if coding is None:
        size = len(column.levels or ())
        cell = np.where(column.values < 0, size, column.values).astype(np.int64) * n_classes + classes
        return np.bincount(cell, minlength=(size + 1) * n_classes).reshape(size + 1, n_classes)
    counts = np.zeros((coding.n_values + 1, n_classes), dtype=np.int64)
    _core.count_keys(coding.keys(column), coding.table, classes, counts)
    return counts


def _levels(column: Column, y: np.ndarray) -> LevelSums:
    is_observed = column.values >= 0
    return LevelSums.of(column.values[is_observed], y[is_observed], len(column.levels or ()))


def codings_of(sample: Table, names: Any, max_codes: int) -> dict[str, KeyCoding]:
    """How columns of numbers are coded, by the sample: a code a value up to `max_codes` of them, else its quantiles."""
    columns = [sample.column(name) for name in names]
    return {c.name: KeyCoding.learn(c, max_codes) for c in columns if not c.is_categorical}
