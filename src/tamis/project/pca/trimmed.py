"""Components of most rows: those far from the others are left out."""

from dataclasses import replace

import numpy as np
import scipy

from tamis.project.pca.decompose import Decomposition, decompose

_ROUNDS = 50


def of_most(
    X: np.ndarray, weights: np.ndarray | None, trim: float, n_components: int
) -> tuple[Decomposition, np.ndarray]:
    r"""The decomposition of the rows nearest to it, and the positions of the rows left out.

    It starts from directions alone: components of the rows about their median, all of length one, so that no row
    counts for more than another. Then, by turns, the rows of the smallest distance are kept and decomposed, until they
    stay the same:

    .. math:: \sum_{j \le k} \frac{t_j^2}{\lambda_j} + \frac{\|x - \hat x\|^2}{\sigma^2}

    Variances of the rows kept are divided by what trimming takes from those of normal rows.

    References
    ----------
    P. J. Rousseeuw and K. Van Driessen, "A fast algorithm for the minimum covariance determinant estimator",
    Technometrics 41, 1999.
    N. Locantore et al., "Robust principal component analysis for functional data", Test 8, 1999.
    """
    weights = np.ones(len(X)) if weights is None else weights
    rows = np.flatnonzero(weights > 0)
    target_weight = max(2.0, float(np.ceil((1 - trim) * weights.sum() - 1e-9)))
    decomposition, before = _spherical(X[rows], weights[rows]), np.zeros(len(X))
    for _ in range(_ROUNDS):
        kept_weights = _nearest(_distances(X, decomposition, n_components), weights, target_weight)
        if np.array_equal(kept_weights, before):
            break
        inside = np.flatnonzero(kept_weights)
        decomposition, before = decompose(X[inside], kept_weights[inside], None)[0], kept_weights
    share = target_weight / float(weights.sum())
    size = max(1, min(X.shape[1], decomposition.rank))
    factor = share / scipy.stats.chi2.cdf(scipy.stats.chi2.ppf(share, size), size + 2) if share < 1 else 1.0
    scaled = replace(decomposition, spectrum=decomposition.spectrum * factor, total=decomposition.total * factor)
    return scaled, np.flatnonzero((before == 0) & (weights > 0))


def _nearest(distances: np.ndarray, weights: np.ndarray, target_weight: float) -> np.ndarray:
    """The weights of the rows nearest by, up to a sum; the last row may keep a part of its own."""
    order = np.argsort(distances, kind="stable")
    before = np.cumsum(weights[order]) - weights[order]
    kept_weights = np.zeros(len(weights))
    kept_weights[order] = np.clip(target_weight - before, 0.0, weights[order])
    return kept_weights


def _spherical(X: np.ndarray, weights: np.ndarray) -> Decomposition:
    """Components of rows of equal length about the median, with robust variances along them."""
    middle = _median(X, weights)
    centred = X - middle
    lengths = np.sqrt(np.einsum("ij,ij->i", centred, centred))
    decomposition, _ = decompose(centred / np.where(lengths > 0, lengths, 1.0)[:, None], weights, None)
    scores = centred @ decomposition.components.T
    deviations = 1.4826 * _median(np.abs(scores - _median(scores, weights)), weights)
    variances = np.maximum(deviations, 1e-6 * max(float(deviations.max(initial=0.0)), 1e-300)) ** 2
    order = np.argsort(-variances, kind="stable")
    return replace(
        decomposition,
        mean=middle,
        spectrum=variances[order],
        components=decomposition.components[order],
        total=float(variances.sum()),
    )


def _median(X: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Median of each column, a row of weight 2 counted twice.

    >>> _median(np.array([[1.0], [2.0], [9.0]]), np.array([1.0, 1.0, 2.0]))
    array([5.5])
    """
    order = np.argsort(X, axis=0, kind="stable")
    cumulative, values = np.cumsum(weights[order], axis=0), np.take_along_axis(X, order, axis=0)
    half = 0.5 * float(weights.sum())
    low = np.argmax(cumulative >= half * (1 - 1e-12), axis=0)
    high = np.argmax(cumulative > half * (1 + 1e-12), axis=0)
    column_indices = np.arange(X.shape[1])
    return np.asarray((values[low, column_indices] + values[high, column_indices]) / 2)


def _distances(X: np.ndarray, decomposition: Decomposition, n_components: int) -> np.ndarray:
    k = min(n_components, decomposition.rank)
    if k == 0:
        return np.zeros(len(X))
    centred = X - decomposition.mean
    scores = centred @ decomposition.components[:k].T
    inside = (scores**2 / decomposition.spectrum[:k]).sum(axis=1)
    outside = np.maximum(np.einsum("ij,ij->i", centred, centred) - (scores**2).sum(axis=1), 0.0)
    left = decomposition.total - float(decomposition.spectrum[:k].sum())
    noise = left / max(X.shape[1] - k, 1)
    if noise <= 1e-12 * decomposition.total:  # rows off a space that holds all the others are as far as can be
        noise = 1e-12 * decomposition.total
    return np.asarray(inside + outside / noise)
