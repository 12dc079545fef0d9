"""Columns beside shuffled copies of them, in an array, a Table or a frame."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tamis.table import Table, beside


@dataclass(frozen=True, eq=False)
class PermutedCopies:
    """Columns to be shuffled: an array, a Table, or a frame.

    In Tables and frames the columns and their copies are named by number, so that no name is there twice and the order
    of the names is that of the columns.
    """

    columns: Any

    @property
    def n_rows(self) -> int:
        return int(self.columns.shape[0])

    @property
    def n_columns(self) -> int:
        return int(self.columns.shape[1])

    def beside(self, real: np.ndarray, copied: np.ndarray, rows: np.ndarray) -> Any:
        """Columns `real` as they are, then the columns `copied`, the c-th in the order rows[:, c]."""
        X = self.columns
        if isinstance(X, np.ndarray):
            return np.hstack([X[:, real], np.take_along_axis(X[:, copied], rows, axis=0)])
        names = [f"{j:07d}" for j in range(len(real) + len(copied))]
        if not isinstance(X, Table):
            return beside(X, real, copied, rows, names)
        columns = [X.column(int(j)) for j in real] + [X.column(int(j)).take(rows[:, c]) for c, j in enumerate(copied)]
        return Table([replace(column, name=name) for column, name in zip(columns, names)])
