"""Near twins: rows far closer to another row than to the next ones, which share its target.

Copies with a little noise, or several rows of one patient without a column that says so, leave two traces. A row's
nearest neighbour is far nearer than distances to the following ones allow for independent rows; and the two agree in
the target more than neighbours a little further off, which is more than a smooth relation to the columns explains.
"""

from dataclasses import dataclass

import numpy as np

from tamis.engine.seed import generator
from tamis.evaluate.leakage.distances import encoded_rows, nearest
from tamis.evaluate.leakage.duplicates import Shuffled
from tamis.table import Table

#: Neighbours up to which a row's twins are looked for: groups of up to 5 and of up to 15 rows.
RANKS = (5, 15)

#: Rows whose neighbours are looked up, columns that distances are computed from, both at most.
MAX_QUERIES, MAX_COLUMNS = 800, 1_000

#: A twin is nearer than this share of the distance to the k-th neighbour, and chance of that is below the level.
MAX_RATIO, LEVEL = 0.6, 0.05

#: Share of rows with a twin beyond that of shuffled columns, at least.
MIN_EXCESS = 0.1

#: Of the target's variance, what the twin must share beyond the next neighbours, and by how many standard errors.
MIN_SHARED, MIN_ERRORS = 0.25, 5.0

#: Draws of shuffled columns.
DRAWS = 2


@dataclass(frozen=True)
class NearTwins:
    """Rows with a near twin.

    Attributes
    ----------
    share : of rows that have one.
    expected : the share in tables of shuffled columns.
    by_twin, by_neighbours : share of the target's variance that the twin, and that the next neighbours predict.
    """

    share: float
    expected: float
    by_twin: float
    by_neighbours: float

    @property
    def weight(self) -> float:
        """The share of the target's variance that twins give away, over all rows."""
        return self.share * (self.by_twin - self.by_neighbours)


def near_twins(
    table: Table, y: np.ndarray, classes: bool, sets: np.ndarray, groups: np.ndarray | None = None
) -> NearTwins | None:
    """The near twins of a table, or None.

    With the distances d₁ ≤ d₂ ≤ … of a row to its neighbours, (d₁ / dₖ)ᵐ of independent rows is the smallest of k − 1
    uniform numbers, where m is the dimension that distances beyond dₖ show (Levina and Bickel). A row has a twin where
    that is unlikely, also among the rows of its own class: a class that is one cluster has no twins. The share of such
    rows must exceed that of tables of shuffled columns, and the target of the twin must agree beyond that of the
    neighbours k, …, 2k − 1.

    Parameters
    ----------
    table : the features.
    y : class codes or numbers.
    classes : whether y holds class codes.
    sets : of equal rows (see `duplicates`), of which the first is taken.
    groups : codes of groups; rows of one group are no twins.

    References
    ----------
    E. Levina, P. Bickel (2004), Maximum likelihood estimation of intrinsic dimension, NIPS 17.
    """
    first = np.sort(np.r_[np.flatnonzero(sets < 0), np.unique(sets, return_index=True)[1][int((sets < 0).any()) :]])
    if len(first) < 4 * RANKS[0] + 10 or table.n_columns < 2 or np.ptp(y[first]) == 0:
        return None
    draw = generator(0, "near twins")
    if table.n_columns > MAX_COLUMNS:
        table = table.select(np.sort(draw.permutation(table.n_columns)[:MAX_COLUMNS]).tolist())
    table, y = table.take(first), y[first]
    groups = None if groups is None else groups[first]
    queries = np.sort(draw.permutation(len(y))[:MAX_QUERIES])
    strata = np.unique(y, return_inverse=True)[1].ravel() if classes else np.zeros(len(y), dtype=np.int64)
    target = (strata[:, None] == np.arange(strata.max() + 1)).astype(np.float64) if classes else y[:, None]
    scans = [_scan(table, target, strata, queries, groups, k) for k in RANKS if len(y) > 4 * k + 10]
    return max((scan for scan in scans if scan is not None), key=lambda scan: scan.weight, default=None)


def _scan(
    table: Table, target: np.ndarray, strata: np.ndarray, queries: np.ndarray, groups: np.ndarray | None, k: int
) -> NearTwins | None:
    """Twins in groups of up to k rows; what costs least is looked at first."""
    points, variance = encoded_rows(table), 2 * float(target.var(axis=0).sum())
    has_twin, neighbours = _has_twin(points, queries, groups, k)
    if has_twin.mean() < MIN_EXCESS or has_twin.sum() < 10:
        return None
    rows, neighbour_rows = queries[has_twin], neighbours[has_twin]
    twin = ((target[rows] - target[neighbour_rows[:, 0]]) ** 2).sum(axis=1)
    other_distance = (
        ((target[rows][:, None] - target[neighbour_rows[:, k - 1 : 2 * k - 1]]) ** 2).sum(axis=2).mean(axis=1)
    )
    closer = other_distance - twin
    error = float(closer.std()) / np.sqrt(len(closer) / 2) + 1e-12 * variance  # two rows of a pair count once
    if closer.mean() < MIN_SHARED * variance or closer.mean() < MIN_ERRORS * error:
        return None
    own_rate = _has_twin_in_class(points, strata, queries, groups, k)
    if own_rate is None or own_rate < MIN_EXCESS:
        return None
    expected, expected_own, shuffled = 0.0, 0.0, Shuffled(table)
    for number in range(DRAWS):
        mixed = encoded_rows(shuffled.table(number))
        expected = max(expected, float(_has_twin(mixed, queries, groups, k)[0].mean()))
        expected_own = max(expected_own, _has_twin_in_class(mixed, strata, queries, groups, k) or 0.0)
    if has_twin.mean() < expected + MIN_EXCESS or own_rate < expected_own + MIN_EXCESS:
        return None
    return NearTwins(
        float(has_twin.mean()), expected, 1 - float(twin.mean()) / variance, 1 - float(other_distance.mean()) / variance
    )


def _has_twin(
    points: np.ndarray, queries: np.ndarray, groups: np.ndarray | None, k: int
) -> tuple[np.ndarray, np.ndarray]:
    """Whether each row's nearest neighbour is too near for independent rows; and its neighbours, nearest first."""
    index, squared = nearest(points, 4 * k, queries, groups)
    distance = np.sqrt(squared) + 1e-300
    logs = np.log(distance[:, -1:] / distance[:, k - 1 : -1])
    inverse = np.maximum(logs.sum(axis=1), 1e-9) / (logs.shape[1] - 1)
    dimension = 2 / (inverse + inverse.mean())  # half its own, half that of all rows: few neighbours tell it badly
    ratio = distance[:, 0] / distance[:, k - 1]
    chance = 1 - (1 - np.minimum(ratio, 1.0) ** dimension) ** (k - 1)
    return (ratio < MAX_RATIO) & (chance < LEVEL), index


def _has_twin_in_class(
    points: np.ndarray, strata: np.ndarray, queries: np.ndarray, groups: np.ndarray | None, k: int
) -> float | None:
    """The share of rows with a twin among the rows of their own class; None where classes are too small to tell."""
    n_twins = n_rows = 0
    for code in np.unique(strata):
        rows = np.flatnonzero(strata == code)
        class_queries = np.searchsorted(rows, queries[strata[queries] == code])
        if len(rows) > 4 * k and len(class_queries):
            n_twins += int(_has_twin(points[rows], class_queries, None if groups is None else groups[rows], k)[0].sum())
            n_rows += len(class_queries)
    return None if n_rows < max(20, len(queries) // 4) else n_twins / n_rows
