"""What importance noise reaches: forests grown beside permuted copies of every column."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tamis.engine import generator, seed_of
from tamis.forest.data.binned import ForestData
from tamis.forest.data.bootstrap import Bootstrap
from tamis.forest.growing import GrowingForest, TreeGrower
from tamis.forest.importance.per_tree import ImportanceRows, measure_importance
from tamis.views.binned import BinnedTable

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


def pvalues(
    forest: BaseEstimator,
    data: ForestData,
    rows: ImportanceRows,
    unit_of: np.ndarray,
    n_permutations: int,
    seed: int,
    n_jobs: int | None,
) -> np.ndarray:
    """(1 + copies at least as important) / (1 + copies) of each unit.

    In every round the table stands beside a copy of itself in which each unit's rows are permuted, and a forest is
    grown on both. A unit that has nothing to do with the target or with the other columns is, to the forest, just
    another copy: its importance in the first round and its copies' importances in the further rounds are exchangeable.
    """
    rises, hits = np.zeros(0), np.zeros(int(unit_of.max()) + 1)
    for r in range(n_permutations + 1):
        real, copy = _round(forest, data, rows, unit_of, seed_of(seed, "round", r), n_jobs)
        if r == 0:
            rises = real
        else:
            hits += copy >= rises
    return (1 + hits) / (1 + n_permutations)


def _round(
    forest: BaseEstimator, data: ForestData, rows: ImportanceRows, unit_of: np.ndarray, seed: int, n_jobs: int | None
) -> tuple[np.ndarray, np.ndarray]:
    """Importance of each unit and of its copy, in one forest grown on both."""
    d, n = rows.binned.codes.shape
    n_units = int(unit_of.max()) + 1
    order = [generator(seed, "copy", u).permutation(n) for u in range(n_units)]
    orders = [order[u] for u in unit_of]
    binned, columns = _doubled(rows.binned, orders), np.concatenate([rows.columns, d + rows.columns])
    matrix = rows.matrix
    if matrix.size:
        matrix = np.hstack(
            [matrix, np.column_stack([matrix[order_of_rows, k] for k, order_of_rows in enumerate(orders)])]
        )
    doubled = replace(data, binned=binned, columns=columns)
    limits = forest._chosen_limits(rows.columns, n)
    directions = np.tile(limits.monotone, 2)  # a copy is held to what its column is
    limits = limits._replace(max_features=min(2 * limits.max_features, 2 * d), monotone=directions)
    bootstrap: Bootstrap = replace(forest._bootstrap(data, rows.target), seed=seed)
    loss = rows.costs.loss if forest._votes else None
    grow = TreeGrower(doubled, rows.target, limits, bootstrap, False, loss, False, n_jobs)
    growing = GrowingForest(grow, rows.costs, rows.target, 2 * d, out_of_bag=False)
    growing.grow(len(forest.trees_))
    measured = measure_importance(
        growing.trees(columns), replace(rows, binned=binned, columns=columns, matrix=matrix), bootstrap,
        np.concatenate([unit_of, n_units + unit_of]), 1, seed, n_jobs,
    )  # fmt: skip
    return measured.rise[:n_units], measured.rise[n_units:]


def _doubled(binned: BinnedTable, orders: list[np.ndarray]) -> BinnedTable:
    """The binned table beside a copy of itself whose column k has its rows in the order places[k]."""
    codes = np.vstack([binned.codes, np.empty_like(binned.codes)])
    for k, rows in enumerate(orders):
        codes[len(orders) + k] = binned.codes[k, rows]
    return binned._replace(
        codes=codes,
        by_row=np.ascontiguousarray(codes.T),
        n_values=np.tile(binned.n_values, 2),
        missing=np.tile(binned.missing, 2),
        category=np.tile(binned.category, 2),
        first=np.concatenate([binned.first, binned.first[-1] + binned.first[1:]]),
        low=np.tile(binned.low, 2),
        high=np.tile(binned.high, 2),
    )
