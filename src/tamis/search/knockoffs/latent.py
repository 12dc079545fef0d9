"""Columns of any kind as normal variables, knockoffs of these, and normal variables as columns again."""

from dataclasses import replace

import numpy as np
from scipy.special import ndtr, ndtri
from sklearn.covariance import ledoit_wolf

from tamis.table import Column, Table

#: Sweeps over the columns until their s changes by less than this.
LEAST_EIGENVALUE = 1e-6
MAX_SWEEPS, TOLERANCE = 30, 1e-4


def correlation(Z: np.ndarray) -> np.ndarray:
    """Correlations of the columns, shrunk towards 0 after Ledoit and Wolf, with ones on the diagonal.

    No eigenvalue is below 1e-6: two rows, or columns that are copies of each other, would leave no inverse.
    """
    covariance = ledoit_wolf(Z)[0]
    scale = np.sqrt(np.maximum(np.diag(covariance), 1e-12))
    matrix = covariance / np.outer(scale, scale)
    np.fill_diagonal(matrix, 1.0)
    lack = LEAST_EIGENVALUE - float(np.linalg.eigvalsh(matrix)[0])
    if lack > 0:
        matrix = (matrix + 2 * lack * np.eye(len(matrix))) / (1 + 2 * lack)
    return np.asarray(matrix)


def maximum_entropy(sigma: np.ndarray) -> np.ndarray:
    r"""The s that makes copies least alike to their originals: it maximises the entropy of both,

    .. math:: \sum_j \log s_j + \log\det(2\Sigma - \operatorname{diag}(s)),

    coordinate by coordinate: with a the j-th diagonal element of :math:`(2\Sigma - \operatorname{diag}(s))^{-1}` the
    best change of s_j is :math:`(1 - a s_j) / 2a`.

    References
    ----------
    A. Spector and L. Janson, "Powerful knockoffs via minimizing reconstructability", Annals of Statistics 50, 2022.

    >>> maximum_entropy(np.eye(3)).round(3)
    array([1., 1., 1.])
    """
    smallest = float(np.linalg.eigvalsh(sigma)[0])
    s = np.full(len(sigma), min(1.0, max(smallest, 1e-6)))
    for _ in range(MAX_SWEEPS):
        inverse = np.linalg.inv(2 * sigma - np.diag(s))  # anew in every sweep: updates lose digits
        largest = 0.0
        for j in range(len(s)):
            a = float(inverse[j, j])
            change = (1 - a * s[j]) / (2 * a)
            s[j] += change
            row = inverse[j].copy()
            inverse += np.outer(row, row) * (change / (1 - change * a))
            largest = max(largest, abs(change))
        if largest < TOLERANCE:
            break
    return np.asarray(s * (1 - 1e-6))


def gaussian_knockoffs(Z: np.ndarray, sigma: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    r"""A copy of each column of Z, rows of which are normal with correlations Σ.

    .. math:: \tilde Z \mid Z \sim N\bigl(Z - Z \Sigma^{-1} D,\; 2D - D \Sigma^{-1} D\bigr), \quad
        D = \operatorname{diag}(s),

    so that columns and copies have the covariance :math:`\Sigma` each, and :math:`\Sigma - D` with each other.
    """
    s = maximum_entropy(sigma)
    ratio = np.linalg.solve(sigma, np.diag(s))
    conditional = 2 * np.diag(s) - s[:, None] * ratio
    values, vectors = np.linalg.eigh((conditional + conditional.T) / 2)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    return np.asarray(Z - Z @ ratio + rng.standard_normal(Z.shape) @ root.T)


#: Rounds in which variables that are known by an interval are drawn from the others. Drawn once, without the others,
#: they correlate too little, and so do the knockoffs: with holes 13% of the selected columns were false, for 10%.
DRAWS = 10


class LatentTable:
    """The normal variables behind a table: one a column, and one more for where a column with holes has them.

    A number is the normal score of its rank. Equal numbers, the levels of a category (in the order of their mean first
    principal component of the other columns) and "missing or not" are intervals of a normal variable; a value is drawn
    within its interval, given the other columns; so are values that are missing. The target is not looked at.
    """

    def __init__(self, table: Table, rng: np.random.Generator) -> None:
        self.columns = [table.column(j) for j in range(table.n_columns)]
        self.holes = [j for j, column in enumerate(self.columns) if column.missing.any() and not column.missing.all()]
        numbers = [column for column in self.columns if not column.is_categorical]
        scores = {column.name: _scores(column.values, column.missing, rng) for column in numbers}
        first = _first_component(np.array([z for z, _, _ in scores.values()]), table.n_rows)
        self.ranks = [_level_ranks(column, first) for column in self.columns]
        for column, ranks in zip(self.columns, self.ranks):
            if column.is_categorical:
                scores[column.name] = _scores(np.append(ranks, -1)[column.values], column.missing, rng)
        scored = [(scores[column.name], column.missing) for column in self.columns]
        complete = np.zeros(table.n_rows, dtype=bool)
        scored += [(_scores(self.columns[j].missing.astype(np.float64), complete, rng), complete) for j in self.holes]
        self.Z = np.array([z for (z, _, _), _ in scored]).T
        ends = [(low, high, missing) for (_, low, high), missing in scored]
        self._draw([_drawn_rows(*end) for end in ends], rng)

    def _draw(self, intervals: list[tuple[np.ndarray, np.ndarray, np.ndarray]], rng: np.random.Generator) -> None:
        """Gibbs draws of the variables that are known by an interval only, each given all others."""
        vary = [j for j, (rows, _, _) in enumerate(intervals) if len(rows)]
        for _ in range(DRAWS if vary else 0):
            precision = np.linalg.inv(correlation(self.Z))
            for j in vary:
                rows, low, high = intervals[j]
                weights = -precision[j] / precision[j, j]
                weights[j] = 0.0
                mean, spread = self.Z[rows] @ weights, 1 / np.sqrt(precision[j, j])
                below, above = ndtr((low - mean) / spread), ndtr((high - mean) / spread)
                share = below + rng.random(len(rows)) * (above - below)
                drawn = mean + spread * ndtri(np.clip(share, 1e-9, 1 - 1e-9))
                self.Z[rows, j] = np.clip(drawn, np.maximum(low, -6.0), np.minimum(high, 6.0))

    def table(self, Z: np.ndarray, names: list[str]) -> Table:
        """Columns with the distribution of the originals, from as many normal variables."""
        shares = ndtr(Z)
        gaps = {j: len(self.columns) + k for k, j in enumerate(self.holes)}
        columns = []
        for j, (column, name) in enumerate(zip(self.columns, names)):
            missing = column.missing.copy()
            if j in gaps:
                order = np.argsort(np.argsort(-Z[:, gaps[j]], kind="stable"), kind="stable")
                missing = order < column.missing.sum()
            observed = column.values[~column.missing]
            if not len(observed):
                columns.append(replace(column, name=name))
                continue
            observed = observed[
                np.argsort(self.ranks[j][observed] if column.is_categorical else observed, kind="stable")
            ]
            position = np.minimum((shares[:, j] * len(observed)).astype(np.int64), len(observed) - 1)
            values = observed[position]
            values = np.where(missing, -1 if column.is_categorical else np.nan, values).astype(column.values.dtype)
            columns.append(replace(column, name=name, values=values))
        return Table(columns, n_rows=len(Z))


def _scores(
    values: np.ndarray, missing: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Normal scores, equal values in random order and missing ones 0; and both ends of each value's interval."""
    out, low, high = np.zeros(len(values)), np.full(len(values), -np.inf), np.full(len(values), np.inf)
    observed = np.flatnonzero(~missing)
    if len(observed):
        order = np.lexsort((rng.random(len(observed)), values[observed]))
        out[observed[order]] = ndtri((np.arange(len(observed)) + 0.5) / len(observed))
        code, counts = np.unique(values[observed], return_inverse=True, return_counts=True)[1:]
        edges = ndtri(np.append(0, np.cumsum(counts)) / len(observed))
        low[observed], high[observed] = edges[code.ravel()], edges[code.ravel() + 1]
        single = counts[code.ravel()] == 1
        low[observed[single]] = high[observed[single]] = out[observed[single]]
    return out, low, high


def _drawn_rows(low: np.ndarray, high: np.ndarray, missing: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows whose variable is known by an interval only, and its ends; none of a constant column."""
    if not missing.any() and np.isneginf(low).all() and np.isposinf(high).all():
        return np.empty(0, dtype=np.int64), low[:0], high[:0]
    rows = np.flatnonzero(low < high)
    return rows, low[rows], high[rows]


def _first_component(Z: np.ndarray, n_rows: int) -> np.ndarray:
    """The first principal component of the numeric columns (rows,); 0 without any."""
    if len(Z) == 0:
        return np.zeros(n_rows)
    left = np.linalg.svd(Z - Z.mean(axis=1, keepdims=True), full_matrices=False)[2][0]
    return left * np.sign(left[np.argmax(np.abs(left))])


def _level_ranks(column: Column, first: np.ndarray) -> np.ndarray:
    """The rank of each level of a category; nothing for numbers."""
    if not column.is_categorical:
        return np.empty(0)
    codes, n_levels = column.values[column.values >= 0], len(column.levels or ())
    counts = np.maximum(np.bincount(codes, minlength=n_levels), 1)
    means = np.bincount(codes, first[column.values >= 0], minlength=n_levels) / counts
    ranks = np.empty(n_levels)
    ranks[np.argsort(means, kind="stable")] = np.arange(n_levels)
    return ranks
