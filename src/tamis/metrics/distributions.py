"""Quantiles and tails of the distributions that intervals and tests need, and ranks.

`scipy.special` has them to the same bits as `scipy.stats`, whose import alone takes 0.7 processor seconds.
"""

from typing import Any

import numpy as np
from scipy import special


def normal_quantile(share: float) -> float:
    """The value that the share lies below, of the standard normal distribution.

    >>> round(normal_quantile(0.975), 3)
    1.96
    """
    return float(special.ndtri(share))


def normal_tail(z: Any) -> Any:
    """The probability above z, of the standard normal distribution.

    >>> float(normal_tail(1.645).round(3))
    0.05
    """
    return special.ndtr(-np.asarray(z))


def t_quantile(share: float, freedom: float) -> float:
    """The value that the share lies below, of Student's t.

    >>> round(t_quantile(0.975, 1), 3)
    12.706
    """
    return float(special.stdtrit(freedom, share))


def t_tail(t: Any, freedom: float) -> Any:
    """The probability above t, of Student's t.

    >>> float(t_tail(1.0, 1).round(3))
    0.25
    """
    return special.stdtr(freedom, -np.asarray(t))


def chi2_quantile(share: float, freedom: float) -> float:
    """The value that the share lies below, of the chi-squared distribution.

    >>> round(chi2_quantile(0.95, 1), 3)
    3.841
    """
    return float(2 * special.gammaincinv(freedom / 2, share))


def binomial_tail(min_hits: int, n: int, share: float) -> float:
    """The probability of at least so many successes in n trials.

    >>> binomial_tail(2, 2, 0.5)
    0.25
    """
    return float(special.betainc(min_hits, n - min_hits + 1, share)) if min_hits > 0 else 1.0


def average_ranks(values: np.ndarray) -> np.ndarray:
    """Ranks from 1 along the last axis; equal values share the mean of theirs.

    >>> average_ranks(np.array([5.0, 1.0, 5.0]))
    array([2.5, 1. , 2.5])
    """
    n = values.shape[-1]
    order = np.argsort(values, axis=-1, kind="stable")
    ordered = np.take_along_axis(values, order, axis=-1)
    starts = np.ones(values.shape, dtype=bool)  # of runs of equal values
    starts[..., 1:] = ordered[..., 1:] != ordered[..., :-1]
    begin = np.flatnonzero(starts)
    size = np.diff(begin, append=values.size)
    ranks = np.empty(values.shape)
    np.put_along_axis(ranks, order, np.repeat(begin % n + (size + 1) / 2, size).reshape(values.shape), axis=-1)
    return ranks
