# mypy: allow-untyped-defs
"""The compiled half of the interaction score: contingency tables of pairs of columns against many targets at once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tamis.engine.kernel import inner, njit
from tamis.score.kernels.bits import pack, popcount

#: Cells of a pair's table (last line and row left out) times classes but one, from which on counting row by row is the
#: quicker way: measured at 1,600 rows, 2.5 ns a cell and 2 µs for the rows; both grow with the rows.
WORTH = 700


class PairColumns(NamedTuple):
    """The columns whose pairs are counted: group codes, and the rows of each group as a set of bits."""

    codes: np.ndarray  # uint16 (d, n)
    sizes: np.ndarray  # int64 (d)
    first: np.ndarray  # int64 (d + 1): the first of each column's lines in `bits`
    bits: np.ndarray  # uint64 (groups of all columns, words)
    rows: np.ndarray  # uint32 (groups of all columns): rows of each


class Targets(NamedTuple):
    """Some targets with the same number of rows in each class: one as it is, or permutations of it."""

    classes: np.ndarray  # int32 (n, targets)
    totals: np.ndarray  # int64 (classes): rows of each
    bits: np.ndarray  # uint64 (targets, classes − 1, words)
    counts: np.ndarray  # uint32 (classes − 1, groups of all columns, targets)
    single: np.ndarray  # (d, targets): information of each column


class Buffers(NamedTuple):
    """Room for one pair's tables, those of all targets side by side: what is done to one is done to eight at once."""

    words: np.ndarray  # uint64 (cells below WORTH, words): rows of each cell
    whole: np.ndarray  # uint32 (cells): rows of each cell
    table: np.ndarray  # uint32 (classes, cells, targets)
    found: np.ndarray  # (targets): the pair's synergy


def columns_of(codes: np.ndarray, sizes: np.ndarray) -> PairColumns:
    """The columns with their groups packed into bits."""
    first = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    bits = np.zeros((int(first[-1]), _words(codes.shape[1])), dtype=np.uint64)
    pack(codes, first, bits)
    return PairColumns(codes, sizes, first, bits, np.bitwise_count(bits).sum(axis=1, dtype=np.uint32))


def targets_of(columns: PairColumns, classes: np.ndarray, n_classes: int, xlogx: np.ndarray) -> Targets:
    """Targets from class codes (targets, n), with what every pair reads of them."""
    n_targets, n = classes.shape
    rest = max(n_classes - 1, 0)
    bits = np.zeros((n_targets * rest, _words(n)), dtype=np.uint64)
    pack(classes, np.arange(n_targets + 1, dtype=np.int64) * rest, bits)
    bits = bits.reshape(n_targets, rest, _words(n))
    totals = np.bincount(classes[0], minlength=n_classes).astype(np.int64)
    counts = np.empty((rest, len(columns.bits), n_targets), dtype=np.uint32)
    single = np.empty((len(columns.sizes), n_targets))
    targets = Targets(np.ascontiguousarray(classes.T), totals, bits, counts, single)
    _members(columns, targets, xlogx)
    return targets


def _words(n: int) -> int:
    return (n + 63) // 64


@njit
def _members(columns, targets, xlogx):
    """Fill the counts of every group and class, and the information of every column."""
    base, n = _base(targets.totals, xlogx), columns.codes.shape[1]
    n_targets, rest = targets.bits.shape[0], targets.bits.shape[1]
    for level in range(len(columns.bits)):
        for c in range(rest):
            for p in range(n_targets):
                targets.counts[c, level, p] = _both(columns.bits[level], targets.bits[p, c])
    for j in range(len(columns.sizes)):
        for p in range(n_targets):
            inside = 0.0
            for level in range(columns.first[j], columns.first[j + 1]):
                total = np.uint64(columns.rows[level])
                inside -= xlogx[total]
                for c in range(rest):
                    inside += xlogx[targets.counts[c, level, p]]
                    total -= np.uint64(targets.counts[c, level, p])
                inside += xlogx[total]
            targets.single[j, p] = (inside + base) / n


@inner
def _both(one, other):
    """Rows that are in two sets."""
    total = np.uint64(0)
    for w in range(len(one)):
        total += popcount(one[w] & other[w])
    return total


@inner
def _base(totals, xlogx):
    """n times the entropy of the classes."""
    n, out = 0, 0.0
    for c in range(len(totals)):
        n += totals[c]
        out -= xlogx[totals[c]]
    return out + xlogx[n]


@njit
def cells(columns, start, stop, used):
    """Fill `used` (d, d) with the number of value pairs that occur, for columns start ≤ i < stop and i < j."""
    sizes, first, bits = columns.sizes, columns.first, columns.bits
    seen = np.zeros(sizes.max() ** 2, dtype=np.bool_)
    for i in range(start, stop):
        for j in range(i + 1, len(sizes)):
            total = 0
            if sizes[i] * sizes[j] < WORTH:
                for a in range(first[i], first[i + 1]):
                    for b in range(first[j], first[j + 1]):
                        total += _meet(bits[a], bits[b])
            else:
                seen[: sizes[i] * sizes[j]] = False
                for r in range(columns.codes.shape[1]):
                    seen[np.int64(columns.codes[i, r]) * sizes[j] + columns.codes[j, r]] = True
                total = seen[: sizes[i] * sizes[j]].sum()
            used[i, j] = total


@inner
def _meet(one, other):
    """1 when two sets have a row in common, 0 otherwise."""
    for w in range(len(one)):
        if one[w] & other[w]:
            return 1
    return 0


@inner
def _count_bits(columns, targets, i, j, buffers):
    """The pair's tables by ANDs of sets; the last row, line and class of each are what is left of the margins."""
    height, width = columns.sizes[i], columns.sizes[j]
    top, side = columns.first[i], columns.first[j]
    words, table, known = buffers.words, buffers.table, 0
    for a in range(height - 1):
        for b in range(width - 1):
            total = np.uint64(0)
            for w in range(words.shape[1]):
                words[known, w] = columns.bits[top + a, w] & columns.bits[side + b, w]
                total += popcount(words[known, w])
            buffers.whole[a * width + b] = total
            known += 1
    _complete_whole(buffers.whole, columns.rows[top : top + height], columns.rows[side : side + width])
    for c in range(targets.bits.shape[1]):
        _count_class(words[:known], targets.bits, c, width, table[c])
        _complete(table[c], targets.counts[c, top : top + height], targets.counts[c, side : side + width])
    _last_class(buffers, height * width)


@inner
def _count_class(words, bits, c, width, table):
    """Rows of class c in the cells whose rows are given, for every target; four cells a sweep (1.3×)."""
    known, part = len(words), width - 1
    for k in range(0, known - 3, 4):
        w0, w1, w2, w3 = words[k], words[k + 1], words[k + 2], words[k + 3]
        t0, t1 = table[k // part * width + k % part], table[(k + 1) // part * width + (k + 1) % part]
        t2, t3 = table[(k + 2) // part * width + (k + 2) % part], table[(k + 3) // part * width + (k + 3) % part]
        for p in range(len(bits)):
            n0 = n1 = n2 = n3 = np.uint64(0)
            line = bits[p, c]
            for w in range(len(line)):
                n0 += popcount(w0[w] & line[w])
                n1 += popcount(w1[w] & line[w])
                n2 += popcount(w2[w] & line[w])
                n3 += popcount(w3[w] & line[w])
            t0[p], t1[p], t2[p], t3[p] = n0, n1, n2, n3
    for k in range(known - known % 4, known):
        counts = table[k // part * width + k % part]
        for p in range(len(bits)):
            counts[p] = _both(words[k], bits[p, c])


@inner
def _last_class(buffers, n_cells):
    """Rows of the last class in each cell: those that are of no other."""
    rest = len(buffers.table) - 1
    for cell in range(n_cells):
        left = buffers.table[rest, cell]
        left[:] = buffers.whole[cell]
        for c in range(rest):
            _subtract(left, buffers.table[c, cell])


@inner
def _complete(table, rows, lines):
    """Cells of the last line and row: the margins less the cells that are known."""
    height, width = len(rows), len(lines)
    for a in range(height - 1):
        last = table[a * width + width - 1]
        _copy(last, rows[a])
        for b in range(width - 1):
            _subtract(last, table[a * width + b])
    for b in range(width):
        last = table[(height - 1) * width + b]
        _copy(last, lines[b])
        for a in range(height - 1):
            _subtract(last, table[a * width + b])


@inner
def _complete_whole(table, rows, lines):
    """As `_complete`, for one table."""
    height, width = len(rows), len(lines)
    for a in range(height - 1):
        left = rows[a]
        for b in range(width - 1):
            left -= table[a * width + b]
        table[a * width + width - 1] = left
    for b in range(width):
        left = lines[b]
        for a in range(height - 1):
            left -= table[a * width + b]
        table[(height - 1) * width + b] = left


@inner
def _copy(to, source):
    for p in range(len(to)):
        to[p] = source[p]


@inner
def _subtract(left, known):
    for p in range(len(left)):
        left[p] -= known[p]


@inner
def _count_rows(columns, targets, i, j, buffers):
    """The pair's tables row by row."""
    width, n_cells = columns.sizes[j], columns.sizes[i] * columns.sizes[j]
    whole, table = buffers.whole, buffers.table
    whole[:n_cells] = 0
    table[:, :n_cells] = 0
    for r in range(len(targets.classes)):
        cell = np.int64(columns.codes[i, r]) * width + columns.codes[j, r]
        whole[cell] += np.uint32(1)
        classes = targets.classes[r]
        for p in range(len(classes)):
            table[classes[p], cell, p] += np.uint32(1)


@inner
def _synergy(columns, targets, xlogx, i, j, buffers):
    """Fill `buffers.found` with I(pair; y) − I(i; y) − I(j; y) for every target y."""
    n_cells, rest = columns.sizes[i] * columns.sizes[j], targets.bits.shape[1]
    if (columns.sizes[i] - 1) * (columns.sizes[j] - 1) * max(rest, 1) < WORTH:
        _count_bits(columns, targets, i, j, buffers)
    else:
        _count_rows(columns, targets, i, j, buffers)
    found, table, n = buffers.found, buffers.table, columns.codes.shape[1]
    base = _base(targets.totals, xlogx)
    for cell in range(n_cells):
        base -= xlogx[buffers.whole[cell]]
    found[:] = base
    for c in range(rest + 1):
        for cell in range(0, n_cells - 3, 4):  # four at a time: 1.4×
            t0, t1, t2, t3 = table[c, cell], table[c, cell + 1], table[c, cell + 2], table[c, cell + 3]
            for p in range(len(found)):
                found[p] += (xlogx[t0[p]] + xlogx[t1[p]]) + (xlogx[t2[p]] + xlogx[t3[p]])
        for cell in range(n_cells - n_cells % 4, n_cells):
            counts = table[c, cell]
            for p in range(len(found)):
                found[p] += xlogx[counts[p]]
    for p in range(len(found)):
        found[p] = found[p] / n - targets.single[i, p] - targets.single[j, p]


@njit
def _buffers(columns, targets):
    """Room for the largest pair's tables."""
    most = columns.sizes.max() ** 2
    n_targets, rest, n_words = targets.bits.shape
    return Buffers(
        np.empty((min(most, WORTH), n_words), dtype=np.uint64),
        np.empty(most, dtype=np.uint32),
        np.empty((rest + 1, most, n_targets), dtype=np.uint32),
        np.empty(n_targets),
    )


@njit
def synergy(columns, targets, xlogx, start, stop, out):
    """Fill `out` (targets, d, d), start ≤ i < stop and i < j, with the information of each pair beyond its members'."""
    buffers = _buffers(columns, targets)
    for i in range(start, stop):
        for j in range(i + 1, len(columns.sizes)):
            _synergy(columns, targets, xlogx, i, j, buffers)
            for p in range(len(out)):
                out[p, i, j] = buffers.found[p]


@njit
def null(columns, targets, xlogx, freedom, start, stop, total, best):
    """Add the targets' synergies to `total` (d, d) and keep in `best` (targets) the largest standardised one.

    Of columns start ≤ i < stop and i < j. `freedom` (d, d): degrees of freedom of the pair's interaction; 2n times the
    synergy is a chi-squared variable with so many, when only chance acts.
    """
    buffers = _buffers(columns, targets)
    n = columns.codes.shape[1]
    for i in range(start, stop):
        for j in range(i + 1, len(columns.sizes)):
            _synergy(columns, targets, xlogx, i, j, buffers)
            scale = np.sqrt(2.0 * max(freedom[i, j], 1e-9))
            for p in range(len(best)):
                total[i, j] += buffers.found[p]
                if freedom[i, j] > 0.0:
                    best[p] = max(best[p], (2 * n * buffers.found[p] - freedom[i, j]) / scale)
