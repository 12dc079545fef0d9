# mypy: allow-untyped-defs
"""Cuts that a class target asks for: recursive splits by entropy, stopped by description length."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from tamis.engine.kernel import inner, njit
from tamis.transform.discretize.buckets import (
    GROUP,
    Workspace,
    bucket_at,
    buckets_of,
    count_classes,
    ends_at_boundary,
    sort_bucket,
)
from tamis.transform.discretize.parts import largest, midpoint

TIE = 1e-10  # bits a row: a later cut must be better by more
_FEW = 6  # classes of a bucket up to which all ways to part them are tried for its bound


def class_cuts(
    values: np.ndarray, codes: np.ndarray, n_classes: int, most: int, space: Workspace | None = None
) -> np.ndarray:
    r"""Cut points of one column by Fayyad and Irani's criterion.

    A stretch S of n rows, of k classes and entropy E(S) in bits, is cut into S1 and S2 where their mean entropy is
    lowest, if

    .. math:: n E(S) - \sum_i n_i E(S_i) > \log_2(n - 1) + \log_2(3^k - 2) - k E(S) + \sum_i k_i E(S_i)

    and each part is then treated alike. Only boundaries between values of different classes can be best, and only those
    are tried; and of these only those in buckets of rows whose class counts leave room for a better cut.

    Parameters
    ----------
    values, codes : of the rows that have a value; codes of int32.
    most : how many cuts there may be; those of the largest gain (bits times rows) are made first.

    space : arrays to work in, for columns of at most so many rows.

    References
    ----------
    Fayyad, Irani (1993), Multi-interval discretization of continuous-valued attributes, IJCAI.

    >>> class_cuts(np.array([1.0, 2.0, 8.0, 9.0] * 3), np.array([0, 0, 1, 1] * 3, dtype=np.int32), 2, 100)
    array([5.])
    """
    space = Workspace(len(values)) if space is None else space
    rows = buckets_of(values, codes, n_classes, space)
    parts = Parts(space.begin, space.end, space.place, space.gain)
    n = _cut(rows, n_classes, _n_log_n(1 << len(values).bit_length()), parts, space.cuts[: min(most, len(values) - 1)])
    return np.sort(space.cuts[:n])


@lru_cache(maxsize=1)
def _n_log_n(n: int) -> np.ndarray:
    """n log2 n from 0 to n, kept for the next column."""
    counts = np.arange(n + 1, dtype=np.float64)
    counts[1:] *= np.log2(counts[1:])
    return counts


class Parts(NamedTuple):
    """Parts of a column: rows from `begin` to `end`, the best row to cut behind, and what is gained, -1 for nothing."""

    begin: np.ndarray
    end: np.ndarray
    place: np.ndarray
    gain: np.ndarray


class Search(NamedTuple):
    """Buffers of the search for a cut.

    Attributes
    ----------
    nlogn : n log2 n.
    left, right : rows of each class on both sides of a cut.
    group : rows of each class in a group of buckets.
    bits, moved : entropy, and rows on the left, of the ways to part the classes of a bucket.
    at, lowest : the best row to cut behind so far, and the entropy of that cut, in bits times rows.
    limit : entropy above which a cut is not the best, or not accepted.
    """

    nlogn: np.ndarray
    left: np.ndarray
    right: np.ndarray
    group: np.ndarray
    bits: np.ndarray
    moved: np.ndarray
    at: np.ndarray
    lowest: np.ndarray
    limit: np.ndarray


@njit
def _cut(rows, n_classes, nlogn, parts, cuts):
    """Fill `cuts` with the accepted cuts of a column, the largest gain first; how many there are."""
    most, begin, end, place, gain = len(cuts), parts.begin, parts.end, parts.place, parts.gain
    left, right = np.empty(n_classes, dtype=np.int64), np.empty(n_classes, dtype=np.int64)
    bits, moved = np.empty(1 << _FEW), np.empty(1 << _FEW, dtype=np.int64)
    group = np.empty(n_classes, dtype=np.int64)
    search = Search(nlogn, left, right, group, bits, moved, np.empty(1, dtype=np.int64), np.empty(1), np.empty(1))
    begin[0], end[0] = 0, len(rows.x)
    place[0], gain[0] = _best(rows, 0, len(rows.x), search)
    n_parts, n_cuts = 1, 0
    while n_cuts < most:
        best = largest(gain, n_parts)
        if gain[best] < 0:
            break
        at = place[best]
        cuts[n_cuts] = midpoint(rows.x, at)
        n_cuts += 1
        begin[n_parts], end[n_parts] = at + 1, end[best]
        end[best] = at + 1
        place[best], gain[best] = _best(rows, begin[best], end[best], search)
        place[n_parts], gain[n_parts] = _best(rows, begin[n_parts], end[n_parts], search)
        n_parts += 1
    return n_cuts


@inner
def _best(rows, begin, end, search):
    """The best cut of a stretch of rows and its gain in bits times rows; -1 where none is accepted."""
    n, nlogn, left, right = end - begin, search.nlogn, search.left, search.right
    count_classes(rows, begin, end, right)
    whole, k = nlogn[n], 0
    for c in range(len(left)):
        left[c] = 0
        whole -= nlogn[right[c]]
        k += right[c] > 0
    if k < 2:
        return -1, -1.0
    labels = k * np.log2(3.0) + np.log1p(-2.0 * 3.0 ** (-k)) / np.log(2.0)  # log2(3^k - 2), for any k
    price = np.log2(n - 1.0) + labels - k * whole / n
    search.limit[0] = min(_lowest_end(rows, begin, end, search), whole - price) + TIE * n
    _look(rows, begin, end, search)
    at, won = search.at[0], whole - search.lowest[0]
    if at < 0:
        return -1, -1.0
    count_classes(rows, begin, at + 1, left)
    count_classes(rows, at + 1, end, right)
    price += _spread(left, at + 1 - begin, nlogn) + _spread(right, end - 1 - at, nlogn)
    if won > price:
        return at, won
    return -1, -1.0


@inner
def _spread(counts, n, nlogn):
    """Number of classes times entropy."""
    k, bits = 0, nlogn[n]
    for c in range(len(counts)):
        bits -= nlogn[counts[c]]
        k += counts[c] > 0
    return k * bits / n


@inner
def _entropy(search, n_left, n_right):
    """Entropy of both sides of a cut, in bits times rows."""
    nlogn, left, right = search.nlogn, search.left, search.right
    bits = nlogn[n_left] + nlogn[n_right]
    for c in range(len(left)):
        bits -= nlogn[left[c]] + nlogn[right[c]]
    return bits


@inner
def _pass(rows, b, begin, end, search):
    """Bring a bucket, or the part of it in a stretch, from the right side to the left one."""
    left, right = search.left, search.right
    if begin == rows.start[b] and end == rows.start[b + 1]:
        for c in range(len(left)):
            left[c] += rows.counts[b, c]
            right[c] -= rows.counts[b, c]
        return
    for i in range(begin, end):
        left[rows.y[i]] += 1
        right[rows.y[i]] -= 1


@inner
def _lowest_end(rows, begin, end, search):
    """The least entropy of cuts behind every eighth bucket; all rows are on the right side, before and after."""
    lowest, b, i = np.inf, bucket_at(rows, begin), begin
    while rows.start[b + 1] < end:
        stop = rows.start[b + 1]
        if stop > i:
            _pass(rows, b, i, stop, search)
            if b % GROUP == 0:
                lowest = min(lowest, _entropy(search, stop - begin, end - stop))
        i = stop
        b += 1
    for c in range(len(search.left)):
        search.right[c] += search.left[c]
        search.left[c] = 0
    return lowest


@inner
def _look(rows, begin, end, search):
    """Find the first row behind which a cut has the least entropy; -1 where none is below the limit."""
    search.at[0], search.lowest[0] = -1, np.inf
    b, i, tie = bucket_at(rows, begin), begin, TIE * (end - begin)
    while i < end:
        if b % GROUP == 0 and _skip(rows, b, i, begin, end, search):
            b += GROUP
            i = rows.start[b]
            continue
        stop = min(end, rows.start[b + 1])
        if stop > i:
            whole = i == rows.start[b] and stop == rows.start[b + 1]
            if not whole or _bound(rows.counts[b], i - begin, end - i, search) <= search.limit[0]:
                _scan(rows, b, i, stop, i - begin, end - i, tie, search)
            else:
                _pass(rows, b, i, stop, search)
            if stop == rows.start[b + 1] and stop < end:
                bits = _entropy(search, stop - begin, end - stop)
                if bits <= search.limit[0] and bits < search.lowest[0] - tie and ends_at_boundary(rows, b):
                    _keep(stop - 1, bits, tie, search)
        i = stop
        b += 1


@inner
def _skip(rows, b, i, begin, end, search):
    """Whether no cut within a group of buckets, or at its end, can be the best; its rows are then on the left side."""
    last, total = b + GROUP, search.group
    if last > len(rows.counts) or i != rows.start[b] or rows.start[last] >= end:
        return False
    for c in range(len(total)):
        total[c] = 0
    for k in range(b, last):
        for c in range(len(total)):
            total[c] += rows.counts[k, c]
    if _bound(total, i - begin, end - i, search) <= search.limit[0]:
        return False
    for c in range(len(total)):
        search.left[c] += total[c]
        search.right[c] -= total[c]
    if _entropy(search, rows.start[last] - begin, end - rows.start[last]) > search.limit[0]:
        return True
    for c in range(len(total)):
        search.left[c] -= total[c]
        search.right[c] += total[c]
    return False


@inner
def _keep(at, bits, tie, search):
    search.at[0], search.lowest[0] = at, bits
    search.limit[0] = min(search.limit[0], bits + tie)


@inner
def _scan(rows, b, begin, end, n_left, n_right, tie, search):
    """Try the cuts within a bucket, or the part of it in a stretch, and bring its rows to the left side."""
    sort_bucket(rows, b)
    nlogn, left, right = search.nlogn, search.left, search.right
    by_class = 0.0  # sum over classes and sides: a row that changes sides changes two terms
    for c in range(len(left)):
        by_class += nlogn[left[c]] + nlogn[right[c]]
    for i in range(begin, end):
        c = rows.y[i]
        on_left, on_right = left[c], right[c]
        by_class += (nlogn[on_left + 1] - nlogn[on_left]) - (nlogn[on_right] - nlogn[on_right - 1])
        left[c], right[c] = on_left + 1, on_right - 1
        if rows.is_boundary[i] and i + 1 < end:
            bits = nlogn[n_left + i + 1 - begin] + nlogn[n_right - i - 1 + begin] - by_class
            if bits <= search.limit[0] and bits < search.lowest[0] - tie:
                _keep(i, bits, tie, search)


@inner
def _bound(counts, n_left, n_right, search):
    """What no cut within a bucket is below: entropy is concave, so it is least where classes change sides as a whole.

    Infinite for a bucket of one class, within which no cut is best.
    """
    nlogn, left, right, bits, moved = search.nlogn, search.left, search.right, search.bits, search.moved
    several = 0
    for c in range(len(counts)):
        several += counts[c] > 0
    if several < 2:
        return np.inf
    if several > _FEW:
        return -np.inf
    bits[0], moved[0], ways = 0.0, 0, 1
    for c in range(len(counts)):
        stay = nlogn[left[c]] + nlogn[right[c]]
        if counts[c] > 0:
            go = nlogn[left[c] + counts[c]] + nlogn[right[c] - counts[c]]
            for w in range(ways):
                bits[ways + w] = bits[w] - go
                moved[ways + w] = moved[w] + counts[c]
            ways *= 2
            for w in range(ways // 2):
                bits[w] -= stay
        else:
            for w in range(ways):
                bits[w] -= stay
    lowest = np.inf
    for w in range(ways):
        lowest = min(lowest, bits[w] + nlogn[n_left + moved[w]] + nlogn[n_right - moved[w]])
    return lowest
