"""Which columns go with the target beyond chance, each alone: what no procedure captures may still be there.

The test has what held-out losses lack: it looks at all rows at once, and estimates no model. Of 171 patients (haberman,
70% of its rows) the number of nodes goes with survival (p = 0.001), while no procedure loses less than the baseline
beyond chance.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tamis.engine import generator
from tamis.metrics.distributions import average_ranks
from tamis.score.permutation import permutation_pvalues
from tamis.study.problem import StudyProblem
from tamis.table import Column

#: Shuffled targets; the smallest p-value is one more than this, inverted.
PERMUTATIONS = 999

#: The level: where no procedure shows a signal, noise is said to hold one in one table of a hundred at most.
LEVEL = 0.01

#: Rows, and cells of a table with many columns, that are looked at, at most: what shows in so many and in no procedure
#: is not worth more time and memory.
MOST_ROWS, MOST_CELLS = 20_000, 20_000_000

#: Rows that are looked at all the same where columns are many.
SOME_ROWS = 200

#: Rows that differ from a column's commonest value at least, and rows of a level: of fewer the statistic is often large
#: by chance, and hides what other columns show.
FEWEST = 10


@dataclass(frozen=True)
class Association:
    """Columns against the target.

    Attributes
    ----------
    p_value : that no column has anything to do with the target.
    columns : name -> p-value, adjusted for all columns, of those at or below `LEVEL`; the strongest first.
    """

    p_value: float
    columns: dict[str, float]

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {"p_value": self.p_value, "columns": self.columns, "permutations": PERMUTATIONS}


def association(problem: StudyProblem, n_jobs: int | None = None) -> Association | None:
    r"""Test every column against shuffled targets; None where rows are not exchangeable (groups, time).

    A column is its ranks (missing values: the mean), a level of a category 0 or 1, and so is "missing". With the ranks
    z of a column, centred, and the classes (or the ranks of the target) as orthonormal columns Q,

    .. math:: H_j = (n - 1) \, \lVert Q^\top z_j \rVert^2 / \lVert z_j \rVert^2

    is the statistic of Kruskal and Wallis, or n - 1 times the squared correlation of ranks. The p-value of a column is
    the share of shuffled targets with as large an H in *any* column, so that chance exceeds it in no more tables.

    References
    ----------
    P. Westfall and S. Young, "Resampling-based multiple testing", 1993.
    """
    if problem.groups is not None or problem.time is not None:
        return None
    rows = np.arange(len(problem.y))
    most = min(MOST_ROWS, max(SOME_ROWS, MOST_CELLS // max(1, problem.X.n_columns)))
    if len(rows) > most:
        rows = np.sort(generator(0, "rows of association").permutation(rows)[:most])
    names, Z = _standardised(problem.X.take(rows).columns)
    Q = _basis(problem.y[rows], bool(problem.labels))
    if not len(names) or not Q.shape[1]:
        return Association(1.0, {})

    def statistics(orders: Sequence[np.ndarray]) -> np.ndarray:
        products = Z @ np.hstack([Q[order] for order in orders])
        return np.square(products).reshape(len(Z), len(orders), -1).sum(axis=2).T

    def largest(orders: Sequence[np.ndarray]) -> np.ndarray:
        most = statistics(orders).max(axis=1)
        return np.broadcast_to(most[None, :, None], (1, len(orders), len(Z)))

    observed = statistics([np.arange(len(rows))])
    p_values = permutation_pvalues(observed, largest, len(rows), PERMUTATIONS, n_jobs=n_jobs)
    found: dict[str, float] = {}
    for at in np.argsort(-observed[0], kind="stable"):
        if p_values[at] <= LEVEL:
            found.setdefault(names[at], float(p_values[at]))
    return Association(float(p_values.min()), found)


def _basis(y: np.ndarray, classes: bool) -> np.ndarray:
    """Orthonormal columns that span the centred indicators of the classes, or the centred ranks of the numbers."""
    parts = (y[:, None] == np.unique(y)[:-1]).astype(np.float64) if classes else average_ranks(y)[:, None]
    centred = parts - parts.mean(axis=0)
    return np.linalg.qr(centred)[0] if np.any(centred) else np.empty((len(y), 0))


def _standardised(columns: Sequence[Column]) -> tuple[list[str], np.ndarray]:
    """Names, and ranks and indicators of squared length n - 1 (parts, rows); without those that are constant."""
    names, parts = [], []
    for column in columns:
        for values in _parts(column):
            centred = values - values.mean()
            length = float(centred @ centred)
            if length > 0:
                names.append(column.name)
                parts.append(centred * np.sqrt((len(centred) - 1) / length))
    return names, np.array(parts)


def _parts(column: Column) -> Iterator[np.ndarray]:
    """What is ranked of a column: its numbers, or 0 and 1 for each level, and for values that are missing."""
    missing = column.missing
    if missing.sum() >= FEWEST:
        yield missing.astype(np.float64)
    if column.is_categorical:
        counts = np.bincount(column.values[column.values >= 0])
        for level in np.flatnonzero(counts >= FEWEST):
            yield (column.values == level).astype(np.float64)
        return
    known = column.values[~missing]
    if len(known) and len(known) - np.unique(known, return_counts=True)[1].max() >= FEWEST:
        ranks = np.full(len(missing), (len(known) + 1) / 2)
        ranks[~missing] = average_ranks(known)
        yield ranks
