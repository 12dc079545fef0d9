"""Rows that are the same, or almost the same, as other rows."""

import math
from functools import cached_property

import numpy as np

from tamis.engine.hash import GOLDEN, number_bits, text_hash
from tamis.engine.seed import generator
from tamis.table import Column, Table

_NEAR = 1e-3  # of a column's standard deviation, root mean square over columns
_TABLES = 4  # grids tried, each shifted again: a near pair is cut apart by all four with probability below 1 in 50
_LINES = 4
_STRATA = 32  # a column is shuffled within at most so many values (or stretches of values) of another
_PARENTS = 20  # columns that are looked at for the one to shuffle within
_COMPARED = 60  # columns that are looked at with others at all
_CROWD = 50  # rows of a cell that are compared with one another
_BLOCK = 1 << 20  # numbers that are compared at once


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
            words = [text_hash(str(level)) for level in column.levels or ()]
            bits = np.array([*words, 1, 0], dtype=np.uint64)[column.values]  # the last is missing, -2 is unseen
        else:
            bits = number_bits(column.values)
        odd = np.uint64(draw.integers(1, 2**63)) | np.uint64(1)
        mixed = (bits ^ (bits >> np.uint64(29))) * odd
        keys = (keys * GOLDEN) ^ (mixed ^ (mixed >> np.uint64(31)))
    return keys


def duplicates(keys: np.ndarray) -> np.ndarray:
    """For every row the number of the set of equal rows it belongs to, or −1 when no other row is equal.

    >>> duplicates(np.array([5, 7, 5, 9], dtype=np.uint64)).tolist()
    [0, -1, 0, -1]
    """
    ordered = np.sort(keys)
    several = np.unique(ordered[1:][ordered[1:] == ordered[:-1]])
    if not len(several):
        return np.full(len(keys), -1)
    number = np.minimum(np.searchsorted(several, keys), len(several) - 1)  # 6× faster than sorting positions
    return np.where(several[number] == keys, number, -1)


class Shuffled:
    """The same columns, each shuffled: rows that are equal here are equal by chance.

    Columns that hang together make equal rows more often than independent ones. So each column is shuffled within the
    values of the earlier column (from the coarsest on) that tells most about it, if any tells more than chance does:
    every single distribution and every such pair of them stay as they are, whole rows do not. Of a wide table only the
    finest columns are compared with others; there are enough columns then to tell rows apart.

    >>> table = Table.of(np.array([[1.0, 1.0], [1.0, 1.0], [2.0, 2.0], [2.0, 2.0]]))
    >>> sorted(Shuffled(table).table(0).column(0).values.tolist())
    [1.0, 1.0, 2.0, 2.0]
    """

    def __init__(self, source: Table) -> None:
        self.source = source

    @cached_property
    def _kin(self) -> tuple[dict[int, int | None], dict[int, np.ndarray]]:
        """Column -> the one to shuffle it within, in the order of shuffling; and the strata of those compared."""
        codes = [_codes(self.source.column(j)) for j in range(self.source.n_columns)]
        order = sorted(range(len(codes)), key=lambda j: (codes[j].max(), j))
        compared = order[-_COMPARED:]
        strata = {j: _strata(codes[j]) for j in compared}
        parents: dict[int, int | None] = {}
        for j in order:
            earlier = [k for k in compared if k in parents][-_PARENTS:] if j in strata else []
            parents[j] = _parent(strata, earlier, j)
        return parents, strata

    def table(self, draw: int) -> Table:
        """The columns as one draw shuffles them."""
        rng, n = generator(0, "shuffled columns", draw), self.source.n_rows
        parents, strata = self._kin
        source_rows: dict[int, np.ndarray] = {}  # column -> the row that each row takes its value from
        for j, parent in parents.items():
            mixed = rng.permutation(n)
            if parent is None:
                source_rows[j] = mixed
                continue
            before, after = strata[parent], strata[parent][source_rows[parent]]
            source_rows[j] = np.empty(n, dtype=np.int64)
            source_rows[j][np.argsort(after, kind="stable")] = mixed[np.argsort(before[mixed], kind="stable")]
        columns = [self.source.column(j).take(source_rows[j]) for j in range(self.source.n_columns)]
        return Table(columns, n_rows=n)


def _codes(column: Column) -> np.ndarray:
    """Values as whole numbers from 0, in their order; missing is a value."""
    return np.unique(column.values, return_inverse=True)[1].ravel()


def _strata(codes: np.ndarray) -> np.ndarray:
    """The values, where they are few for the rows; else stretches of the sorted values of about equal size.

    In one byte each, which a stable sort puts in order ten times faster.
    """
    max_strata = max(2, min(_STRATA, len(codes) // 10))
    levels = int(codes.max()) + 1
    if levels <= max_strata:
        return codes.astype(np.uint8)
    below = np.r_[0, np.cumsum(np.bincount(codes))[:-1]]
    return (below * max_strata // len(codes)).astype(np.uint8)[codes]


def _parent(strata: dict[int, np.ndarray], earlier: list[int], j: int) -> int | None:
    """The earlier column that shares most information with column j, beyond what chance gives; None when none does."""
    best, parent = 0.0, None
    for candidate in earlier:
        a, b = strata[candidate], strata[j]
        height, width = int(a.max()) + 1, int(b.max()) + 1
        cells = np.bincount(a.astype(np.int64) * width + b, minlength=height * width).reshape(height, -1)
        rows, cols = cells.sum(axis=1, keepdims=True), cells.sum(axis=0, keepdims=True)
        occupied = cells > 0
        g = 2 * float((cells[occupied] * np.log(cells[occupied] * len(a) / (rows * cols)[occupied])).sum())
        free = max(1, (int((rows > 0).sum()) - 1) * (int((cols > 0).sum()) - 1))
        beyond = g - free - 3 * np.sqrt(2 * free)  # G is chi-square by chance: its mean and three of its deviations
        if beyond > best:
            best, parent = beyond, candidate
    return parent


def near_duplicates(table: Table, *, most_rows: int = 200_000) -> list[tuple[int, int]]:
    """Pairs of rows that differ, but by less than a thousandth of the columns' standard deviations.

    Rows are put into cells of a coarse grid on a few random directions, and only rows of a cell are compared; rows
    beyond `most_rows` are left out. Columns of categories must agree exactly.
    """
    matrix, codes = _standardised(table, most_rows)
    n, d = matrix.shape
    if d == 0 or n < 2:
        return []
    pairs: set[tuple[int, int]] = set()
    draw = generator(0, "near twins")
    lines = draw.normal(size=(d, _LINES)) / np.sqrt(d)
    projections = matrix @ lines
    width = 20 * _NEAR
    for _ in range(_TABLES):
        cell = np.floor(projections / width + draw.random(_LINES)).astype(np.int64)
        pairs |= _close(matrix, _joined(np.column_stack([cell, codes])))
    return sorted(pairs)


def _standardised(table: Table, most_rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Numeric columns over their deviation, missing as 0; and one code a row for its categories and missing places."""
    small = table if table.n_rows <= most_rows else table.take(np.arange(most_rows))
    if small.dense is not None:
        return _standardised_matrix(small.dense)
    numeric = [column for column in small.columns if not column.is_categorical]
    matrix = np.zeros((small.n_rows, len(numeric)))
    code_columns = []
    for j, column in enumerate(numeric):
        is_observed = ~column.missing
        spread = column.values[is_observed].std() if is_observed.any() else 0.0
        if spread > 0:
            matrix[is_observed, j] = (column.values[is_observed] - column.values[is_observed].mean()) / spread
        if not is_observed.all():
            code_columns.append(column.missing.astype(np.int64))
    code_columns += [column.values.astype(np.int64) for column in small.columns if column.is_categorical]
    codes = np.zeros(small.n_rows, dtype=np.int64)
    if code_columns:
        codes = np.unique(np.column_stack(code_columns), axis=0, return_inverse=True)[1].ravel()
    return matrix, codes


def _standardised_matrix(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """As `_standardised`, of a matrix of numbers: nothing is done column by column."""
    is_missing = np.isnan(values)
    n = np.maximum(len(values) - is_missing.sum(axis=0), 1)
    centred = np.where(is_missing, 0.0, values)
    centred = np.where(is_missing, 0.0, centred - centred.sum(axis=0) / n)
    spread = np.sqrt((centred**2).sum(axis=0) / n)
    holes = is_missing[:, is_missing.any(axis=0)]
    codes = np.unique(holes, axis=0, return_inverse=True)[1].ravel() if holes.shape[1] else np.zeros(len(values), int)
    return centred / np.where(spread > 0, spread, 1.0), codes


def _joined(codes: np.ndarray) -> np.ndarray:
    """One whole number a row that tells rows of codes apart: mixed radix where it fits 62 bits (20× faster)."""
    low = codes.min(axis=0)
    sizes = [int(size) for size in codes.max(axis=0) - low + 1]
    if math.prod(sizes) >= 2**62:
        return np.unique(codes, axis=0, return_inverse=True)[1].ravel()
    joined = np.zeros(len(codes), dtype=np.int64)
    for j, size in enumerate(sizes):
        joined = joined * size + (codes[:, j] - low[j])
    return joined


def _close(matrix: np.ndarray, group: np.ndarray) -> set[tuple[int, int]]:
    """Pairs within a cell whose root mean square difference is small, but not 0; of a cell's first 50 rows.

    Rows of a crowded cell of a coarse column are not duplicates. Rows are sorted by cell, and each is compared with
    the next, with the next but one and so on, all cells at once.
    """
    order = np.argsort(group, kind="stable")
    ordered = group[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    rank = np.arange(len(order)) - np.repeat(starts, np.diff(np.r_[starts, len(order)]))
    block_size = max(1, _BLOCK // matrix.shape[1])
    pairs: set[tuple[int, int]] = set()
    first = np.arange(len(order))
    for lag in range(1, _CROWD):
        first = first[first + lag < len(order)]
        first = first[(rank[first + lag] == rank[first] + lag) & (rank[first + lag] < _CROWD)]
        for block in range(0, len(first), block_size):
            first_rows, second_rows = (
                order[first[block : block + block_size]],
                order[first[block : block + block_size] + lag],
            )
            distances = np.sqrt(((matrix[second_rows] - matrix[first_rows]) ** 2).mean(axis=1))
            near = (distances < _NEAR) & (distances > 0)
            pairs.update(zip(first_rows[near].tolist(), second_rows[near].tolist()))
    return pairs
