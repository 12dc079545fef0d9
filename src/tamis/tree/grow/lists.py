# mypy: allow-untyped-defs
"""Lists that grow while a tree grows."""

from __future__ import annotations

from tamis.engine.intrinsics import matrix
from tamis.engine.kernel import inner, njit
from tamis.tree.grow.layout import LEVEL, LEVEL_SIDE


@njit
def more(array, needed):
    """The array, or a copy with twice the room when `needed` entries do not fit."""
    if needed <= len(array):
        return array
    grown = matrix(max(2 * len(array), needed), array.shape[1], array.dtype)
    for i in range(len(array)):
        for k in range(array.shape[1]):
            grown[i, k] = array[i, k]
    return grown


@inner
def put_levels(level, n_level, group, n_groups):
    """The levels of a split and their sides, as they stand in `group`, behind the first n_level."""
    for g in range(n_groups):
        level[n_level + g, 0] = group[LEVEL, g]
        level[n_level + g, 1] = group[LEVEL_SIDE, g]


@njit
def append_levels(level, n_level, group, n_groups):
    """As `put_levels`, with as much room as it takes."""
    level = more(level, n_level + n_groups)
    put_levels(level, n_level, group, n_groups)
    return level
