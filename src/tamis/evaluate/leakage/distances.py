"""Rows of numbers and categories as points: distances, nearest rows, and what a straight line explains."""

import numpy as np

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
