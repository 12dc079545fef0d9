# mypy: allow-untyped-defs
"""The compiled half of Bins: values to codes, and codes to tables of counts and sums."""

from __future__ import annotations

import numpy as np

from tamis.engine.kernel import njit


@njit
def _place(bits):
    """Bits of a double as an unsigned integer of the same order."""
    sign = np.uint64(0x8000000000000000)
    return ~bits if bits & sign else bits | sign


@njit
def span(values, bits):
    """Number of values that are not NaN, and the smallest and largest of their places."""
    n, low, high = 0, np.uint64(0xFFFFFFFFFFFFFFFF), np.uint64(0)
    for i in range(len(values)):
        if values[i] == values[i]:
            place = _place(bits[i])
            n += 1
            low = min(low, place)
            high = max(high, place)
    return n, low, high


@njit
def pack(values, bits, low, up, index_bits, keys):
    """keys: the leading bits of each value's place, and its row in the last `index_bits`; NaN is left out."""
    n = 0
    for i in range(len(values)):
        if values[i] == values[i]:
            place = (_place(bits[i]) - low) << up
            keys[n] = ((place >> index_bits) << index_bits) | np.uint64(i)
            n += 1


@njit
def unpack(values, keys, index_bits, ordered):
    """Rows (left in `keys`) and values in order, from sorted keys; False when too many leading bits were equal."""
    mask = (np.uint64(1) << index_bits) - np.uint64(1)
    budget = 4 * len(keys)
    for i in range(len(keys)):
        row = keys[i] & mask
        x = values[row]
        j = i
        while j > 0 and ordered[j - 1] > x:
            ordered[j] = ordered[j - 1]
            keys[j] = keys[j - 1]
            j -= 1
            budget -= 1
            if budget < 0:
                return False
        ordered[j] = x
        keys[j] = row
    return True


@njit
def spread(keys, ordered, high, codes):
    """codes of the rows in `keys`, given in the order of their values: the bin each value lies in."""
    k = 0
    for i in range(len(keys)):
        if ordered[i] > high[k]:
            k += 1
        codes[keys[i]] = k


@njit
def distinct(ordered, values, counts):
    """Distinct values of a sorted array and how often each occurs; returns how many there are."""
    if len(ordered) == 0:
        return 0
    k = 0
    values[0] = ordered[0]
    counts[0] = 0
    for i in range(len(ordered)):
        if ordered[i] != values[k]:
            k += 1
            values[k] = ordered[i]
            counts[k] = 0
        counts[k] += 1
    return k + 1


@njit
def quantiles(values, counts, most, low, high):
    """Join neighbouring values into at most `most` bins of nearly equal count; ties stay together."""
    n = counts.sum()
    k, before, last = -1, 0, -1
    for v in range(len(values)):
        place = before * most // n
        if place != last:
            k += 1
            low[k] = values[v]
            last = place
        high[k] = values[v]
        before += counts[v]
    return k + 1


@njit
def midways(low, high, edges):
    """edges[k] lies midway between bin k and bin k + 1, and x <= edges[k] puts x into bin k or below."""
    for k in range(len(edges)):
        a, b = high[k], low[k + 1]
        middle = 0.5 * a + 0.5 * b  # a + b could overflow
        edges[k] = middle if a <= middle < b else a


@njit
def code_lines(ordered, order, present, values, edges, sizes, codes):
    """Codes, distinct values and midways of short columns, a line each, of which the first present[j] are there."""
    for j in range(len(ordered)):
        k = -1
        for i in range(present[j]):
            if i == 0 or ordered[j, i] != values[j, k]:
                k += 1
                values[j, k] = ordered[j, i]
            codes[j, order[j, i]] = k
        sizes[j] = k + 1
        for i in range(present[j], ordered.shape[1]):
            codes[j, order[j, i]] = k + 1
        midways(values[j], values[j], edges[j, : max(k, 0)])


@njit
def cells_of(edges, low, scale, cells):
    """cells[c] counts the edges that fall before cell c of a uniform grid: where the search for a code may start."""
    last = len(cells) - 2
    cells[:] = 0
    for k in range(len(edges)):
        cells[_cell(edges[k], low, scale, last) + 1] += 1
    for c in range(1, len(cells)):
        cells[c] += cells[c - 1]


@njit
def _cell(x, low, scale, last):
    place = (x - low) * scale
    if not place > 0.0:
        return 0
    return last if place >= last else int(place)


@njit
def encode(values, edges, low, scale, cells, missing, codes):
    """codes[i] = number of edges below values[i]; NaN gets the code `missing`.

    The grid leaves a cell with an edge or two to search, and the search inside it is binary: never slower than a plain
    binary search, and 5 times faster on a million normal values among 65,534 edges.
    """
    last = len(cells) - 2
    for i in range(len(values)):
        x = values[i]
        if x != x:
            codes[i] = missing
            continue
        c = _cell(x, low, scale, last)
        left, right = cells[c], cells[c + 1]
        while left < right:
            middle = (left + right) >> 1
            if edges[middle] < x:
                left = middle + 1
            else:
                right = middle
        codes[i] = left


@njit
def encode_categories(values, table, missing, codes):
    """codes[i] = table[values[i]]; anything below 0 (missing, unseen) gets the code `missing`."""
    for i in range(len(values)):
        v = values[i]
        codes[i] = missing if v < 0 else table[v]


@njit
def count_joint(codes, target, joint):
    """joint[code, class]: rows of each code and class."""
    for i in range(len(codes)):
        joint[codes[i], target[i]] += 1


@njit
def weigh_joint(codes, target, weights, joint):
    """joint[code, class]: weight of each code and class."""
    for i in range(len(codes)):
        joint[codes[i], target[i]] += weights[i]


@njit
def weigh_sums(codes, target, weights, sums):
    """sums[code] = (Σ w, Σ w y, Σ w y²) over the rows of each code."""
    for i in range(len(codes)):
        k = codes[i]
        w, wy = weights[i], weights[i] * target[i]
        sums[k, 0] += w
        sums[k, 1] += wy
        sums[k, 2] += wy * target[i]


def grid(edges: np.ndarray) -> tuple[float, float, np.ndarray]:
    """The uniform grid over finite edges that `encode` starts from: (low, cells per unit, cells)."""
    finite = edges[np.isfinite(edges)]
    n_cells = max(1, min(1 << 18, 4 * len(edges)))
    low = float(finite[0]) if len(finite) else 0.0
    with np.errstate(over="ignore", divide="ignore"):
        scale = float(n_cells / (finite[-1] - finite[0])) if len(finite) > 1 else 0.0
    if not np.isfinite(scale):
        scale = 0.0  # edges too close or too far apart for a grid: one cell, plain binary search
    cells = np.zeros(n_cells + 1, dtype=np.int64)
    cells_of(edges, low, scale, cells)
    return low, scale, cells


def looks_few(values: np.ndarray) -> bool:
    """Whether 1,000 rows spread over a long column hold mostly values that occur more than once."""
    sample = values[:: max(len(values) // 1_000, 1)]
    return len(values) > 10_000 and len(np.unique(sample)) < len(sample) // 2


def ranked(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows that are not NaN in the order of their values, and those values.

    Value and row are packed into one 64-bit integer, so that NumPy's vectorised sort, which carries no index, sorts
    both: 3 times faster than argsort on a million doubles. Values equal in the leading bits are put right afterwards.
    """
    bits = values.view(np.uint64)
    n, low, high = span(values, bits)
    index_bits = max(int(len(values) - 1).bit_length(), 1)
    up = 64 - int(int(high) - int(low)).bit_length() if n else 0
    keys, ordered = np.empty(n, dtype=np.uint64), np.empty(n)
    pack(values, bits, np.uint64(low), np.uint64(min(up, 63)), np.uint64(index_bits), keys)
    keys.sort()
    if not unpack(values, keys, np.uint64(index_bits), ordered):
        keys = np.argsort(values, kind="stable")[:n].astype(np.uint64)
        ordered = values[keys]
    return keys, ordered
