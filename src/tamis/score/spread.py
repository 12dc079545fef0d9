"""Sums of each column about a value near its middle: all that means, variances, correlations and F ratios need."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from tamis import _core
from tamis.engine import map_threads
from tamis.table import Column, Table, refuse_extreme

ROWS = 131_072  # rows a task: fixed, so that sums have the same bits for any number of threads
COLUMNS = 16  # columns a task, where a matrix holds them one after the other
POOR = 1e4  # a shift this many variances (squared) from the mean costs four digits: the column is summed again


@dataclass(frozen=True, eq=False)
class Sums:
    """Sums over the rows that have a value in the column; categorical columns are NaN here.

    Attributes
    ----------
    mass : Σ w, of each class and column.
    sums : Σ w (x − shift), of each class and column.
    squares : Σ w (x − shift)², of each column.
    shift : the value near the middle of each column.
    products : Σ w (x − shift)(y − ȳ), of each column; zeros without a numeric target.
    target : Σ w (y − ȳ)², of each column; zeros without a numeric target.
    """

    mass: np.ndarray
    sums: np.ndarray
    squares: np.ndarray
    shift: np.ndarray
    products: np.ndarray
    target: np.ndarray

    @property
    def n(self) -> np.ndarray:
        """Rows (or weight) with a value, of each column."""
        return self.mass.sum(axis=0)

    @property
    def scatter(self) -> np.ndarray:
        """Σ w (x − x̄)², of each column."""
        total = self.sums.sum(axis=0)
        correction = np.divide(total**2, self.n, out=np.zeros_like(total), where=self.n > 0)
        return np.maximum(self.squares - correction, 0.0)

    @property
    def mean(self) -> np.ndarray:
        """Mean of each column; 0 without rows."""
        return self.shift + np.divide(self.sums.sum(axis=0), self.n, out=np.zeros_like(self.shift), where=self.n > 0)


class Spread:
    """A table as means and variances see it: numbers to be summed, and where its categories are."""

    def __init__(self, table: Table, weights: np.ndarray | None = None) -> None:
        self.table = table
        self.weights = np.ones(table.n_rows) if weights is None else weights
        dense = table.matrix is not None and not table.is_sparse
        self._by_rows = dense and table.matrix.flags.c_contiguous and table.n_columns > 1
        self._at_once = COLUMNS if dense else 1
        refuse_extreme(table)
        self.categorical: list[int] = []
        if not table.is_numeric:
            self.categorical = [j for j, column in enumerate(table.columns) if column.is_categorical]

    def sums(
        self,
        classes: np.ndarray | None = None,
        n_classes: int = 1,
        numbers: np.ndarray | None = None,
        n_jobs: int | None = None,
    ) -> Sums:
        """Sums by class, or together with a numeric target, in one pass over the rows."""
        of = np.zeros(self.table.n_rows, dtype=np.int32) if classes is None else classes
        y = None if numbers is None else _centred(numbers, self.weights)
        sums = self._rows(of, n_classes, y, n_jobs) if self._by_rows else self._columns(of, n_classes, y, n_jobs)
        n = np.maximum(sums.n, 1e-300)
        with np.errstate(invalid="ignore"):  # NaN: the column has missing values, or is categorical
            good = sums.sums.sum(axis=0) ** 2 / n <= POOR * sums.scatter
        for j in np.flatnonzero(~good):
            if j not in self.categorical:
                _put(sums, int(j), self._again(int(j), of, n_classes, y))
        return sums

    def _empty_sums(self, classes: np.ndarray, n_classes: int, y: np.ndarray | None) -> Sums:
        """Sums yet to be filled, with what is the same in every column that has no missing values."""
        d = self.table.n_columns
        mass = np.bincount(classes, self.weights, minlength=n_classes)
        target = 0.0 if y is None else float((self.weights * y**2).sum())
        every, sums = np.repeat(mass[:, None], d, axis=1), np.zeros((n_classes, d))
        return Sums(every, sums, np.zeros(d), np.zeros(d), np.zeros(d), np.full(d, target))

    def _rows(self, classes: np.ndarray, n_classes: int, y: np.ndarray | None, n_jobs: int | None) -> Sums:
        matrix, totals = self.table.matrix, self._empty_sums(classes, n_classes, y)
        totals.shift[:] = _middles(matrix)

        def block_sums(first: int) -> tuple[np.ndarray, ...]:
            rows = slice(first, first + ROWS)
            block, w = np.ascontiguousarray(matrix[rows], dtype=np.float64), self.weights[rows]
            sums, squares, products = (
                np.zeros_like(totals.sums),
                np.zeros_like(totals.shift),
                np.zeros_like(totals.shift),
            )
            if y is None:
                _core.sums_by_class_of_rows(block, w, classes[rows], totals.shift, sums, squares)
            else:
                _core.sums_with_numbers_of_rows(block, w, y[rows], totals.shift, sums[0], squares, products)
            return sums, squares, products

        for block in map_threads(block_sums, range(0, self.table.n_rows, ROWS), n_jobs):
            for field, value in zip((totals.sums, totals.squares, totals.products), block):
                field += value
        return totals

    def _columns(self, classes: np.ndarray, n_classes: int, y: np.ndarray | None, n_jobs: int | None) -> Sums:
        totals, skip = self._empty_sums(classes, n_classes, y), set(self.categorical)

        def some(first: int) -> None:
            columns = slice(first, min(first + self._at_once, self.table.n_columns))
            if first in skip:
                _put(totals, first, (np.nan,) * 6)
                return
            block = self._block(columns)
            shift = _middles(block.T)
            sums = _sums(block, self.weights, classes, n_classes, y, shift)
            _put(totals, columns, (totals.mass[:, columns], sums[0], sums[1], shift, sums[2], totals.target[columns]))

        map_threads(some, range(0, self.table.n_columns, self._at_once), n_jobs)
        return totals

    def _block(self, columns: slice) -> np.ndarray:
        """Some columns as lines (columns, rows)."""
        if self._at_once > 1:
            return np.ascontiguousarray(self.table.matrix.T[columns], dtype=np.float64)
        return self.table.column(columns.start).values[None, :]

    def _again(self, j: int, classes: np.ndarray, n_classes: int, y: np.ndarray | None) -> tuple[Any, ...]:
        """Sums of one column over the rows that have a value, about their mean: slower, and exact."""
        x = self.table.column(j).values
        is_observed = ~np.isnan(x)
        x, w, of = x[is_observed], self.weights[is_observed], classes[is_observed]
        mass = np.bincount(of, w, minlength=n_classes)
        if not mass.sum() > 0:
            return mass, np.zeros(n_classes), 0.0, 0.0, 0.0, 0.0
        shift = float(x[0] if x.min() == x.max() else np.average(x, weights=w))
        y = None if y is None else _centred(y[is_observed], w)
        sums, squares, products = _sums(x[None, :], w, of, n_classes, y, np.array([shift]))
        return mass, sums[:, 0], squares[0], shift, products[0], 0.0 if y is None else float((w * y**2).sum())


def _sums(
    X: np.ndarray,
    weights: np.ndarray,
    classes: np.ndarray,
    n_classes: int,
    y: np.ndarray | None,
    shift: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of columns (columns, rows): Σ w (x − shift) of each class, Σ w (x − shift)², Σ w (x − shift) y."""
    sums, squares, products = np.zeros((n_classes, len(X))), np.zeros(len(X)), np.zeros(len(X))
    if n_classes == 1:
        _core.sums_with_numbers_of_columns(X, weights, weights if y is None else y, shift, sums[0], squares, products)
    else:
        _core.sums_by_class_of_columns(X, weights, classes, shift, sums, squares)
    return sums, squares, products


def _centred(y: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """y less its mean; a plain sum, for the bits of a BLAS product depend on how many threads it has."""
    return np.asarray(y - (weights * y).sum() / weights.sum())


def levels(column: Column, weights: np.ndarray, classes: np.ndarray, n_classes: int) -> np.ndarray:
    """Contingency table of a categorical column against classes, rows without a value left out."""
    is_observed = column.values >= 0
    size = len(column.levels or ())
    cells = column.values[is_observed].astype(np.int64) * n_classes + classes[is_observed]
    return np.bincount(cells, weights[is_observed], minlength=size * n_classes).reshape(size, n_classes)


def _middles(matrix: np.ndarray) -> np.ndarray:
    """A value near the middle of each column: the median of 255 rows, spread evenly; a constant keeps its value."""
    rows = np.linspace(0, len(matrix) - 1, min(255, len(matrix))).astype(np.int64)
    sample = np.sort(np.asarray(matrix[rows], dtype=np.float64), axis=0)  # NaN comes last
    middle = np.maximum((~np.isnan(sample)).sum(axis=0) - 1, 0) // 2
    return np.nan_to_num(sample[middle, np.arange(sample.shape[1])])


def _put(sums: Sums, j: int | slice, column: tuple[Any, ...]) -> None:
    fields = (sums.mass, sums.sums, sums.squares, sums.shift, sums.products, sums.target)
    for field, value in zip(fields, column):
        field[..., j] = value
