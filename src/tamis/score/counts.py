"""Criteria that read contingency tables only; each member is a formula."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis.score.criterion import Criterion, Target
from tamis.score.groups import Groups, Tables, group_codes
from tamis.table import Column, Table


class Counts(Criterion):
    """A criterion that is a formula of the contingency table of a column and the target.

    A numeric target is cut into groups of about equally many rows first.
    """

    def target(self, y: Any, n_rows: int) -> Target:
        target = super().target(y, n_rows)
        return target if target.kind == "classes" else cut(target)

    def view(self, table: Table, target: Target, weights: np.ndarray | None, n_jobs: int | None) -> Groups:
        return Groups.of(table, weights, n_jobs=n_jobs)

    def values(self, view: Groups, target: Target, n_jobs: int | None = None) -> np.ndarray:
        assert target.codes is not None
        return self.formula(view.tables(target.codes, target.n_classes, n_jobs))

    def formula(self, tables: Tables) -> np.ndarray:
        """One number a column from its contingency table."""
        raise NotImplementedError


def cut(target: Target, most: int | None = None) -> Target:
    """A numeric target with class codes beside its numbers: groups of about equally many rows."""
    assert target.values is not None
    codes, size = group_codes(Column("y", "numeric", target.values), most=most)
    return Target("numbers", target.n_rows, codes.astype(np.int32), size, target.values)
