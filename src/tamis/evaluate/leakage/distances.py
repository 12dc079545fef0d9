"""Rows of numbers and categories as points: distances, nearest rows, and what a straight line explains."""

from __future__ import annotations

import numpy as np

from tamis.table import Column, Table

__all__ = ["encoded_rows", "held_out_ridge", "nearest"]

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
    parts = [part for column in table.columns for part in _points(column)]
    return np.column_stack(parts) if parts else np.zeros((table.n_rows, 0))


def _points(column: Column) -> list[np.ndarray]:
    missing = column.missing
    if column.is_categorical:
        codes = np.unique(column.values, return_inverse=True)[1].ravel()
        shares = np.bincount(codes) / len(codes)
        mismatch = 1 - float((shares**2).sum())  # of two rows drawn at random
        return [] if mismatch == 0 else [(codes == code) / np.sqrt(mismatch) for code in range(len(shares))]
    parts = []
    if not missing.all():
        centred = np.where(missing, 0.0, column.values - column.values[~missing].mean())
        parts.append(centred)
    if missing.any():
        parts.append(missing.astype(np.float64))
    spreads = [part.std() for part in parts]
    return [part / spread for part, spread in zip(parts, spreads) if spread > 0]


def nearest(points: np.ndarray, k: int, others: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Positions of the k nearest other rows of each, and their squared distances, nearest first.

    Parameters
    ----------
    points : (n_rows, n_points)
    others : rows to search among; the rows themselves when not given, each without itself.

    >>> nearest(np.array([[0.0], [1.0], [3.0]]), 1)[0].ravel().tolist()
    [1, 0, 1]
    """
    among = points if others is None else others
    norms = (among**2).sum(axis=1)
    step = max(1, _BLOCK // max(1, len(among)))
    index, squared = np.empty((len(points), k), dtype=np.int64), np.empty((len(points), k))
    for start in range(0, len(points), step):
        block = points[start : start + step]
        apart = (block**2).sum(axis=1)[:, None] + norms - 2 * (block @ among.T)
        if others is None:
            apart[np.arange(len(block)), np.arange(start, start + len(block))] = np.inf
        order = np.argsort(apart, axis=1, kind="stable")[:, :k] if k > 1 else apart.argmin(axis=1)[:, None]
        index[start : start + step] = order
        squared[start : start + step] = np.maximum(np.take_along_axis(apart, order, axis=1), 0.0)
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
    best, least = np.broadcast_to(mean, y.shape), np.inf
    for strength in (0.01, 0.1, 1.0, 10.0):
        shrunken = singular**2 / (singular**2 + strength * n)
        fitted = mean + left @ (shrunken[:, None] * (left.T @ (y - mean)))
        leverage = np.minimum(1 / n + (left**2) @ shrunken, 1 - 1e-9)
        predicted = y - (y - fitted) / (1 - leverage)[:, None]
        loss = float((weights[:, None] * (y - predicted) ** 2).sum())
        if loss < least:
            best, least = predicted, loss
    return best
