"""The space of a search: units of columns that enter together, their prices, and the sizes allowed."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from tamis import check
from tamis.errors import ParameterError
from tamis.table import Table, column_groups_of, position, positions

Units = tuple[int, ...]


class Space:
    """The sets of units that a search may visit.

    A unit is a column, or a group of columns that go in and out together. A set is a sorted tuple of units. Sizes count
    units, those fixed included.

    Attributes
    ----------
    units : for each unit the positions of its columns.
    fixed : the units that are in every set.
    low, high : smallest and largest size asked for; 0 makes the empty set a candidate.
    free : True for k="best": the search may stop where the score stops rising.
    prices : what each unit costs.
    budget : the most a set may cost, or None.
    """

    def __init__(
        self,
        units: Sequence[np.ndarray],
        *,
        fixed: Iterable[int] = (),
        sizes: tuple[int, int] | None = None,
        prices: np.ndarray | None = None,
        budget: float | None = None,
    ) -> None:
        self.units = [np.asarray(columns, dtype=np.int64) for columns in units]
        self.n_units = len(self.units)
        self.fixed: Units = tuple(sorted(set(fixed)))
        self.free = sizes is None
        self.low, self.high = sizes or (max(1, len(self.fixed)), self.n_units)
        self.prices = np.zeros(self.n_units) if prices is None else prices
        self.priced = prices is not None
        self.budget = budget
        self.single = all(len(columns) == 1 for columns in self.units)
        self._columns = np.array([columns[0] for columns in self.units]) if self.single else None

    @classmethod
    def of(cls, table: Table, order: np.ndarray, k: Any, fixed: Any, groups: Any, costs: Any, budget: Any) -> "Space":
        """The space that the user's words describe, after every check.

        The user counts columns as they stand in the table; the space counts them in `order`, which breaks ties.
        """
        position_of = np.argsort(order)
        units = list(column_groups_of(table, order, groups).values())
        unit_of = np.empty(table.n_columns, dtype=np.int64)
        for u, columns in enumerate(units):
            unit_of[columns] = u
        fixed_units = sorted({int(unit_of[position_of[j]]) for j in positions(table, "fixed", fixed)})
        sizes = _sizes(k, len(units), len(fixed_units))
        column_prices = _prices(table, costs)
        prices = None if column_prices is None else np.array([column_prices[order][columns].sum() for columns in units])
        limit = None if budget is None else check.number("budget", budget, low=0)
        if limit is not None and prices is None:
            raise ParameterError(f"budget={budget!r} is given without costs; give costs, a price for each column")
        space = cls(units, fixed=fixed_units, sizes=sizes, prices=prices, budget=limit)
        space._refuse_nothing_to_choose()
        return space

    def columns(self, units: Units) -> np.ndarray:
        """The positions of the columns of a set, sorted."""
        if self._columns is not None:
            return self._columns[list(units)]
        return np.sort(np.concatenate([self.units[u] for u in units] or [np.zeros(0, np.int64)]))

    def outside(self, units: Units) -> np.ndarray:
        """The units that may be added to a set without breaking the budget."""
        is_outside = np.ones(self.n_units, dtype=bool)
        is_outside[list(units)] = False
        if self.budget is not None:
            is_outside &= self.prices <= self.budget - self.price(units) + 1e-9 * abs(self.budget)
        return np.flatnonzero(is_outside)

    def inside(self, units: Units) -> np.ndarray:
        """The units of a set that may be taken out."""
        return np.array([u for u in units if u not in self.fixed], dtype=np.int64)

    def price(self, units: Units) -> float:
        """What a set costs."""
        return float(self.prices[list(units)].sum())

    def allows(self, units: Units) -> bool:
        """True when a set has a size asked for and is within the budget."""
        return self.low <= len(units) <= self.high and self.affords(units)

    def affords(self, units: Units) -> bool:
        """True when a set is within the budget."""
        return self.budget is None or self.price(units) <= self.budget * (1 + 1e-9)

    def _refuse_nothing_to_choose(self) -> None:
        if len(self.fixed) == self.n_units and self.n_units > 1:
            raise ParameterError(f"all {self.n_units} columns are fixed, so none is left to choose; fix fewer")
        if not self.affords(self.fixed):
            raise ParameterError(f"budget={self.budget:g} is below the price of the fixed columns; raise the budget")
        if self.budget is not None and not self.fixed and not len(self.outside(())):
            cheapest = self.prices.min()
            raise ParameterError(f"budget={self.budget:g} buys no column; the cheapest costs {cheapest:g}")


def add(units: Units, more: Iterable[int]) -> Units:
    """A set with some units more.

    >>> add((1, 4), [2])
    (1, 2, 4)
    """
    return tuple(sorted({*units, *(int(u) for u in more)}))


def drop(units: Units, fewer: Iterable[int]) -> Units:
    """A set with some units fewer.

    >>> drop((1, 2, 4), [2])
    (1, 4)
    """
    dropped = {int(u) for u in fewer}
    return tuple(u for u in units if u not in dropped)


def _sizes(k: Any, n_units: int, n_fixed: int) -> tuple[int, int] | None:
    def checked(size: Any) -> int:
        is_empty = isinstance(size, (int, np.integer)) and not isinstance(size, bool) and size == 0 == n_fixed
        return 0 if is_empty else check.count("k", size, low=max(1, n_fixed), high=n_units, of="columns")

    if isinstance(k, str):
        check.one_of("k", k, ["best"])
        return None
    if isinstance(k, range):
        k = (k.start, k.stop - 1)
    if isinstance(k, (tuple, list)):
        if len(k) != 2:
            raise ParameterError(f"k={k!r} must hold two sizes; give (smallest, largest), a number or 'best'")
        first, last = (checked(size) for size in k)
        if first > last:
            raise ParameterError(f"k={k!r} runs backwards; give (smallest, largest)")
        return first, last
    size = checked(k)
    return size, size


def _prices(table: Table, costs: Any) -> np.ndarray | None:
    if costs is None:
        return None
    if isinstance(costs, Mapping):
        prices = np.zeros(table.n_columns)
        for name, price in costs.items():
            prices[position(table, "costs", name)] = check.number(f"costs[{name!r}]", price, low=0)
        return prices
    price_list = list(costs)
    if len(price_list) != table.n_columns:
        raise ParameterError(
            f"costs has {len(price_list)} prices, but there are {table.n_columns} columns; give one a column"
        )
    return np.array([check.number(f"costs[{j}]", price, low=0) for j, price in enumerate(price_list)])
