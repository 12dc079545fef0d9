"""How much of the target each product of two columns explains, without making the products."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tamis.table import Classes, is_class_target, numbers

BLOCK = 1 << 21  # products looked at together: their sums take 16 MB each


def target_basis(y: ArrayLike) -> np.ndarray:
    """An orthonormal basis (rows × directions) of a centred numeric target, or of the indicators of classes.

    >>> target_basis([1.0, 2.5, 3.0, 5.5]).T.round(3)
    array([[-0.617, -0.154,  0.   ,  0.772]])
    """
    if is_class_target(y):
        classes = Classes.of(y)
        targets = (classes.codes[:, None] == np.arange(1, classes.n_classes)).astype(np.float64)
    else:
        targets = numbers(y)[:, None]
    centred = targets - targets.mean(axis=0)
    size = np.sqrt(np.square(centred).sum(axis=0))
    centred = centred[:, size > 1e-12 * np.abs(targets).max(initial=0.0)]
    return np.linalg.qr(centred)[0] if centred.shape[1] else np.empty((len(targets), 0))


def pair_scores(A: np.ndarray, B: np.ndarray, basis: np.ndarray) -> np.ndarray:
    r"""R² of every product of a column of A with one of B, as predictor of the target.

    .. math:: R^2_{ij} = \sum_t \frac{\bigl(\sum_r (p_r - \bar p) u_{rt}\bigr)^2}{\sum_r (p_r - \bar p)^2},
        \qquad p_r = a_{ri} b_{rj}

    u is an orthonormal basis of the target, so a few products of matrices give all scores. A row where either factor is
    missing counts with the mean of the product.

    >>> A = np.array([[1.0], [-1.0], [1.0], [-1.0]])
    >>> B = np.array([[1.0, 2.0], [1.0, 3.0], [-1.0, 1.0], [-1.0, 0.0]])
    >>> pair_scores(A, B, target_basis([1.5, -1.5, -1.5, 1.5])).round(3)
    array([[1.   , 0.286]])
    """
    A, B = _unit(A), _unit(B)
    there_a, there_b = ~np.isnan(A), ~np.isnan(B)
    complete = bool(there_a.all() and there_b.all())
    if not complete:
        A, B = np.where(there_a, A, 0.0), np.where(there_b, B, 0.0)
        n = there_a.T.astype(np.float64) @ there_b.astype(np.float64)
    else:
        n = np.full((A.shape[1], B.shape[1]), float(len(A)))
    mean = A.T @ B / np.maximum(n, 1)
    square = np.square(A).T @ np.square(B)
    around = square - n * np.square(mean)
    explained = np.zeros_like(mean)
    for u in basis.T:
        along = (A * u[:, None]).T @ B
        if not complete:
            along -= mean * ((there_a * u[:, None]).T @ there_b)
        explained += np.square(along)
    steady = around > 1e-10 * square  # else the product is constant, up to rounding
    return np.asarray(np.divide(explained, around, out=np.zeros_like(mean), where=steady))


def _unit(X: np.ndarray) -> np.ndarray:
    """Columns divided by their largest size, which no score sees."""
    size = np.fmax.reduce(np.abs(X), axis=0, initial=0.0)
    return X / np.where(size > 0, size, 1.0)


def best_pairs(
    A: np.ndarray,
    B: np.ndarray,
    allowed: Callable[[np.ndarray, np.ndarray], np.ndarray],
    max_pairs: int,
    y: ArrayLike,
    score: Any,
) -> list[tuple[int, int]]:
    """The pairs (column of A, column of B) whose products score best, in the order of the columns.

    Parameters
    ----------
    allowed : which pairs of positions to look at, as a mask.
    score : "pearson", or a function of a matrix and y that gives a number a column.
    """
    scores_so_far = np.empty(0)
    pairs = np.empty((0, 2), dtype=np.int64)
    basis = target_basis(y) if isinstance(score, str) else None
    for first in _blocks(A.shape[1], B.shape[1] if basis is not None else A.shape[0]):
        i, j = np.nonzero(allowed(first[:, None], np.arange(B.shape[1])[None, :]))
        if basis is not None:
            new = pair_scores(A[:, first], B, basis)[i, j]
        else:
            new = np.asarray(score(_filled(A[:, first[i]] * B[:, j]), y), dtype=np.float64) if len(i) else np.empty(0)
        scores_so_far = np.concatenate([scores_so_far, np.nan_to_num(new, nan=-np.inf)])
        pairs = np.vstack([pairs, np.column_stack([first[i], j])])
        best = np.sort(np.argsort(-scores_so_far, kind="stable")[:max_pairs])
        scores_so_far, pairs = scores_so_far[best], pairs[best]
    return [(int(a), int(b)) for a, b in pairs]


def _blocks(n: int, width: int) -> Iterator[np.ndarray]:
    step = max(1, BLOCK // max(width, 1))
    for start in range(0, n, step):
        yield np.arange(start, min(start + step, n))


def _filled(X: np.ndarray) -> np.ndarray:
    """Missing products as the mean of the others."""
    is_missing = np.isnan(X)
    if not is_missing.any():
        return X
    n = np.maximum((~is_missing).sum(axis=0), 1)
    return np.where(is_missing, np.where(is_missing, 0.0, X).sum(axis=0) / n, X)
