"""Draws of a target that has nothing to do with the columns, where rows come in groups or in time."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from tamis.engine import generator

#: Times in which shifts are drawn by whole times; of fewer, rows in time order are shifted.
MIN_TIMES = 20


@dataclass(frozen=True, eq=False)
class Exchange:
    r"""Which rows may exchange their targets, if the target is independent of the columns.

    A draw is an array `order`: row i takes the target (or the residual) of row `order[i]`.

    - Neither groups nor time: a permutation of the rows.
    - Groups: group g takes the targets of the group π(g), in random order. A smaller group is repeated, of a larger one
      rows are drawn, so targets of one group stay together. Where the target is constant within groups, whole groups
      exchange it.
    - Time: a circular shift, by a number of times from 1 to T - 1. Rows of one time stay together as a group's do. Of
      fewer than 20 times, rows in time order are shifted.
    - Groups and time: row (g, t) takes the target of (π(g), t + s mod T), with one shift s from 0 to T - 1 for all
      groups; where that group has no row at that time, of its next one.

    Draws of equal groups and of times with one row each are permutations; others repeat rows, and a statistic has to be
    centred and scaled again.

    Attributes
    ----------
    n_rows : number of rows.
    groups, times : code of each row's group, rank of its time among the T different ones; None where there is none.

    >>> Exchange.of(3).orders(2)[0].tolist()
    [2, 1, 0]
    >>> [order.tolist() for order in Exchange.of(3, time=[30, 10, 20]).orders(99)]
    [[1, 2, 0], [2, 0, 1]]
    >>> Exchange.of(4, groups=["a", "b", "a", "b"]).orders(1)[0].tolist()
    [2, 3, 0, 1]
    """

    n_rows: int
    groups: np.ndarray | None = None
    times: np.ndarray | None = None

    @classmethod
    def of(cls, n_rows: int, groups: Any = None, time: Any = None) -> "Exchange":
        """The exchange of rows with groups, a time, both or neither."""
        group_codes = None if groups is None else np.unique(np.asarray(groups), return_inverse=True)[1].ravel()
        times = None if time is None else np.unique(np.asarray(time), return_inverse=True)[1].ravel()
        if group_codes is None and times is not None and times.max() + 1 < min(MIN_TIMES, n_rows):
            times = np.argsort(np.argsort(times, kind="stable"), kind="stable")
        return cls(n_rows, group_codes, times)

    @property
    def is_permutation(self) -> bool:
        """Whether each draw holds every row once."""
        if self.groups is not None and self.times is not None:
            return False
        units = self.groups if self.times is None else self.times
        return units is None or len(set(np.bincount(units).tolist())) <= 1

    def orders(self, n_draws: int, seed: int = 0) -> list[np.ndarray]:
        """At most so many draws: of T times alone there are T - 1 different shifts, each is drawn once."""
        return list(self.draws(n_draws, seed))

    def draws(self, n_draws: int, seed: int = 0) -> Iterator[np.ndarray]:
        """As `orders`, one after another."""
        if self.groups is None and self.times is not None:
            n_times = int(self.times.max()) + 1
            shifts = generator(seed, "shifts").permutation(np.arange(1, n_times))[:n_draws]
            for number, shift in enumerate(shifts.tolist()):
                yield _by_units(self.times, (np.arange(n_times) + shift) % n_times, generator(seed, "shift", number))
            return
        for number in range(n_draws):
            rng = generator(seed, "permutation", number)
            if self.groups is None:
                yield rng.permutation(self.n_rows)
            elif self.times is None:
                yield _by_units(self.groups, rng.permutation(int(self.groups.max()) + 1), rng)
            else:
                yield _by_units_and_times(self.groups, self.times, rng)


def _by_units(units: np.ndarray, sources: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Each unit takes rows of its source in random order, from the first again where it has more."""
    rows, drawn = _shuffled_within(units, rng), _shuffled_within(units, rng)
    sizes = np.bincount(units)
    starts = np.cumsum(sizes) - sizes
    unit_of_row = units[rows]
    source, position = sources[unit_of_row], np.arange(len(rows)) - starts[unit_of_row]
    order = np.empty(len(units), dtype=np.int64)
    order[rows] = drawn[starts[source] + position % sizes[source]]
    return order


def _shuffled_within(units: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Rows sorted by unit, in random order within each."""
    shuffled = rng.permutation(len(units))
    return shuffled[np.argsort(units[shuffled], kind="stable")]


def _by_units_and_times(units: np.ndarray, times: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Row (unit, time) takes the row of another unit at, or next after, a shifted time."""
    n_times, n_units = int(times.max()) + 1, int(units.max()) + 1
    sources, shift = rng.permutation(n_units), int(rng.integers(n_times))
    key = units * n_times + times
    rows = np.argsort(key, kind="stable")
    sizes = np.bincount(units)
    starts = np.cumsum(sizes) - sizes
    source = sources[units]
    offset = np.searchsorted(key[rows], source * n_times + (times + shift) % n_times) - starts[source]
    return rows[starts[source] + offset % sizes[source]]
