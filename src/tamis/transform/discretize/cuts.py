"""Where a column of numbers is cut: without a target (one width, one number of rows, around one-dimensional clusters),
by classes (entropy, stopped by description length) or by a numeric target (squares); and intervals in words.
"""

from functools import lru_cache
from itertools import pairwise

import numpy as np

from tamis import _core

MOST_ROUNDS = 300


def width_cuts(values: np.ndarray, n_bins: int) -> np.ndarray:
    """Cuts into bins of equal width between the smallest and the largest value.

    >>> width_cuts(np.array([0.0, 1.0, 10.0]), 4)
    array([2.5, 5. , 7.5])
    """
    low, high = float(values.min()), float(values.max())
    if np.isinf(high - low):  # a width beyond the largest number
        return 2 * width_cuts(values / 2, n_bins)
    cuts = low + (high - low) * (np.arange(1, n_bins) / n_bins)
    return _between(cuts, low, high)


def count_cuts(values: np.ndarray, n_bins: int) -> np.ndarray:
    """Cuts into bins of as equal a number of rows as ties allow, halfway between two values.

    >>> count_cuts(np.array([1.0, 2.0, 3.0, 4.0, 50.0, 60.0]), 3)
    array([ 2.5, 27. ])
    """
    x = np.sort(values)
    ends = np.flatnonzero(x[1:] != x[:-1]) + 1  # how many rows lie below each possible cut
    if not len(ends):
        return np.empty(0)
    target_counts = len(x) * np.arange(1, n_bins) / n_bins
    after = np.searchsorted(ends, target_counts).clip(0, len(ends) - 1)
    before = np.maximum(after - 1, 0)
    nearest = np.where(target_counts - ends[before] <= np.abs(ends[after] - target_counts), before, after)
    at = ends[np.unique(nearest)]
    return halfway(x[at - 1], x[at])


def kmeans_cuts(values: np.ndarray, n_bins: int) -> np.ndarray:
    """Cuts halfway between the means of clusters: Lloyd's rounds from bins of equal width.

    >>> kmeans_cuts(np.array([1.0, 1.2, 5.0, 5.2, 9.0]), 3)
    array([3.1 , 7.05])
    """
    x = np.sort(values)
    sums = np.concatenate([[0.0], np.cumsum(x - x[0])])
    edges = np.linspace(x[0], x[-1], n_bins + 1)
    centers = 0.5 * (edges[1:] + edges[:-1])
    cuts = 0.5 * (centers[1:] + centers[:-1])
    for _ in range(MOST_ROUNDS):
        ends = np.concatenate([[0], np.searchsorted(x, cuts, side="right"), [len(x)]])
        sizes = np.diff(ends)
        occupied = sizes > 0
        centers = x[0] + np.diff(sums[ends])[occupied] / sizes[occupied]
        moved = 0.5 * (centers[1:] + centers[:-1])
        if len(moved) == len(cuts) and np.array_equal(moved, cuts):
            break
        cuts = moved
    return _between(cuts, x[0], x[-1])


def halfway(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """A number of at least `low` and below `high`, halfway where floating point has one."""
    middle = low + (0.5 * high - 0.5 * low)  # their difference could be beyond the largest number
    return np.where(middle < high, middle, low)


def _between(cuts: np.ndarray, low: float, high: float) -> np.ndarray:
    """Different cuts with values on both sides."""
    distinct = np.unique(cuts)
    return distinct[(distinct >= low) & (distinct < high)]


def interval_names(name: str, cuts: np.ndarray) -> tuple[str, ...]:
    """What each interval of a column is called; a cut belongs to the interval below it.

    >>> interval_names("petal length", np.array([2.45, 4.75]))
    ('petal length ≤ 2.45', '2.45 < petal length ≤ 4.75', 'petal length > 4.75')
    """
    if not len(cuts):
        return (f"any {name}",)
    words = _written(cuts)
    between = [f"{low} < {name} ≤ {high}" for low, high in pairwise(words)]
    return (f"{name} ≤ {words[0]}", *between, f"{name} > {words[-1]}")


def _written(cuts: np.ndarray) -> list[str]:
    """Numbers with as few digits, from four on, as tell each from the next by a hundredth of their distance."""
    gaps = np.diff(cuts)
    close = 0.01 * gaps.min() if len(gaps) else np.inf
    for digits in range(4, 17):
        words = [f"{cut:.{digits}g}" for cut in cuts]
        if np.all(np.abs(np.array(words, dtype=np.float64) - cuts) <= close):
            return words
    return [repr(float(cut)) for cut in cuts]


def class_cuts(values: np.ndarray, codes: np.ndarray, n_classes: int, max_cuts: int) -> np.ndarray:
    r"""Cut points of one column by Fayyad and Irani's criterion.

    A stretch S of n rows, of k classes and entropy E(S) in bits, is cut into S1 and S2 where their mean entropy is
    lowest, if

    .. math:: n E(S) - \sum_i n_i E(S_i) > \log_2(n - 1) + \log_2(3^k - 2) - k E(S) + \sum_i k_i E(S_i)

    and each part is then treated alike. Only boundaries between values of different classes can be best, and only those
    are tried; and of these only those in buckets of rows whose class counts leave room for a better cut.

    Parameters
    ----------
    values, codes : of the rows that have a value; codes of int32.
    max_cuts : how many cuts there may be; those of the largest gain (bits times rows) are made first.

    References
    ----------
    Fayyad, Irani (1993), Multi-interval discretization of continuous-valued attributes, IJCAI.

    >>> class_cuts(np.array([1.0, 2.0, 8.0, 9.0] * 3), np.array([0, 0, 1, 1] * 3, dtype=np.int32), 2, 100)
    array([5.])
    """
    nlogn = _n_log_n(1 << len(values).bit_length())
    return np.sort(_core.entropy_cuts(np.ascontiguousarray(values), codes, n_classes, nlogn, max_cuts))


@lru_cache(maxsize=1)
def _n_log_n(n: int) -> np.ndarray:
    """n log2 n from 0 to n, kept for the next column."""
    counts = np.arange(n + 1, dtype=np.float64)
    counts[1:] *= np.log2(counts[1:])
    return counts


def number_cuts(values: np.ndarray, target: np.ndarray, max_cuts: int) -> np.ndarray:
    r"""Cut points of one column by the description length of a numeric target with normal errors.

    A stretch of n rows with the sum of squares R around its mean is cut where the sum R' around the two means is
    lowest, if the shorter description of the target pays for the place of the cut and one more mean:

    .. math:: \frac n2 \log \frac{R + s^2}{R' + s^2} > \log(n - 1) + \tfrac12 \log n

    and each part is then treated alike. The variance s² of the whole target, counted like one more row, keeps a few
    rows that agree by chance from being taken for a law.

    Parameters
    ----------
    values, target : of the rows that have a value.
    max_cuts : how many cuts there may be; those that lower the squared error most are made first.

    >>> number_cuts(np.arange(20.0), np.repeat([3.0, 5.0], 10), 100)
    array([9.5])
    """
    spread = target.std()
    if not len(target) or spread == 0 or not np.isfinite(spread):
        return np.empty(0)
    order = np.argsort(values)
    x, y = values[order], ((target - target.mean()) / spread)[order]
    sums = np.concatenate([[0.0], np.cumsum(y)])
    squares = np.concatenate([[0.0], np.cumsum(y * y)])
    return np.sort(_core.squared_error_cuts(x, sums, squares, max_cuts))
