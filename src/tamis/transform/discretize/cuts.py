"""Cuts that need no target: intervals of one width, of one number of rows, or around one-dimensional clusters."""

import numpy as np

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
