# mypy: allow-untyped-defs
"""Rows of a column in buckets of growing values, each sorted only when its rows must be told apart.

The cut of least entropy lies in few of the buckets, and class counts alone say in which: most rows are never sorted.
"""

from __future__ import annotations

import threading
from typing import NamedTuple

import numpy as np

from tamis.engine.kernel import inner, njit

ROWS = 16  # of a bucket, on average
MOST = 8192
GROUP = 8  # buckets that are first looked at together
FEW = 400  # rows up to which all are sorted
_UNEVEN = 8  # a bucket with more than this part of all rows is not worth having: all rows are sorted


class Buckets(NamedTuple):
    """Values and classes, grouped by bucket.

    Attributes
    ----------
    x, y : value and class of each row.
    start : where each bucket begins, and the number of rows.
    counts : rows of each bucket and class.
    is_sorted : 1 for the buckets whose rows are in order.
    is_boundary : 1 for a row, of a sorted bucket, behind which two values differ that are not all of one class.
    """

    x: np.ndarray
    y: np.ndarray
    start: np.ndarray
    counts: np.ndarray
    is_sorted: np.ndarray
    is_boundary: np.ndarray


class Workspace(threading.local):
    """Arrays of as many rows as a table has, of each thread: fresh memory costs three times the work on a column."""

    def __init__(self, n_rows: int) -> None:
        self.x, self.y = np.empty(n_rows), np.empty(n_rows, dtype=np.int32)
        self.bucket, self.is_boundary = np.empty(n_rows, dtype=np.uint16), np.empty(n_rows, dtype=np.uint8)
        self.begin, self.end, self.place = np.empty((3, n_rows + 2), dtype=np.int64)
        self.gain, self.cuts = np.empty((2, n_rows + 2))


def buckets_of(values: np.ndarray, codes: np.ndarray, n_classes: int, space: Workspace) -> Buckets:
    """Buckets of equal width or, where too many values fall into one, of sorted rows.

    >>> buckets_of(np.array([3.0, 1.0, 2.0]), np.array([0, 1, 0], dtype=np.int32), 2, Workspace(3)).x
    array([1., 2., 3.])
    """
    n = len(values)
    if n >= FEW:
        found = _by_width(values, codes, n_classes, space)
        if found is not None:
            return found
    order = np.argsort(values)
    x, y = np.take(values, order, out=space.x[:n]), np.take(codes, order, out=space.y[:n])
    size = n // ROWS + 1
    start, counts = np.zeros(size + 1, dtype=np.int64), np.zeros((size, n_classes), dtype=np.int64)
    is_boundary = space.is_boundary[:n]
    is_boundary[:] = 0
    size = _describe(x, y, start, counts, is_boundary)
    return Buckets(x, y, start[: size + 1], counts[:size], np.ones(size, dtype=np.uint8), is_boundary)


def _by_width(values: np.ndarray, codes: np.ndarray, n_classes: int, space: Workspace) -> Buckets | None:
    """Buckets of equal width; None where most values are in a few of them."""
    n, low, high = len(values), float(values.min()), float(values.max())
    size = min(MOST, n // ROWS + 1)
    if not 0 < high - low < np.inf or not size / (high - low) < np.inf:
        return None
    start, counts = np.zeros(size + 1, dtype=np.int64), np.zeros((size, n_classes), dtype=np.int64)
    if _count(values, codes, low, size / (high - low), space.bucket, start, counts) * _UNEVEN > n:
        return None
    x, y, is_boundary = space.x[:n], space.y[:n], space.is_boundary[:n]
    is_boundary[:] = 0
    _scatter(values, codes, space.bucket, start, x, y)
    return Buckets(x, y, start, counts, np.zeros(size, dtype=np.uint8), is_boundary)


@njit
def _count(values, codes, low, scale, bucket, start, counts):
    """Fill the bucket of each row, the classes of each bucket and where it begins; the size of the largest bucket."""
    size, last = len(counts), len(counts) - 1
    for i in range(len(values)):
        b = min(int((values[i] - low) * scale), last)
        bucket[i] = b
        counts[b, codes[i]] += 1
    largest = 0
    for b in range(size):
        total = 0
        for c in range(counts.shape[1]):
            total += counts[b, c]
        start[b + 1] = start[b] + total
        largest = max(largest, total)
    return largest


@njit
def _scatter(values, codes, bucket, start, x, y):
    """Fill x and y with the rows, bucket by bucket."""
    place = start.copy()
    for i in range(len(values)):
        b = bucket[i]
        at = place[b]
        x[at] = values[i]
        y[at] = codes[i]
        place[b] = at + 1


@njit
def _describe(x, y, start, counts, is_boundary):
    """Buckets of sorted rows: where each begins, its classes and boundaries; how many there are."""
    n, b, i = len(x), 0, 0
    while i < n:
        stop = min(i + ROWS, n)
        while stop < n and x[stop] == x[stop - 1]:
            stop += 1
        for k in range(i, stop):
            counts[b, y[k]] += 1
        _mark(x, y, i, stop, is_boundary)
        b += 1
        start[b] = i = stop
    return b


@inner
def sort_bucket(rows, b):
    """Bring the rows of a bucket in order, once (Shell's sort: buckets are small)."""
    if rows.is_sorted[b]:
        return
    begin, end = rows.start[b], rows.start[b + 1]
    x, y, gap = rows.x, rows.y, 1
    while gap < (end - begin) // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(begin + gap, end):
            value, code, j = x[i], y[i], i
            while j >= begin + gap and x[j - gap] > value:
                x[j], y[j] = x[j - gap], y[j - gap]
                j -= gap
            x[j], y[j] = value, code
        gap //= 3
    _mark(x, y, begin, end, rows.is_boundary)
    rows.is_sorted[b] = 1


@inner
def _mark(x, y, begin, end, is_boundary):
    """Mark row i where a cut behind it, within a bucket, parts two values that are not all of one class."""
    last, before, i = -1, -1, begin  # where the value before ends, and its class, -1 where it has several
    while i < end:
        j, one = i, y[i]
        while j + 1 < end and x[j + 1] == x[i]:
            j += 1
            if y[j] != y[i]:
                one = -1
        if last >= 0 and (one < 0 or one != before):
            is_boundary[last] = 1
        last, before, i = j, one, j + 1


@inner
def ends_at_boundary(rows, b):
    """The same of a cut between a bucket and the next one that holds rows, which are sorted for it."""
    after = b + 1
    while rows.start[after + 1] == rows.start[after]:
        after += 1
    sort_bucket(rows, b)
    sort_bucket(rows, after)
    x, y, i, j = rows.x, rows.y, rows.start[b + 1] - 1, rows.start[after]
    if y[i] != y[j]:
        return True
    value, k = x[i], i
    while k >= rows.start[b] and x[k] == value:
        if y[k] != y[i]:
            return True
        k -= 1
    value, k = x[j], j
    while k < rows.start[after + 1] and x[k] == value:
        if y[k] != y[j]:
            return True
        k += 1
    return False


@inner
def bucket_at(rows, row):
    """The bucket that holds a row."""
    low, high = 0, len(rows.counts)
    while high - low > 1:
        middle = (low + high) // 2
        if rows.start[middle] <= row:
            low = middle
        else:
            high = middle
    return low


@inner
def count_classes(rows, begin, end, out):
    """Fill `out` with the rows of each class in a stretch that begins and ends at buckets, or within sorted ones."""
    for c in range(len(out)):
        out[c] = 0
    b = bucket_at(rows, begin)
    i = begin
    while i < end:
        if i == rows.start[b] and rows.start[b + 1] <= end:
            for c in range(len(out)):
                out[c] += rows.counts[b, c]
        else:
            for k in range(i, min(end, rows.start[b + 1])):
                out[rows.y[k]] += 1
        i = rows.start[b + 1]
        b += 1
