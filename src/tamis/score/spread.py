"""Sums of each column about a value near its middle: all that means, variances, correlations and F ratios need."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tamis.engine import map_threads
from tamis.table import Column, Table

__all__ = ["Spread", "Sums"]

ROWS = 131_072  # rows a task: fixed, so that sums have the same bits for any number of threads
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
        self.weighted = weights is not None
        dense = table.matrix is not None and not table.is_sparse
        self._by_rows = dense and table.matrix.flags.c_contiguous and table.n_columns > 1
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
        y = None if numbers is None else numbers - np.average(numbers, weights=self.weights)
        if not self._by_rows:
            return self._columns(of, n_classes, y, n_jobs)
        found = self._rows(of, n_classes, y, n_jobs)
        centre = np.divide(found.sums.sum(axis=0), found.n)
        with np.errstate(invalid="ignore"):  # NaN: the column has missing values
            good = centre**2 * found.n <= POOR * found.scatter
        for j in np.flatnonzero(~good & ~((found.squares == 0) & (found.n > 0))):
            _put(found, int(j), self._column(int(j), of, n_classes, y))
        return found

    def _rows(self, classes: np.ndarray, n_classes: int, y: np.ndarray | None, n_jobs: int | None) -> Sums:
        from tamis.score import sums as kernels

        matrix, n = self.table.matrix, self.table.n_rows
        shift = _middles(matrix)

        def one(first: int) -> tuple[np.ndarray, ...]:
            rows = slice(first, first + ROWS)
            block, w = np.ascontiguousarray(matrix[rows], dtype=np.float64), self.weights[rows]
            sums, squares, products = np.zeros((n_classes, len(shift))), np.zeros(len(shift)), np.zeros(len(shift))
            if y is None:
                kernels.rows_by_class(block, w, classes[rows], shift, sums, squares)
            else:
                kernels.rows_with_numbers(block, w, y[rows], shift, sums[0], squares, products)
            return sums, squares, products

        parts = map_threads(one, range(0, n, ROWS), n_jobs)
        sums, squares, products = (np.sum([part[q] for part in parts], axis=0) for q in range(3))
        mass = np.bincount(classes, self.weights, minlength=n_classes)
        target = 0.0 if y is None else float(self.weights @ y**2)
        every = np.repeat(mass[:, None], len(shift), axis=1)
        return Sums(every, sums, squares, shift, products, np.full(len(shift), target))

    def _columns(self, classes: np.ndarray, n_classes: int, y: np.ndarray | None, n_jobs: int | None) -> Sums:
        d = self.table.n_columns
        found = Sums(np.zeros((n_classes, d)), np.zeros((n_classes, d)), *(np.zeros(d) for _ in range(4)))
        skip = set(self.categorical)

        def one(j: int) -> None:
            _put(found, j, None if j in skip else self._column(j, classes, n_classes, y))

        map_threads(one, range(d), n_jobs)
        return found

    def _column(self, j: int, classes: np.ndarray, n_classes: int, y: np.ndarray | None) -> tuple[Any, ...]:
        """Sums of one column over the rows that have a value, about their mean."""
        from tamis.score import sums as kernels

        x, w, of = self.table.column(j).values, self.weights, classes
        if not np.isfinite(x.sum()):
            seen = ~np.isnan(x)
            x, w, of, y = x[seen], w[seen], of[seen], None if y is None else y[seen]
        mass, sums = np.bincount(of, w, minlength=n_classes), np.zeros(n_classes)
        if not mass.sum() > 0:
            return mass, sums, 0.0, 0.0, 0.0, 0.0
        shift = float(x[0] if x.min() == x.max() else np.average(x, weights=w if self.weighted else None))
        if y is None:
            square = kernels.column_by_class(x, w, of, shift, sums)
            return mass, sums, square, shift, 0.0, 0.0
        y = y - np.average(y, weights=w)
        sums[0], square, product = kernels.column_with_numbers(x, w, y, shift)
        return mass, sums, square, shift, product, float(w @ y**2)


def levels(column: Column, weights: np.ndarray, classes: np.ndarray, n_classes: int) -> np.ndarray:
    """Contingency table of a categorical column against classes, rows without a value left out."""
    seen = column.values >= 0
    size = len(column.levels or ())
    places = column.values[seen].astype(np.int64) * n_classes + classes[seen]
    return np.bincount(places, weights[seen], minlength=size * n_classes).reshape(size, n_classes)


def _middles(matrix: np.ndarray) -> np.ndarray:
    """A value near the middle of each column: the median of 255 rows, spread evenly; a constant keeps its value."""
    rows = np.linspace(0, len(matrix) - 1, min(255, len(matrix))).astype(np.int64)
    sample = np.sort(np.asarray(matrix[rows], dtype=np.float64), axis=0)  # NaN comes last
    middle = np.maximum((~np.isnan(sample)).sum(axis=0) - 1, 0) // 2
    return np.nan_to_num(sample[middle, np.arange(sample.shape[1])])


def _put(found: Sums, j: int, column: tuple[Any, ...] | None) -> None:
    fields = (found.mass, found.sums, found.squares, found.shift, found.products, found.target)
    for field, value in zip(fields, column or (np.nan,) * 6):
        field[..., j] = value
