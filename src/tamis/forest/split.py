# mypy: ignore-errors
"""The best cut of a node along one numeric column, rows without a value tried on both sides.

Up to FEW drawn rows every place between two values is looked at. In larger nodes the codes between the node's smallest
and largest are put into buckets of equal width, at most one for every two drawn rows and never more than BUCKETS; the
cut is made between two buckets. (Codes are ranks, so buckets of equal width hold about as many rows each.)
"""

from __future__ import annotations

import numpy as np

from tamis.engine.kernel import njit
from tamis.forest.chance import share
from tamis.forest.layout import CLASSES, NUMBER
from tamis.forest.order import FEW, by_bucket, by_comparison
from tamis.forest.scan import MARGIN, scan_classes, scan_number, scan_several

BUCKETS = 256


@njit(error_model="numpy", forceinline=True)
def best_cut(
    kind, m, absent, may_miss, total, n_count, least, floor, best, code, key, place, begins, order,
    weight, count, z, zs, classes, left, sums, whole, heap, table,
):  # fmt: skip
    """Improvement and code of the best cut (left up to and including it), and whether missing goes left.

    `code` holds the codes of the node's rows, `absent` is that of a missing value. The cut is -1 when none is better
    than `best`. Arrays one by one: counting the references of a tuple's arrays at every call showed up in a profile.
    """
    low, shift = np.int64(0), np.int64(0)
    coarse = n_count > FEW  # not m: a row given twice must count as one that weighs 2
    if coarse:
        low, shift, n = _buckets(code, m, absent, may_miss, n_count)
        if kind == NUMBER or (kind == CLASSES and n * len(sums) <= 2 * m):
            if kind == NUMBER:
                best, cut, missing_left = _counted_number(
                    m, n, may_miss, total, n_count, least, floor, best, code, weight, count, z, heap
                )
            else:
                best, cut, missing_left = _counted_classes(
                    m, n, may_miss, total, n_count, least, floor, best, code, weight, count, classes, left, sums,
                    heap, table,
                )  # fmt: skip
            return best, cut if cut < 0 else low + ((cut + 1) << shift) - 1, missing_left
        absent = n
        by_bucket(code, m, n + 1, begins, order)
    else:
        by_comparison(code, m, key, place, order)
    if code[order[0]] == code[order[m - 1]]:
        return best, -1, False
    best, at = _scan(
        kind, m, 0, total, n_count, least, floor, best, code, order, weight, count, z, zs, classes, left, sums, whole
    )
    cut = np.int64(-1) if at < 0 else np.int64(code[order[at]])
    missing_left = False
    if may_miss and code[order[m - 1]] == absent:
        end = m - 1
        while end > 0 and code[order[end - 1]] == absent:
            end -= 1
        best, at = _scan(
            kind, end, m - end, total, n_count, least, floor, best, code, order, weight, count, z, zs, classes, left,
            sums, whole,
        )  # fmt: skip
        if at >= 0:
            cut, missing_left = np.int64(code[order[at]]), True
    if coarse and cut >= 0:
        cut = low + ((cut + 1) << shift) - 1
    return best, cut, missing_left


@njit(error_model="numpy", forceinline=True)
def _buckets(code, m, absent, may_miss, n_count):
    """Turn codes into buckets, a missing value into the one after the last; the code `low + (k << shift)` begins
    bucket k. Returns low, shift and the number of buckets.
    """
    low, high = np.uint16(65535), np.uint16(0)
    if may_miss:
        for i in range(m):
            c = code[i]
            low = min(low, c)
            high = max(high, c if c != absent else np.uint16(0))
    else:
        for i in range(m):
            low = min(low, code[i])
            high = max(high, code[i])
    most = BUCKETS
    while 2 * most > n_count:
        most >>= 1
    width = max(np.int64(high) - np.int64(low), 0)  # below 0: nothing but missing
    shift = 0
    while width >> shift >= most:
        shift += 1
    n = (width >> shift) + 1
    first, by = low, np.uint16(shift)
    if may_miss:
        for i in range(m):
            code[i] = np.uint16(n) if code[i] == absent else (code[i] - first) >> by
    else:
        for i in range(m):
            code[i] = (code[i] - first) >> by
    return np.int64(low), shift, n


@njit(error_model="numpy", forceinline=True)
def _scan(
    kind, end, n_missing, total, n_count, least, floor, best, code, order, weight, count, z, zs, classes, left, sums,
    whole,
):  # fmt: skip
    """The scan of the first `end` places; the `n_missing` places after them are on the left from the beginning."""
    v, n_left = 0.0, 0
    for i in range(end, end + n_missing):
        v += weight[order[i]]
        n_left += count[order[i]]
    if kind == NUMBER:
        s = 0.0
        for i in range(end, end + n_missing):
            s += z[order[i]]
        return scan_number(order, code, end, weight, z, total, count, n_count, least, floor, s, v, n_left, best)
    for c in range(len(left)):
        left[c] = 0.0
    if kind == CLASSES:
        squares = both = 0.0
        if n_missing:
            for i in range(end, end + n_missing):
                left[classes[order[i]]] += weight[order[i]]
            for c in range(len(left)):
                squares += left[c] * left[c]
                both += left[c] * sums[c]
        return scan_classes(
            order, code, end, weight, classes, total, sums, whole, count, n_count, least, floor, left, squares, both,
            v, n_left, best,
        )  # fmt: skip
    for i in range(end, end + n_missing):
        for t in range(zs.shape[1]):
            left[t] += zs[order[i], t]
    return scan_several(order, code, end, weight, zs, total, count, n_count, least, floor, left, v, n_left, best)


@njit(error_model="numpy", forceinline=True)
def _counted_number(m, n, may_miss, total, n_count, least, floor, best, code, weight, count, z, heap):
    """As best_cut, for codes that are buckets: sums of every bucket, no order."""
    for i in range(m):
        c = code[i]
        heap[c, 0] += weight[i]
        heap[c, 1] += z[i]
    if least > 1:
        for i in range(m):
            heap[code[i], 2] += count[i]
    with_missing = may_miss and heap[n, 0] > 0.0
    cut, missing_left = -1, False
    for side in range(1 + with_missing):
        v, s, n_left, last = 0.0, 0.0, 0.0, n + with_missing - 1
        if side:
            v, s, n_left, last = heap[n, 0], heap[n, 1], heap[n, 2], n - 1
        bar = best * MARGIN
        for k in range(last):
            v += heap[k, 0]
            s += heap[k, 1]
            n_left += heap[k, 2]
            rest = total - v
            enough = least <= 1 or (n_left >= least and n_count - n_left >= least)
            if s * s > bar * v * rest and v >= floor and rest >= floor and enough:
                best = s * s / (v * rest)
                bar = best * MARGIN
                cut, missing_left = k, side == 1
    for k in range(n + with_missing):
        heap[k, 0] = heap[k, 1] = heap[k, 2] = 0.0
    return best, cut, missing_left


@njit(error_model="numpy", forceinline=True)
def _counted_classes(
    m, n, may_miss, total, n_count, least, floor, best, code, weight, count, classes, left, sums, heap, table
):
    """As _counted_number, for classes."""
    n_classes = len(sums)
    stride = np.uint64(n_classes)
    for i in range(m):
        table[code[i] * stride + classes[i]] += weight[i]
    if least > 1:
        for i in range(m):
            heap[code[i], 2] += count[i]
    absent = 0.0
    if may_miss:
        for c in range(n_classes):
            absent += table[n * n_classes + c]
    cut, missing_left = -1, False
    for side in range(1 + (absent > 0.0)):
        n_left, last = 0.0, n - (absent == 0.0)
        for c in range(n_classes):
            left[c] = 0.0
        if side:
            n_left, last = heap[n, 2], n - 1
            for c in range(n_classes):
                left[c] = table[n * n_classes + c]
        bar = best * MARGIN
        for k in range(last):
            v = squares = other = 0.0
            for c in range(n_classes):
                one = left[c] + table[k * n_classes + c]
                off = sums[c] - one
                left[c] = one
                v += one
                squares += one * one
                other += off * off
            n_left += heap[k, 2]
            rest = total - v
            enough = least <= 1 or (n_left >= least and n_count - n_left >= least)
            if squares * rest + other * v > bar * v * rest and v >= floor and rest >= floor and enough:
                best = squares / v + other / rest
                bar = best * MARGIN
                cut, missing_left = k, side == 1
    for k in range((n + 1) * n_classes):
        table[k] = 0.0
    if least > 1:
        for k in range(n + 1):
            heap[k, 2] = 0.0
    return best, cut, missing_left


@njit(error_model="numpy")
def random_cut(kind, m, j, field, total, n_count, least, floor, state, work, best):
    """As best_cut, for one threshold drawn between the smallest and the largest value; and that threshold.

    Rows without a value go to a side drawn at random.
    """
    n_values = field.n_values[j]
    low, high = n_values, -1
    for i in range(m):
        c = np.int64(work.code[i])
        if c < n_values:
            low = min(low, c)
            high = max(high, c)
    u = share(state)
    missing_left = share(state) < 0.5
    if low >= high:  # nothing but one value: all that can be told apart is having one
        low = high = min(low, n_values - 1)
    first = field.first[j]
    a, b = field.high[first + low], field.low[first + high]
    threshold = a + u * (b - a) if high > low else a
    left, right = low, high  # the last code at or below the threshold
    while left < right:
        middle = (left + right + 1) >> 1
        if field.low[first + middle] <= threshold:
            left = middle
        else:
            right = middle - 1
    cut = left
    if threshold < field.high[first + cut]:
        threshold = field.high[first + cut]
    v, n_left, s = 0.0, 0, 0.0
    work.left[:] = 0.0
    for i in range(m):
        c = np.int64(work.code[i])
        if c <= cut or (c == n_values and missing_left):
            v += work.weight[i]
            n_left += work.counts[i]
            if kind == NUMBER:
                s += work.z[i]
            elif kind == CLASSES:
                work.left[work.classes[i]] += work.weight[i]
            else:
                for t in range(work.zs.shape[1]):
                    work.left[t] += work.zs[i, t]
    if n_left < least or n_count - n_left < least or n_left == 0 or n_left == n_count or v < floor or total - v < floor:
        return best, -1, False, 0.0
    gain = worth_of(kind, s, v, total, work)
    if gain > best * MARGIN:
        return gain, cut, missing_left, threshold
    return best, -1, False, 0.0


@njit(error_model="numpy", forceinline=True)
def worth_of(kind, s, v, total, work):
    """How good a side with the sum s (or the sums work.left) and the weight v is: see scan."""
    rest = total - v
    if kind == NUMBER:
        return s * s / (v * rest)
    squares = other = 0.0
    for c in range(len(work.left)):
        squares += work.left[c] * work.left[c]
        if kind == CLASSES:
            off = work.sums[c] - work.left[c]
            other += off * off
    if kind == CLASSES:
        return squares / v + other / rest
    return squares / (v * rest)
