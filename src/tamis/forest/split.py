# mypy: ignore-errors
"""The best cut of a node along one numeric column, rows without a value tried on both sides."""

from __future__ import annotations

import numpy as np

from tamis.engine.kernel import njit
from tamis.forest.chance import share
from tamis.forest.layout import CLASSES, NUMBER
from tamis.forest.order import by_code
from tamis.forest.scan import MARGIN, scan_classes, scan_number, scan_several


@njit(error_model="numpy", forceinline=True)
def best_cut(
    kind, m, n_values, may_miss, total, n_count, least, floor, best, code, key, bits, summary, head, after, order,
    weight, count, z, zs, classes, left, sums, heap, table,
):  # fmt: skip
    """Improvement and code of the best cut (left up to and including it), and whether missing goes left.

    `code` holds the codes of the node's rows. The cut is -1 when none is better than `best`. Arrays one by one:
    counting the references of a tuple's arrays at every call showed up in a profile.
    """
    if not may_miss and (n_values <= 2 * m if kind == NUMBER else n_values * len(sums) <= m and kind == CLASSES):
        if kind == NUMBER:
            best, cut = _counted_number(m, n_values, total, n_count, least, floor, best, code, weight, count, z, heap)
        else:
            best, cut = _counted_classes(
                m, n_values, total, n_count, least, floor, best, code, weight, count, classes, left, sums, heap, table
            )
        return best, cut, False
    by_code(code, m, key, bits, summary, head, after, order)
    if code[order[0]] == code[order[m - 1]]:
        return best, -1, False
    best, at = _scan(
        kind, m, 0, total, n_count, least, floor, best, code, order, weight, count, z, zs, classes, left, sums
    )
    cut = -1 if at < 0 else np.int64(code[order[at]])
    missing_left = False
    if may_miss and code[order[m - 1]] == n_values:
        end = m - 1
        while end > 0 and code[order[end - 1]] == n_values:
            end -= 1
        best, at = _scan(
            kind,
            end,
            m - end,
            total,
            n_count,
            least,
            floor,
            best,
            code,
            order,
            weight,
            count,
            z,
            zs,
            classes,
            left,
            sums,
        )
        if at >= 0:
            cut, missing_left = np.int64(code[order[at]]), True
    return best, cut, missing_left


@njit(error_model="numpy", forceinline=True)
def _scan(
    kind, end, n_missing, total, n_count, least, floor, best, code, order, weight, count, z, zs, classes, left, sums
):
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
    left[:] = 0.0
    if kind == CLASSES:
        for i in range(end, end + n_missing):
            left[classes[order[i]]] += weight[order[i]]
        return scan_classes(
            order, code, end, weight, classes, total, sums, count, n_count, least, floor, left,
            v, n_left, best,
        )  # fmt: skip
    for i in range(end, end + n_missing):
        for t in range(zs.shape[1]):
            left[t] += zs[order[i], t]
    return scan_several(order, code, end, weight, zs, total, count, n_count, least, floor, left, v, n_left, best)


@njit(error_model="numpy", forceinline=True)
def _counted_number(m, n_values, total, n_count, least, floor, best, code, weight, count, z, heap):
    """Sums by code instead of an order: quicker where a node has about as many rows as the column has values."""
    for i in range(m):
        c = code[i]
        heap[c, 0] += weight[i]
        heap[c, 1] += z[i]
        if least > 1:
            heap[c, 2] += count[i]
    cut = -1
    bar = best * MARGIN
    s = v = n_left = 0.0
    for c in range(n_values):
        v += heap[c, 0]
        s += heap[c, 1]
        if least > 1:
            n_left += heap[c, 2]
            heap[c, 2] = 0.0
        rest = total - v
        if s * s > bar * v * rest and heap[c, 0] > 0.0 and v >= floor and rest >= floor:
            far = v < total * (1.0 - 1e-12)  # rounding may leave a rest where nothing is left
            if far and (least <= 1 or (n_left >= least and n_count - n_left >= least)):
                best = s * s / (v * rest)
                bar = best * MARGIN
                cut = c
        heap[c, 0] = 0.0
        heap[c, 1] = 0.0
    return best, cut


@njit(error_model="numpy", forceinline=True)
def _counted_classes(
    m, n_values, total, n_count, least, floor, best, code, weight, count, classes, left, sums, heap, table
):
    """As _counted_number, for classes."""
    n_classes = len(sums)
    for i in range(m):
        table[code[i] * n_classes + classes[i]] += weight[i]
        if least > 1:
            heap[code[i], 2] += count[i]
    cut = -1
    bar = best * MARGIN
    v = n_left = squares = both = whole = 0.0
    for c in range(n_classes):
        left[c] = 0.0
        whole += sums[c] * sums[c]
    for k in range(n_values):
        before = v
        for c in range(n_classes):
            w = table[k * n_classes + c]
            if w > 0.0:
                table[k * n_classes + c] = 0.0
                squares += w * (2.0 * left[c] + w)
                left[c] += w
                both += w * sums[c]
                v += w
        if least > 1:
            n_left += heap[k, 2]
            heap[k, 2] = 0.0
        rest = total - v
        other = whole - 2.0 * both + squares
        if v > before and squares * rest + other * v > bar * v * rest and v >= floor and rest >= floor:
            far = v < total * (1.0 - 1e-12)
            if far and (least <= 1 or (n_left >= least and n_count - n_left >= least)):
                best = squares / v + other / rest
                bar = best * MARGIN
                cut = k
    return best, cut


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
