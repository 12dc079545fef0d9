"""Bins: every column as small integer codes, numbers in their order, missing values with a code of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tamis.engine import map_threads
from tamis.errors import ParameterError, TableError
from tamis.table import Classes, Column, Table

__all__ = ["Bins", "Coding"]

SHORT = 4_096  # rows up to which columns of numbers are coded in blocks: the cost is then one of columns, not of rows
BLOCK = 64  # columns
MOST = 65_535  # distinct values that a two-byte code holds beside the code for missing


@dataclass(frozen=True, eq=False)
class Coding:
    """How one column is coded; learned from training rows, applied to any rows.

    Attributes
    ----------
    n_values : number of codes that stand for values, 0 … n_values - 1; the code `n_values` stands for missing.
    low, high : smallest and largest training value of each code (numbers only; equal where coding is lossless).
    edges : midway between neighbouring codes; x has the code k when k edges lie below it (numbers only).
    levels : the words behind the codes (categories only).
    table : code of each level (categories only; several rare levels may share the last code).
    lossless : whether different training values always have different codes.
    """

    name: str
    n_values: int
    low: np.ndarray | None = None
    high: np.ndarray | None = None
    edges: np.ndarray | None = None
    levels: tuple[Any, ...] | None = None
    table: np.ndarray | None = None
    lossless: bool = True

    @property
    def is_categorical(self) -> bool:
        return self.levels is not None

    @property
    def missing(self) -> int:
        """The code of a missing value (and of a level never seen)."""
        return self.n_values

    @property
    def dtype(self) -> np.dtype:
        """The smallest unsigned integer that holds every code and the one for missing."""
        return np.min_scalar_type(self.n_values)

    @classmethod
    def learn(cls, column: Column, most: int = MOST) -> tuple[Coding, np.ndarray]:
        """The coding of a column's values, lossless when they are at most `most` different ones; and their codes."""
        if column.is_categorical:
            coding = cls._categories(column, most)
            return coding, coding.encode(column)
        return cls._numbers(column, most)

    @classmethod
    def _numbers(cls, column: Column, most: int) -> tuple[Coding, np.ndarray]:
        from tamis.views import encode as kernels

        few = kernels.looks_few(column.values)
        if few:  # a plain sort and a search among few edges: twice as fast as carrying the rows along
            ordered = np.sort(column.values)  # NaN comes last
            ordered = ordered[: np.searchsorted(ordered, np.nan)]
        else:
            rows, ordered = kernels.ranked(column.values)
        values, counts = np.empty(len(ordered)), np.empty(len(ordered), dtype=np.int64)
        k = kernels.distinct(ordered, values, counts)
        low = high = values[:k].copy()
        if k > most:
            low, high = np.empty(most), np.empty(most)
            kept = kernels.quantiles(values[:k], counts[:k], most, low, high)
            low, high = low[:kept].copy(), high[:kept].copy()
        edges = np.empty(max(len(low) - 1, 0))
        kernels.midways(low, high, edges)
        coding = cls(column.name, len(low), low, high, edges, lossless=k <= most)
        if few:
            return coding, coding.encode(column)
        codes = np.full(len(column.values), coding.missing, dtype=coding.dtype)
        kernels.spread(rows, ordered, high, codes)
        return coding, codes

    @classmethod
    def _categories(cls, column: Column, most: int) -> Coding:
        levels = column.levels or ()
        table = np.arange(len(levels), dtype=np.int64)
        if len(levels) > most:
            counts = np.bincount(column.values[column.values >= 0], minlength=len(levels))
            frequent = np.sort(np.argsort(-counts, kind="stable")[: most - 1])
            table = np.full(len(levels), most - 1, dtype=np.int64)
            table[frequent] = np.arange(most - 1)
        n_values = min(len(levels), most)
        return cls(column.name, n_values, levels=levels, table=table, lossless=len(levels) <= most)

    def encode(self, column: Column) -> np.ndarray:
        """The codes of a column's rows, old or new."""
        from tamis.views import encode as kernels

        codes = np.empty(len(column.values), dtype=self.dtype)
        if column.is_categorical != self.is_categorical:
            was, now = ("categories", "numbers") if self.is_categorical else ("numbers", "categories")
            raise TableError(
                f"column {self.name!r} held {was} when it was coded and holds {now} now; give it as it was"
            )
        if self.is_categorical:
            values = column.recode(self.levels or ()).values
            kernels.encode_categories(values, self.table, self.missing, codes)
        else:
            low, scale, cells = kernels.grid(self.edges)  # type: ignore[arg-type]
            kernels.encode(column.values, self.edges, low, scale, cells, self.missing, codes)
        return codes


def _block(values: np.ndarray, names: Sequence[str]) -> list[tuple[Coding, np.ndarray]]:
    """What `Coding.learn` gives for each of several short columns of numbers, all of them at once."""
    from tamis.views import encode as kernels

    lines = np.ascontiguousarray(values.T, dtype=np.float64)
    order = np.argsort(lines, axis=1, kind="stable")  # NaN comes last
    ordered = np.take_along_axis(lines, order, axis=1)
    present = lines.shape[1] - np.isnan(ordered).sum(axis=1)
    distinct, edges, codes = np.empty_like(lines), np.empty_like(lines), np.empty(lines.shape, dtype=np.uint16)
    sizes = np.empty(len(lines), dtype=np.int64)
    kernels.code_lines(ordered, order, present, distinct, edges, sizes, codes)
    pairs = []
    for j, (name, k) in enumerate(zip(names, sizes.tolist())):
        kept = distinct[j, :k].copy()
        coding = Coding(name, k, kept, kept, edges[j, : max(k - 1, 0)].copy())
        pairs.append((coding, codes[j].astype(coding.dtype)))
    return pairs


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
        self.codings = tuple(codings)
        self.codes = tuple(codes)
        self.n_rows = n_rows
        self.named = named

    @classmethod
    def of(cls, X: Any, *, most: int = MOST, n_jobs: int | None = None) -> Bins:
        """Bins of a Table, an array, a sparse matrix or a frame.

        `most` is how many different values a column may have and stay lossless; above 65,535 codes take four bytes.
        """
        if isinstance(X, Bins):
            return X
        table = Table.of(X)

        short = table.matrix is not None and not table.is_sparse and 0 < table.n_rows <= min(SHORT, most)
        if short and table.n_columns > BLOCK:
            names, starts = table.names, range(0, table.n_columns, BLOCK)
            blocks = map_threads(lambda j: _block(table.matrix[:, j : j + BLOCK], names[j : j + BLOCK]), starts, n_jobs)
            pairs = [pair for block in blocks for pair in block]
        else:
            pairs = map_threads(lambda j: Coding.learn(table.column(j), most), range(table.n_columns), n_jobs)
        return cls([c for c, _ in pairs], [codes for _, codes in pairs], n_rows=table.n_rows, named=table.named)

    def encode(self, X: Any, *, n_jobs: int | None = None) -> Bins:
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
        return len(self.codings)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(coding.name for coding in self.codings)

    @property
    def n_values(self) -> np.ndarray:
        """Number of value codes of each column; the same number is the column's code for missing."""
        return np.array([coding.n_values for coding in self.codings], dtype=np.int64)

    @property
    def is_categorical(self) -> np.ndarray:
        return np.array([coding.is_categorical for coding in self.codings], dtype=bool)

    def order(self) -> np.ndarray:
        """Positions of the columns in the order that breaks ties: by name, or by position when unnamed."""
        if not self.named:
            return np.arange(self.n_columns)
        names = self.names  # once: it is made anew at every call
        return np.array(sorted(range(self.n_columns), key=names.__getitem__), dtype=np.int64)

    def joint(self, j: int, target: Classes, weights: np.ndarray | None = None) -> np.ndarray:
        """Contingency table of column j against classes: rows (or weight) of each [code, class]; missing comes last.

        >>> Bins.of([[7.0], [7.0], [9.0]]).joint(0, Classes.of(["a", "b", "b"]))
        array([[1., 1.],
               [0., 1.],
               [0., 0.]])
        """
        from tamis.views import encode as kernels

        self._same_length(len(target))
        shape = (self.codings[j].n_values + 1, target.n_classes)
        if weights is None:
            counts = np.zeros(shape, dtype=np.int64)
            kernels.count_joint(self.codes[j], target.codes, counts)
            return counts.astype(np.float64)
        joint = np.zeros(shape)
        kernels.weigh_joint(self.codes[j], target.codes, np.asarray(weights, dtype=np.float64), joint)
        return joint

    def sums(self, j: int, y: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
        """Sums of a numeric target over column j: (Σ w, Σ w y, Σ w y²) of each code; missing comes last.

        >>> Bins.of([[7.0], [7.0], [9.0]]).sums(0, np.array([1.0, 2.0, 5.0]))
        array([[ 2.,  3.,  5.],
               [ 1.,  5., 25.],
               [ 0.,  0.,  0.]])
        """
        from tamis.views import encode as kernels

        target = np.ascontiguousarray(y, dtype=np.float64)
        self._same_length(len(target))
        given = np.ones(len(target)) if weights is None else np.asarray(weights, dtype=np.float64)
        sums = np.zeros((self.codings[j].n_values + 1, 3))
        kernels.weigh_sums(self.codes[j], target, given, sums)
        return sums

    def take(self, rows: Any) -> Bins:
        """The same coding, some of the rows (positions or a mask)."""
        codes = [codes[rows] for codes in self.codes]
        n_rows = len(codes[0]) if codes else len(np.arange(self.n_rows)[rows])
        return Bins(self.codings, codes, n_rows=n_rows, named=self.named)

    def select(self, columns: Sequence[int]) -> Bins:
        """Some of the columns, by position, in the order given."""
        places = [int(j) for j in columns]
        codings, codes = [self.codings[j] for j in places], [self.codes[j] for j in places]
        return Bins(codings, codes, n_rows=self.n_rows, named=self.named)

    def _same_length(self, n: int) -> None:
        if n != self.n_rows:
            raise ParameterError(f"the target has {n:,} rows, but the table has {self.n_rows:,}; give one value a row")

    def __len__(self) -> int:
        return self.n_rows

    def __repr__(self) -> str:
        return f"Bins({self.n_rows:,} rows × {self.n_columns:,} columns)"
