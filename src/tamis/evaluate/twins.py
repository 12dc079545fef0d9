"""Rows that are the same, or almost the same, as other rows."""

from __future__ import annotations

import numpy as np

from tamis.engine.seed import generator
from tamis.table import Table

__all__ = ["near_twins", "row_keys", "twins"]

_NEAR = 1e-3  # of a column's standard deviation, root mean square over columns
_TABLES = 4  # grids tried, each shifted anew: a near pair is cut apart by all four with probability below 1 in 50
_LINES = 4


def row_keys(table: Table) -> np.ndarray:
    """A 64-bit key of each row's values: equal rows have equal keys, other rows (all but surely) different ones.

    >>> keys = row_keys(Table.of(np.array([[1.0, 2.0], [2.0, 1.0], [1.0, 2.0]])))
    >>> bool(keys[0] == keys[2] != keys[1])
    True
    """
    keys = np.zeros(table.n_rows, dtype=np.uint64)
    draw = generator(0, "row keys")
    for j in range(table.n_columns):
        column = table.column(j)
        if column.is_categorical:
            words = [hash_of(str(level)) for level in column.levels or ()]
            bits = np.array([*words, 1, 0], dtype=np.uint64)[column.values]  # the last is missing, -2 is unseen
        else:
            values = column.values + 0.0  # one zero, not two
            values[np.isnan(values)] = np.nan  # one bit pattern for every missing number
            bits = values.view(np.uint64)
        odd = np.uint64(draw.integers(1, 2**63)) | np.uint64(1)
        mixed = (bits ^ (bits >> np.uint64(29))) * odd
        keys = (keys * np.uint64(0x9E3779B97F4A7C15)) ^ (mixed ^ (mixed >> np.uint64(31)))
    return keys


def hash_of(text: str) -> int:
    """A 64-bit number from text, the same on every machine."""
    import hashlib

    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")


def twins(keys: np.ndarray) -> np.ndarray:
    """For every row the number of the set of equal rows it belongs to, or −1 when it has no twin.

    >>> twins(np.array([5, 7, 5, 9], dtype=np.uint64)).tolist()
    [0, -1, 0, -1]
    """
    _, codes, counts = np.unique(keys, return_inverse=True, return_counts=True)
    several = np.flatnonzero(counts > 1)
    number = np.full(len(counts), -1)
    number[several] = np.arange(len(several))
    return np.asarray(number[codes])


def near_twins(table: Table, *, most_rows: int = 200_000) -> list[tuple[int, int]]:
    """Pairs of rows that differ, but by less than a thousandth of the columns' standard deviations.

    Rows are put into cells of a coarse grid on a few random directions, and only rows of a cell are compared; rows
    beyond `most_rows` are left out. Columns of categories must agree exactly.
    """
    matrix, codes = _standardised(table, most_rows)
    n, d = matrix.shape
    if d == 0 or n < 2:
        return []
    found: set[tuple[int, int]] = set()
    draw = generator(0, "near twins")
    lines = draw.normal(size=(d, _LINES)) / np.sqrt(d)
    places = matrix @ lines
    width = 20 * _NEAR
    for _ in range(_TABLES):
        cell = np.floor(places / width + draw.random(_LINES)).astype(np.int64)
        _, group = np.unique(np.column_stack([cell, codes]), axis=0, return_inverse=True)
        found |= _close(matrix, group.ravel())
    return sorted(found)


def _standardised(table: Table, most_rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Numeric columns over their deviation, missing as 0; and one code a row for its categories and missing places."""
    small = table if table.n_rows <= most_rows else table.take(np.arange(most_rows))
    numeric = [column for column in small.columns if not column.is_categorical]
    matrix = np.zeros((small.n_rows, len(numeric)))
    rest = []
    for j, column in enumerate(numeric):
        there = ~column.missing
        spread = column.values[there].std() if there.any() else 0.0
        if spread > 0:
            matrix[there, j] = (column.values[there] - column.values[there].mean()) / spread
        if not there.all():
            rest.append(column.missing.astype(np.int64))
    rest += [column.values.astype(np.int64) for column in small.columns if column.is_categorical]
    codes = np.zeros(small.n_rows, dtype=np.int64)
    if rest:
        codes = np.unique(np.column_stack(rest), axis=0, return_inverse=True)[1].ravel()
    return matrix, codes


def _close(matrix: np.ndarray, group: np.ndarray) -> set[tuple[int, int]]:
    """Pairs within a cell whose root mean square difference is small, but not 0."""
    order = np.argsort(group, kind="stable")
    starts = np.flatnonzero(np.r_[True, np.diff(group[order]) != 0])
    sizes = np.diff(np.r_[starts, len(order)])
    found = set()
    for start, size in zip(starts[sizes > 1], sizes[sizes > 1]):
        rows = order[start : start + min(int(size), 50)]  # a crowded cell of a coarse column is no twin
        for place, first in enumerate(rows[:-1]):
            others = rows[place + 1 :]
            apart = np.sqrt(((matrix[others] - matrix[first]) ** 2).mean(axis=1))
            found |= {(int(first), int(other)) for other in others[(apart < _NEAR) & (apart > 0)]}
    return found
