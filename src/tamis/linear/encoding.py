"""What every linear model reads: an encoded matrix, its columns in a fixed order, missing values filled or refused."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tamis.errors import DamagedError
from tamis.linear.missing import filled, means, refuse
from tamis.saved import mapping, numbers
from tamis.table import Column, Table
from tamis.views.indicators import Indicators

#: Levels of a column that get a coefficient of their own, the most frequent ones; all others share the intercept. With
#: 999 levels among 3,000 rows a study took more than fifty times as long as with 20.
MOST_LEVELS = 50

#: The level that all others are counted as where the first level of a column is the reference of the rest.
JOINED = "other levels"

#: The level of no row, where no column has another one: what was seen is one level, or only missing values.
NO_LEVEL = "no level"


@dataclass(frozen=True, eq=False)
class EncodedInputs:
    """How a table becomes the matrix of a linear model.

    Columns are taken in the order of their names, so the answer does not depend on the order they came in.

    Attributes
    ----------
    encoding : numbers and indicators, in the table's own order.
    order : encoded columns in the order the solvers see them.
    fill : what stands for a missing value of each encoded column, or None when missing values are refused.
    """

    encoding: Indicators
    order: np.ndarray
    fill: np.ndarray | None

    @classmethod
    def learn(cls, table: Table, weights: np.ndarray, *, missing: str, reference: bool) -> EncodedInputs:
        """The encoding of a table, and the weighted means of its columns when missing values are to be filled.

        Of a column with more than `MOST_LEVELS` levels the most frequent ones have indicators; ties go to the first.
        """
        encoding = Indicators.of(table, reference=reference)
        frequent = [
            None if levels is None else _frequent(table.column(j), weights, reference)
            for j, levels in enumerate(encoding.levels)
        ]
        encoding = replace(encoding, levels=tuple(frequent))
        if not encoding.n_encoded:
            first = (*((*(frequent[0] or ()), JOINED)[:1] if reference else ()), NO_LEVEL)
            encoding = replace(encoding, levels=(first, *frequent[1:]))
        table = _recoded(table, encoding)
        order = encoding.encoded(table.order())
        if missing != "mean":
            refuse(table)
            return cls(encoding, order, None)
        return cls(encoding, order, means(encoding.encode(table), weights))

    def read(self, table: Table) -> Any:
        """The encoded matrix (dense or sparse, float64) in the table's order of columns."""
        if self.fill is None:
            refuse(table)
        X = self.encoding.encode(_recoded(table, self.encoding))
        X = X.astype(np.float64, copy=False)
        return X if self.fill is None else filled(X, self.fill)

    @property
    def is_ordered(self) -> bool:
        return bool(np.all(np.diff(self.order) == 1))

    def arrange(self, X: Any) -> Any:
        """The matrix with its columns in solving order; not copied when they are in it already."""
        return X if self.is_ordered else X[:, self.order]

    def restore(self, values: np.ndarray) -> np.ndarray:
        """Numbers by column, from solving order (last axis) back to the table's."""
        out = np.empty_like(values)
        out[..., self.order] = values
        return out

    @property
    def groups(self) -> np.ndarray:
        """For every encoded column in solving order, the position of its column in the table."""
        return self.encoding.groups[self.order]

    @property
    def starts(self) -> np.ndarray:
        """Where each column's group begins in solving order, and the last one ends."""
        groups = self.groups
        return np.concatenate([[0], np.flatnonzero(np.diff(groups)) + 1, [len(groups)]]).astype(np.int64)

    def to_dict(self) -> dict[str, Any]:
        return {
            "encoding": self.encoding.to_dict(),
            "order": self.order.tolist(),
            "fill": None if self.fill is None else self.fill.tolist(),
        }

    @classmethod
    def from_dict(cls, state: dict[str, Any]) -> EncodedInputs:
        encoding = Indicators.from_dict(mapping("encoding", state["encoding"]))
        n = encoding.n_encoded
        fill = None if state["fill"] is None else numbers("fill", state["fill"], shape=(n,))
        order = numbers("order", state["order"], np.int64, (n,))
        if not np.array_equal(np.sort(order), np.arange(n)):
            raise DamagedError("order does not hold every encoded column once")
        return cls(encoding, order, fill)


def _frequent(column: Column, weights: np.ndarray, reference: bool) -> tuple[Any, ...]:
    """The levels of a column, or the most frequent ones of many."""
    levels = tuple(column.levels or ())
    if len(levels) <= MOST_LEVELS:
        return levels
    present = column.values >= 0
    mass = np.bincount(column.values[present], weights[present], minlength=len(levels))
    kept = np.sort(np.argsort(-mass, kind="stable")[:MOST_LEVELS])
    return (*((JOINED,) if reference else ()), *(levels[code] for code in kept.tolist()))


def joined_levels(table: Table) -> list[dict[str, Any]]:
    """Columns with more levels than a linear model gives a coefficient: name, levels, and how many have one."""
    counts = {} if table.is_numeric else {c.name: len(c.levels or ()) for c in table.columns if c.is_categorical}
    return [{"name": n, "levels": k, "kept": MOST_LEVELS} for n, k in counts.items() if k > MOST_LEVELS]


def _recoded(table: Table, encoding: Indicators) -> Table:
    """The table with the codes of the encoding's levels; those of no indicator count as never seen."""
    fewer = {
        j
        for j, levels in enumerate(encoding.levels)
        if levels is not None and levels != table.column(j).levels and len(table.column(j).levels or ()) > MOST_LEVELS
    }
    if not fewer:
        return table
    columns = [c.recode(encoding.levels[j] or ()) if j in fewer else c for j, c in enumerate(table.columns)]
    return Table(columns, n_rows=table.n_rows)
