"""The split after which a constant, or a line in one column, fits each side best: the kernel of model trees."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tamis.engine.kernel import inner, njit

BINS = 64  # of a numeric column; a category has a bin for every level
MISSING = 255  # the bin of a row without a value

# sums of a bin, followed by those of x, x², x r for every regressor
ROWS, WEIGHT, RESIDUAL, SQUARE, FIRST = 0, 1, 2, 3, 4


class LinearNode(NamedTuple):
    """The rows of a node, in any order."""

    rows: np.ndarray  # int64: rows of the table
    X: np.ndarray  # float64 (rows, regressors), centred
    residual: np.ndarray  # float64: of the node's linear model
    weight: np.ndarray  # float64


@inner
def _cost(sums: np.ndarray) -> float:
    """The least squared error to expect on new rows, of a constant or of a line in one regressor.

    Σ w (r - fit)² times (n + p) / (n - p), p = 1 or 2 coefficients fitted to n rows.
    """
    n = sums[WEIGHT]
    spread = max(sums[SQUARE] - sums[RESIDUAL] ** 2 / n, 0.0)
    best = spread * (n + 1.0) / (n - 1.0)
    for at in range(FIRST, len(sums), 3):
        xx = sums[at + 1] - sums[at] ** 2 / n
        if xx <= 1e-9 * sums[at + 1]:
            continue
        xr = sums[at + 2] - sums[at] * sums[RESIDUAL] / n
        cost = max(spread - xr * xr / xx, 0.0) * (n + 2.0) / (n - 2.0)
        if cost < best:
            best = cost
    return best


@inner
def _add(codes: np.ndarray, node: LinearNode, table: np.ndarray) -> int:
    """Sums of every bin of a column; returns how many bins may have rows."""
    table[:] = 0.0
    top = 0
    for i in range(len(node.rows)):
        bin = codes[node.rows[i]]
        if bin == MISSING:
            continue
        top = max(top, int(bin) + 1)
        sums, w, r = table[bin], node.weight[i], node.residual[i]
        sums[ROWS] += 1.0
        sums[WEIGHT] += w
        sums[RESIDUAL] += w * r
        sums[SQUARE] += w * r * r
        for k in range(node.X.shape[1]):
            x = node.X[i, k]
            at = FIRST + 3 * k
            sums[at] += w * x
            sums[at + 1] += w * x * x
            sums[at + 2] += w * x * r
    return top


@inner
def _scan(table: np.ndarray, order: np.ndarray, n_bins: int, least: np.ndarray, sides: np.ndarray) -> tuple[float, int]:
    """The gain of the best cut of the bins in an order, and how many of them go left; `sides` is three rows of sums."""
    whole, left, right = sides[0], sides[1], sides[2]
    whole[:] = 0.0
    left[:] = 0.0
    for b in range(n_bins):
        for s in range(len(whole)):
            whole[s] += table[b, s]
    best, at = 0.0, 0
    if whole[ROWS] < 2 * least[0] or whole[WEIGHT] < 2 * least[1]:
        return best, at
    cost = _cost(whole)
    for place in range(n_bins - 1):
        sums = table[order[place]]
        if sums[ROWS] == 0.0:
            continue
        for s in range(len(left)):
            left[s] += sums[s]
        if left[ROWS] < least[0] or left[WEIGHT] < least[1]:
            continue
        if whole[ROWS] - left[ROWS] < least[0] or whole[WEIGHT] - left[WEIGHT] < least[1]:
            break
        for s in range(len(left)):
            right[s] = whole[s] - left[s]
        gain = cost - _cost(left) - _cost(right)
        if gain > best:
            best, at = gain, place + 1
    return best, at


@njit(error_model="numpy")
def best_linear_split(
    codes: np.ndarray,
    category: np.ndarray,
    node: LinearNode,
    least: np.ndarray,
    table: np.ndarray,
    gains: np.ndarray,
    cuts: np.ndarray,
    orders: np.ndarray,
) -> None:
    """For every column the gain of its best split, and which bins go left: the first `cuts` of `orders`.

    Parameters
    ----------
    codes : uint8 (columns, rows of the table), `MISSING` for rows without a value.
    category : bool (columns). Their bins are scanned by mean residual, those of numbers as they are.
    node : LinearNode.
    least : float64: rows and weight that a side must have.
    table : float64 (bins, 4 + 3 regressors), a buffer.
    gains, cuts, orders : float64, int64 (columns), int64 (columns, bins), filled here.
    """
    sides, mean = np.empty((3, table.shape[1])), np.empty(table.shape[0])
    for j in range(len(codes)):
        n_bins = _add(codes[j], node, table)
        order = orders[j]
        for b in range(n_bins):
            order[b] = b
            mean[b] = table[b, RESIDUAL] / table[b, WEIGHT] if table[b, WEIGHT] > 0.0 else 0.0
        if category[j]:
            order[:n_bins] = np.argsort(mean[:n_bins])
        gains[j], cuts[j] = _scan(table, order, n_bins, least, sides)
