"""Fewer levels: rare ones and those of a similar target become one; and the code of each row's level."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from tamis.table import MISSING, UNSEEN, Column

OTHER = "other"
_LONGEST = 40  # letters of a name made of several


def merge_rare(counts: np.ndarray, min_count: float) -> tuple[np.ndarray, int | None]:
    """Which group each level belongs to, and which of them holds the levels of fewer rows than `min_count`, if any.

    >>> merge_rare(np.array([5, 1, 9, 2]), 3)
    (array([0, 2, 1, 2]), 2)
    """
    rare = counts < min_count
    if not rare.any():
        return np.arange(len(counts)), None
    group = np.cumsum(~rare) - 1
    other_group = int((~rare).sum())
    return np.where(rare, other_group, group), other_group


def merge_similar(n: np.ndarray, means: np.ndarray, max_groups: int) -> np.ndarray:
    r"""Merge levels until `max_groups` are left: next to each other by target, the cheapest pair first.

    Merging levels a and b raises the squared error by

    .. math:: \frac{n_a n_b}{n_a + n_b} \lVert \bar y_a - \bar y_b \rVert^2

    Levels are in the order of their means; of several targets, along the direction in which the means vary most.

    Parameters
    ----------
    n, means : rows of each level, and mean of each target in them (levels × targets).

    >>> merge_similar(np.array([5, 5, 5, 5]), np.array([[0.9], [0.1], [0.8], [0.15]]), 2)
    array([1, 0, 1, 0])
    """
    order = np.argsort(_along(n, means), kind="stable")
    size, center = n[order].astype(np.float64), means[order].astype(np.float64)
    group = np.arange(len(n))  # by place in the order
    while len(size) > max_groups:
        merged_size = size[:-1] + size[1:]
        cost = size[:-1] * size[1:] / np.maximum(merged_size, 1) * np.square(np.diff(center, axis=0)).sum(axis=1)
        a = int(np.argmin(cost))
        share = size[a + 1] / max(merged_size[a], 1)
        center[a] += share * (center[a + 1] - center[a])
        size[a] = merged_size[a]
        size, center = np.delete(size, a + 1), np.delete(center, a + 1, axis=0)
        group[group > a] -= 1
    out = np.empty(len(n), dtype=np.int64)
    out[order] = group
    return out


def _along(n: np.ndarray, means: np.ndarray) -> np.ndarray:
    """One number a level: its mean, or the place of its means along the direction in which they vary most."""
    if means.shape[1] == 1:
        return means[:, 0]
    weight = n / max(n.sum(), 1)
    centred = means - weight @ means
    direction = np.linalg.eigh((centred * weight[:, None]).T @ centred)[1][:, -1]
    direction = direction * np.sign(direction[np.argmax(np.abs(direction))])
    return centred @ direction


def group_words(levels: Sequence[Any], group_of: np.ndarray, n_groups: int, other_group: int | None) -> tuple[str, ...]:
    """What each group is called: its level, its levels side by side, or "other".

    >>> group_words(("a", "b", "c"), np.array([0, 1, 0]), 2, None)
    ('a|c', 'b')
    """
    words_of_group: list[list[str]] = [[] for _ in range(n_groups)]
    for level, group in zip(levels, group_of.tolist()):
        words_of_group[group].append(_word(level))
    level_words = {word for words in words_of_group for word in words}
    used: set[str] = set()
    for g, words in enumerate(words_of_group):
        name = OTHER if g == other_group else "|".join(words[:_LONGEST])
        if g != other_group and len(words) > 1 and len(name) > _LONGEST:
            name = f"{name[:_LONGEST]}… ({len(words)} levels)"
        while name in used or (g == other_group and name in level_words):
            name += "*"
        used.add(name)
        words_of_group[g] = [name]
    return tuple(name for (name,) in words_of_group)


def _word(level: Any) -> str:
    return f"{level:g}" if isinstance(level, float) else str(level)


#: Distance of whole numbers up to which they are counted instead of sorted.
CLOSE = 1 << 20


def coded(column: Column) -> tuple[tuple[Any, ...], np.ndarray]:
    """The levels of a column of categories, or the different numbers of another; and the level of each row."""
    if column.is_categorical:
        return column.levels or (), column.values.astype(np.int64)
    is_observed = ~np.isnan(column.values)
    complete = bool(is_observed.all())
    values, codes = _different(column.values if complete else column.values[is_observed])
    if complete:
        return tuple(values.tolist()), codes
    out = np.full(len(is_observed), MISSING)
    out[is_observed] = codes
    return tuple(values.tolist()), out


def _different(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """`np.unique` with codes; whole numbers that lie close together are counted, not sorted (6× on 200,000 rows)."""
    if len(values) and values.max() - values.min() < CLOSE:
        offset = (values - values.min()).astype(np.int64)
        if np.array_equal(offset + values.min(), values):
            occupied = np.bincount(offset) > 0
            return np.flatnonzero(occupied) + values.min(), (np.cumsum(occupied) - 1)[offset]
    distinct, codes = np.unique(values, return_inverse=True)
    return distinct, codes


def codes_of(column: Column, known_levels: tuple[Any, ...]) -> np.ndarray:
    """The level of each row: its place among those known, UNSEEN where it is none, MISSING where there is none."""
    if column.is_categorical:
        return column.values.astype(np.int64)
    values = np.array(known_levels, dtype=np.float64)
    if not len(values):
        return np.where(np.isnan(column.values), MISSING, UNSEEN)
    index = np.searchsorted(values, column.values).clip(0, len(values) - 1)
    codes = np.where(values[index] == column.values, index, UNSEEN)
    return np.where(np.isnan(column.values), MISSING, codes)
