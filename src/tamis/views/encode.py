# mypy: allow-untyped-defs
"""The compiled half of Bins: values to codes, and codes to tables of counts and sums."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tamis.engine.kernel import inner, njit

CROWD = 32  # values in a cell that are dealt once more rather than inserted one by one


class CodedColumns(NamedTuple):
    """What the coding of columns fills: line p belongs to column p."""

    codes: np.ndarray  # uint16 (columns, rows)
    values: np.ndarray  # float64 (columns, rows): distinct values in their order, sizes[p] of them
    sizes: np.ndarray  # int64 (columns)
    missing: np.ndarray  # bool (columns): whether some row has no value


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
def spread(rows, ordered, high, codes):
    """codes of the rows, given in the order of their values: the bin each value lies in."""
    k = 0
    for i in range(len(rows)):
        if ordered[i] > high[k]:
            k += 1
        codes[rows[i]] = k


@njit
def distinct(ordered, values, counts):
    """Distinct values of a sorted array and how often each occurs; returns how many there are."""
    k = -1
    for i in range(len(ordered)):
        if i == 0 or ordered[i] != values[k]:
            k += 1
            values[k] = ordered[i] + 0.0  # so that it does not depend on the rows' order whether 0 has a sign
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
def by_cells(values, room, rows, ordered):
    """Rows that are not NaN in the order of their values, and those values; returns how many, or -1.

    They are dealt into cells of equal width, crowded cells once more, and the few that are still out of order are put
    right by insertion: half the time of a sort of 50,000 normal values. Where that would take long (numbers of several
    orders of magnitude, infinite ones) it gives up with -1.
    """
    starts, again, given, x = room
    n, low, high = np.int64(0), np.inf, -np.inf  # typed: a bare 0 would have what it is handed to compiled twice
    for i in range(len(values)):
        v = values[i]
        if v == v:
            x[n] = v
            given[n] = i
            n += 1
            low = min(low, v)
            high = max(high, v)
    crowd = _deal(x, given, low, high, starts, rows, ordered, np.int64(0), n)
    if crowd > 12 * n:
        begin = np.int64(0)
        for c in range(2 * n):
            end = np.int64(starts[c])
            if end - begin > CROWD:
                _deal_again(begin, end, again, given, x, rows, ordered)
            begin = end
    return n if crowd >= 0 and _insert(rows, ordered, n) else -1


@inner
def _deal(x, given, low, high, starts, rows, ordered, begin, end):
    """Put values and their rows, which take the places from `begin` to `end`, into twice as many cells of equal width.

    Returns the sum of squares of the cells' sizes. 0: all values are equal; -1: there are no such cells.
    `starts` is left with the end of each cell, counted from `begin`.
    """
    n = end - begin
    if not high > low:
        for i in range(n):
            ordered[begin + i] = x[i]
            rows[begin + i] = given[i]
        return 0
    scale = 2 * n / (high - low)
    if not 0.0 < scale < 1e300:
        return -1
    for c in range(2 * n + 1):
        starts[c] = 0
    for i in range(n):
        starts[int((x[i] - low) * scale)] += 1
    before, crowd = 0, 0
    for c in range(2 * n + 1):
        size = starts[c]
        starts[c] = before
        before += size
        crowd += size * size
    for i in range(n):
        c = int((x[i] - low) * scale)
        place = starts[c]
        starts[c] = place + 1
        ordered[begin + place] = x[i]
        rows[begin + place] = given[i]
    return crowd


@inner
def _deal_again(begin, end, starts, given, x, rows, ordered):
    """Deal what is in one cell, from `begin` to `end`, into cells of its own."""
    low, high = np.inf, -np.inf
    for i in range(begin, end):
        low = min(low, ordered[i])
        high = max(high, ordered[i])
    if high > low:
        for i in range(begin, end):
            x[i - begin] = ordered[i]
            given[i - begin] = rows[i]
        _deal(x, given, low, high, starts, rows, ordered, begin, end)


@inner
def _insert(rows, ordered, n):
    """Put the first n values in order by insertion; False when that takes too long."""
    budget = 12 * n + 30_000
    for i in range(1, n):
        x = ordered[i]
        if ordered[i - 1] > x:
            row, j = rows[i], i
            while j > 0 and ordered[j - 1] > x:
                ordered[j] = ordered[j - 1]
                rows[j] = rows[j - 1]
                j -= 1
            ordered[j] = x
            rows[j] = row
            budget -= i - j
            if budget < 0:
                return False
    return True


@njit
def code_lines(lines, places, room, rows, ordered, coded):
    """`code_line` for columns of numbers, a line each; coded.sizes[p] is -1 where `by_cells` gave up."""
    for j in range(len(lines)):
        n = by_cells(lines[j], room, rows, ordered)
        code_line(lines[j], places[j], n, rows, ordered, coded)


@njit
def code_line(line, p, n, rows, ordered, coded):
    """Codes of column p, its distinct values, their number, and whether any is missing; n rows are given in order."""
    codes, values, missing = coded.codes, coded.values, coded.missing
    k = -1
    for i in range(n):
        x = ordered[i]
        if i == 0 or x != values[p, k]:
            k += 1
            values[p, k] = x + 0.0  # so that it does not depend on the rows' order whether 0 has a sign
        codes[p, rows[i]] = k
    coded.sizes[p] = k + 1 if n >= 0 else -1
    missing[p] = 0 <= n < len(line)
    if missing[p]:
        for i in range(len(line)):
            if line[i] != line[i]:
                codes[p, i] = k + 1


@njit
def recode(binned, rows, columns, places, coded):
    """Codes of some rows of columns that are coded: ranks among the values that these rows have.

    binned: the BinnedTable of all rows. columns: for each column p, its line there. places: the columns p to do.
    """
    codes, values = coded.codes, coded.values
    room = np.empty(65_536 + 1, dtype=np.int32)
    for p in places:
        line, end = binned.codes[columns[p]], binned.n_values[columns[p]]
        for v in range(end + 1):
            room[v] = 0
        for i in range(len(rows)):
            room[line[rows[i]]] = 1
        k, at = 0, binned.first[columns[p]]
        coded.missing[p] = room[end] == 1
        for v in range(end):
            if room[v] == 1:
                values[p, k] = binned.low[at + v]
                room[v] = k
                k += 1
        room[end] = k
        coded.sizes[p] = k
        for i in range(len(rows)):
            codes[p, i] = room[line[rows[i]]]


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


def room_for(n: int) -> tuple[tuple[np.ndarray, ...], np.ndarray, np.ndarray]:
    """What `by_cells` works in, and fills, for n rows."""
    cells, rows = np.empty((2, 2 * n + 1), dtype=np.int32), np.empty((2, n), dtype=np.int32)
    return (cells[0], cells[1], rows[0], np.empty(n)), rows[1], np.empty(n)


def ranked(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows that are not NaN in the order of their values, and those values."""
    room, rows, ordered = room_for(len(values))
    n = by_cells(values, room, rows, ordered)
    return (rows[:n], ordered[:n]) if n >= 0 else ranked_by_bits(values)


def ranked_by_bits(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What `ranked` gives, for values spread unevenly.

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
    return keys.astype(np.int32), ordered
