"""What every linear model reads: an encoded matrix, its columns in a fixed order, missing values filled or refused."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tamis.errors import DamagedError
from tamis.linear.missing import filled, means, refuse
from tamis.saved import mapping, numbers
from tamis.table import Table
from tamis.views.indicators import Indicators


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
        """The encoding of a table, and the weighted means of its columns when missing values are to be filled."""
        encoding = Indicators.of(table, reference=reference)
        order = encoding.encoded(table.order())
        if missing != "mean":
            refuse(table)
            return cls(encoding, order, None)
        return cls(encoding, order, means(encoding.encode(table), weights))

    def read(self, table: Table) -> Any:
        """The encoded matrix (dense or sparse, float64) in the table's order of columns."""
        if self.fill is None:
            refuse(table)
        X = self.encoding.encode(table)
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
