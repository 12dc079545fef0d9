"""How much of a target one column tells alone, and how likely chance is to do as well."""

from dataclasses import dataclass

import numpy as np
from scipy import special

from tamis.metrics.distributions import average_ranks, binomial_tail, t_tail
from tamis.table import Column, Table

_BLOCK = 1 << 20  # values that are ranked at once


@dataclass(frozen=True)
class Univariate:
    """What one column tells.

    Attributes
    ----------
    share : rows told right (classes) or variance told (numbers), by thresholds or by levels, whichever is better.
    odds : an upper bound for the chance that a column without meaning tells as much.
    by_level : the same by levels only, each row judged by the other rows of its level.
    level_odds : the odds of that.
    base : the share told without the column.
    rows, levels : rows with a value, and different values among them.
    is_integer : True when all values are whole numbers (or codes).
    classes : True when the target is classes.
    """

    share: float
    odds: float
    by_level: float
    level_odds: float
    base: float
    rows: int
    levels: int
    is_integer: bool
    classes: bool


def univariate(column: Column, y: np.ndarray, classes: bool) -> Univariate:
    """Judge one column; y holds class codes or numbers. Missing values are left out, and half of them are needed.

    >>> univariate(Column("x", "numeric", np.arange(30.0)), np.repeat([0.0, 1.0], 15), True).share
    1.0
    """
    is_observed = ~column.missing
    values, target = column.values[is_observed], y[is_observed]
    n = len(values)
    if n < 10 or n < len(y) / 2 or np.ptp(target) == 0 or np.all(values == values[0]):
        return Univariate(0.0, 1.0, 0.0, 1.0, 0.0, n, 1, False, classes)
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    starts = np.r_[True, ordered[1:] != ordered[:-1]]
    levels = int(starts.sum())
    is_integer = column.is_categorical or bool(np.all(ordered == np.round(ordered)))
    base = float(np.bincount(target.astype(np.int64)).max() / n) if classes else 0.0
    by_level = _by_level(np.cumsum(starts) - 1, target[order], classes) if levels <= n / 2 else 0.0
    level_odds = _odds(by_level, base, n, classes) if by_level > base else 1.0
    share, odds = by_level, level_odds
    if not column.is_categorical:
        by_order = _by_cuts(ordered, target[order], starts) if classes else _by_correlation(values, target)
        if by_order[0] > share:
            share, odds = by_order
    return Univariate(share, odds, by_level, level_odds, base, n, levels, is_integer, classes)


def neighbour_share(column: Column, y: np.ndarray, classes: bool) -> float:
    """What the rows of the two neighbouring values tell of each row: the share of rows (or of variance) told right.

    >>> x = np.repeat(np.arange(10.0), 3)
    >>> neighbour_share(Column("x", "numeric", x), x, False) > 0.9
    True
    """
    present = ~column.missing
    codes, target = np.unique(column.values[present], return_inverse=True)[1].ravel(), y[present]
    hot = (target[:, None] == np.unique(target)).astype(np.float64) if classes else target[:, None]
    total = np.array([np.bincount(codes, weights=indicator) for indicator in hot.T]).T
    size = np.bincount(codes).astype(np.float64)[:, None]
    around, count = np.zeros_like(total), np.zeros_like(size)
    for values, out in ((total, around), (size, count)):
        out[1:] += values[:-1]
        out[:-1] += values[1:]
    mean = around / np.maximum(count, 1)
    if classes:
        return float((mean.argmax(axis=1)[codes] == hot.argmax(axis=1)).mean())
    error = ((target - mean[codes, 0]) ** 2).sum()
    return max(0.0, float(1 - error / ((target - target.mean()) ** 2).sum()))


def suspects(table: Table, y: np.ndarray, classes: bool, share: float, odds: float) -> np.ndarray:
    """Columns of a wide table that are worth judging one by one; of other tables, all.

    Left out are columns of fractions without a hole that cannot tell `share` of the target at `odds` that many columns
    leave standing: for classes all where not even a perfect column could, else by their best cuts; for numbers, by
    their correlation.

    >>> suspects(Table.of(np.eye(3)), np.array([0.0, 1.0, 0.0]), True, 0.995, 1e-3).tolist()
    [0, 1, 2]
    """
    dense, n = table.dense, table.n_rows
    if dense is None or table.matrix is not None or n < 10 or np.ptp(y) == 0:
        return np.arange(table.n_columns)
    worth = np.array([head.kind != "numeric" for head in table.heads])
    step = max(1, _BLOCK // n)
    possible = True
    if classes:
        counts = np.bincount(y.astype(np.int64))
        best = min(_arrangements(0, counts[counts > 0]), _odds(1.0, float(counts.max() / n), n, True))
        possible = best * table.n_columns < odds
    for start in range(0, table.n_columns, step):
        block = np.asarray(dense[:, start : start + step], dtype=np.float64)
        worth[start : start + step] |= np.isnan(block).any(axis=0) | (block == np.round(block)).all(axis=0)
        if possible:
            worth[start : start + step] |= (_may_cut if classes else _may_correlate)(block, y, share)
    return np.flatnonzero(worth)


def _may_cut(block: np.ndarray, y: np.ndarray, share: float) -> np.ndarray:
    """Columns whose best cuts (`_by_cuts`, all columns at once) tell that share, or whose values come again."""
    order = np.argsort(block, axis=0, kind="stable")
    ordered, target = np.take_along_axis(block, order, axis=0), y.astype(np.int64)[order]
    starts = ordered[1:] != ordered[:-1]
    n, d = block.shape
    counts = np.bincount(y.astype(np.int64))
    medians = np.full((len(counts), d), np.inf)
    for k in np.flatnonzero(counts):
        medians[k] = ordered.T[np.equal(target.T, k)].reshape(d, counts[k])[:, counts[k] // 2]
    always = np.ones((1, d), dtype=bool)
    allowed, best = np.vstack([always, starts, always]), np.zeros((n + 1, d))
    for classes in np.argsort(medians, axis=0, kind="stable"):
        so_far = np.vstack([np.zeros((1, d)), np.cumsum(target == classes, axis=0)])
        best = so_far + np.maximum.accumulate(np.where(allowed, best - so_far, -np.inf), axis=0)
    return np.asarray((best[-1] >= share * n - 1e-6) | (2 * (1 + starts.sum(axis=0)) <= n))


def _may_correlate(block: np.ndarray, y: np.ndarray, share: float) -> np.ndarray:
    """Columns whose values or ranks tell nearly that share of the variance, or whose values come again."""
    ordered = np.sort(block, axis=0)
    repeats = 2 * (1 + (ordered[1:] != ordered[:-1]).sum(axis=0)) <= len(block)
    target, ranked = y - y.mean(), average_ranks(y) - (len(y) + 1) / 2
    may = np.zeros(block.shape[1], dtype=bool)
    for values, response in ((block, target), (average_ranks(block.T).T, ranked)):
        centred = values - values.mean(axis=0)
        squared_products = (response @ centred) ** 2
        may |= squared_products >= (share - 0.01) * (response @ response) * (centred**2).sum(
            axis=0
        )  # a little less, for rounding
    return may | repeats


def _by_level(codes: np.ndarray, y: np.ndarray, classes: bool) -> float:
    """Each row told by the other rows of its level: their most frequent class, or their mean."""
    if classes:
        target = y.astype(np.int64)
        cells = np.zeros((codes.max() + 1, target.max() + 1))
        np.add.at(cells, (codes, target), 1)
        other_counts = cells[codes].copy()
        other_counts[np.arange(len(y)), target] -= 1
        right = (other_counts.argmax(axis=1) == target) & (other_counts.max(axis=1) > 0)
        return float(right.mean())
    size = np.bincount(codes)
    total = np.bincount(codes, weights=y)
    other_means = np.where(size[codes] > 1, (total[codes] - y) / np.maximum(size[codes] - 1, 1), y.mean())
    return max(0.0, float(1 - ((y - other_means) ** 2).sum() / ((y - y.mean()) ** 2).sum()))


def _by_correlation(values: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """Variance told by a straight line, through the values or through their ranks."""
    ranks = average_ranks(np.vstack([values, y]))
    r = max(abs(float(np.corrcoef(values, y)[0, 1])), abs(float(np.corrcoef(ranks)[0, 1])))
    n = len(y)
    t = r * np.sqrt((n - 2) / max(1e-300, 1 - r * r))
    return r * r, float(4 * t_tail(t, n - 2))  # two sides, two coefficients


def _by_cuts(ordered: np.ndarray, y: np.ndarray, starts: np.ndarray) -> tuple[float, float]:
    """Rows told right by the best cuts of the sorted values: one stretch a class, in the order of their medians."""
    target = y.astype(np.int64)
    counts = np.bincount(target)
    medians = [ordered[target == k][counts[k] // 2] if counts[k] else np.inf for k in range(len(counts))]
    allowed = np.r_[starts, True]  # a cut between equal values cannot be made
    best = np.zeros(len(y) + 1)
    for k in np.argsort(medians, kind="stable"):
        so_far = np.r_[0, np.cumsum(target == k)]
        best = so_far + np.maximum.accumulate(np.where(allowed, best - so_far, -np.inf))
    right = int(best[-1])
    return right / len(y), _arrangements(len(y) - right, counts[counts > 0])


def _arrangements(wrong: int, counts: np.ndarray) -> float:
    """Odds that a blind order does as well: the arrangements so few errors away from cuts, over all of them."""
    n, k = int(counts.sum()), len(counts)
    everything = special.gammaln(n + 1) - special.gammaln(counts + 1).sum()
    choices = special.gammaln(n + 1) - special.gammaln(wrong + 1) - special.gammaln(n - wrong + 1) + wrong * np.log(k)
    reach = choices + (k - 1) * np.log(n + 1) + special.gammaln(k + 1)
    return float(np.exp(min(0.0, reach - everything)))


def _odds(share: float, base: float, n: int, classes: bool) -> float:
    """Odds that a blind column tells as much: binomial above the base rate, or F-like for variances."""
    if classes:
        return binomial_tail(round(share * n), n, min(base, 1 - 1e-9))
    if share <= 0:
        return 1.0
    return float(np.exp(0.5 * n * np.log(max(1e-300, 1 - share))))
