# mypy: allow-untyped-defs
"""The side of every training row of a node: by its split, else by a surrogate, else the default.

direction[row] is 1 where the row goes left, -1 where it goes right, 0 as long as that is not known.
"""

from __future__ import annotations

from tamis.engine.kernel import inner
from tamis.tree.grow.layout import (
    CUT,
    DEFAULT,
    FEATURE,
    FIRST_LEVEL,
    FIRST_SUR,
    HIGH,
    LEFT,
    N_LEVELS,
    N_SUR,
    PLACE,
    RIGHT,
    UNKNOWN,
    SideWeights,
)
from tamis.tree.grow.scan.sort import code_at
from tamis.tree.route import level_side
from tamis.views.binned import N_VALUES

DIRECTION = (1, -1, 0)  # of LEFT, RIGHT, UNKNOWN


@inner
def partition_rows(columns, node, about, level, side_of, direction):
    """The primary split places the rows that have a value, and a level that is part of the split.

    about: the node's row of Nodes.ints.
    """
    rows, start, stop = node.rows, node.start, node.stop
    feature, cut, first, n_levels = about[FEATURE], about[CUT], about[FIRST_LEVEL], about[N_LEVELS]
    missing = columns.about[N_VALUES, feature]
    for q in range(first, first + n_levels):
        side_of[level[q, 0]] = level[q, 1]
    for i in range(start, stop):
        code = code_at(columns, feature, rows[i])
        if n_levels:
            direction[rows[i]] = DIRECTION[side_of[code]]
        elif code == missing:
            direction[rows[i]] = 0
        else:
            direction[rows[i]] = 1 if code <= cut else -1
    for q in range(first, first + n_levels):
        side_of[level[q, 0]] = UNKNOWN


@inner
def weigh_sides(case, node, weight, side, direction):
    """SideWeights of the user's weights; weight and side of each row by its place in the node."""
    rows, start, stop = node.rows, node.start, node.stop
    left = right = 0.0
    for i in range(stop - start):
        row = rows[start + i]
        weight[i] = case[row]
        if direction[row] > 0:
            left += case[row]
            side[i] = LEFT
        elif direction[row] < 0:
            right += case[row]
            side[i] = RIGHT
        else:
            side[i] = UNKNOWN
    return SideWeights(left, right)


@inner
def partition_ordered(keys, cut, missing, direction, case, unit, rest):
    """As `partition_rows` and `weigh_sides` for a column in order: SideWeights, and the number of rows left over."""
    left = right = 0.0
    p = 0
    while p < len(keys) and keys[p] >> HIGH <= cut:
        direction[keys[p] & PLACE] = 1
        left += case[keys[p] & PLACE] if unit == 0.0 else unit
        p += 1
    while p < len(keys) and keys[p] >> HIGH < missing:
        direction[keys[p] & PLACE] = -1
        right += case[keys[p] & PLACE] if unit == 0.0 else unit
        p += 1
    n_rest = len(keys) - p
    for i in range(n_rest):
        rest[i] = keys[p + i] & PLACE
        direction[rest[i]] = 0
    return SideWeights(left, right), n_rest


@inner
def partition_left_over(columns, node, about, lists, direction):
    """Rows the primary split could not place follow the first surrogate that can, or the default side.

    node: NodeRows that hold these rows; about: the node's row of Nodes.ints.
    """
    rows, start, stop = node.rows, node.start, node.stop
    surrogate, level = lists.surrogate, lists.level
    first, last = about[FIRST_SUR], about[FIRST_SUR] + about[N_SUR]
    for i in range(start, stop):
        row, q = rows[i], first
        while direction[row] == 0 and q < last:
            j = surrogate[q, 0]
            code = code_at(columns, j, row)
            if code != columns.about[N_VALUES, j]:
                if surrogate[q, 5]:
                    direction[row] = DIRECTION[level_side(level, surrogate[q, 4], surrogate[q, 5], code)]
                else:
                    direction[row] = 1 if (code <= surrogate[q, 1]) != (surrogate[q, 3] == 1) else -1
            q += 1
        if direction[row] == 0:
            direction[row] = DIRECTION[about[DEFAULT]]


@inner
def move_rows(direction, node, moved):
    """Rows that go left first, both sides in their old order; returns where the right side starts. moved: a buffer."""
    rows, start, stop = node.rows, node.start, node.stop
    left, right = start, 0
    for i in range(start, stop):
        row = rows[i]
        goes_right = direction[row] < 0  # both places are written, one of them moves on
        rows[left] = row
        moved[right] = row
        left += 1 - goes_right
        right += goes_right
    for i in range(right):
        rows[left + i] = moved[i]
    return left
