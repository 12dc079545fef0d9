"""Criteria that read contingency tables only; each member is a formula."""

from typing import Any

import numpy as np

from tamis.score.criterion import Criterion, Target
from tamis.score.groups import Groups, Tables, group_codes
from tamis.table import Column, Table


class Counts(Criterion):
    """A criterion that is a formula of the contingency table of a column and the target.

    A numeric target is cut into groups of about equally many rows first; columns then get fewer groups too, for the
    table has many more cells to fill.
    """

    def target(self, y: Any, n_rows: int, weights: np.ndarray | None = None) -> Target:
        target = super().target(y, n_rows, weights)
        return target if target.kind == "classes" else cut(target, weights)

    def view(self, table: Table, target: Target, weights: np.ndarray | None, n_jobs: int | None) -> Groups:
        return Groups.of(table, weights, min_groups=10 if target.kind == "classes" else 6, n_jobs=n_jobs)

    def values(self, view: Groups, target: Target, n_jobs: int | None = None) -> np.ndarray:
        assert target.codes is not None
        return self.formula(view.tables(target.codes, target.n_classes, n_jobs))

    def formula(self, tables: Tables) -> np.ndarray:
        """One number a column from its contingency table."""
        raise NotImplementedError


def cut(target: Target, weights: np.ndarray | None = None, max_bins: int | None = None) -> Target:
    """A numeric target with class codes beside its numbers: groups of about equally many rows.

    As many as the fourth root of its distinct values, and at least 5.
    """
    assert target.values is not None
    weighted_values = target.values if weights is None else target.values[weights > 0]
    limit = max(5, round(len(np.unique(weighted_values)) ** 0.25)) if max_bins is None else max_bins
    codes, size = group_codes(Column("y", "numeric", target.values), weights, max_groups=limit)
    return Target("numbers", target.n_rows, codes.astype(np.int32), size, target.values)
