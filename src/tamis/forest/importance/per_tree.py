"""Permutation importance of units of columns, measured tree by tree on the rows each tree left out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tamis.engine import map_threads, seed_of
from tamis.forest.data.bootstrap import Bootstrap
from tamis.forest.layout import ForestTarget, TargetCosts
from tamis.forest.predict.trees import Trees
from tamis.views.binned_table import BinnedTable

CHUNK = 8  # trees a task: their sums are added in the same order for any number of threads


@dataclass(frozen=True, eq=False)
class ImportanceRows:
    """The rows of the binned table as the trees read them, and what they count.

    Attributes
    ----------
    binned : their codes. columns : the trees' name of each column of the binned table.
    matrix : their values, columns as in the binned table; empty unless trees have oblique splits.
    target : what is to be predicted.
    weight : what each row counts in a mean.
    loss : cost of each (truth, answer).
    majority : the class of most votes answers, not the one of least expected cost.
    """

    binned: BinnedTable
    columns: np.ndarray
    matrix: np.ndarray
    target: ForestTarget
    weight: np.ndarray
    loss: np.ndarray
    majority: bool

    @property
    def costs(self) -> TargetCosts:
        """As the kernels take them."""
        target = self.target
        return TargetCosts(target.n_classes, target.classes, target.values, self.weight, self.loss, self.majority)


@dataclass(frozen=True, eq=False)
class MeasuredImportance:
    """Mean rise of the cost for each unit, its standard error over trees, the rise in each class."""

    rise: np.ndarray
    error: np.ndarray
    by_class: np.ndarray
    share: float  # of rows left out, on average


def measure_importance(
    trees: Trees,
    rows: ImportanceRows,
    bootstrap: Bootstrap,
    unit_of: np.ndarray,
    n_repeats: int,
    seed: int,
    n_jobs: int | None,
) -> MeasuredImportance:
    """Permute each unit among the rows that each tree left out; unit_of: that of each column, or -1."""
    from tamis.forest.importance.kernels import ImportanceSums, PermutedTable, add_losses
    from tamis.forest.predict.route import out_of_bag_rows

    binned, n, n_classes, n_units = rows.binned, len(rows.weight), rows.target.n_classes, int(unit_of.max()) + 1
    place = np.argsort(rows.columns)
    arrays = trees.arrays._replace(sum_column=place[trees.sum_column])
    data, costs = PermutedTable(binned.by_row, rows.matrix, binned.n_values, unit_of), rows.costs

    def some(first: int) -> tuple[ImportanceSums, int]:
        sums = ImportanceSums(np.zeros(n_units), np.zeros(n_units), np.zeros((n_units, n_classes)), np.zeros(n_classes))
        n_out = 0
        for t in range(first, min(first + CHUNK, len(trees))):
            out = out_of_bag_rows(bootstrap.counts(t, n))
            n_out += len(out)
            seed_t = seed_of(seed, "permute", t)
            add_losses(out, t, arrays, place, binned, data, costs, n_repeats, seed_t, sums)
        return sums, n_out

    parts = map_threads(some, range(0, len(trees), CHUNK), n_jobs)
    total, square, by_class, with_class = (np.sum(list(each), axis=0) for each in zip(*(sums for sums, _ in parts)))
    n_trees = len(trees)
    spread = np.maximum(square - total**2 / n_trees, 0.0) / max(n_trees - 1, 1)
    with np.errstate(invalid="ignore"):
        classes = by_class / with_class
    share = sum(n_out for _, n_out in parts) / (n_trees * n)
    return MeasuredImportance(total / n_trees, np.sqrt(spread / n_trees), classes, share)
