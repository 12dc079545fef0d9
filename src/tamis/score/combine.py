"""Several criteria's opinions of the same columns, made one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import scipy

from tamis import check
from tamis.errors import ParameterError

__all__ = ["HOW", "combine", "ranks"]


def ranks(scores: Any) -> np.ndarray:
    """Ranks, 1 for the best; equal scores share the mean of their ranks.

    >>> ranks([0.1, 0.9, 0.5, 0.5])
    array([4. , 1. , 2.5, 2.5])
    """
    return np.asarray(scipy.stats.rankdata(-np.asarray(scores, dtype=np.float64), axis=-1))


def _borda(scores: np.ndarray) -> np.ndarray:
    return (scores.shape[1] - ranks(scores)).sum(axis=0)


def _standardised(scores: np.ndarray) -> np.ndarray:
    spread = scores.std(axis=1, keepdims=True)
    centred = scores - scores.mean(axis=1, keepdims=True)
    return np.divide(centred, spread, out=np.zeros_like(centred), where=spread > 0).mean(axis=0)


#: The ways to combine; each takes scores (criteria, columns) and gives one number a column, larger is better.
HOW: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "borda": _borda,
    "mean": lambda scores: -ranks(scores).mean(axis=0),
    "median": lambda scores: -np.median(ranks(scores), axis=0),
    "best": lambda scores: -ranks(scores).min(axis=0),
    "reciprocal": lambda scores: (1.0 / ranks(scores)).sum(axis=0),
    "standardised": _standardised,
}


def combine(list_of_scores: Sequence[Any], how: str = "borda") -> np.ndarray:
    r"""One score a column from the scores of several criteria.

    Parameters
    ----------
    list_of_scores : one array of d scores a criterion, larger is better.
    how : "borda", the number of columns beaten, summed over criteria; "mean", "median" or "best" rank (its negative, so
        that larger is better); "reciprocal", the sum of 1/rank; "standardised", the mean of standardised scores.

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
    return HOW[how](scores)
