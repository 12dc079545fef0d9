# mypy: allow-untyped-defs
"""The side of every training row of a node: by its split, else by a surrogate, else the default."""

from __future__ import annotations

from tamis.engine.kernel import inner
from tamis.tree.layout import (
    CUT,
    DEFAULT,
    FEATURE,
    FIRST_LEVEL,
    FIRST_SUR,
    LEFT,
    N_LEVELS,
    N_SUR,
    N_VALUES,
    RIGHT,
    UNKNOWN,
)
from tamis.tree.route import level_side
from tamis.tree.sort import code_at


@inner
def place_rows(columns, rows, start, stop, node, level, side, side_of):
    """side: LEFT or RIGHT by the primary split, UNKNOWN where the row has no value or a level not in the split."""
    feature, cut, first, n_levels = node[FEATURE], node[CUT], node[FIRST_LEVEL], node[N_LEVELS]
    missing = columns.about[N_VALUES, feature]
    for q in range(first, first + n_levels):
        side_of[level[q, 0]] = level[q, 1]
    for i in range(stop - start):
        code = code_at(columns, feature, rows[start + i])
        if n_levels:
            side[i] = side_of[code]
        elif code == missing:
            side[i] = UNKNOWN
        else:
            side[i] = LEFT if code <= cut else RIGHT
    for q in range(first, first + n_levels):
        side_of[level[q, 0]] = UNKNOWN


@inner
def weigh_sides(case, rows, start, stop, weight, side, pull):
    """The user's weights of the node's rows, and their sums on the left and on the right; the pull of every row."""
    left = right = 0.0
    for i in range(stop - start):
        row = rows[start + i]
        w = case[row]
        weight[i] = w
        pull[row] = 0
        if side[i] == LEFT:
            left += w
            pull[row] = 1
        elif side[i] == RIGHT:
            right += w
            pull[row] = -1
    return left, right


@inner
def place_left_over(columns, rows, start, stop, node, surrogate, level, side, pull):
    """Rows the primary split could not place follow the first surrogate that can, or the default side."""
    first, last = node[FIRST_SUR], node[FIRST_SUR] + node[N_SUR]
    for i in range(stop - start):
        q = first
        while side[i] == UNKNOWN and q < last:
            j = surrogate[q, 0]
            code = code_at(columns, j, rows[start + i])
            if code != columns.about[N_VALUES, j]:
                if surrogate[q, 5]:
                    side[i] = level_side(level, surrogate[q, 4], surrogate[q, 5], code)
                else:
                    below = code <= surrogate[q, 1]
                    side[i] = LEFT if below != (surrogate[q, 3] == 1) else RIGHT
            q += 1
        if side[i] == UNKNOWN:
            side[i] = node[DEFAULT]
        pull[rows[start + i]] = 1 if side[i] == LEFT else -1


@inner
def part_rows(side, rows, start, stop, spare):
    """Rows of the left side first, both in their old order; returns where the right side starts."""
    left, right = start, 0
    for i in range(stop - start):
        if side[i] == LEFT:
            rows[left] = rows[start + i]
            left += 1
        else:
            spare[right] = rows[start + i]
            right += 1
    for i in range(right):
        rows[left + i] = spare[i]
    return left
