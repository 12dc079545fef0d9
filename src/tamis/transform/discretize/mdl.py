"""Cuts that a class target asks for: recursive splits by entropy, stopped by description length."""

from functools import lru_cache

import numpy as np

from tamis import _core


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
