"""Columns as few groups of values, and their contingency tables against classes: what every counting score reads."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from tamis import _core
from tamis.engine import map_threads, workers
from tamis.table import Column, Table

SHORT = 10_000  # rows up to which whole blocks of numeric columns are sorted at once: 10 times faster at 100 rows
COLUMNS = 16  # columns a task: enough work to share between threads, the same split for any number of them


def _limit(distinct: int, min_groups: int) -> int:
    """Number of groups of a numeric column: the cube root of its number of distinct values, or `min_groups` if more.

    A group for every value would let each column tell the whole target; too few hide fine dependence. On data of known
    dependence (200 to 20,000 rows) the cube root ranked columns closer to the truth than powers of 0.4 and 0.5.
    """
    return max(min_groups, round(distinct ** (1 / 3)))


@dataclass(frozen=True, eq=False)
class Tables:
    """Contingency tables of all columns against the classes, one under the other.

    `counts[first[j]:first[j + 1]]` is the table of column j, a line for each of its groups.
    """

    counts: np.ndarray
    first: np.ndarray

    @property
    def lines(self) -> np.ndarray:
        """Rows (or weight) of each group."""
        return self.counts.sum(axis=1)

    @property
    def classes(self) -> np.ndarray:
        """Rows (or weight) of each class: the same in every column, for missing values are a group too."""
        return self.counts[: self.first[1]].sum(axis=0)

    def add(self, values: np.ndarray) -> np.ndarray:
        """Sums over the lines of each column."""
        return np.add.reduceat(values, self.first[:-1])


class Groups:
    """Every column as group codes 0 … size − 1.

    Categories are groups as they are. Numbers with few distinct values likewise; with many, neighbouring values are
    put together until the groups hold about equally many rows (or weight). Missing values are a group of their own.
    Groups are read off Bins and never look at the target.

    Attributes
    ----------
    codes : uint16 (columns, rows).
    sizes : number of groups of each column.
    """

    def __init__(self, codes: np.ndarray, sizes: np.ndarray, weights: np.ndarray | None = None) -> None:
        self.codes, self.sizes, self.weights = codes, sizes, weights
        self.first = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)

    @classmethod
    def of(
        cls,
        table: Table,
        weights: np.ndarray | None = None,
        *,
        min_groups: int = 10,
        max_groups: int | None = None,
        levels: int | None = None,
        n_jobs: int | None = None,
    ) -> "Groups":
        """Groups of a table's columns.

        Numbers get `max_groups` groups, or as many as suit their distinct values but at least `min_groups`. Categories
        keep their levels, or, with a limit to `levels`, the most frequent ones and one group of the others.
        """
        codes = np.empty((table.n_columns, table.n_rows), dtype=np.uint16)
        sizes = np.empty(table.n_columns, dtype=np.int64)
        short = weights is None and 0 < table.n_rows <= SHORT
        values = table.dense if short else None

        def some(start: int) -> None:
            if values is not None:
                block = slice(start, start + COLUMNS)
                _short_lines(values[:, block].T, min_groups, max_groups, codes[block], sizes[block])
                return
            for j in range(start, min(start + COLUMNS, table.n_columns)):
                codes[j], sizes[j] = group_codes(
                    table.column(j), weights, min_groups=min_groups, max_groups=max_groups, levels=levels
                )

        map_threads(some, range(0, table.n_columns, COLUMNS), n_jobs)
        return cls(codes, sizes, weights)

    @property
    def n_columns(self) -> int:
        return len(self.sizes)

    def tables(self, codes: np.ndarray, n_classes: int, n_jobs: int | None = None) -> Tables:
        """Contingency tables of every column against class codes."""
        counts = np.zeros((int(self.first[-1]), n_classes))
        starts = range(0, self.n_columns, COLUMNS) if workers(n_jobs) > 1 else [0]
        step = COLUMNS if workers(n_jobs) > 1 else max(1, self.n_columns)

        def fill_columns(j: int) -> None:
            if self.weights is None:
                _core.count_classes(self.codes[j : j + step], self.first[j : j + step], codes, counts)
            else:
                _core.weigh_classes(self.codes[j : j + step], self.first[j : j + step], codes, self.weights, counts)

        map_threads(fill_columns, starts, n_jobs)
        return Tables(counts, self.first)


def _short_lines(
    values: np.ndarray, min_groups: int, max_groups: int | None, codes: np.ndarray, sizes: np.ndarray
) -> None:
    """Group codes of several short numeric columns without weights, a line each: as `group_codes`, all at once."""
    lines = np.ascontiguousarray(values, dtype=np.float64)
    order = np.argsort(lines, axis=1)
    ordered = np.take_along_axis(lines, order, axis=1)  # NaN comes last
    is_observed = ~np.isnan(ordered)
    distinct = (is_observed[:, 1:] & (ordered[:, 1:] != ordered[:, :-1])).sum(axis=1) + is_observed[:, 0]
    limits = np.array(
        [_limit(int(k), min_groups) if max_groups is None else max_groups for k in distinct], dtype=np.int64
    )
    _core.group_lines(ordered, order, is_observed.sum(axis=1), distinct, limits, codes, sizes)


def group_codes(
    column: Column,
    weights: np.ndarray | None = None,
    *,
    min_groups: int = 10,
    max_groups: int | None = None,
    levels: int | None = None,
) -> tuple[Any, int]:
    """Group codes of one column and the number of groups (at least 1)."""
    from tamis.views.bins import Coding

    coding, codes = Coding.learn(column)
    mass = np.bincount(codes, weights, minlength=coding.n_values + 1)
    occupied = mass[:-1] > 0
    distinct = int(occupied.sum())
    limit = _limit(distinct, min_groups) if max_groups is None else max_groups
    group = np.zeros(len(mass), dtype=np.int64)
    if column.is_categorical and levels is not None and distinct > levels:
        frequent = np.argsort(-mass[:-1], kind="stable")[: levels - 1]
        group[:-1] = levels - 1
        group[frequent] = np.arange(levels - 1)
    elif column.is_categorical or distinct <= limit:
        group[:-1] = np.cumsum(occupied) - 1
    else:
        group[:-1] = _equal_shares(mass[:-1], occupied, limit)
    group[:-1] = np.maximum(group[:-1], 0)  # values without weight before the first that has some
    size = int(group[:-1].max(initial=-1)) + 1
    group[-1] = size
    return group.astype(np.uint16)[codes], max(1, size + int(mass[-1] > 0))


def _equal_shares(mass: np.ndarray, occupied: np.ndarray, limit: int) -> np.ndarray:
    """The group of each value: which of `limit` equal shares of the mass its middle falls into; no empty groups."""
    middle = np.cumsum(mass) - mass / 2
    share = np.minimum((middle * (limit / mass.sum())).astype(np.int64), limit - 1)
    change = np.zeros(len(share), dtype=np.int64)
    indices = np.flatnonzero(occupied)
    change[indices[1:]] = share[indices[1:]] != share[indices[:-1]]
    return np.cumsum(change)
