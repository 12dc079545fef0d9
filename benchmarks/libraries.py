"""The core beside what NumPy, SciPy or scikit-learn offer for the same numbers: where these take at most 1.5 times as
long, ours should go.

    OPENBLAS_NUM_THREADS=1 python benchmarks/libraries.py [names]

Processor seconds on one thread, the best of five by turns, and the largest difference of the results relative to the
largest number. `Discretize` for classes has no counterpart: no public function cuts by description length.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from time import process_time
from typing import Any

import numpy as np
from scipy.linalg import solveh_banded
from scipy.special import xlogy
from sklearn.neighbors import NearestNeighbors
from sklearn.tree import DecisionTreeRegressor

from tamis import _core
from tamis.table import Table
from tamis.transform.discretize.cuts import number_cuts
from tamis.transform.signals.kernels.baselines import asls, penalty_bands
from tamis.views.neighbours import Neighbours

Jobs = tuple[Callable[[], Any], Callable[[], Any]]  # ours, theirs
RNG = np.random.default_rng(0)
ROUNDS, WORTH = 5, 1.5


def contingency(weighted: bool) -> Jobs:
    """Counts (or weights) of groups by classes, 100,000 rows × 50 columns, ten groups, three classes."""
    codes = RNG.integers(0, 10, (50, 100_000), dtype=np.uint16)
    classes, weights = RNG.integers(0, 3, 100_000, dtype=np.int32), RNG.uniform(0.5, 2, 100_000)
    first = np.arange(0, 510, 10, dtype=np.int64)

    def ours() -> np.ndarray:
        counts = np.zeros((500, 3))
        if weighted:
            _core.weigh_classes(codes, first[:-1], classes, weights, counts)
        else:
            _core.count_classes(codes, first[:-1], classes, counts)
        return counts

    def theirs() -> np.ndarray:
        of = weights if weighted else None
        return np.vstack([np.bincount(line * 3 + classes, of, minlength=30).reshape(10, 3) for line in codes])

    return ours, theirs


def keys() -> Jobs:
    """Counts of keys that a table turns into groups, 1,000,000 rows."""
    key, table = RNG.integers(0, 5000, 1_000_000, dtype=np.uint32), RNG.integers(0, 20, 5000, dtype=np.uint16)
    classes = RNG.integers(0, 3, 1_000_000, dtype=np.int32)

    def ours() -> np.ndarray:
        counts = np.zeros((20, 3), dtype=np.int64)
        _core.count_keys(key, table, classes, counts)
        return counts

    return ours, lambda: np.bincount(table[key] * 3 + classes, minlength=60).reshape(20, 3)


def class_weights() -> Jobs:
    """Weights of a binned column's bins by classes, 1,000,000 rows."""
    codes, classes = RNG.integers(0, 200, 1_000_000).astype(np.uint8), RNG.integers(0, 3, 1_000_000, dtype=np.int32)
    weights = RNG.uniform(0.5, 2, 1_000_000)

    def ours() -> np.ndarray:
        counts = np.zeros((201, 3))
        _core.weigh_codes(codes, classes, weights, counts)
        return counts

    def theirs() -> np.ndarray:
        return np.bincount(codes * np.int64(3) + classes, weights, minlength=603).reshape(201, 3)

    return ours, theirs


def threshold() -> Jobs:
    """The best threshold of a stump from counts, 10,000 bins × 3 classes."""
    counts = RNG.uniform(0, 9, (10_001, 3))
    counts[-1] = 0.0

    def theirs() -> float:
        left = np.cumsum(counts[:-1], axis=0)
        return float((left.max(axis=1) + (left[-1] - left).max(axis=1)).max())

    return lambda: _core.best_threshold(counts), theirs


def sums_by_class(by_row: bool) -> Jobs:
    """Sums by class and squares of a matrix about a shift, 200,000 × 50, three classes."""
    X, y = RNG.normal(size=(200_000, 50)), RNG.integers(0, 3, 200_000, dtype=np.int32)
    w, shift = np.ones(len(X)), RNG.normal(size=50)
    columns, shares = np.ascontiguousarray(X.T), np.where(y == np.arange(3)[:, None], w, 0.0)

    def ours() -> np.ndarray:
        sums, squares = np.zeros((3, 50)), np.zeros(50)
        if by_row:
            _core.sums_by_class_of_rows(X, w, y, shift, sums, squares)
        else:
            _core.sums_by_class_of_columns(columns, w, y, shift, sums, squares)
        return np.vstack([sums, squares])

    def theirs() -> np.ndarray:
        centred = X - shift if by_row else (columns - shift[:, None]).T
        return np.vstack([shares @ centred, w @ centred**2])

    return ours, theirs


def sums_with_numbers() -> Jobs:
    """Sums, squares and products with a target of a matrix about a shift, 200,000 × 50."""
    X, y = RNG.normal(size=(200_000, 50)), RNG.normal(size=200_000)
    w, shift = np.ones(len(X)), RNG.normal(size=50)

    def ours() -> np.ndarray:
        sums, squares, products = np.zeros(50), np.zeros(50), np.zeros(50)
        _core.sums_with_numbers_of_rows(X, w, y, shift, sums, squares, products)
        return np.vstack([sums, squares, products])

    def theirs() -> np.ndarray:
        centred = X - shift
        return np.vstack([w @ centred, w @ centred**2, (w * y) @ centred])

    return ours, theirs


def edges() -> Jobs:
    """Codes of 1,000,000 numbers by 254 edges."""
    x, cuts = RNG.normal(size=1_000_000), np.sort(RNG.normal(size=254))
    return lambda: _core.encode(x, cuts, 255), lambda: np.searchsorted(cuts, x).astype(np.uint8)


def midways() -> Jobs:
    """Midway between 1,000,000 neighbouring values."""
    x = np.sort(RNG.normal(size=1_000_000))

    def theirs() -> np.ndarray:
        low, high = x[:-1], x[1:]
        middle = 0.5 * low + 0.5 * high
        return np.where((low <= middle) & (middle < high), middle, low)

    return lambda: _core.midways(x), theirs


def pairs() -> Jobs:
    """Mutual information of a column with each of 200, 5,000 rows, ten groups."""
    codes, sizes = RNG.integers(0, 10, (200, 5000), dtype=np.uint16), np.full(200, 10, dtype=np.int64)
    xlogx = xlogy(np.arange(5001.0), np.arange(5001.0))
    entropy = np.array([np.log(5000) - xlogx[np.bincount(line)].sum() / 5000 for line in codes])

    def ours() -> np.ndarray:
        out = np.empty(200)
        _core.shared_information(codes, sizes, 0, xlogx, entropy, out)
        return out[1:]

    def theirs() -> np.ndarray:
        joint = [np.bincount(line * 10 + codes[0], minlength=100) for line in codes]
        return (entropy + entropy[0] - np.log(5000) + xlogx[np.array(joint)].sum(axis=1) / 5000)[1:]

    return ours, theirs


def neighbours() -> Jobs:
    """Ten nearest rows by the sum of differences, 5,000 × 30, 500 rows asked for."""
    X = RNG.uniform(size=(5000, 30))
    X = (X - X.min(axis=0)) / (X.max(axis=0) - X.min(axis=0))
    points, queries = Neighbours(Table.of(X)), np.arange(500)
    search = NearestNeighbors(n_neighbors=11, metric="manhattan", algorithm="brute", n_jobs=1).fit(X)

    def theirs() -> np.ndarray:
        return search.kneighbors(X[:500], return_distance=False)[:, 1:]

    return lambda: points.nearest(queries, 10).reshape(500, 10), theirs


def number_cuts_of_a_tree() -> Jobs:
    """Nine cuts of a column by squared error, 100,000 rows."""
    x = RNG.normal(size=100_000)
    y = np.sin(2 * x) + RNG.normal(size=len(x))
    tree = DecisionTreeRegressor(max_leaf_nodes=10)

    def theirs() -> np.ndarray:
        fitted = tree.fit(x[:, None], y).tree_
        return np.sort(fitted.threshold[fitted.children_left >= 0])

    return lambda: number_cuts(x, y, 9), theirs


def baselines() -> Jobs:
    """Ten rounds of asymmetric least squares, 200 signals of 1,000 positions."""
    signals = np.cumsum(RNG.normal(size=(200, 1000)), axis=1)
    bands = penalty_bands(1000, 1e4)
    upper = np.array([np.roll(bands[2], 2), np.roll(bands[1], 1), bands[0]])

    def ours() -> np.ndarray:
        corrected = np.empty_like(signals)
        asls(signals, corrected, bands, 0.01, 0.0, 10)
        return corrected

    def theirs() -> np.ndarray:
        out = np.empty_like(signals)
        for i, y in enumerate(signals):
            w = np.ones(len(y))
            for _ in range(10):
                system = upper.copy()
                system[2] += w
                z = solveh_banded(system, w * y, check_finite=False)
                w = np.where(y > z, 0.01, 0.99)
            out[i] = y - z
        return out

    return ours, theirs


def holes_of_rows() -> Jobs:
    """Expectation of missing cells under a normal covariance, 2,000 × 30, a tenth missing."""
    p, n = 30, 2000
    A = RNG.normal(size=(p, p))
    precision = np.linalg.inv(A @ A.T / p + np.eye(p))
    data, missing = RNG.normal(size=(n, p)), RNG.uniform(size=(n, p)) < 0.1
    rows = np.flatnonzero(missing.any(axis=1))
    columns = np.concatenate([np.flatnonzero(line) for line in missing[rows]])
    starts = np.concatenate([[0], np.cumsum(missing[rows].sum(axis=1))]).astype(np.int64)

    def ours() -> np.ndarray:
        filled, extra = data.copy(), np.zeros((p, p))
        _core.fill_expectations(filled, precision, rows, columns, starts, np.ones(n), extra)
        return np.vstack([filled, extra])

    def theirs() -> np.ndarray:
        filled, extra = data.copy(), np.zeros((p, p))
        for i in rows:
            m, o = np.flatnonzero(missing[i]), np.flatnonzero(~missing[i])
            covariance = np.linalg.inv(precision[np.ix_(m, m)])
            filled[i, m] = -covariance @ (precision[np.ix_(m, o)] @ data[i, o])
            extra[np.ix_(m, m)] += covariance
        return np.vstack([filled, extra])

    return ours, theirs


JOBS: dict[str, Callable[[], Jobs]] = {
    "count_classes": lambda: contingency(False),
    "weigh_classes": lambda: contingency(True),
    "count_keys": keys,
    "weigh_codes": class_weights,
    "best_threshold": threshold,
    "sums_by_class_of_rows": lambda: sums_by_class(True),
    "sums_by_class_of_columns": lambda: sums_by_class(False),
    "sums_with_numbers_of_rows": sums_with_numbers,
    "encode": edges,
    "midways": midways,
    "shared_information": pairs,
    "nearest_rows": neighbours,
    "squared_error_cuts": number_cuts_of_a_tree,
    "subtract_baselines": baselines,
    "fill_expectations": holes_of_rows,
}


def best_seconds(jobs: Jobs) -> list[float]:
    """Processor seconds of both, the best of some rounds."""
    seconds = [float("inf")] * 2
    for _ in range(ROUNDS):
        for which, job in enumerate(jobs):
            begin = process_time()
            job()
            seconds[which] = min(seconds[which], process_time() - begin)
    return seconds


def main() -> None:
    print("| core | ours, ms | theirs, ms | ratio | largest difference | |\n|---|--:|--:|--:|--:|---|")
    for name in sys.argv[1:] or JOBS:
        jobs = JOBS[name]()
        ours, theirs = (np.asarray(job(), dtype=np.float64) for job in jobs)
        difference = np.abs(ours - theirs).max() / np.abs(ours).max() if ours.shape == theirs.shape else np.nan
        seconds = best_seconds(jobs)
        ratio = seconds[1] / seconds[0]
        verdict = "stays" if ratio > WORTH else "theirs will do"
        cells = f"{1e3 * seconds[0]:.1f} | {1e3 * seconds[1]:.1f} | {ratio:.2f} | {difference:.0e}"
        print(f"| {name} | {cells} | {verdict} |", flush=True)


if __name__ == "__main__":
    main()
