"""A criterion of several targets: the mean of its scores for each of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tamis.score.criterion import Criterion, Target
from tamis.table import Table
from tamis.table.interface.several_classes import target_columns


@dataclass(frozen=True, eq=False)
class Targets(Target):
    """Several targets of the same rows; orders of the rows are orders of all of them."""

    each: tuple[Target, ...] = ()

    def take(self, rows: np.ndarray) -> "Targets":
        return Targets(self.kind, self.n_rows, each=tuple(target.take(rows) for target in self.each))


class OverTargets(Criterion):
    """The mean over targets of what a criterion gives a column: one that predicts a single target keeps its part."""

    def __init__(self, criterion: Criterion) -> None:
        self.criterion = criterion
        self.name, self.takes, self.takes_weights = criterion.name, criterion.takes, criterion.takes_weights

    def target(self, y: Any, n_rows: int, weights: np.ndarray | None = None) -> Targets:
        each = tuple(self.criterion.target(column, n_rows, weights) for column in target_columns(y))
        return Targets("several", n_rows, each=each)

    def view(self, table: Table, target: Target, weights: np.ndarray | None, n_jobs: int | None) -> list[Any]:
        return [self.criterion.view(table, single_target, weights, n_jobs) for single_target in _each(target)]

    def values(self, view: Any, target: Target, n_jobs: int | None = None) -> np.ndarray:
        scores = [
            self.criterion.values(target_view, single_target, n_jobs)
            for target_view, single_target in zip(view, _each(target))
        ]
        return np.asarray(np.mean(scores, axis=0))

    def values_of_targets(self, view: Any, targets: Sequence[Target]) -> np.ndarray:
        each = [
            self.criterion.values_of_targets(target_view, [_each(target)[j] for target in targets])
            for j, target_view in enumerate(view)
        ]
        return np.asarray(np.mean(each, axis=0))


def _each(target: Target) -> tuple[Target, ...]:
    assert isinstance(target, Targets)
    return target.each
