"""Permutation importance of units of columns, measured tree by tree on the rows each tree left out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tamis import _core
from tamis.engine import seeds_of, workers
from tamis.forest.data.bootstrap import Bootstrap
from tamis.forest.layout import ForestTarget, TargetCosts
from tamis.forest.predict.trees import Trees
from tamis.views.binned import BinnedTable


@dataclass(frozen=True, eq=False)
class ImportanceRows:
    """The rows of the binned table as the trees read them, and what they count.

    Attributes
    ----------
    binned : their codes. columns : the trees' name of each column of the binned table.
    matrix : their values, columns as in the binned table; empty unless trees have oblique splits.
    target : what is to be predicted. costs : what wrong answers cost, and what each row counts.
    """

    binned: BinnedTable
    columns: np.ndarray
    matrix: np.ndarray
    target: ForestTarget
    costs: TargetCosts


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
    binned, n, n_units = rows.binned, len(rows.costs.weight), int(unit_of.max()) + 1
    seeds = np.column_stack([bootstrap.seeds(0, len(trees))[:, 0], seeds_of(seed, "permute", range(len(trees)))])
    trees = trees.in_units(1.0 / rows.target.scale)
    total, square, by_class, with_class, n_out = _core.permutation_rises(
        trees, binned, rows.matrix, unit_of, np.argsort(rows.columns), rows.costs, bootstrap.draws, seeds, n_units,
        n_repeats, workers(n_jobs),
    )  # fmt: skip
    n_trees = len(trees)
    spread = np.maximum(square - total**2 / n_trees, 0.0) / max(n_trees - 1, 1)
    with np.errstate(invalid="ignore"):
        classes = by_class / with_class
    share = n_out / (n_trees * n)
    return MeasuredImportance(total / n_trees, np.sqrt(spread / n_trees), classes, share)
