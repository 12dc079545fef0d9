"""A table as one numeric matrix: numbers stay as they are, a categorical column becomes one indicator a level."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from tamis import saved
from tamis.errors import DamagedError, KindError
from tamis.table import MISSING, Table


@dataclass(frozen=True)
class Indicators:
    """How the columns of a table become numeric columns, in groups that stay together.

    A numeric column is a group of one. A categorical column is a group of one 0/1 column a level or, with `reference`,
    a level less: the first one, against which the others then count. A level never seen is 0 in the whole group.

    Attributes
    ----------
    names : names of the table's columns.
    levels : for each of them the levels that have an indicator, or None for a number.
    reference : whether the first level of every group was left out.

    >>> table = Table.of(np.array([["red", 1.0], ["blue", 2.0]], dtype=object))
    >>> code = Indicators.of(table)
    >>> code.columns
    ('x0=blue', 'x0=red', 'x1')
    >>> code.encode(table)
    array([[0., 1., 1.],
           [1., 0., 2.]])
    """

    names: tuple[str, ...]
    levels: tuple[tuple[Any, ...] | None, ...]
    reference: bool = False

    @classmethod
    def of(cls, table: Table, *, reference: bool = False) -> "Indicators":
        """The encoding of a table's columns, by their kinds and levels."""
        if table.is_numeric:
            return cls(tuple(table.names), (None,) * table.n_columns, reference)
        return cls(
            tuple(table.names),
            tuple(tuple(c.levels or ()) if c.is_categorical else None for c in table.columns),
            reference,
        )

    @cached_property
    def is_plain(self) -> bool:
        """True when every column is a number: the encoded matrix is the table's own."""
        return all(level is None for level in self.levels)

    @cached_property
    def sizes(self) -> np.ndarray:
        """How many encoded columns each column of the table has."""
        return np.array(
            [1 if level is None else len(self._levels_to_encode(level)) for level in self.levels], dtype=np.int64
        )

    @cached_property
    def groups(self) -> np.ndarray:
        """For every encoded column, the position of its column in the table."""
        return np.repeat(np.arange(len(self.names)), self.sizes)

    @property
    def n_encoded(self) -> int:
        return int(self.sizes.sum())

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the encoded columns; an indicator is called column=level."""
        out: list[str] = []
        for name, level in zip(self.names, self.levels):
            out.extend([name] if level is None else [f"{name}={value}" for value in self._levels_to_encode(level)])
        return tuple(out)

    def _levels_to_encode(self, levels: tuple[Any, ...]) -> tuple[Any, ...]:
        return levels[1:] if self.reference else levels

    def encoded(self, which: Sequence[int] | np.ndarray) -> np.ndarray:
        """Positions of the encoded columns of some columns of the table, in the order given."""
        sizes = self.sizes
        starts = np.concatenate([[0], np.cumsum(sizes)])
        if self.is_plain:
            return np.asarray(which, dtype=np.int64)
        return np.concatenate([np.arange(starts[j], starts[j] + sizes[j]) for j in which] or [np.zeros(0, np.int64)])

    def select(self, which: Sequence[int] | np.ndarray) -> "Indicators":
        """The encoding of some of the columns, in the order given."""
        return replace(self, names=tuple(self.names[j] for j in which), levels=tuple(self.levels[j] for j in which))

    def encode(self, table: Table, rows: Any = None) -> Any:
        """The numeric matrix of a table (or of some rows): its own matrix, not copied, when all columns are numbers.

        A missing number or category is NaN (in all indicators of its group).
        """
        if self.is_plain and table.matrix is not None:
            return table.matrix if rows is None else table.matrix[rows]
        if self.is_plain and table.dense is not None:  # thousands of columns of a frame, without a step for each
            return np.array(table.dense if rows is None else table.dense[rows], order="F")
        n = table.n_rows if rows is None else len(np.arange(table.n_rows)[rows])
        out = np.empty((n, self.n_encoded), order="F")
        at = 0
        for j, level in enumerate(self.levels):
            values = table.column(j).values if rows is None else table.column(j).values[rows]
            if level is None:
                out[:, at] = values
                at += 1
                continue
            for code in range(1 if self.reference else 0, len(level)):
                out[:, at] = values == code
                out[values == MISSING, at] = np.nan
                at += 1
        return out

    def to_dict(self) -> dict[str, Any]:
        """The encoding as plain lists and words."""
        return {
            "names": list(self.names),
            "levels": [
                None if level is None else [_plain(n, v) for v in level] for n, level in zip(self.names, self.levels)
            ],
            "reference": self.reference,
        }

    @classmethod
    def from_dict(cls, state: dict[str, Any]) -> "Indicators":
        """The encoding that `to_dict` wrote down."""
        names, saved_levels = saved.texts("names", state["names"]), state["levels"]
        if not isinstance(saved_levels, list) or len(saved_levels) != len(names):
            raise DamagedError(f"it has no levels for each of its {len(names):,} columns")
        levels = tuple(None if level is None else saved.levels("levels", level) for level in saved_levels)
        return cls(names, levels, bool(state["reference"]))


def _plain(name: str, value: object) -> Any:
    item = value.item() if isinstance(value, np.generic) else value
    if isinstance(item, (str, bool, int, float)):
        return item
    raise KindError(f"column {name!r} has the level {value!r}, which JSON cannot hold; give its levels as text")
