"""Cuts that a class target asks for: recursive splits by entropy, stopped by description length."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from tamis.engine.kernel import inner, njit
from tamis.transform.discretize.parts import largest, midpoint

TIE = 1e-10  # bits a row: a later cut must be better by more


def class_cuts(values: np.ndarray, codes: np.ndarray, n_classes: int, most: int) -> np.ndarray:
    r"""Cut points of one column by Fayyad and Irani's criterion.

    A stretch S of n rows, of k classes and entropy E(S) in bits, is cut into S1 and S2 where their mean entropy is
    lowest, if

    .. math:: n E(S) - \sum_i n_i E(S_i) > \log_2(n - 1) + \log_2(3^k - 2) - k E(S) + \sum_i k_i E(S_i)

    and each part is then treated alike. Only boundaries between values of different classes can be best, and only those
    are tried.

    Parameters
    ----------
    values, codes : of the rows that have a value.
    most : how many cuts there may be; those of the largest gain (bits times rows) are made first.

    References
    ----------
    Fayyad, Irani (1993), Multi-interval discretization of continuous-valued attributes, IJCAI.

    >>> class_cuts(np.array([1.0, 2.0, 8.0, 9.0] * 3), np.array([0, 0, 1, 1] * 3, dtype=np.int32), 2, 100)
    array([5.])
    """
    order = np.argsort(values)
    x, y = values[order], codes[order]
    counts = _n_log_n(1 << len(x).bit_length())
    cuts = np.empty(min(most, max(len(x) - 1, 0)))
    n = _cut(x, y.astype(np.int32, copy=False), n_classes, counts, cuts)
    return np.sort(cuts[:n])


@lru_cache(maxsize=1)
def _n_log_n(n: int) -> np.ndarray:
    """n log2 n from 0 to n, kept for the next column."""
    counts = np.arange(n + 1, dtype=np.float64)
    counts[1:] *= np.log2(counts[1:])
    return counts


@njit
def _cut(x, y, n_classes, nlogn, cuts):  # type: ignore[no-untyped-def]
    """Fill `cuts` with the accepted cuts of a sorted column, the largest gain first; how many there are."""
    n = len(x)
    tried = np.zeros(n, dtype=np.uint8)
    _mark_boundaries(x, y, tried)
    most = len(cuts)
    begin, end = np.empty(most + 2, dtype=np.int64), np.empty(most + 2, dtype=np.int64)
    place, gain = np.empty(most + 2, dtype=np.int64), np.empty(most + 2)
    left, right = np.empty(n_classes, dtype=np.int64), np.empty(n_classes, dtype=np.int64)
    begin[0], end[0] = 0, n
    place[0], gain[0] = _best(y, tried, 0, n, nlogn, left, right)
    n_parts, n_cuts = 1, 0
    while n_cuts < most:
        best = largest(gain, n_parts)
        if gain[best] < 0:
            break
        at = place[best]
        cuts[n_cuts] = midpoint(x, at)
        n_cuts += 1
        begin[n_parts], end[n_parts] = at + 1, end[best]
        end[best] = at + 1
        place[best], gain[best] = _best(y, tried, begin[best], end[best], nlogn, left, right)
        place[n_parts], gain[n_parts] = _best(y, tried, begin[n_parts], end[n_parts], nlogn, left, right)
        n_parts += 1
    return n_cuts


@inner
def _mark_boundaries(x, y, tried):  # type: ignore[no-untyped-def]
    """Mark row i where a cut behind it parts two different values that are not all of one and the same class."""
    n = len(x)
    last, before = -1, -1  # where the value before ends, and its class, -1 where it has several
    i = 0
    while i < n:
        j, one = i, y[i]
        while j + 1 < n and x[j + 1] == x[i]:
            j += 1
            if y[j] != y[i]:
                one = -1
        if last >= 0 and (one < 0 or one != before):
            tried[last] = 1
        last, before = j, one
        i = j + 1


@inner
def _best(y, tried, begin, end, nlogn, left, right):  # type: ignore[no-untyped-def]
    """The best cut of a stretch of rows and its gain in bits times rows; -1 where none is accepted."""
    n, n_classes = end - begin, len(left)
    for c in range(n_classes):
        left[c] = right[c] = 0
    for i in range(begin, end):
        right[y[i]] += 1
    whole, k = nlogn[n], 0
    for c in range(n_classes):
        whole -= nlogn[right[c]]
        k += right[c] > 0
    if k < 2:
        return -1, -1.0
    at, lowest, tie = -1, np.inf, TIE * n
    by_class = nlogn[n] - whole  # sum over classes and sides: a row that changes sides changes two terms
    for i in range(begin, end - 1):
        c = y[i]
        n_left, n_right = left[c], right[c]
        by_class += (nlogn[n_left + 1] - nlogn[n_left]) - (nlogn[n_right] - nlogn[n_right - 1])
        left[c] = n_left + 1
        right[c] = n_right - 1
        if tried[i]:
            bits = nlogn[i + 1 - begin] + nlogn[end - 1 - i] - by_class
            if bits < lowest - tie:
                at, lowest = i, bits
    if at < 0 or not _accepted(y, begin, end, at, whole, lowest, k, nlogn, left, right):
        return -1, -1.0
    return at, whole - lowest


@inner
def _accepted(y, begin, end, at, whole, lowest, k, nlogn, left, right):  # type: ignore[no-untyped-def]
    """Whether the cut behind row `at` shortens the description of its stretch of rows."""
    n, n_classes = end - begin, len(left)
    for c in range(n_classes):
        left[c] = right[c] = 0
    for i in range(begin, at + 1):
        left[y[i]] += 1
    for i in range(at + 1, end):
        right[y[i]] += 1
    n_left = at + 1 - begin
    bits_left, bits_right = nlogn[n_left], nlogn[n - n_left]
    k_left, k_right = 0, 0
    for c in range(n_classes):
        bits_left -= nlogn[left[c]]
        bits_right -= nlogn[right[c]]
        k_left += left[c] > 0
        k_right += right[c] > 0
    spread = k * whole / n - k_left * bits_left / n_left - k_right * bits_right / (n - n_left)
    labels = k * np.log2(3.0) + np.log1p(-2.0 * 3.0 ** (-k)) / np.log(2.0)  # log2(3^k - 2), for any k
    return whole - lowest > np.log2(n - 1.0) + labels - spread
