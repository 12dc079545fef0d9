r"""Means of a target by level, shrunk towards the mean of all rows.

.. math:: \hat m_l = \frac{n_l \bar y_l + m \bar y}{n_l + m}, \qquad m = \frac{\sigma^2}{\tau^2}

σ² is the variance within levels and τ² the one between them, by the moments of a one-way layout with random effects; of
levels that differ no more than chance has them differ nothing is left, and of those with a row each neither.
"""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Cells:
    """Counts, means and sums of squares around them: folds × levels (× targets).

    Attributes
    ----------
    n : rows of each fold and level.
    mean, squares : mean of each target in them, and sum of its squares around that mean.
    n_rows, total : of each fold, rows and sum of each target, rows without a level included.
    sums : sum of each target where all are 0 or 1, whole numbers that tell the rest; else None.
    """

    n: np.ndarray
    mean: np.ndarray
    squares: np.ndarray
    n_rows: np.ndarray
    total: np.ndarray
    sums: np.ndarray | None = None

    @classmethod
    def of(
        cls,
        codes: np.ndarray,
        n_levels: int,
        fold: np.ndarray,
        n_folds: int,
        targets: np.ndarray,
        labels: np.ndarray | None = None,
    ) -> "Cells":
        """Cells of a column.

        Parameters
        ----------
        codes : its levels, below 0 where there is none.
        targets : rows × targets.
        labels : where all targets are 0 or 1, and counts tell the rest: which of several is 1 in each row, or whether
            a single one is.
        """
        is_observed = codes >= 0
        complete = bool(is_observed.all())
        at = (fold * n_levels + codes) if complete else (fold[is_observed] * n_levels + codes[is_observed])
        size = n_folds * n_levels
        n = np.bincount(at, minlength=size)
        shape = (n_folds, n_levels, targets.shape[1])
        rows = np.bincount(fold, minlength=n_folds)
        if labels is not None:
            sums = _sums(at, labels if complete else labels[is_observed], size, shape[2]).reshape(shape)
            total = _sums(fold, labels, n_folds, shape[2])
            return cls(*_of_sums(n.reshape(shape[:2]), sums), rows, total, sums)
        total = np.column_stack([np.bincount(fold, weights=y, minlength=n_folds) for y in targets.T])
        mean, squares = np.zeros(shape), np.zeros(shape)
        filled = np.maximum(n, 1)
        for t in range(targets.shape[1]):
            y = targets[:, t] if complete else targets[is_observed, t]
            means = np.bincount(at, weights=y, minlength=size) / filled
            mean[..., t] = means.reshape(shape[:2])
            around = np.bincount(at, weights=np.square(y - means[at]), minlength=size)
            squares[..., t] = around.reshape(shape[:2])
        return cls(n.reshape(shape[:2]), mean, squares, rows, total)

    def merged(self, folds: list[int]) -> "Cells":
        """The cells of some folds as those of one; no number of the other folds is touched."""
        rows, total = self.n_rows[folds].sum(keepdims=True), self.total[folds].sum(axis=0, keepdims=True)
        if self.sums is not None:
            sums = self.sums[folds].sum(axis=0, keepdims=True)
            return Cells(*_of_sums(self.n[folds].sum(axis=0, keepdims=True), sums), rows, total, sums)
        n, mean, squares = (values[folds[0]].copy() for values in (self.n, self.mean, self.squares))
        for f in folds[1:]:
            merged_n = np.maximum(n + self.n[f], 1)[:, None]
            shift = self.mean[f] - mean
            squares += self.squares[f] + np.square(shift) * (n * self.n[f])[:, None] / merged_n
            mean += shift * self.n[f][:, None] / merged_n
            n += self.n[f]
        return Cells(n[None], mean[None], squares[None], rows, total)


def _sums(at: np.ndarray, labels: np.ndarray, size: int, n_targets: int) -> np.ndarray:
    """Sums of indicators by cell, cells × targets: one count for all targets."""
    if n_targets == 1:
        return np.bincount(at, weights=labels, minlength=size)[:, None]
    return np.bincount(at * n_targets + labels, minlength=size * n_targets).reshape(size, n_targets)


def _of_sums(n: np.ndarray, sums: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Counts, means and sums of squares around them of indicators."""
    mean = sums / np.maximum(n, 1)[..., None]
    return n, mean, n[..., None] * mean * (1.0 - mean)


def encoding(cells: Cells, group_of: np.ndarray, n_groups: int, smooth: float | None) -> np.ndarray:
    """What stands for each group of levels and, last, for a level never seen: (groups + 1) × targets.

    Parameters
    ----------
    cells : of one fold.
    group_of : which group each level belongs to.
    smooth : m; None has it worked out.
    """
    prior = cells.total[0] / max(int(cells.n_rows[0]), 1)
    n, mean, squares = _grouped(cells, group_of, n_groups)
    out = np.empty((n_groups + 1, len(prior)))
    for t, level in enumerate(prior):
        share = _kept_share(n, mean[:, t], squares[:, t]) if smooth is None else n / np.maximum(n + smooth, 1e-300)
        out[:-1, t] = level + share * (mean[:, t] - level)
    out[-1] = prior
    return out


def _grouped(cells: Cells, group_of: np.ndarray, n_groups: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Counts, means and sums of squares of groups of levels."""
    n, mean, squares = cells.n[0], cells.mean[0], cells.squares[0]
    if len(n) == n_groups and np.array_equal(group_of, np.arange(n_groups)):
        return n, mean, squares
    total = np.bincount(group_of, weights=n, minlength=n_groups)
    means, around = np.empty((n_groups, mean.shape[1])), np.empty((n_groups, mean.shape[1]))
    for t in range(mean.shape[1]):
        means[:, t] = np.bincount(group_of, weights=n * mean[:, t], minlength=n_groups) / np.maximum(total, 1)
        between = n * np.square(mean[:, t] - means[group_of, t])
        around[:, t] = np.bincount(group_of, weights=squares[:, t] + between, minlength=n_groups)
    return total, means, around


def _kept_share(n: np.ndarray, mean: np.ndarray, squares: np.ndarray) -> np.ndarray:
    """How much of each level's distance from the mean of all is kept: n τ² / (n τ² + σ²)."""
    occupied = n > 0
    rows, levels = float(n.sum()), int(occupied.sum())
    if levels < 2 or rows <= levels:
        return np.zeros(len(n))
    within_variance = squares.sum() / (rows - levels)
    center = (n * mean).sum() / rows
    between = (n * np.square(mean - center)).sum() - (levels - 1) * within_variance
    between = max(between / (rows - np.square(n, dtype=np.float64).sum() / rows), 0.0)
    weight = n * between
    return np.asarray(np.divide(weight, weight + within_variance, out=np.zeros(len(n)), where=weight > 0))
