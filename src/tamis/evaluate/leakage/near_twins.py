"""Near twins: rows far closer to another row than to the next ones, which share its target.

Copies with a little noise, or several rows of one patient without a column that says so, leave two traces. A row's
nearest neighbour is far nearer than distances to the following ones allow for independent rows; and the two agree in
the target more than neighbours a little further off, which is more than a smooth relation to the columns explains.
"""

from dataclasses import dataclass

import numpy as np

from tamis.engine.seed import generator
from tamis.evaluate.leakage.duplicates import Shuffled
from tamis.table import Column, Table

_BLOCK = 1 << 22  # distances that are held at once


def encoded_rows(table: Table) -> np.ndarray:
    """Rows as points whose squared distance adds up over columns, each of variance 1 (n_rows, n_points).

    A number is standardised, a missing one is its mean, with "missing" as one more point. A category is one point a
    level, scaled so that two rows drawn at random are as far apart as in a number: 2 on average.

    >>> encoded_rows(Table.of(np.array([[1.0, 5.0], [3.0, 5.0]]))).tolist()
    [[-1.0], [1.0]]
    """
    if table.dense is not None and not np.isnan(table.dense).any():
        values = np.asarray(table.dense, dtype=np.float64)
        centred = values - values.mean(axis=0)
        spread = np.sqrt((centred**2).mean(axis=0))
        return centred[:, spread > 0] / spread[spread > 0]
    points = [point for column in table.columns for point in _points(column)]
    return np.column_stack(points) if points else np.zeros((table.n_rows, 0))


def _points(column: Column) -> list[np.ndarray]:
    missing = column.missing
    if column.is_categorical:
        codes = np.unique(column.values, return_inverse=True)[1].ravel()
        shares = np.bincount(codes) / len(codes)
        mismatch = 1 - float((shares**2).sum())  # of two rows drawn at random
        return [] if mismatch == 0 else [(codes == code) / np.sqrt(mismatch) for code in range(len(shares))]
    encoded = []
    if not missing.all():
        centred = np.where(missing, 0.0, column.values - column.values[~missing].mean())
        encoded.append(centred)
    if missing.any():
        encoded.append(missing.astype(np.float64))
    spreads = [feature.std() for feature in encoded]
    return [feature / spread for feature, spread in zip(encoded, spreads) if spread > 0]


def nearest(
    points: np.ndarray, k: int, rows: np.ndarray | None = None, groups: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Positions of the k nearest other points of some rows, and their squared distances, nearest first.

    Parameters
    ----------
    points : (n_rows, n_points)
    k : at most n_rows - 1.
    rows : positions of the rows whose neighbours are looked up; all when not given.
    groups : of all rows; those of a row's own group come last, at an infinite distance.

    >>> nearest(np.array([[0.0], [1.0], [3.0]]), 1)[0].ravel().tolist()
    [1, 0, 1]
    """
    rows = np.arange(len(points)) if rows is None else rows
    norms = (points**2).sum(axis=1)
    step = max(1, _BLOCK // max(1, len(points)))
    index, squared = np.empty((len(rows), k), dtype=np.int64), np.empty((len(rows), k))
    for start in range(0, len(rows), step):
        block = rows[start : start + step]
        squared_distances = norms[block][:, None] + norms - 2 * (points[block] @ points.T)
        if groups is not None:
            squared_distances[groups[block][:, None] == groups] = np.inf
        squared_distances[np.arange(len(block)), block] = np.inf
        some = np.argpartition(squared_distances, k - 1, axis=1)[:, :k]
        ordered = np.take_along_axis(
            some, np.argsort(np.take_along_axis(squared_distances, some, axis=1), axis=1), axis=1
        )
        index[start : start + step] = ordered
        squared[start : start + step] = np.maximum(np.take_along_axis(squared_distances, ordered, axis=1), 0.0)
    return index, squared


def held_out_ridge(points: np.ndarray, y: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
    """Leave-one-out predictions of a ridge regression on the points; of some strengths, those of least squared error.

    Parameters
    ----------
    points : (n_rows, n_points)
    y : (n_rows, n_outputs)
    weights : of the rows in the squared error by which the strength is chosen.

    >>> x = np.linspace(-1, 1, 20)[:, None]
    >>> float(np.abs(held_out_ridge(x, 3 * x + 1) - 3 * x - 1).max().round(1))
    0.1
    """
    n = len(points)
    weights = np.ones(n) if weights is None else weights
    centred, mean = points - points.mean(axis=0), y.mean(axis=0)
    left, singular, _ = np.linalg.svd(centred, full_matrices=False)
    best, best_loss = np.broadcast_to(mean, y.shape), np.inf
    for strength in (0.01, 0.1, 1.0, 10.0):
        shrunken = singular**2 / (singular**2 + strength * n)
        fitted = mean + left @ (shrunken[:, None] * (left.T @ (y - mean)))
        leverage = np.minimum(1 / n + (left**2) @ shrunken, 1 - 1e-9)
        predicted = y - (y - fitted) / (1 - leverage)[:, None]
        loss = float((weights[:, None] * (y - predicted) ** 2).sum())
        if loss < best_loss:
            best, best_loss = predicted, loss
    return best


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
