"""Pairs of columns that act together: what both explain beyond a sum of curves, more than chance does in any pair."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tamis.engine import generator, map_threads
from tamis.study.findings.pairs.additive_fit import AdditiveFit, additive_fit, curve_terms
from tamis.study.problem import StudyProblem

#: Columns, rows and cells that are tested, at most; pairs grow with the square of the columns. 40 columns of 1,000 rows
#: take 0.4 s.
MAX_COLUMNS, MAX_ROWS, MAX_CELLS = 40, 2_000, 40_000

#: Draws of the residuals' signs, and the chance that a pair is named where none acts together.
DRAWS, ALPHA = 99, 0.05

#: Pairs named, at most.
MAX_PAIRS = 10

#: Classes that are compared with the largest one, and rows of a class at least.
MAX_CONTRASTS, CLASS_ROWS = 3, 20

#: Rows from which products are of curves of degree 3; of fewer, of degree 2.
CUBIC_ROWS = 400

#: Smallest share of a product's variance that sums of curves may leave for it to be tested.
MIN_FREE = 1e-3

#: Smallest share of a residual's variance that a fit is taken to leave; where it fits a row exactly, it leaves nothing.
MIN_LEFT = 0.1


def interactions(problem: StudyProblem, order: Sequence[str], n_jobs: int | None = None) -> dict[str, Any]:
    r"""The pairs that pass, and how much was tested.

    The target (of classes: the log odds of each class against the largest) is fitted as a sum of curves, one a column.
    The products of the curves of two columns, less what such sums explain, are the columns Q of an orthonormal matrix;
    with the residual r of the sum,

    .. math:: T_{ij} = \lVert Q^\top r \rVert^2

    is large if and only if the columns act together. Under a sum of curves its distribution is that of residuals with
    random signs, each over the share that the fit leaves of it (wild bootstrap, CR3); rows of a group, or of a stretch
    of time, share a sign. The p-value of a pair is the share of draws with as large a T in *any* pair.

    Parameters
    ----------
    order : columns, those to test first in front: the model's, then the strongest alone. Of few rows only the first
        have curves, and only their pairs are tested.

    References
    ----------
    D. Freedman and D. Lane, "A nonstochastic interpretation of reported significance levels", JBES 1, 1983. A. C.
    Cameron, J. Gelbach and D. Miller, "Bootstrap-based improvements for inference with clustered errors", REStat 90,
    2008.
    """
    names = list(order[:MAX_COLUMNS])
    rows = _rows(problem, len(names))
    tested = {"columns": len(names), "rows": len(rows), "draws": DRAWS, "alpha": ALPHA}
    if len(names) < 2 or len(np.unique(problem.y[rows])) < 2:
        return {**tested, "pairs": []}
    clusters = clusters_of_rows(problem, rows)
    pairs = [(i, j) for i in range(len(names)) for j in range(i + 1, len(names))]
    signs = generator(0, "signs of residuals").choice([-1.0, 1.0], size=(DRAWS, int(clusters.max()) + 1))
    table = problem.X.take(rows)
    statistics, share = np.full((len(pairs), 1 + DRAWS), -np.inf), np.zeros(len(pairs))
    tested["columns"] = 0
    for mask, y in contrasts(problem, rows):
        subset = table.take(np.flatnonzero(mask))
        columns = [subset.column(name) for name in names]
        fit = additive_fit(columns, y, bool(problem.labels), root_exposure(problem, rows))
        tested["columns"] = max(tested["columns"], fit.n_columns)
        residuals = np.vstack([fit.residual, signs[:, clusters[mask]] * inflated(fit, clusters[mask])])
        residuals -= residuals @ fit.basis @ fit.basis.T
        degree = 3 if len(y) >= CUBIC_ROWS else 2
        terms = [curve_terms(column, degree) for column in columns]

        def of_first(i: int, fit: AdditiveFit = fit, r: np.ndarray = residuals, terms: Any = terms) -> np.ndarray:
            partners = range(i + 1, len(names))
            untested = np.array([np.full(len(r), -np.inf), np.zeros(len(r))])
            values = [_statistic(fit, r, terms[i], terms[j]) if j < fit.n_columns else untested for j in partners]
            return np.array(values).reshape(len(partners), 2, -1)

        statistics_of_pairs = np.concatenate(map_threads(of_first, range(len(names) - 1), n_jobs))
        statistics = np.maximum(statistics, statistics_of_pairs[:, 0])
        share = np.maximum(share, statistics_of_pairs[:, 1, 0])
    largest = np.sort(statistics[:, 1:].max(axis=0))
    hits = DRAWS - np.searchsorted(largest, statistics[:, 0])
    p_values = (1 + hits) / (1 + DRAWS)
    named = [k for k in np.argsort(-statistics[:, 0], kind="stable") if p_values[k] <= ALPHA][:MAX_PAIRS]
    listed = []
    for k in named:
        first, second = sorted(names[at] for at in pairs[k])
        listed.append({"first": first, "second": second, "share": float(share[k]), "p_value": float(p_values[k])})
    return {**tested, "pairs": listed}


def _rows(problem: StudyProblem, n_columns: int) -> np.ndarray:
    n, n_tested = len(problem.y), min(MAX_ROWS, MAX_CELLS // max(n_columns, 1))
    if n <= n_tested:
        return np.arange(n)
    return np.sort(generator(0, "rows of interactions").permutation(n)[:n_tested])


def clusters_of_rows(problem: StudyProblem, rows: np.ndarray) -> np.ndarray:
    """Code of the rows that share a sign: each by itself, a group, or one of about sqrt(rows) stretches of time."""
    if problem.groups is not None:
        return np.unique(problem.groups[rows], return_inverse=True)[1].ravel()
    if problem.time is not None:
        times = np.unique(problem.time[rows], return_inverse=True)[1].ravel()
        n_times = int(times.max()) + 1
        return times * max(2, int(np.sqrt(n_times))) // n_times
    return np.arange(len(rows))


def contrasts(problem: StudyProblem, rows: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """Masks of rows and their targets: the numbers, or for each smaller class 1 against the largest as 0."""
    y = problem.rates[rows]
    if not problem.labels:
        return [(np.ones(len(y), dtype=bool), y.astype(np.float64))]
    counts = np.bincount(y)
    by_size = [code for code in np.argsort(-counts, kind="stable") if counts[code] >= CLASS_ROWS]
    masks = [(y == by_size[0]) | (y == code) for code in by_size[1 : 1 + MAX_CONTRASTS]] if by_size else []
    return [(mask, (y[mask] != by_size[0]).astype(np.float64)) for mask in masks]


def root_exposure(problem: StudyProblem, rows: np.ndarray) -> np.ndarray | None:
    """Square roots of the exposures, of mean square 1: the variance of a rate falls with its exposure."""
    if problem.exposure is None:
        return None
    return np.asarray(np.sqrt(problem.exposure[rows] / problem.exposure[rows].mean()))


def inflated(fit: AdditiveFit, clusters: np.ndarray) -> np.ndarray:
    r"""Residuals of each cluster g times :math:`(I - H_{gg})^{-1}`: as if the cluster had not been fitted (CR3)."""
    adjusted = fit.residual / np.maximum(1 - np.square(fit.basis).sum(axis=1), MIN_LEFT)  # clusters of one row
    sizes, rows = np.bincount(clusters), np.argsort(clusters, kind="stable")
    ends = np.cumsum(sizes)
    for code in np.flatnonzero(sizes > 1):
        cluster_rows = rows[ends[code] - sizes[code] : ends[code]]
        U, size, _ = np.linalg.svd(fit.basis[cluster_rows], full_matrices=False)
        gain = 1 / np.maximum(1 - np.square(size), MIN_LEFT) - 1
        adjusted[cluster_rows] = fit.residual[cluster_rows] + U @ (gain * (U.T @ fit.residual[cluster_rows]))
    return adjusted


def _statistic(fit: AdditiveFit, residuals: np.ndarray, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Standardised statistics (row 0) of one pair for the residuals and their draws, and the share explained (row 1).

    The larger of two: of the product of the first terms (one degree of freedom), and of all products; each over its
    mean in the draws and brought to a normal scale (Wilson and Hilferty 1931).
    """
    n = len(fit.residual)
    products = (first[:, :, None] * second[:, None, :]).reshape(n, -1) * fit.weight[:, None]
    standard, share = np.full(len(residuals), -np.inf), np.zeros(len(residuals))
    if not products.shape[1]:
        return np.array([standard, share])
    explained, total = fit.basis.T @ products, products.T @ products
    gram, scores = total - explained.T @ explained, residuals @ products
    for size in sorted({1, products.shape[1]}):
        values, vectors = np.linalg.eigh(gram[:size, :size])
        free = values > MIN_FREE * max(float(np.trace(total)) / len(total), 1e-300)
        df = int(free.sum())
        if not df:
            continue
        T = np.square(scores[:, :size] @ vectors[:, free] / np.sqrt(values[free])).sum(axis=1)
        share = T / max(float(fit.residual @ fit.residual), 1e-300)
        scaled = T / max(float(T[1:].mean()), 1e-300)
        standard = np.maximum(standard, (np.cbrt(scaled) - (1 - 2 / (9 * df))) / np.sqrt(2 / (9 * df)))
    return np.array([standard, share])
