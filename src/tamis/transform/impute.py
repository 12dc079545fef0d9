"""A value for every hole."""

import warnings
from collections.abc import Sequence
from dataclasses import field, replace
from numbers import Real
from typing import Any

import numpy as np

from tamis import check
from tamis.errors import DamagedError, ParameterError, TamisWarning
from tamis.saved import levels, numbers, read_entry, read_integer, refuse_outside
from tamis.table import UNSEEN, Column, Table, position
from tamis.table.interface.extreme import LARGEST
from tamis.table.interface.takes_table import parameters
from tamis.table.like import TableLike
from tamis.transform.base import Transform
from tamis.wording import first_few

HOW = ("mean", "median", "most_frequent")
OWN = "missing"  # the category of its own


@parameters
class Impute(Transform):
    r"""Fill missing values with what the rows of `fit` have.

    A number is filled with the mean, the median or the most frequent value (the smallest of several) of its column, a
    boolean or ordinal with its most frequent value, a category with its most frequent level (the first of several) or
    with a level of its own, "missing". With `by` this is done within each group of rows; where a group has no value, or
    was not seen, the whole column speaks. Dates are passed through as they are.

    Parameters
    ----------
    how : "mean", "median", "most_frequent", or a number that fills every hole.
    categories : "most_frequent", or "own": a category of its own.
    indicator : add a 0/1 column "… is missing" for every column that had holes in the rows of `fit`.
    by : the column (name or position) whose values make the groups.

    Attributes
    ----------
    fill_ : what fills each touched column, a code for categories.
    group_fill_ : the same for every group, groups × touched columns; None without `by`.
    with_holes_ : positions, among the touched columns, of those that had holes.

    >>> Impute().fit_transform([[1.0], [np.nan], [5.0]]).ravel()
    array([1., 3., 5.])
    >>> Impute("median", indicator=True).fit_transform([[1.0, 2.0], [np.nan, 2.0], [5.0, 2.0]])
    array([[1., 2., 0.],
           [3., 2., 1.],
           [5., 2., 0.]])
    """

    touches = "all"

    how: Any = field(default="mean", kw_only=False)
    categories: str = "most_frequent"
    indicator: bool = False
    by: Any = None

    def _check(self) -> None:
        if isinstance(self.how, Real) and not isinstance(self.how, bool):
            check.number("how", self.how)
        else:
            check.one_of("how", self.how, HOW)
        check.one_of("categories", self.categories, ["most_frequent", "own"])
        if not isinstance(self.indicator, (bool, np.bool_)):
            raise ParameterError(f"indicator={self.indicator!r} is neither True nor False; give one of them")

    def _touched(self, X: TableLike, table: Table) -> np.ndarray:
        dates = {name for name, notation in self.notations_in_.items() if notation.kind == "date"}
        return np.array([j for j, name in enumerate(table.names) if name not in dates], dtype=np.int64)

    def _learn(self, table: Table, y: Any) -> None:
        self._place = None if self.by is None else position(table, "by", self.by)
        special = {name for name, n in self.notations_in_.items() if n.kind in ("boolean", "ordinal")}
        self.often_ = np.array([name in special for name in table.names], dtype=bool)
        columns = table.columns
        self.with_holes_ = np.array([j for j, c in enumerate(columns) if c.missing.any()], dtype=np.int64)
        self.fill_ = np.array([self._filling(c, o) for c, o in zip(columns, self.often_)], dtype=np.float64)
        self._say_empty(columns)
        self.group_fill_, self.groups_ = None, None
        if self._place is not None:
            self.groups_, codes = _groups(columns[self._place])
            rows = _rows_of(codes, len(self.groups_))
            fills_by_group = [self._by_group(c, o, rows, f) for c, o, f in zip(columns, self.often_, self.fill_)]
            self.group_fill_ = np.array(fills_by_group, dtype=np.float64).reshape(len(columns), -1).T.copy()

    def _say_empty(self, columns: Sequence[Column]) -> None:
        empty = [repr(c.name) for c in columns if c.missing.all() and not c.is_categorical]
        if empty and isinstance(self.how, str):
            message = f"without any value in the rows of fit, so filled with 0: column(s) {first_few(empty, 5)}"
            warnings.warn(message, TamisWarning, stacklevel=5)

    def _filling(self, column: Column, often: bool) -> float:
        """What fills the holes of a column: a number or a code; 0 where there is no value."""
        if column.is_categorical:
            return self._category(column)
        if not isinstance(self.how, str):
            return float(self.how)
        observed = column.values[~np.isnan(column.values)]
        if not len(observed):
            return 0.0
        if self.how == "most_frequent" or often:
            distinct, counts = np.unique(observed, return_counts=True)
            return float(distinct[np.argmax(counts)])
        if self.how == "median":
            return float(np.median(observed))
        scale = len(observed) if np.abs(observed).max() > LARGEST else 1.0  # so that the sum has a value
        return float(np.mean(observed / scale) * scale)

    def _category(self, column: Column) -> float:
        own_code = len(column.levels or ())  # the code of the level that is added
        observed = column.values[column.values >= 0]
        if self.categories == "own" or not len(observed):
            return float(own_code)
        return float(np.argmax(np.bincount(observed)))

    def _by_group(self, column: Column, often: bool, rows: list[np.ndarray], fill: float) -> list[float]:
        """The filling of every group; that of the whole column where a group has no value."""
        subsets = (column.take(group_rows) for group_rows in rows)
        return [fill if some.missing.all() else self._filling(some, often) for some in subsets]

    def _read(self, X: TableLike, *, reset: bool) -> Table:
        table = super()._read(X, reset=reset)
        if reset or not any(c.is_categorical and (c.values == UNSEEN).any() for c in table.columns):
            return table
        whole_table = Table.of(X)  # levels that fit never saw are values all the same, and keep their words
        columns = [_kept_words(c, whole_table.column(j)) for j, c in enumerate(table.columns)]
        out = Table(columns, n_rows=table.n_rows)
        out.named = table.named
        return out

    def _apply(self, table: Table) -> Any:
        fills = self._fills(table)
        if table.is_numeric and table.matrix is not None:
            return self._filled_matrix(table.numbers(), fills)
        columns_out = [self._filled(c, fills[..., j]) for j, c in enumerate(table.columns)]
        if self.indicator:
            columns_out += [
                Column(name, "boolean", table.column(int(j)).missing.astype(np.float64))
                for j, name in zip(self.with_holes_, self._indicators(table.names))
            ]
        return columns_out

    def _fills(self, table: Table) -> np.ndarray:
        """What fills each column, the same for all rows or rows × columns."""
        if self.group_fill_ is None or self._place is None:
            return self.fill_
        group_names = self.groups_ or ()
        column = table.column(self._place)
        code_of = {value: code for code, value in enumerate(group_names)}
        names, codes = _groups(column)
        table_of_codes = np.array(
            [code_of.get(value, len(group_names)) for value in names] + [len(group_names)], dtype=np.int64
        )
        return np.vstack([self.group_fill_, self.fill_])[table_of_codes[codes]]

    def _filled_matrix(self, X: np.ndarray, fills: np.ndarray) -> np.ndarray:
        is_missing = np.isnan(X)
        out = np.where(is_missing, fills, X)
        return np.hstack([out, is_missing[:, self.with_holes_]]) if self.indicator else out

    def _filled(self, column: Column, fill: np.ndarray) -> Column:
        is_missing = column.missing
        if not column.is_categorical:
            return replace(column, values=np.where(is_missing, fill, column.values))
        n_known, words = len(self.levels_in_[column.name]), column.levels or ()
        is_own_code = np.equal(fill, n_known)  # the code of the level that is added, which comes last
        codes = np.where(is_missing, np.where(is_own_code, len(words), fill), column.values).astype(np.int32)
        return replace(column, values=codes, levels=(*words, _unlike(words)) if np.any(is_own_code) else words)

    def _indicators(self, names: Sequence[str]) -> list[str]:
        return [f"{names[int(j)]} is missing" for j in self.with_holes_]

    def _output_names(self, names: Sequence[str]) -> Sequence[str]:
        return [*names, *self._indicators(names)] if self.indicator else names

    def _order(self, n_made: int) -> list[int]:
        return [*super()._order(n_made), *range(len(self.touched_), n_made)]

    def _state(self) -> dict[str, Any]:
        return {
            "fill": self.fill_.tolist(),
            "often": self.often_.tolist(),
            "holes": self.with_holes_.tolist(),
            "place": self._place,
            "groups": None if self.groups_ is None else list(self.groups_),
            "group_fill": None if self.group_fill_ is None else self.group_fill_.tolist(),
        }

    def _restore(self, state: dict[str, Any]) -> None:
        n = len(self.touched_)
        self.fill_ = numbers("fill", read_entry(state, "fill"), shape=(n,))
        self.often_ = numbers("often", [int(bool(v)) for v in read_entry(state, "often")], np.int64, (n,)).astype(bool)
        self.with_holes_ = numbers("holes", read_entry(state, "holes"), np.int64)
        refuse_outside("holes", self.with_holes_, 0, n - 1)
        by_column, groups, fills = (
            read_entry(state, "place"),
            read_entry(state, "groups"),
            read_entry(state, "group_fill"),
        )
        if not (self.by is None) == (by_column is None) == (groups is None) == (fills is None):
            raise DamagedError("its groups do not belong to its parameters")
        self._place = self.groups_ = self.group_fill_ = None
        if by_column is not None:
            self._place, self.groups_ = read_integer("place", by_column, high=n - 1), levels("groups", groups)
            self.group_fill_ = numbers("group_fill", fills, shape=(len(self.groups_), n))
        self._refuse_codes()

    def _refuse_codes(self) -> None:
        """Raise where a category would be filled with a code that is no level."""
        for j, name in enumerate(self.names_):
            if name in self.levels_in_:
                codes = self.fill_[j] if self.group_fill_ is None else np.append(self.group_fill_[:, j], self.fill_[j])
                refuse_outside(f"the filling of {name!r}", np.atleast_1d(codes), 0, len(self.levels_in_[name]))


def _groups(column: Column) -> tuple[tuple[Any, ...], np.ndarray]:
    """The different values of a column and which of them each row has; their number for a row without one."""
    if column.is_categorical:
        column_levels = column.levels or ()
        return column_levels, np.where(column.values >= 0, column.values, len(column_levels))
    is_observed = ~np.isnan(column.values)
    values, codes = np.unique(column.values[is_observed], return_inverse=True)
    out = np.full(len(column.values), len(values), dtype=np.int64)
    out[is_observed] = codes
    return tuple(values.tolist()), out


def _rows_of(codes: np.ndarray, n_groups: int) -> list[np.ndarray]:
    """Positions of the rows of each group."""
    ends = np.cumsum(np.bincount(codes, minlength=n_groups + 1))
    return np.split(np.argsort(codes, kind="stable"), ends[:-1])[:n_groups]


def _kept_words(recoded: Column, original: Column) -> Column:
    """A column in the levels of `fit`, with those it has beside them after them."""
    if not recoded.is_categorical:
        return recoded
    known_levels = recoded.levels or ()
    return original.recode(
        [*known_levels, *(level for level in original.levels or () if level not in set(known_levels))]
    )


def _unlike(words: Sequence[Any]) -> str:
    """A name for the category of missing values that no level has."""
    name = OWN
    while name in words:
        name += "*"
    return name
