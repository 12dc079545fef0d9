"""Bins: every column as small integer codes, numbers in their order, missing values with a code of their own."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from tamis import _core
from tamis.engine import map_threads
from tamis.errors import ParameterError, TableError
from tamis.table import Classes, Table
from tamis.table.like import TableLike
from tamis.views.binned import BinnedTable, bin_columns
from tamis.views.coding import MOST, Coding

__all__ = ["MOST", "Bins", "Coding"]


class Bins:
    """Every column of a table as unsigned integer codes, column by column.

    A numeric column with k ≤ 65,535 different values has the codes 0 … k - 1 in their order; with more, the finest
    quantiles that two bytes hold. A categorical column has its level codes. Missing has the code k. Codes take one byte
    up to 255 values, two beyond. Coding is a re-encoding: it never looks at a target.

    Parameters
    ----------
    codings : how each column is coded.
    codes : the codes, one array a column.
    named : whether the names are the user's (ties go by name) or made up (ties go by position).

    >>> bins = Bins.of([[1.5, 3.0], [0.5, float("nan")], [1.5, 2.0]])
    >>> bins.codes[0], bins.codes[1]
    (array([1, 0, 1], dtype=uint8), array([1, 2, 0], dtype=uint8))
    """

    def __init__(self, codings: Sequence[Coding], codes: Sequence[np.ndarray], *, n_rows: int, named: bool) -> None:
        self._codings: tuple[Coding, ...] | None = tuple(codings)
        self._codes: tuple[np.ndarray, ...] | None = tuple(codes)
        self.n_rows = n_rows
        self.named = named
        self.binned: BinnedTable | None = None  # what they are made of, for those who read all columns at once
        self._categories: dict[int, Coding] = {}  # of `binned`
        self._table: Table | None = None

    @classmethod
    def of(cls, X: Any, *, most: int = MOST, n_jobs: int | None = None) -> "Bins":
        """Bins of a Table, an array, a sparse matrix or a frame.

        `most` is how many different values a column may have and stay lossless; above 65,535 codes take four bytes.
        """
        if isinstance(X, Bins):
            return X
        table = Table.of(X)
        if table.n_rows <= min(MOST, most):
            return cls._of_binned(*bin_columns(table, n_jobs=n_jobs), table)
        pairs = map_threads(lambda j: Coding.learn(table.column(j), most), range(table.n_columns), n_jobs)
        return cls([c for c, _ in pairs], [codes for _, codes in pairs], n_rows=table.n_rows, named=table.named)

    @classmethod
    def _of_binned(cls, binned: BinnedTable, categories: dict[int, Coding], table: Table) -> "Bins":
        """An object a column is made when asked for: in a table of 100,000 columns they cost more than the codes."""
        bins = cls((), (), n_rows=table.n_rows, named=table.named)
        bins.binned, bins._categories, bins._table = binned, categories, table
        bins._codings = bins._codes = None
        return bins

    @classmethod
    def mapped(cls, binned: BinnedTable, codings: Sequence[Coding]) -> "Bins":
        """Bins of a binned table whose columns are named and stay where they are."""
        bins = cls(codings, tuple(binned.codes), n_rows=binned.codes.shape[1], named=True)
        bins.binned = binned
        bins._categories = {j: coding for j, coding in enumerate(codings) if coding.is_categorical}
        return bins

    @property
    def codings(self) -> tuple[Coding, ...]:
        """How each column is coded."""
        if self._codings is None and self.binned is not None:
            self._codings = _codings_of(self.binned, self._categories, self.names)
        return self._codings or ()

    @property
    def codes(self) -> tuple[np.ndarray, ...]:
        """The codes, one array a column."""
        if self._codes is None and self.binned is not None:
            if (self.binned.n_values < 256).all():  # at once: one by one would take longer than coding short columns
                self._codes = tuple(self.binned.codes.astype(np.uint8))
            else:
                lines = zip(self.codings, self.binned.codes)
                self._codes = tuple(line.astype(coding.dtype, copy=False) for coding, line in lines)
        return self._codes or ()

    def encode(self, X: TableLike, *, n_jobs: int | None = None) -> "Bins":
        """Bins of other rows of the same columns, coded by what these rows taught.

        A number between two training values has the code of the nearer one; beyond them, of the outermost. A level
        never seen has the code of missing.
        """
        table = Table.of(X)
        if table.n_columns != self.n_columns:
            raise TableError(
                f"the table has {table.n_columns} columns, but {self.n_columns} were coded; give the same ones"
            )
        codes = map_threads(lambda j: self.codings[j].encode(table.column(j)), range(self.n_columns), n_jobs)
        return Bins(self.codings, codes, n_rows=table.n_rows, named=self.named)

    @property
    def n_columns(self) -> int:
        return len(self.names)

    @property
    def names(self) -> tuple[str, ...]:
        if self._table is not None:
            return self._table.names
        return tuple(coding.name for coding in self.codings)

    @property
    def n_values(self) -> np.ndarray:
        """Number of value codes of each column; the same number is the column's code for missing."""
        if self.binned is not None:
            return self.binned.n_values.astype(np.int64)
        return np.array([coding.n_values for coding in self.codings], dtype=np.int64)

    @property
    def is_categorical(self) -> np.ndarray:
        if self.binned is not None:
            return self.binned.category
        return np.array([coding.is_categorical for coding in self.codings], dtype=bool)

    @property
    def levels(self) -> tuple[tuple[Any, ...] | None, ...]:
        """The levels of each column, None for numbers."""
        if self.binned is None:
            return tuple(coding.levels for coding in self.codings)
        levels: list[tuple[Any, ...] | None] = [None] * self.n_columns
        for j, coding in self._categories.items():
            levels[j] = coding.levels
        return tuple(levels)

    @property
    def code_values(self) -> tuple[np.ndarray, np.ndarray]:
        """Smallest value of each code of all columns of numbers, one column after the other; their starts."""
        if self.binned is not None:
            return self.binned.low, self.binned.first
        lows = [np.empty(0) if coding.low is None else coding.low for coding in self.codings]
        sizes = np.array([len(low) for low in lows], dtype=np.int64)
        return np.concatenate([np.empty(0), *lows]), np.append(0, np.cumsum(sizes)).astype(np.int64)

    def order(self) -> np.ndarray:
        """Positions of the columns in the order that breaks ties: by name, or by position when unnamed."""
        if not self.named:
            return np.arange(self.n_columns)
        if self._table is not None:
            return self._table.order()
        names = self.names  # once: it is made again at every call
        return np.array(sorted(range(self.n_columns), key=names.__getitem__), dtype=np.int64)

    def joint(self, j: int, target: Classes, weights: np.ndarray | None = None) -> np.ndarray:
        """Contingency table of column j against classes: rows (or weight) of each [code, class]; missing comes last.

        >>> Bins.of([[7.0], [7.0], [9.0]]).joint(0, Classes.of(["a", "b", "b"]))
        array([[1., 1.],
               [0., 1.],
               [0., 0.]])
        """
        self._same_length(len(target))
        n_codes, n_classes = self.codings[j].n_values + 1, target.n_classes
        cells = self.codes[j].astype(np.int64) * n_classes + target.codes
        joint = np.bincount(cells, weights=weights, minlength=n_codes * n_classes)
        return joint.reshape(n_codes, n_classes).astype(np.float64)

    def sums(self, j: int, y: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
        """Sums of a numeric target over column j: (Σ w, Σ w y, Σ w y²) of each code; missing comes last.

        >>> Bins.of([[7.0], [7.0], [9.0]]).sums(0, np.array([1.0, 2.0, 5.0]))
        array([[ 2.,  3.,  5.],
               [ 1.,  5., 25.],
               [ 0.,  0.,  0.]])
        """
        target = np.ascontiguousarray(y, dtype=np.float64)
        self._same_length(len(target))
        weight = np.ones(len(target)) if weights is None else np.asarray(weights, dtype=np.float64)
        codes, n_codes = self.codes[j], self.codings[j].n_values + 1
        terms = (weight, weight * target, weight * target * target)
        return np.column_stack([np.bincount(codes, weights=term, minlength=n_codes) for term in terms])

    def take(self, rows: Any) -> "Bins":
        """The same coding, some of the rows (positions or a mask)."""
        codes = [codes[rows] for codes in self.codes]
        n_rows = len(codes[0]) if codes else len(np.arange(self.n_rows)[rows])
        return Bins(self.codings, codes, n_rows=n_rows, named=self.named)

    def select(self, columns: Sequence[int]) -> "Bins":
        """Some of the columns, by position, in the order given."""
        positions = [int(j) for j in columns]
        codings, codes = [self.codings[j] for j in positions], [self.codes[j] for j in positions]
        return Bins(codings, codes, n_rows=self.n_rows, named=self.named)

    def _same_length(self, n: int) -> None:
        if n != self.n_rows:
            raise ParameterError(f"the target has {n:,} rows, the table {self.n_rows:,}; give one value per row")

    def __len__(self) -> int:
        return self.n_rows

    def __repr__(self) -> str:
        return f"Bins({self.n_rows:,} rows × {self.n_columns:,} columns)"


def _codings_of(binned: BinnedTable, categories: dict[int, Coding], names: Sequence[str]) -> tuple[Coding, ...]:
    edges = _core.midways(binned.low)  # those between two columns are nobody's
    ends = zip(names, binned.first[:-1].tolist(), binned.first[1:].tolist())
    return tuple(
        categories.get(j) or Coding(name, b - a, binned.low[a:b], binned.low[a:b], edges[a : max(b - 1, a)])
        for j, (name, a, b) in enumerate(ends)
    )
