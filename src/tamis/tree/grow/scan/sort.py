# mypy: allow-untyped-defs
"""Sorting the rows of a node by their codes."""

from __future__ import annotations

from tamis.engine.kernel import inner
from tamis.tree.grow.layout import HIGH, CodeSpan
from tamis.views.binned import N_VALUES, PLACE_IN_WIDTH, WIDTH

SKIP = -2  # gather: leave rows without a value out


@inner
def _gather(codes, node, missing, missing_as, keys):
    n, low, high, start = 0, missing, -1, node.start
    for i in range(start, node.stop):
        code = int(codes[node.rows[i]])
        if code == missing:
            if missing_as == SKIP:
                continue
            code = missing_as
        keys[n] = (code << HIGH) | (i - start)
        low = min(low, code)
        high = max(high, code)
        n += 1
    return CodeSpan(n, low, high)


@inner
def gather(columns, j, node, missing_as, keys):
    """Keys (code << HIGH | place in the node) of the node's rows in column j; returns their CodeSpan.

    Rows without a value are left out (SKIP) or take the code `missing_as`, be it below or above all others.
    """
    width, p, missing = columns.about[WIDTH, j], columns.about[PLACE_IN_WIDTH, j], columns.about[N_VALUES, j]
    if width == 0:
        return _gather(columns.codes8[p], node, missing, missing_as, keys)
    if width == 1:
        return _gather(columns.codes16[p], node, missing, missing_as, keys)
    return _gather(columns.codes32[p], node, missing, missing_as, keys)


@inner
def code_at(columns, j, row):
    """The code of one row in one column."""
    width, p = columns.about[WIDTH, j], columns.about[PLACE_IN_WIDTH, j]
    if width == 0:
        return int(columns.codes8[p, row])
    if width == 1:
        return int(columns.codes16[p, row])
    return int(columns.codes32[p, row])


@inner
def _radix_passes(n, bits):
    """The cheapest number of passes: fewer move rows less often, more have fewer counters to clear."""
    passes, least = 1, 0
    for p in range(1, 5):
        width = (bits + p - 1) // p
        cost = p * (3 * n + (1 << width))
        if width <= 11 and (least == 0 or cost < least):
            passes, least = p, cost
    return passes


@inner
def sort_keys(keys, other, digits, span):
    """Sort keys[:n] by code, equal codes by place: insertion below 40 keys, radix on the bits that differ above.

    (31 bits and counters for 11 of them: four passes are always enough.) other: a buffer as long as keys.
    """
    n, low, high = span
    if n <= 40:
        for i in range(1, n):
            key = keys[i]
            j = i
            while j > 0 and keys[j - 1] > key:
                keys[j] = keys[j - 1]
                j -= 1
            keys[j] = key
        return
    bits = 0
    while (high - low) >> bits:
        bits += 1
    if bits == 0:
        return
    passes = _radix_passes(n, bits)
    width = (bits + passes - 1) // passes
    size = 1 << width
    for p in range(passes):
        shift = p * width
        for d in range(size + 1):
            digits[d] = 0
        for i in range(n):
            digits[((((keys[i] >> HIGH) - low) >> shift) & (size - 1)) + 1] += 1
        for d in range(1, size):
            digits[d] += digits[d - 1]
        for i in range(n):
            d = (((keys[i] >> HIGH) - low) >> shift) & (size - 1)
            other[digits[d]] = keys[i]
            digits[d] += 1
        keys, other = other, keys
    if passes % 2:
        for i in range(n):
            other[i] = keys[i]


@inner
def sort_by(score, n, order, other):
    """order[:n]: places in ascending order of their scores, equal ones as they stand (merge sort, from runs of one)."""
    for i in range(n):
        order[i] = i
    width = 1
    while width < n:
        for start in range(0, n, 2 * width):
            middle, stop = min(start + width, n), min(start + 2 * width, n)
            a, b = start, middle
            for k in range(start, stop):
                if a < middle and (b >= stop or score[order[a]] <= score[order[b]]):
                    other[k] = order[a]
                    a += 1
                else:
                    other[k] = order[b]
                    b += 1
        for k in range(n):
            order[k] = other[k]
        width *= 2


@inner
def place_of(codes, code):
    """Place of the first of ascending codes that is not below `code`."""
    low, high = 0, len(codes)
    while low < high:
        middle = (low + high) >> 1
        if codes[middle] < code:
            low = middle + 1
        else:
            high = middle
    return low
