# mypy: ignore-errors
"""The best cut of a node along one numeric column, rows without a value tried on both sides.

Up to FEW drawn rows every place between two values is looked at. In larger nodes the codes between the node's smallest
and largest are put into buckets of equal width, at most one for every two drawn rows and never more than BUCKETS; the
cut is made between two buckets. (Codes are ranks, so buckets of equal width hold about as many rows each.)
"""

from __future__ import annotations

import numpy as np

from tamis.engine.kernel import inner
from tamis.forest.data.rng import uniform
from tamis.forest.grow.order import FEW, by_bucket, by_comparison
from tamis.forest.grow.scan.deviation import counted_deviation, fall, scan_deviation
from tamis.forest.grow.scan.ordered import MARGIN, scan_classes, scan_number, scan_several
from tamis.forest.grow.scan.sums import COPIED, count_drawn, sum_classes, sum_number
from tamis.forest.layout import CLASSES

BUCKETS = 256


@inner(forceinline=True)
def best_cut(kind, part, m, absent, may_miss, node, limits, best, work):
    """Improvement and code of the best cut (left up to and including it), and whether missing goes left.

    work.code holds the codes of the node's rows, `absent` is that of a missing value. The cut is -1 when none is better
    than `best`.
    """
    code, order = work.code, work.order
    low, shift = np.int64(0), np.int64(0)
    coarse = node.n_count > FEW  # not m: a row given twice must count as one that weighs 2
    if coarse:
        low, shift, n = _buckets(code, m, absent, may_miss, node.n_count)
        if kind is None:
            best, cut, missing_left = _counted(part, m, n, may_miss, node, limits, best, work)
            return best, cut if cut < 0 else low + ((cut + 1) << shift) - 1, missing_left
        if kind == CLASSES and n * len(work.sums) <= 2 * m:
            best, cut, missing_left = _counted_classes(m, n, may_miss, node, limits, best, work)
            return best, cut if cut < 0 else low + ((cut + 1) << shift) - 1, missing_left
        absent = n
        by_bucket(code, m, n + 1, work.begins, order)
    else:
        by_comparison(code, m, work.key, work.place, order)
    if code[order[0]] == code[order[m - 1]]:
        return best, np.int64(-1), False
    cut, missing_left, end = np.int64(-1), False, m
    for side in range(2):  # missing on the right, then on the left
        best, at = _scan(kind, part, end, m - end, node, limits, best, work)
        if at >= 0:
            cut, missing_left = np.int64(code[order[at]]), side == 1
        if not may_miss or code[order[m - 1]] != absent:
            break
        while end > 0 and code[order[end - 1]] == absent:
            end -= 1
    if coarse and cut >= 0:
        cut = low + ((cut + 1) << shift) - 1
    return best, cut, missing_left


@inner(forceinline=True)
def _buckets(code, m, absent, may_miss, n_count):
    """Turn codes into buckets, a missing value into the one after the last; the code `low + (k << shift)` begins
    bucket k. Returns low, shift and the number of buckets.
    """
    most = BUCKETS
    while 2 * most > n_count:
        most >>= 1
    if absent < most and absent < COPIED:  # codes as they are: nothing is gained by reading them twice
        return np.int64(0), np.int64(0), np.int64(absent)
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
    width = max(np.int64(high) - np.int64(low), 0)  # below 0: nothing but missing
    shift = np.int64(0)
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


@inner(forceinline=True)
def _scan(kind, part, end, n_missing, node, limits, best, work):
    """The scan of the first `end` places; the `n_missing` places after them are on the left from the beginning."""
    code, order, left, weight = work.code, work.order, work.left, work.weight
    v, n_left = 0.0, np.int64(0)  # a plain 0 is a type of its own: each scan would be compiled twice
    for i in range(end, end + n_missing):
        v += weight[order[i]]
        n_left += work.counts[order[i]]
    if kind is None:
        s = 0.0
        for i in range(end, end + n_missing):
            s += work.z[order[i]]
        if part is not None:  # noqa: SIM102 - what is None is known when it is compiled
            if limits.by_deviation:
                q = 0.0
                for i in range(end, end + n_missing):
                    q += work.zs[order[i], 0]
                return scan_deviation(end, code, node, limits, work, s, q, v, n_left, best)
        return scan_number(end, code, node, limits, work, s, v, n_left, best)
    for c in range(len(left)):
        left[c] = 0.0
    if kind == CLASSES:
        squares = both = 0.0
        if n_missing:
            for i in range(end, end + n_missing):
                left[work.classes[order[i]]] += weight[order[i]]
            for c in range(len(left)):
                squares += left[c] * left[c]
                both += left[c] * work.sums[c]
        return scan_classes(end, code, node, limits, work, squares, both, v, n_left, best)
    for i in range(end, end + n_missing):
        for t in range(len(left)):
            left[t] += work.zs[order[i], t]
    return scan_several(end, code, node, limits, work, v, n_left, best)


@inner(forceinline=True)
def _counted(part, m, n, may_miss, node, limits, best, work):
    """As best_cut, for one number and codes that are buckets."""
    if part is not None:  # noqa: SIM102 - what is None is known when it is compiled
        if limits.by_deviation:
            return counted_deviation(m, n, may_miss, node, limits, best, work)
    return _counted_number(m, n, may_miss, node, limits, best, work)


@inner(forceinline=True)
def _counted_number(m, n, may_miss, node, limits, best, work):
    """As best_cut, for codes that are buckets: sums of every bucket, no order."""
    bucket, table, total, least = work.bucket, work.table, node.total, limits.min_leaf
    sum_number(m, n if may_miss else n - 1, work)
    if least > 1:
        if work.unit_weights[0]:
            for k in range(n + 1):
                bucket[k, 1] = bucket[k, 0]
        else:
            count_drawn(m, work)
    with_missing = may_miss and bucket[n, 0] > 0.0
    cut, missing_left = np.int64(-1), False
    for side in range(1 + with_missing):
        v, s, n_left, last = 0.0, 0.0, 0.0, n + with_missing - 1
        if side:
            v, s, n_left, last = bucket[n, 0], table[n], bucket[n, 1], n - 1
        bar = best * MARGIN
        for k in range(last):
            v += bucket[k, 0]
            s += table[k]
            n_left += bucket[k, 1]
            rest = total - v
            enough = least <= 1 or (n_left >= least and node.n_count - n_left >= least)
            if s * s > bar * v * rest and v >= limits.min_weight and rest >= limits.min_weight and enough:
                best = s * s / (v * rest)
                bar = best * MARGIN
                cut, missing_left = k, side == 1
    for k in range(n + with_missing):
        bucket[k, 0] = bucket[k, 1] = table[k] = 0.0
    return best, cut, missing_left


@inner(forceinline=True)
def _counted_classes(m, n, may_miss, node, limits, best, work):
    """As _counted_number, for classes."""
    bucket, table, least, left, n_classes = work.bucket, work.table, limits.min_leaf, work.left, len(work.sums)
    sum_classes(m, n if may_miss else n - 1, n_classes, work)
    if least > 1:
        if work.unit_weights[0]:
            for k in range(n + 1):
                for c in range(n_classes):
                    bucket[k, 1] += table[k * n_classes + c]
        else:
            count_drawn(m, work)
    absent = 0.0
    if may_miss:
        for c in range(n_classes):
            absent += table[n * n_classes + c]
    cut, missing_left = np.int64(-1), False
    for side in range(1 + (absent > 0.0)):
        n_left, last = bucket[n, 1] if side else 0.0, n - 1 if side else n - (absent == 0.0)
        for c in range(n_classes):
            left[c] = table[n * n_classes + c] if side else 0.0
        if n_classes == 3:
            best, at = _through_three(last, node, limits, n_left, best, work)
        else:
            best, at = _through(last, node, limits, n_left, best, work)
        if at >= 0:
            cut, missing_left = at, side == 1
    for k in range((n + 1) * n_classes):
        table[k] = 0.0
    if least > 1:
        for k in range(n + 1):
            bucket[k, 1] = 0.0
    return best, cut, missing_left


@inner(forceinline=True)
def _through(last, node, limits, n_left, best, work):
    """The best place to cut after one of the first `last` buckets, -1 when none is better than `best`."""
    bucket, table, left, sums, total = work.bucket, work.table, work.left, work.sums, node.total
    at, bar, n_classes, least = np.int64(-1), best * MARGIN, len(sums), limits.min_leaf
    for k in range(last):
        v = squares = other = 0.0
        for c in range(n_classes):
            one = left[c] + table[k * n_classes + c]
            off = sums[c] - one
            left[c] = one
            v += one
            squares += one * one
            other += off * off
        n_left += bucket[k, 1]
        rest = total - v
        enough = least <= 1 or (n_left >= least and node.n_count - n_left >= least)
        if (
            squares * rest + other * v > bar * v * rest
            and v >= limits.min_weight
            and rest >= limits.min_weight
            and enough
        ):
            best = squares / v + other / rest
            at, bar = k, best * MARGIN
    return best, at


@inner(forceinline=True)
def _through_three(last, node, limits, n_left, best, work):
    """As _through, for three classes: their sums stay in registers."""
    bucket, table, total, least = work.bucket, work.table, node.total, limits.min_leaf
    at, bar = np.int64(-1), best * MARGIN
    a, b, c = work.left[0], work.left[1], work.left[2]
    whole_a, whole_b, whole_c = work.sums[0], work.sums[1], work.sums[2]
    for k in range(last):
        a += table[3 * k]
        b += table[3 * k + 1]
        c += table[3 * k + 2]
        n_left += bucket[k, 1]
        v, squares = a + b + c, a * a + b * b + c * c
        x, y, z = whole_a - a, whole_b - b, whole_c - c
        rest, other = total - v, x * x + y * y + z * z
        enough = least <= 1 or (n_left >= least and node.n_count - n_left >= least)
        if (
            squares * rest + other * v > bar * v * rest
            and v >= limits.min_weight
            and rest >= limits.min_weight
            and enough
        ):
            best = squares / v + other / rest
            at, bar = k, best * MARGIN
    return best, at


@inner
def random_cut(kind, part, m, j, binned, node, limits, best, work):
    """As best_cut, for one threshold drawn between the smallest and the largest value; and that threshold.

    Rows without a value go to a side drawn at random.
    """
    n_values, total, n_count, least = binned.n_values[j], node.total, node.n_count, limits.min_leaf
    low, high = n_values, -1
    for i in range(m):
        c = np.int64(work.code[i])
        if c < n_values:
            low = min(low, c)
            high = max(high, c)
    u = uniform(work.state)
    missing_left = uniform(work.state) < 0.5
    if low >= high:  # nothing but one value: all that can be told apart is having one
        low = high = min(low, n_values - 1)
    cut, threshold = _threshold_between(low, high, u, binned.first[j], binned.low, binned.high)
    v, n_left, s, q = 0.0, 0, 0.0, 0.0
    for c in range(len(work.left)):
        work.left[c] = 0.0
    for i in range(m):
        c = np.int64(work.code[i])
        if c <= cut or (c == n_values and missing_left):
            v += work.weight[i]
            n_left += work.counts[i]
            if kind is None:
                s += work.z[i]
                if part is not None:  # noqa: SIM102 - what is None is known when it is compiled
                    if limits.by_deviation:
                        q += work.zs[i, 0]
            elif kind == CLASSES:
                work.left[work.classes[i]] += work.weight[i]
            else:
                for t in range(work.zs.shape[1]):
                    work.left[t] += work.zs[i, t]
    if n_left < least or n_count - n_left < least or n_left == 0 or n_left == n_count:
        return best, -1, False, 0.0
    if v < limits.min_weight or total - v < limits.min_weight:
        return best, -1, False, 0.0
    gain = improvement(kind, s, v, total, work)
    if part is not None:  # noqa: SIM102 - what is None is known when it is compiled
        if limits.by_deviation:
            gain = fall(s, q, v, node)
    if gain > best * MARGIN:
        return gain, cut, missing_left, threshold
    return best, -1, False, 0.0


@inner(forceinline=True)
def _threshold_between(low, high, u, first, lows, highs):
    """The threshold at a share u of the way between the values of two codes, and the last code at or below it."""
    a, b = highs[first + low], lows[first + high]
    threshold = a + u * (b - a) if high > low else a
    left, right = low, high
    while left < right:
        middle = (left + right + 1) >> 1
        if lows[first + middle] <= threshold:
            left = middle
        else:
            right = middle - 1
    return left, highs[first + left] if threshold < highs[first + left] else threshold


@inner(forceinline=True)
def improvement(kind, s, v, total, work):
    """Improvement of a split whose left side has the sum s (or the sums work.left) and the weight v: see ordered.py."""
    rest = total - v
    if kind is None:
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
