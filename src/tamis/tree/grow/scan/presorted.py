# mypy: ignore-errors
"""Numeric columns kept in order from node to node: sorted once for a table, filtered for the rows of each tree.

A key is code << HIGH | class bit << CLASS_BIT | row. In every node the keys of a column ascend, rows without a value
come last, and cuts and surrogates are found by running sums: nothing is sorted again.
"""

from __future__ import annotations

import numpy as np
from numba import uint64

from tamis.engine.intrinsics import vector
from tamis.engine.kernel import inner, njit
from tamis.tree.grow.layout import CLASS_BIT, HIGH, PLACE, NodeRows
from tamis.tree.grow.scan.sort import gather, sort_keys
from tamis.views.binned import IS_CATEGORICAL, N_VALUES


@njit
def sort_columns(columns, keys, other, digits):
    """Keys of every numeric column of the whole table, in order."""
    rows = vector(keys.shape[1], np.int32)  # as the rows of a node: one form of `gather` serves both
    for i in range(len(rows)):
        rows[i] = i
    for j in range(len(keys)):
        if columns.about[IS_CATEGORICAL, j] == 0:
            span = gather(columns, j, NodeRows(rows, np.int64(0), len(rows)), columns.about[N_VALUES, j], keys[j])
            sort_keys(keys[j], other, digits, span)


@njit
def choose_rows(ordered, about, inside, classes, chosen):
    """Keys of the rows inside the tree, with the bit of their class (where there are classes)."""
    bit = len(classes) > 0
    for j in range(len(ordered)):
        if about[IS_CATEGORICAL, j]:
            continue
        to, n = chosen[j], 0
        for key in ordered[j]:
            row = key & PLACE
            if inside[row]:
                to[n] = key | (np.int64(bit and classes[row] == 1) << CLASS_BIT)
                n += 1


@inner
def _keep_both(keys, moved, direction):
    left, right = uint64(0), uint64(0)  # unsigned: no check for places counted from the end, 1.5 times faster
    for p in range(len(keys)):
        key = keys[p]
        goes_right = uint64(direction[key & PLACE] < 0)  # both places are written, one of them moves on
        keys[left] = key
        moved[right] = key
        left += uint64(1) - goes_right
        right += goes_right
    rest = keys[left:]
    for p in range(len(rest)):
        rest[p] = moved[p]


@inner
def _keep_left(keys, direction):
    left = uint64(0)
    for p in range(len(keys)):
        key = keys[p]
        keys[left] = key
        left += uint64(direction[key & PLACE] > 0)


@inner
def _keep_right(keys, direction):
    right = uint64(len(keys) - 1)
    for p in range(len(keys)):
        key = keys[uint64(len(keys) - 1 - p)]
        keys[right] = key
        right -= uint64(direction[key & PLACE] < 0)


@inner
def move_order(about, presorted, moved, direction, start, stop, left, right):
    """Rows that go left first in every column, each side in its order; a side that is not asked for may be lost."""
    for j in range(len(presorted)):
        if about[IS_CATEGORICAL, j]:
            continue
        keys = presorted[j, start:stop]
        if left and right:
            _keep_both(keys, moved, direction)
        elif left:
            _keep_left(keys, direction)
        elif right:
            _keep_right(keys, direction)


@inner
def n_with_value(keys, missing):
    """How many of the node's rows have a value, which come first; and how many of those without are of class 1."""
    p, ones = len(keys), 0
    while p > 0 and keys[p - 1] >> HIGH == missing:
        p -= 1
        ones += (keys[p] >> CLASS_BIT) & 1
    return p, ones
