"""A whole boosting run in the core, and how its splits are looked for."""

from __future__ import annotations

import numpy as np

from tamis import _core
from tamis.boosting.layout import BoostingLimits, BoostingTarget
from tamis.engine import workers
from tamis.forest.layout import NODE
from tamis.forest.predict.trees import Trees
from tamis.views.binned import BinnedTable

BYTES = 2**28  # of histograms at most
WORTH = 20_000  # codes below which threads do not pay
SORTED = 2  # rows for each bin of a column, at most, where they are sorted by every column
DENSE = 2  # rows for each bin of a column: with fewer a node is counted again instead of subtracted
BIN_BYTES = 32  # see GradientSums in _core/gradient.hpp


def boosted(
    table: BinnedTable,
    columns: np.ndarray,
    target: BoostingTarget,
    limits: BoostingLimits,
    baseline: np.ndarray,
    n_rounds: int,
    n_jobs: int | None,
) -> tuple[Trees, np.ndarray]:
    """The trees of all rounds, those of a class together, and what the splits of each column gained in all.

    columns : position in the user's table of each column of the binned table; the trees ask for these.
    """
    threads = workers(n_jobs) if table.codes.size >= WORTH else 1
    rounds = n_rounds if len(baseline) else 0  # of one class nothing is to be learned
    words, roots, sets, gain = _core.boost(table, target, limits, baseline, columns, rounds, threads)
    return Trees.of_numbers(words.view(NODE), roots, sets), gain


def search_plan(table: BinnedTable, max_leaves: int) -> tuple[int, int, bool]:
    """How splits are looked for: `dense_rows`, `max_histograms` and `sorts_rows` of `BoostingLimits`."""
    n_columns, n_rows = table.codes.shape
    n_bins = int(table.n_values.sum()) + n_columns
    dense_rows = max(1, DENSE * n_bins // max(1, n_columns))
    sorts_rows = n_rows * n_columns <= SORTED * n_bins and n_rows <= 2**16
    histograms = 0 if sorts_rows or n_rows < dense_rows else min(max_leaves, n_rows // dense_rows) + 2
    histograms = min(histograms, BYTES // (BIN_BYTES * n_bins + 1))
    return dense_rows, histograms, sorts_rows
