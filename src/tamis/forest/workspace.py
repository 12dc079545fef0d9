# mypy: ignore-errors
"""The arrays a tree needs while it grows: made once a tree, so that nothing is allocated while nodes are split."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tamis.engine.kernel import njit
from tamis.forest.fetch import fetch
from tamis.forest.layout import CLASSES, NODE, NUMBER
from tamis.forest.order import FEW
from tamis.forest.split import BUCKETS

BLOCK = 2048  # drawn rows from which on a subtree's codes are copied side by side, to stay in the processor's cache
NODES, TABLES, WORDS, OPEN, WAITING = range(5)  # counted: nodes, rows of leaf table, words in sets, stack, pending
AHEAD = 8  # rows that are fetched before their turn


class Work(NamedTuple):
    """Of the node at hand: its rows' codes in one column, weights, targets; sums of buckets, levels and classes."""

    code: np.ndarray
    key: np.ndarray
    place: np.ndarray
    begins: np.ndarray
    order: np.ndarray
    weight: np.ndarray
    counts: np.ndarray
    z: np.ndarray
    zs: np.ndarray
    classes: np.ndarray
    left: np.ndarray
    sums: np.ndarray
    heap: np.ndarray
    table: np.ndarray
    mean: np.ndarray
    level: np.ndarray
    chosen: np.ndarray
    bits: np.ndarray
    spare: np.ndarray
    column: np.ndarray
    stack: np.ndarray  # nodes to be split: number, first row, row after the last, depth
    pending: np.ndarray  # nodes that wait, likewise
    tally: np.ndarray  # how many there are so far: see NODES


class Wood(NamedTuple):
    """The tree as it grows; trimmed at the end."""

    node: np.ndarray
    cut: np.ndarray  # code of a split's last value on the left
    next: np.ndarray  # and of the first on the right, as far as the node's own rows go
    value: np.ndarray
    leaf: np.ndarray
    gain: np.ndarray


class Rows(NamedTuple):
    """Rows and what is known of them: of the whole table, or of a block."""

    codes: np.ndarray  # uint16 (columns, rows)
    classes: np.ndarray
    values: np.ndarray
    weight: np.ndarray
    drawn: np.ndarray  # how often each was
    inside: np.ndarray  # the rows of a node are a stretch of this, divided in place as the node is


@njit(error_model="numpy")
def workspace(field, target, m, n_sums):
    """The arrays for a tree on m rows."""
    d, levels = len(field.n_values), BUCKETS + 1
    for j in range(d):
        if field.category[j]:
            levels = max(levels, field.n_values[j] + 1)
    several = n_sums if target.kind != NUMBER and target.kind != CLASSES else 0
    return Work(
        np.empty(m, dtype=np.uint16),
        np.empty(FEW, dtype=np.int32),
        np.empty(FEW, dtype=np.int32),
        np.empty(BUCKETS + 2, dtype=np.uint32),
        np.empty(m, dtype=np.uint32),
        np.empty(m, dtype=np.float64),
        np.empty(m, dtype=np.int32),
        np.empty(m, dtype=np.float64),
        np.empty((m if several else 0, max(several, 1)), dtype=np.float64),
        np.empty(m, dtype=np.uint32),
        np.empty(n_sums, dtype=np.float64),
        np.empty(n_sums, dtype=np.float64),
        np.zeros((levels, 3), dtype=np.float64),
        np.zeros(levels * n_sums, dtype=np.float64),
        np.empty(levels, dtype=np.float64),
        np.empty(levels + 1, dtype=np.int64),
        np.empty(levels, dtype=np.int64),
        np.empty((levels >> 6) + 1, dtype=np.uint64),
        np.empty(m, dtype=np.uint32),
        np.arange(d).astype(np.int32),
        np.empty((m + 1, 4), dtype=np.int64),
        np.empty((m + 1, 4), dtype=np.int64),
        np.zeros(5, dtype=np.int64),
    )


@njit(error_model="numpy")
def wood_for(field, target, m, n_sums, honest):
    """Room for a tree on m rows; the values of all its nodes only if they are asked for, else of the one at hand."""
    wide = target.n_classes if target.n_classes else n_sums
    return Wood(
        np.empty(2 * m - 1, dtype=NODE),
        np.empty(2 * m - 1, dtype=np.uint16),
        np.empty(2 * m - 1, dtype=np.uint16),
        np.empty((2 * m - 1 if honest else 1, n_sums), dtype=np.float64),
        np.empty((m if target.kind != NUMBER or target.n_classes else 0, wide), dtype=np.float64),
        np.zeros(len(field.n_values), dtype=np.float64),
    )


@njit(error_model="numpy")
def rows_of(field, target, counts):
    """The rows drawn, of the whole table."""
    m, n = 0, len(counts)
    for i in range(n):
        m += counts[i] > 0
    inside = np.empty(m, dtype=np.uint32)
    weight = np.empty(n, dtype=np.float64)
    m = 0
    for i in range(n):
        weight[i] = counts[i] * target.weight[i]
        if counts[i] > 0:
            inside[m] = i
            m += 1
    return Rows(field.codes, target.classes, target.values, weight, counts, inside)


@njit(error_model="numpy")
def block_for(field, target):
    """Room for a block."""
    return Rows(
        np.empty((len(field.n_values), BLOCK + 32), dtype=np.uint16),  # columns apart, or they would share cache sets
        np.empty(BLOCK if len(target.classes) else 0, dtype=np.int32),
        np.empty((BLOCK if len(target.values) else 0, target.values.shape[1]), dtype=np.float64),
        np.empty(BLOCK, dtype=np.float64),
        np.empty(BLOCK, dtype=np.int32),
        np.empty(BLOCK, dtype=np.uint32),
    )


@njit(error_model="numpy")
def worth_copying(field, limits, m):
    """Copying reads every column once; growing reads max_features of them at each of some ten levels."""
    return m > BLOCK and len(field.n_values) <= 12 * limits.max_features


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
