"""Rows as points: which rows are nearest to which, found block by block, without an n × n matrix in memory."""

import numpy as np

from tamis import _core
from tamis.table import MISSING, Column, Table


class Neighbours:
    r"""The rows of a table as points, under the difference of the Relief family.

    .. math:: d(a, b) = \sum_j \mathrm{diff}_j(a, b)

    where diff is \|a − b\| over the column's range for numbers (its square on request), and 0 or 1 for equal or unequal
    categories. A missing value counts as a draw from the values of its row's group (its class, or all rows without
    groups): the difference is its expectation, which for categories is 1 − P(value \| group), Kononenko's rule.

    Parameters
    ----------
    table : the columns, already checked.
    groups : for every row its group, 0 … n_groups − 1; only columns with missing values read it.
    squared : whether differences of numbers are squared.

    References
    ----------
    I. Kononenko, "Estimating attributes: analysis and extensions of RELIEF", ECML 1994.

    >>> table = Table.of([[0.0], [1.0], [10.0]])
    >>> Neighbours(table).nearest(np.array([0, 2]), k=1)[:, 0].ravel().tolist()
    [1, 1]
    """

    def __init__(
        self, table: Table, groups: np.ndarray | None = None, n_groups: int = 1, *, squared: bool = False
    ) -> None:
        self.squared = squared
        self.n_rows, self.n_columns = table.shape
        kinds: dict[str, list[tuple[int, Column]]] = {"numbers": [], "codes": [], "holed": []}
        for j in table.order():  # by name: sums over columns do not depend on the order they came in
            column = table.column(int(j))
            complete = "codes" if column.is_categorical else "numbers"
            kinds["holed" if column.missing.any() else complete].append((int(j), column))
        numbers, codes, holed = kinds["numbers"], kinds["codes"], kinds["holed"]
        #: Where the kernels' k-th column stands in the table.
        self.places = np.array([j for j, _ in numbers + codes + holed], dtype=np.int64)
        by_column = _stack([_scaled(column.values) for _, column in numbers], self.n_rows, np.float64)
        self._base = (
            np.ascontiguousarray(by_column.T),
            by_column,
            _stack([column.values for _, column in codes], self.n_rows, np.int32),
            _stack([_with_holes(column) for _, column in holed], self.n_rows, np.float64),
            np.array([column.is_categorical for _, column in holed], dtype=np.bool_),
        )
        self.has_holes = bool(holed)
        self.points = self.given(groups, n_groups)

    def given(self, groups: np.ndarray | None, n_groups: int = 1) -> _core.Points:
        """The same points, with missing values drawn from other groups."""
        of = np.zeros(self.n_rows, dtype=np.int32) if groups is None else np.ascontiguousarray(groups, dtype=np.int32)
        expected, between = _expectations(self._base[3], self._base[4], of, n_groups, self.squared)
        return _core.Points(*self._base, of, expected, between, self.squared)

    def nearest(
        self,
        rows: np.ndarray,
        k: int,
        codes: np.ndarray | None = None,
        n_classes: int = 1,
        points: _core.Points | None = None,
    ) -> np.ndarray:
        """The k nearest other rows of each class, nearest first: (rows, targets, classes, k), −1 where there are fewer.

        `codes` holds class codes, one target a line (targets, n); several targets share the distances. Equal distances
        go to the row that comes first.
        """
        of = np.zeros((1, self.n_rows), dtype=np.int32) if codes is None else codes
        neighbours = np.full((len(rows), len(of), n_classes, k), -1, dtype=np.int32)
        _core.nearest_rows(self.points if points is None else points, np.asarray(rows, dtype=np.int64), of, neighbours)
        return neighbours


def _stack(arrays: list[np.ndarray], n: int, dtype: type) -> np.ndarray:
    return np.array(arrays, dtype=dtype).reshape(len(arrays), n)


def _scaled(values: np.ndarray) -> np.ndarray:
    """Numbers over their range, from 0 to 1; a constant is 0."""
    present = values[~np.isnan(values)]
    if not present.size or present.min() == present.max():
        return np.where(np.isnan(values), np.nan, 0.0)
    low, high = present.min() / 2, present.max() / 2  # halves: the range of huge numbers would overflow
    return (values / 2 - low) / (high - low)


def _with_holes(column: Column) -> np.ndarray:
    if column.is_categorical:
        return np.where(column.values == MISSING, np.nan, column.values.astype(np.float64))
    return _scaled(column.values)


def _expectations(
    holed: np.ndarray, category: np.ndarray, groups: np.ndarray, n_groups: int, squared: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Expected differences of every value against a draw from each group, and of two draws."""
    expected = np.zeros((len(holed), holed.shape[1], n_groups))
    between = np.zeros((len(holed), n_groups, n_groups))
    for h, values in enumerate(holed):
        present = ~np.isnan(values)
        for g in range(n_groups):
            pool = values[present & (groups == g)]
            if not pool.size:
                pool = values[present]  # nothing is known of this group: all rows speak for it
            if pool.size:
                expected[h, present, g] = _expected(values[present], np.sort(pool), bool(category[h]), squared)
        for g in range(n_groups):
            of_group = expected[h, present & (groups == g)]
            if not len(of_group):
                of_group = expected[h, present]
            between[h, g] = of_group.mean(axis=0) if len(of_group) else 0.0
    return expected, between


def _expected(values: np.ndarray, pool: np.ndarray, category: bool, squared: bool) -> np.ndarray:
    """Mean difference of each value and the (sorted) pool, by one search and running sums."""
    below = np.searchsorted(pool, values, side="left")
    if category:
        return 1.0 - (np.searchsorted(pool, values, side="right") - below) / len(pool)
    if squared:
        return np.asarray((values - pool.mean()) ** 2 + pool.var())
    sums = np.concatenate([[0.0], np.cumsum(pool)])
    return (values * below - sums[below] + (sums[-1] - sums[below]) - values * (len(pool) - below)) / len(pool)
