"""Columns that were made from the target before the table was given: target encodings, holes filled by class means."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import chdtr

from tamis.metrics.distributions import binomial_tail
from tamis.table import Column

#: Levels that must match, at least; of those that could match, the share that must.
MIN_LEVELS, MIN_MATCHED = 5, 0.9

#: The chance of means that agree too well, for all columns of a table: even of columns that hold the true means.
ODDS = 1e-3

#: Rows with one value that is no coincidence: so many, and this share of the rows.
MIN_REPEATS, MIN_SHARE = 5, 0.02

#: A column is continuous where so many of its other values are different.
MIN_DISTINCT = 0.8

#: Of the rows with a repeated value, those that must be of one class.
MIN_PURITY = 0.95

#: Categories whose means without the row itself are compared, and numbers they are compared with, at most.
MAX_CATEGORIES, MAX_NUMBERS = 20, 200


@dataclass(frozen=True)
class Encoding:
    """A column that holds means of the target.

    Attributes
    ----------
    name : of the column.
    levels, rows : values that come again, and their rows; a row is that share of what it is told.
    source : the category whose means without the row itself they are; None for means over the rows of equal values.
    """

    name: str
    levels: int
    rows: int
    source: str | None = None


@dataclass(frozen=True)
class Fill:
    """Values of a continuous column that come again, each with one class alone: `name`, `values`, `classes`, `rows`."""

    name: str
    values: tuple[float, ...]
    classes: tuple[int, ...]
    rows: int


def encodings(
    columns: Sequence[Column], locked_columns: Sequence[Column] | None, y: np.ndarray, classes: bool
) -> list[Encoding]:
    r"""Columns whose repeated values are the target's means over their rows, and means without the row itself.

    A column that was made so agrees with the means better than sampling allows. With a value v that m rows have, their
    mean ȳ and the variance s² within values, :math:`\sum_v m_v (v - \bar y_v)^2 / s^2` is a χ² of as many degrees of
    freedom as there are values even where v is the true mean; it is 0 where v was computed from these rows, and a fifth
    of that where a fifth of the rows it was computed from are locked.

    Parameters
    ----------
    columns : the features.
    locked_columns : the same columns of locked rows, whose target is not known, but whose values count.
    y : class codes or numbers.
    """
    codes = np.unique(y)
    if classes:  # of two classes one tells the other
        targets = [(y == code).astype(np.float64) for code in (codes[1:] if len(codes) == 2 else codes)]
    else:
        targets = [y.astype(np.float64)]
    numbers = [j for j, column in enumerate(columns) if not column.is_categorical and column.kind != "boolean"]
    encodings_detected = []
    for j in numbers:
        sizes = _levels(columns[j])
        if sizes is not None and any(_holds_means(*sizes, target, classes, len(columns)) for target in targets):
            encodings_detected.append(Encoding(columns[j].name, len(sizes[1]), len(sizes[0])))
    categories = [j for j, column in enumerate(columns) if column.is_categorical][:MAX_CATEGORIES]
    encoded_names = {encoding.name for encoding in encodings_detected}
    for j in [j for j in numbers[:MAX_NUMBERS] if columns[j].name not in encoded_names]:
        for k in categories:
            locked_column = None if locked_columns is None else locked_columns[k]
            if any(_leaves_one_out(columns[j], columns[k], locked_column, target) for target in targets):
                encodings_detected.append(
                    Encoding(columns[j].name, len(columns[k].levels or ()), len(y), columns[k].name)
                )
                break
    return encodings_detected


def _levels(column: Column) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """Rows whose value comes again, the values, and the code of each row's; None where they are too few."""
    present = np.flatnonzero(~column.missing)
    values, codes, counts = np.unique(column.values[present], return_inverse=True, return_counts=True)
    several = counts[codes.ravel()] > 1
    if several.sum() < len(present) / 2 or (counts > 1).sum() < MIN_LEVELS:
        return None
    rows = present[several]
    values, codes = np.unique(column.values[rows], return_inverse=True)
    return rows, values, codes.ravel()


def _holds_means(
    rows: np.ndarray, values: np.ndarray, codes: np.ndarray, target: np.ndarray, classes: bool, n_columns: int
) -> bool:
    size = np.bincount(codes).astype(np.float64)
    mean = np.bincount(codes, weights=target[rows]) / size
    within_scatter = np.bincount(codes, weights=(target[rows] - mean[codes]) ** 2)
    if within_scatter.sum() == 0:  # a copy of the target, which is told elsewhere
        return False
    if classes:
        varies = (values > 0) & (values < 1)
        variance = values * (1 - values)
    else:
        varies = np.ones(len(values), dtype=bool)
        variance = np.full(len(values), within_scatter.sum() / max(1.0, size.sum() - len(size)))
    if varies.sum() < MIN_LEVELS or len(np.unique(values[varies])) < MIN_LEVELS:
        return False
    excess = size[varies] * (values[varies] - mean[varies]) ** 2 / variance[varies]
    exact = excess < 1e-6
    if (exact & (within_scatter[varies] > 0)).sum() >= MIN_LEVELS and exact.mean() >= MIN_MATCHED:
        return True
    if classes:  # small numbers that have nothing to do with a class that is rarer still deviate less than shares would
        expected, variance_of_sum = size[varies] @ (values - mean)[varies], size[varies] @ variance[varies]
        if abs(expected) > np.sqrt(variance_of_sum):
            return False
    return bool(chdtr(int(varies.sum()), excess.sum()) * n_columns < ODDS)


def _leaves_one_out(column: Column, category: Column, locked_column: Column | None, target: np.ndarray) -> bool:
    """Whether x (N - 1) + y is the same for all rows of a level: x is the mean of the others' y, N counts all rows."""
    rows = np.flatnonzero(~column.missing & ~category.missing & (category.values >= 0))
    codes, values = category.values[rows], column.values[rows]
    if len(rows) < 2 * MIN_LEVELS:
        return False
    level_counts = np.bincount(codes).astype(np.float64)
    total = level_counts.copy()
    if locked_column is not None:
        more = np.bincount(locked_column.values[locked_column.values >= 0], minlength=len(total))
        total[: len(total)] += more[: len(total)]
    sums = values * (total[codes] - 1) + target[rows]
    low, high = np.full(len(level_counts), np.inf), np.full(len(level_counts), -np.inf)
    np.minimum.at(low, codes, sums)
    np.maximum.at(high, codes, sums)
    first, last = np.full(len(level_counts), np.inf), np.full(len(level_counts), -np.inf)
    np.minimum.at(first, codes, values)
    np.maximum.at(last, codes, values)
    scale = float(np.abs(target).max()) + 1e-300
    several = level_counts > 1
    varies = several & (last - first > 1e-9 * scale)
    matches = (high - low < 1e-6 * scale * np.maximum(total, 1)) & several
    return bool((matches & varies).sum() >= MIN_LEVELS and matches.sum() >= MIN_MATCHED * several.sum())


def class_fills(columns: Sequence[Column], y: np.ndarray) -> list[Fill]:
    """Continuous columns with a value, within the others' range, that comes again and again with one class alone."""
    shares = np.bincount(y.astype(np.int64)) / len(y)
    fills = []
    for column in columns:
        if column.is_categorical or column.kind == "boolean":
            continue
        present = ~column.missing
        values, target = column.values[present], y[present].astype(np.int64)
        levels, codes, counts = np.unique(values, return_inverse=True, return_counts=True)
        spikes = np.flatnonzero(counts >= max(MIN_REPEATS, MIN_SHARE * len(values)))
        if not 0 < len(spikes) <= 2 * len(shares):
            continue
        alone = values[~np.isin(codes.ravel(), spikes)]
        if len(alone) < 20 or len(np.unique(alone)) < MIN_DISTINCT * len(alone):
            continue
        low, high = np.quantile(alone, (0.1, 0.9))
        spikes_of_class = []
        for spike in spikes:
            cells = np.bincount(target[codes.ravel() == spike], minlength=len(shares))
            top_class = int(cells.argmax())
            odds = binomial_tail(int(cells[top_class]), int(cells.sum()), min(float(shares[top_class]), 1 - 1e-9))
            is_pure = cells[top_class] >= MIN_PURITY * cells.sum() and odds * len(columns) * len(spikes) < ODDS
            is_mean = levels[spike] != np.round(levels[spike])  # 0 and other round values stand for something else
            if low < levels[spike] < high and is_pure and is_mean:
                spikes_of_class.append((float(levels[spike]), top_class, int(cells.sum())))
        if spikes_of_class:
            filled, by_class, rows = zip(*spikes_of_class)
            fills.append(Fill(column.name, filled, by_class, sum(rows)))
    return fills
