# mypy: ignore-errors
"""The arrays a tree needs while it grows: made once a tree, so that nothing is allocated while nodes are split."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tamis.engine.intrinsics import fetch, matrix, vector
from tamis.engine.kernel import njit
from tamis.forest.grow.order import FEW
from tamis.forest.grow.scan.sums import COPIED, COPIES
from tamis.forest.grow.sets import lengthened, most_words
from tamis.forest.grow.split import BUCKETS
from tamis.forest.layout import CLASSES, NODE, NUMBER

BLOCK = 2048  # drawn rows from which on a subtree's codes are copied side by side, to stay in the processor's cache
#: What is counted: nodes, rows of leaf table, words in sets, stack, pending, columns known to be constant; of pending,
#: those that have been begun.
NODES, TABLES, WORDS, OPEN, WAITING, CONSTANT, BEGUN = range(7)
AHEAD = 8  # rows that are fetched before their turn


class SplitBuffers(NamedTuple):
    """Of the node at hand: its rows' codes in one column, weights, targets; sums of buckets, levels and classes."""

    code: np.ndarray
    key: np.ndarray
    place: np.ndarray
    begins: np.ndarray
    order: np.ndarray
    weight: np.ndarray
    counts: np.ndarray
    unit_weights: np.ndarray  # uint8 (1): whether every row weighs 1, so that drawn rows need not be counted
    z: np.ndarray
    zs: np.ndarray  # of several targets; of one, z² / w where deviations are compared
    classes: np.ndarray
    left: np.ndarray
    sums: np.ndarray
    bucket: np.ndarray  # float64 (buckets or levels, 3): weight, drawn rows, sum of z² / w
    copies: np.ndarray  # of few sums: see sums.py
    table: np.ndarray
    mean: np.ndarray
    level: np.ndarray
    chosen: np.ndarray
    bits: np.ndarray
    right: np.ndarray  # rows that go right, while a node is divided
    column: np.ndarray
    constant: np.ndarray  # columns that are constant in the node at hand, those its ancestors found first
    is_constant: np.ndarray  # of every column: whether it is among them
    stack: np.ndarray  # nodes to be split: number, first row, row after the last, depth, constant columns of the parent
    pending: np.ndarray  # nodes that wait, likewise
    tally: np.ndarray  # how many there are so far: see NODES
    state: np.ndarray  # uint64 (1): of the random numbers
    stop: np.ndarray  # uint8 (1): set from outside to end early


class TreeBuffers(NamedTuple):
    """The tree as it grows; trimmed at the end."""

    node: np.ndarray
    cut: np.ndarray  # code of a split's last value on the left
    next: np.ndarray  # and of the first on the right, as far as the node's own rows go
    value: np.ndarray
    leaf: np.ndarray
    gain: np.ndarray
    sets: np.ndarray


class DrawnRows(NamedTuple):
    """Rows and what is known of them: of the whole table, or of a block."""

    codes: np.ndarray  # uint16 (columns, rows)
    classes: np.ndarray
    values: np.ndarray
    weight: np.ndarray
    drawn: np.ndarray  # how often each was
    inside: np.ndarray  # the rows of a node are a stretch of this, divided in place as the node is


@njit(error_model="numpy")
def workspace(binned, target, m, n_sums, stop):
    """The arrays for a tree on m rows."""
    d, levels = len(binned.n_values), BUCKETS + 1
    for j in range(d):
        if binned.category[j]:
            levels = max(levels, binned.n_values[j] + 1)
    several = n_sums if target.kind != CLASSES else 0
    bucket, table = matrix(levels, 3, np.float64), vector(levels * n_sums, np.float64)
    for k in range(levels):
        bucket[k, 0] = bucket[k, 1] = bucket[k, 2] = 0.0
    for k in range(len(table)):
        table[k] = 0.0
    column, is_constant, tally = vector(d, np.int32), vector(d, np.uint8), vector(7, np.int64)
    for j in range(d):
        column[j] = j
        is_constant[j] = 0
    for k in range(7):
        tally[k] = 0
    copies, unit_weights = vector(2 * COPIED * COPIES, np.float64), vector(1, np.uint8)
    for k in range(len(copies)):
        copies[k] = 0.0
    unit_weights[0] = 1
    for i in range(len(target.weight)):
        unit_weights[0] &= target.weight[i] == 1.0
    return SplitBuffers(
        vector(m, np.uint16),
        vector(FEW, np.int32),
        vector(FEW, np.int32),
        vector(BUCKETS + 2, np.uint32),
        vector(m, np.uint32),
        vector(m, np.float64),
        vector(m, np.int32),
        unit_weights,
        vector(m, np.float64),
        matrix(m if several else 0, max(several, 1), np.float64),
        vector(m, np.uint32),
        vector(n_sums, np.float64),
        vector(n_sums, np.float64),
        bucket,
        copies,
        table,
        vector(levels, np.float64),
        vector(levels + 1, np.int64),
        vector(levels, np.int64),
        vector((levels >> 6) + 1, np.uint64),
        vector(m, np.uint32),
        column,
        vector(d, np.int32),
        is_constant,
        matrix(m + 1, 5, np.int64),
        matrix(m + 1, 4, np.int64),
        tally,
        vector(1, np.uint64),
        stop,
    )


@njit(error_model="numpy")
def tree_buffers(binned, target, m, n_sums, out_of_bag):
    """Room for a tree on m rows; the values of all its nodes only if they are asked for, else of the one at hand."""
    wide = target.n_classes if target.n_classes else n_sums
    gain = vector(len(binned.n_values), np.float64)
    for j in range(len(gain)):
        gain[j] = 0.0
    return TreeBuffers(
        vector(2 * m - 1, NODE),
        vector(2 * m - 1, np.uint16),
        vector(2 * m - 1, np.uint16),
        matrix(2 * m - 1 if out_of_bag else 1, n_sums, np.float64),
        matrix(m if target.kind != NUMBER or target.n_classes else 0, wide, np.float64),
        gain,
        vector(max(64, most_words(binned)), np.uint64),
    )


@njit(error_model="numpy")
def with_room(buffers, used, binned):
    """The same, with longer sets, of whose words so many are used."""
    sets = lengthened(buffers.sets, used, 2 * (used + most_words(binned)))
    return TreeBuffers(
        buffers.node, buffers.cut, buffers.next, buffers.value, buffers.leaf, buffers.gain, sets
    )  # fmt: skip


@njit(error_model="numpy")
def rows_of(binned, target, counts):
    """The rows drawn, of the whole table."""
    m, n = 0, len(counts)
    for i in range(n):
        m += counts[i] > 0
    inside = vector(m, np.uint32)
    weight = vector(n, np.float64)
    m = 0
    for i in range(n):
        weight[i] = counts[i] * target.weight[i]
        if counts[i] > 0:
            inside[m] = i
            m += 1
    return DrawnRows(binned.codes, target.classes, target.values, weight, counts, inside)


@njit(error_model="numpy")
def block_for(binned, target, n):
    """Room for a block of n rows."""
    return DrawnRows(
        matrix(len(binned.n_values), n + 32, np.uint16),  # columns apart, or they would share cache sets
        vector(n if len(target.classes) else 0, np.int32),
        matrix(n if len(target.values) else 0, target.values.shape[1], np.float64),
        vector(n, np.float64),
        vector(n, np.int32),
        vector(n, np.uint32),
    )


@njit(error_model="numpy")
def worth_copying(binned, limits, m):
    """Copying reads every column once; growing reads max_features of them at each of some ten levels."""
    return m > BLOCK and len(binned.n_values) <= 12 * limits.max_features


@njit(error_model="numpy")
def copy_block(by_row, rows, begin, end, block):
    """What a subtree needs of its rows, side by side."""
    codes, classes, values, n = block.codes, rows.classes, rows.values, end - begin
    inside, last = rows.inside[begin:end], by_row.shape[1] - 1
    for i in range(n):
        ahead = np.int64(inside[min(i + AHEAD, n - 1)])
        for j in range(0, last, 32):
            fetch(by_row, ahead, j)
        fetch(by_row, ahead, last)
        line = by_row[inside[i]]
        for j in range(len(line)):
            codes[j, i] = line[j]
    for i in range(n):
        row = inside[i]
        block.inside[i] = i
        block.weight[i], block.drawn[i] = rows.weight[row], rows.drawn[row]
        if len(classes):
            block.classes[i] = classes[row]
        if len(values):
            for t in range(values.shape[1]):
                block.values[i, t] = values[row, t]
