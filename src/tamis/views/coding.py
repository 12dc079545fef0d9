"""Coding: how one column becomes small integer codes, numbers in their order, a code of its own for missing."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from tamis import _core
from tamis.errors import TableError
from tamis.table import Column

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
    def learn(cls, column: Column, most: int = MOST) -> "tuple[Coding, np.ndarray]":
        """The coding of a column's values, lossless when they are at most `most` different ones; and their codes."""
        if column.is_categorical:
            coding = cls._categories(column, most)
            return coding, coding.encode(column)
        return cls._numbers(column, most)

    @classmethod
    def _numbers(cls, column: Column, max_codes: int) -> "tuple[Coding, np.ndarray]":
        values = np.ascontiguousarray(column.values, dtype=np.float64)
        low, high, edges, lossless = _core.learn_numbers(values, max_codes)
        return cls(column.name, len(low), low, high, edges, lossless=lossless), _core.encode(values, edges, len(low))

    @classmethod
    def _categories(cls, column: Column, max_codes: int) -> "Coding":
        levels = column.levels or ()
        table = np.arange(len(levels), dtype=np.int64)
        if len(levels) > max_codes:
            counts = np.bincount(column.values[column.values >= 0], minlength=len(levels))
            frequent = np.sort(np.argsort(-counts, kind="stable")[: max_codes - 1])
            table = np.full(len(levels), max_codes - 1, dtype=np.int64)
            table[frequent] = np.arange(max_codes - 1)
        n_values = min(len(levels), max_codes)
        return cls(column.name, n_values, levels=levels, table=table, lossless=len(levels) <= max_codes)

    def encode(self, column: Column) -> np.ndarray:
        """The codes of a column's rows, old or new."""
        if column.is_categorical != self.is_categorical:
            was, now = ("categories", "numbers") if self.is_categorical else ("numbers", "categories")
            raise TableError(
                f"column {self.name!r} held {was} when it was coded and holds {now} now; give it as it was"
            )
        if self.table is None:
            assert self.edges is not None
            values = np.ascontiguousarray(column.values, dtype=np.float64)
            return np.asarray(_core.encode(values, self.edges, self.missing))
        levels = column.recode(self.levels or ()).values
        codes = np.append(self.table, self.missing)  # anything below 0 (missing, unseen) is the last
        return codes[np.maximum(levels, -1)].astype(self.dtype)
