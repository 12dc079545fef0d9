"""Which columns go with the target beyond chance, each alone: what no procedure captures may still be there.

The test has what held-out losses lack: it looks at all rows at once, and estimates no model. Of 171 patients (haberman,
70% of its rows) the number of nodes goes with survival (p = 0.001), while no procedure loses less than the baseline
beyond chance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtri

from tamis.engine import generator, map_threads
from tamis.metrics.distributions import average_ranks
from tamis.split.exchange import Exchange
from tamis.study.problem import StudyProblem
from tamis.table import Column

#: Draws of the target; the smallest p-value is one more than this, inverted.
PERMUTATIONS = 999

#: The level: where no procedure shows a signal, noise is said to hold one in one table of a hundred at most.
LEVEL = 0.01

#: Where a class has fewer rows, the columns are also tested together: held-out rows of so few have little power.
FEW_ROWS = 20

#: The level of that test. Of 250 rows with 3% positives (AUC 0.91, three of eight columns) the largest statistic of a
#: column denies 27% at this level, the sum 11%; the likelihood ratio of exactly this signal, its signs unknown, 9%.
JOINT_LEVEL = 0.03

#: Rows, and cells of a table with many columns and classes, that are tested at most: 999 draws of so many take 0.2 s.
MAX_ROWS, MAX_CELLS = 20_000, 4_000_000

#: Rows that are tested all the same where columns are many.
MIN_ROWS = 200

#: Rows that differ from a column's commonest value at least, and rows of a level: of fewer the statistic is often large
#: by chance, and hides what other columns show.
FEWEST = 10

#: Draws at once.
BATCH = 32


@dataclass(frozen=True)
class Association:
    """Columns against the target.

    Attributes
    ----------
    p_value : that no column has anything to do with the target.
    p_values : name -> p-value, adjusted for all columns; the strongest first. Columns of fewer than ten rows beside
        their commonest value are not tested.
    permutations : draws of the target.
    joint_p_value : of the sum over all columns, where a class has fewer than `FEW_ROWS` rows; None elsewhere.
    """

    p_value: float
    p_values: dict[str, float]
    permutations: int = PERMUTATIONS
    joint_p_value: float | None = None

    @property
    def columns(self) -> dict[str, float]:
        """The columns at or below `LEVEL`."""
        return {name: p for name, p in self.p_values.items() if p <= LEVEL}

    @property
    def shows_signal(self) -> bool:
        """Whether a column alone, or all of them together, go with the target beyond chance."""
        return bool(self.columns) or (self.joint_p_value is not None and self.joint_p_value <= JOINT_LEVEL)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, of the columns at or below `LEVEL`."""
        return {
            "p_value": self.p_value,
            "columns": self.columns,
            "permutations": self.permutations,
            "level": LEVEL,
            "joint_p_value": self.joint_p_value,
        }


def association(problem: StudyProblem, n_jobs: int | None = None) -> Association:
    r"""Test every column against draws of the target that respect groups and time (`Exchange`).

    A column is its ranks (missing values: the mean), a level of a category 0 or 1, and so is "missing". With the ranks
    z of a column, centred, and the classes (or the ranks of the target) as orthonormal columns Q,

    .. math:: H_j = (n - 1) \, \lVert Q^\top z_j \rVert^2 / \lVert z_j \rVert^2

    is the statistic of Kruskal and Wallis, or n - 1 times the squared correlation of ranks. The p-value of a column is
    the share of drawn targets with as large an H in *any* column, so that chance exceeds it in no more tables. Of
    counts with exposures the target's residuals about one common rate take the place of its ranks.

    In time order, each value is first reduced by φ times the mean of the time before (of its group), where φ is the
    target's own autocorrelation: two series that only drift would correlate otherwise, whatever they are of.

    Where a class has fewer than `FEW_ROWS` rows, all columns are also tested together: the sum over columns of
    :math:`H_j` of their normal scores, against the same draws.

    References
    ----------
    P. Westfall and S. Young, "Resampling-based multiple testing", 1993. D. Cochrane and G. Orcutt, "Application of
    least squares regression to relationships containing autocorrelated error terms", JASA 44, 1949. J. Goeman, S. van
    de Geer, F. de Kort and H. van Houwelingen, "A global test for groups of genes", Bioinformatics 20, 2004.
    """
    rows = _rows(problem)
    names, Z = _parts_of(problem.X.take(rows).columns)
    exposure = None if problem.exposure is None else problem.exposure[rows]
    Y = _target_parts(problem.y[rows], bool(problem.labels), exposure)
    groups, time = (None if units is None else units[rows] for units in (problem.groups, problem.time))
    if len(names) and Y.shape[1] and time is not None:
        Z, Y = _without_drift(Z, Y, groups, time)
    Z, varies = _standardised(Z)
    names = [name for name, is_varied in zip(names, varies) if is_varied]
    Q = _orthonormal(Y)
    if not len(names) or not Q.shape[1]:
        return Association(1.0, {})
    exchange = Exchange.of(len(rows), groups, time)
    orders = exchange.orders(PERMUTATIONS)

    observed = _statistics(Z, Q)
    p_values = _exceedance(observed, _null(Z, Q, exchange, orders, np.max, n_jobs))
    joint = None
    if problem.labels and np.unique(problem.y[rows], return_counts=True)[1].min() < FEW_ROWS:
        scores = _normal_scores(Z)
        null = _null(scores, Q, exchange, orders, np.sum, n_jobs)
        joint = float(_exceedance(_statistics(scores, Q).sum(keepdims=True), null)[0])
    p_of_column: dict[str, float] = {}
    for at in np.argsort(-observed, kind="stable"):
        p_of_column.setdefault(names[at], float(p_values[at]))
    return Association(float(p_values.min()), p_of_column, len(orders), joint)


def _null(
    Z: np.ndarray,
    Q: np.ndarray,
    exchange: Exchange,
    orders: Sequence[np.ndarray],
    over_parts: Callable[..., Any],
    n_jobs: int | None,
) -> np.ndarray:
    """The largest or the sum of the statistics of all parts, for each drawn order of the target."""

    def of_batch(first: int) -> np.ndarray:
        batch = orders[first : first + BATCH]
        if exchange.is_permutation:
            products = np.square(Z @ np.hstack([Q[order] for order in batch]))
            return np.asarray(over_parts(products.reshape(len(Z), len(batch), -1).sum(axis=2), axis=0))
        return np.array([over_parts(_statistics(Z, _orthonormal(Q[order]))) for order in batch])

    return np.concatenate([np.empty(0), *map_threads(of_batch, range(0, len(orders), BATCH), n_jobs)])


def _exceedance(observed: np.ndarray, null: np.ndarray) -> np.ndarray:
    """p-values: the share of the null, the observation included, that is as large."""
    bar = observed - 1e-10 * np.maximum(observed, 1e-6)  # scores that differ by rounding count as equal
    return np.asarray((1 + len(null) - np.searchsorted(np.sort(null), bar)) / (1 + len(null)))


def _normal_scores(columns: np.ndarray) -> np.ndarray:
    """Van der Waerden's scores of each part, standardised; an indicator stays one."""
    return _standardised(ndtri(average_ranks(columns) / (columns.shape[1] + 1)))[0]


def _rows(problem: StudyProblem) -> np.ndarray:
    """Rows that are tested: all, or as many as time allows, drawn at random; in time order, the last."""
    n, width = len(problem.y), problem.X.n_columns * max(1, len(problem.labels) - 1)
    n_tested = min(MAX_ROWS, max(MIN_ROWS, MAX_CELLS // max(1, width)))
    if n <= n_tested:
        return np.arange(n)
    if problem.time is not None:
        return np.sort(np.argsort(problem.time, kind="stable")[-n_tested:])
    return np.sort(generator(0, "rows of association").permutation(n)[:n_tested])


def _statistics(Z: np.ndarray, Q: np.ndarray) -> np.ndarray:
    """H of each part (parts,)."""
    return np.asarray(np.square(Z @ Q).sum(axis=1))


def _target_parts(y: np.ndarray, classes: bool, exposure: np.ndarray | None = None) -> np.ndarray:
    """Indicators of the classes but one, or the ranks of the numbers (rows, parts).

    Of counts with exposures the residuals (y - λe) / sqrt(λe) about one rate λ, and not their ranks: a short exposure
    has mostly ranks below the middle, so that ranks would go with every column that the exposure goes with.
    """
    if classes:
        return (y[:, None] == np.unique(y)[:-1]).astype(np.float64)
    if exposure is None:
        return average_ranks(y)[:, None]
    expected = exposure * (y.sum() / exposure.sum())
    return np.asarray((y - expected) / np.sqrt(np.maximum(expected, 1e-300)))[:, None]


def _orthonormal(columns: np.ndarray) -> np.ndarray:
    """Orthonormal columns that span the centred parts; fewer where parts depend on each other."""
    centred = columns - columns.mean(axis=0)
    if centred.shape[1] == 1:
        length = float(np.linalg.norm(centred))
        return centred / length if length > 1e-9 else np.empty((len(columns), 0))
    Q, R = np.linalg.qr(centred)
    return Q[:, np.abs(np.diag(R)) > 1e-9 * max(1.0, float(np.abs(R).max(initial=0.0)))]


def _without_drift(
    Z: np.ndarray, Y: np.ndarray, groups: np.ndarray | None, time: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Parts of columns (parts, rows) and target (rows, parts), less φ times their mean at the time before.

    φ is the target's first autocorrelation, of means over rows of a time (and group), corrected for its bias in short
    series (Kendall 1954) and at most 1; 0 where it is not beyond chance. Rows without a time before are 0.
    """
    times = np.unique(time, return_inverse=True)[1].ravel()
    series = np.zeros_like(times) if groups is None else np.unique(groups, return_inverse=True)[1].ravel()
    keys, unit = np.unique(series * (times.max() + 1) + times, return_inverse=True)
    rows, starts = np.argsort(unit, kind="stable"), np.searchsorted(np.sort(unit), np.arange(len(keys)))
    sizes = np.bincount(unit)[:, None]
    follows = np.diff(keys // (times.max() + 1), prepend=-1) == 0  # a unit whose predecessor is of the same series

    def means(columns: np.ndarray) -> np.ndarray:
        return np.add.reduceat(columns[rows], starts, axis=0) / sizes

    centred = Y - Y.mean(axis=0)
    of_unit, n_units = means(centred), max(int(follows.sum()), 1)
    total = float((of_unit**2).sum())
    phi = float((of_unit[1:] * of_unit[:-1])[follows[1:]].sum()) / total if total > 0 else 0.0
    if phi <= 2 / np.sqrt(n_units):
        return Z, Y
    phi = min(phi + (1 + 3 * phi) / n_units, 1.0)
    has_previous = follows[unit][:, None]

    def reduced(columns: np.ndarray) -> np.ndarray:
        return np.where(has_previous, columns - phi * np.roll(means(columns), 1, axis=0)[unit], 0.0)

    return reduced((Z - Z.mean(axis=1, keepdims=True)).T).T, reduced(centred)


def _standardised(columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Parts of columns, centred and of squared length n - 1, without constant ones; and which those are not."""
    centred = columns - columns.mean(axis=1, keepdims=True)
    length = np.sqrt((centred**2).sum(axis=1))
    varies = length > 1e-9 * max(1.0, float(length.max(initial=0.0)))
    return centred[varies] * (np.sqrt(max(columns.shape[1] - 1, 1)) / length[varies, None]), varies


def _parts_of(columns: Sequence[Column]) -> tuple[list[str], np.ndarray]:
    """Names, and ranks and indicators (parts, rows)."""
    named_columns = [(column.name, values) for column in columns for values in _rank_columns(column)]
    n_rows = len(columns[0].missing) if columns else 0
    return [name for name, _ in named_columns], np.array([values for _, values in named_columns]).reshape(
        len(named_columns), n_rows
    )


def _rank_columns(column: Column) -> Iterator[np.ndarray]:
    """What is ranked of a column: its numbers, or 0 and 1 for each level, and for values that are missing."""
    missing = column.missing
    if missing.sum() >= FEWEST:
        yield missing.astype(np.float64)
    if column.is_categorical:
        counts = np.bincount(column.values[column.values >= 0])
        for level in np.flatnonzero(counts >= FEWEST):
            yield (column.values == level).astype(np.float64)
        return
    observed = column.values[~missing]
    if len(observed) and len(observed) - np.unique(observed, return_counts=True)[1].max() >= FEWEST:
        ranks = np.full(len(missing), (len(observed) + 1) / 2)
        ranks[~missing] = average_ranks(observed)
        yield ranks
