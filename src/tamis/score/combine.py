"""Several criteria's opinions of the same columns, made one."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike

from tamis import check
from tamis.errors import ParameterError


def ranks(scores: ArrayLike) -> np.ndarray:
    """Ranks, 1 for the best; equal scores share the mean of their ranks.

    >>> ranks([0.1, 0.9, 0.5, 0.5])
    array([4. , 1. , 2.5, 2.5])
    """
    return np.asarray(scipy.stats.rankdata(-np.asarray(scores, dtype=np.float64), axis=-1))


def _borda(scores: np.ndarray, weights: np.ndarray) -> np.ndarray:
    return weights @ (scores.shape[1] - ranks(scores))


def _mean(scores: np.ndarray, weights: np.ndarray) -> np.ndarray:
    return -(weights @ ranks(scores)) / weights.sum()


def _median(scores: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Minus the weighted median rank: midway between two ranks where half the weight lies on either side."""
    rank_matrix = ranks(scores)
    order = np.argsort(rank_matrix, axis=0, kind="stable")
    below, ordered = np.cumsum(weights[order], axis=0), np.take_along_axis(rank_matrix, order, axis=0)
    half, columns = weights.sum() / 2, np.arange(rank_matrix.shape[1])
    lower = (below < half * (1 - 1e-12)).sum(axis=0)
    upper = (below <= half * (1 + 1e-12)).sum(axis=0)
    return -(ordered[lower, columns] + ordered[upper, columns]) / 2


def _best(scores: np.ndarray, weights: np.ndarray) -> np.ndarray:
    return -ranks(scores)[weights > 0].min(axis=0)


def _reciprocal(scores: np.ndarray, weights: np.ndarray) -> np.ndarray:
    return weights @ (1.0 / ranks(scores))


def _standardised(scores: np.ndarray, weights: np.ndarray) -> np.ndarray:
    spread = scores.std(axis=1, keepdims=True)
    centred = scores - scores.mean(axis=1, keepdims=True)
    return weights @ np.divide(centred, spread, out=np.zeros_like(centred), where=spread > 0) / weights.sum()


#: The ways to combine; each takes scores (criteria, columns) and weights (criteria); larger is better.
HOW: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "borda": _borda,
    "mean": _mean,
    "median": _median,
    "best": _best,
    "reciprocal": _reciprocal,
    "standardised": _standardised,
}


def combine(list_of_scores: Sequence[Any], how: str = "borda", *, weights: Any = None) -> np.ndarray:
    r"""One score a column from the scores of several criteria.

    Parameters
    ----------
    list_of_scores : one array of d scores a criterion, larger is better.
    how : "borda", the number of columns beaten, summed over criteria; "mean", "median" or "best" rank (its negative, so
        that larger is better); "reciprocal", the sum of 1/rank; "standardised", the mean of standardised scores.
    weights : one number a criterion, 0 or more: how much its ranks (or standardised scores) count in the sum, mean or
        median; "best" leaves out criteria of weight 0. None counts all alike.

    Returns
    -------
    array of d numbers, larger is better. Ranks do not care how a criterion spreads its scores, only how it orders.

    References
    ----------
    J.-C. de Borda, "Mémoire sur les élections au scrutin", 1781.
    D. F. Hsu and I. Taksa, "Comparing rank and score combination methods for data fusion in information retrieval",
    Information Retrieval 8, 2005.

    >>> combine([[9.0, 1.0, 0.0], [0.1, 0.3, 0.2]])
    array([2., 3., 1.])
    >>> combine([[9.0, 1.0, 0.0], [0.1, 0.3, 0.2]], weights=[3, 1])
    array([6., 5., 1.])
    """
    check.one_of("how", how, HOW)
    lines = [np.atleast_1d(np.asarray(scores, dtype=np.float64)) for scores in list_of_scores]
    if not lines:
        raise ParameterError("there are no scores to combine; give one array of scores a criterion")
    lengths = sorted({len(line) for line in lines})
    if len(lengths) > 1 or lines[0].ndim != 1:
        raise ParameterError(f"the scores have lengths {lengths}; give each criterion one score for every column")
    scores = np.array(lines)
    if np.isnan(scores).any():
        raise ParameterError(f"scores[{int(np.argwhere(np.isnan(scores))[0][0])}] has NaN; give every column a score")
    return HOW[how](scores, criterion_weights(weights, len(scores)))


def criterion_weights(weights: Any, n_criteria: int) -> np.ndarray:
    """Weights of the criteria, all 1 by default."""
    if weights is None:
        return np.ones(n_criteria)
    try:
        checked = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError):
        checked = np.full(1, np.nan)
    if checked.shape != (n_criteria,) or not np.isfinite(checked).all() or checked.min() < 0 or not checked.any():
        raise ParameterError(
            f"weights={weights!r}, but there are {n_criteria} criteria; give one number of 0 or more for each, "
            "not 0 for all"
        )
    return checked
