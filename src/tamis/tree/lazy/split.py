"""The best split of a node of a large table, from its counts alone: the same choice as of a node in memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tamis import _core
from tamis.tree.grow.layout import (
    CATEGORY,
    CHI2,
    ENTROPY,
    GAIN_RATIO,
    GINI,
    LEFT,
    RIGHT,
    UNKNOWN,
    TreeLimits,
)
from tamis.tree.lazy.statistics import NodeCounts
from tamis.views.coding import Coding

CODES = 256
TIE = 1e-11  # as in the core: improvements closer than this share are equal


class CutLimits(NamedTuple):
    """What both sides of a split need, and by how much a better split must be better."""

    min_leaf: int
    min_weight: float
    slack: float


@dataclass(frozen=True, eq=False)
class Split:
    """How a node is split.

    Attributes
    ----------
    column : the column asked for.
    gain : improvement.
    cut, upper : last code on the left and next one of the node's, for numbers; upper -1: none but missing.
    levels : (levels, 2) code and side, for categories; empty for numbers.
    missing : side of rows without a value; UNKNOWN where surrogates and the majority decide.
    weights : what goes left and right, of the rows with a value.
    """

    column: int
    gain: float
    cut: int
    upper: int
    levels: np.ndarray
    missing: int
    weights: tuple[float, float]

    def sides(self, coding: Coding) -> np.ndarray:
        """The side of each code; codes between two that the node has go with the nearer one, as values do."""
        out = np.full(CODES, UNKNOWN, dtype=np.uint8)
        if len(self.levels):
            out[self.levels[:, 0]] = self.levels[:, 1]
        else:
            middle = coding.n_values - 1 if self.upper < 0 else (self.cut + self.upper) // 2
            out[: coding.n_values] = RIGHT
            out[: middle + 1] = LEFT
        if self.missing != UNKNOWN:
            out[coding.missing] = self.missing
        return out


@dataclass(frozen=True, eq=False)
class _Tried:
    rank: float
    split: Split


def best_split(
    node: NodeCounts,
    codings: tuple[Coding, ...],
    order: np.ndarray,
    criterion: int,
    limits: TreeLimits,
    root_weight: float,
    case: np.ndarray,
) -> Split | None:
    """The best split, None where none is worth making; ties go to the column first in `order`.

    case : what a row of each class weighs for majorities.
    """
    total, impurity = node.total, node.impurity(criterion)
    slack = TIE * (float(total.sum()) if criterion <= CHI2 else impurity)
    cuts = CutLimits(limits.min_leaf, limits.min_share * root_weight, slack)
    tried = [_try(node, j, codings[j], criterion, limits.missing == CATEGORY, impurity, cuts, case) for j in order]
    found = [one for one in tried if one is not None]
    tie = TIE if criterion == GAIN_RATIO else slack
    floor = -np.inf
    if criterion == GAIN_RATIO:
        gains = [one.split.gain for one in found if one.split.gain > slack]
        floor = float(np.mean(gains)) * (1.0 - 1e-9) if gains else -np.inf
    best: _Tried | None = None
    for one in found:
        if one.split.gain >= floor and (best is None or one.rank > best.rank + tie):
            best = one
    if best is None or best.split.gain < limits.min_decrease * root_weight - 1e-10 * impurity:
        return None
    return best.split


def _try(
    node: NodeCounts,
    j: int,
    coding: Coding,
    criterion: int,
    with_missing: bool,
    impurity: float,
    limits: CutLimits,
    case: np.ndarray,
) -> _Tried | None:
    table, rows = node.column(j)
    if not with_missing:
        table, rows = table[:-1], rows[:-1]
    if np.count_nonzero(rows) < 2:
        return None
    total = node.total if with_missing or not node.column(j)[1][-1] else table.sum(axis=0)
    if coding.is_categorical:
        return _levels(node, j, coding, criterion, table, rows, total, impurity, limits, case)
    return _numbers(node, j, coding, criterion, table, rows, total, limits, case)


def _numbers(
    node: NodeCounts,
    j: int,
    coding: Coding,
    criterion: int,
    table: np.ndarray,
    rows: np.ndarray,
    total: np.ndarray,
    limits: CutLimits,
    case: np.ndarray,
) -> _Tried | None:
    gain, cut, upper = _core.cut_numbers(criterion, table, rows, total, limits)
    missing = UNKNOWN
    if len(rows) > coding.n_values and rows[-1]:  # missing values were above all numbers; now below
        missing = RIGHT
        below = _core.cut_numbers(criterion, np.roll(table, 1, axis=0), np.roll(rows, 1), total, limits)
        if below[0] > gain + limits.slack and below[1] >= 1:
            gain, cut, upper, missing = below[0], below[1] - 1, below[2] - 1, LEFT
        if upper == coding.n_values:
            upper = -1
    if cut < 0:
        return None
    inside = np.zeros(len(rows), dtype=bool)
    inside[: cut + 1] = True
    if missing == LEFT:
        inside[-1] = True
    return _ranked(node, j, criterion, table, inside, total, gain, gain, (cut, upper), _NO_LEVELS, missing, case)


_NO_LEVELS = np.empty((0, 2), dtype=np.int64)


def _levels(
    node: NodeCounts,
    j: int,
    coding: Coding,
    criterion: int,
    table: np.ndarray,
    rows: np.ndarray,
    total: np.ndarray,
    impurity: float,
    limits: CutLimits,
    case: np.ndarray,
) -> _Tried | None:
    present = np.flatnonzero(rows)
    gain, left = _core.divide_levels(
        criterion, np.ascontiguousarray(table[present]), rows[present], np.ascontiguousarray(total), limits
    )
    if len(left) == 0:
        return None
    inside = np.zeros(len(rows), dtype=bool)
    inside[present[left]] = True
    levels = np.column_stack([present, np.where(inside[present], LEFT, RIGHT)]).astype(np.int64)
    missing = UNKNOWN
    if len(rows) > coding.n_values and rows[-1]:
        missing = LEFT if inside[-1] else RIGHT
    rank = gain - _excess(criterion, total, impurity, int(rows.sum()), len(present))
    return _ranked(node, j, criterion, table, inside, total, gain, rank, (-2, -2), levels, missing, case)


def _ranked(
    node: NodeCounts,
    j: int,
    criterion: int,
    table: np.ndarray,
    inside: np.ndarray,
    total: np.ndarray,
    gain: float,
    rank: float,
    cut: tuple[int, int],
    levels: np.ndarray,
    missing: int,
    case: np.ndarray,
) -> _Tried:
    if criterion == GAIN_RATIO:
        share = float(table[inside].sum() / total.sum())
        rank = rank / float(total.sum()) / float(-share * np.log(share) - (1 - share) * np.log(1 - share))
    weights = _case_weights(node, j, inside, len(table), case)
    return _Tried(rank, Split(j, float(gain), int(cut[0]), int(cut[1]), levels, missing, weights))


def _case_weights(node: NodeCounts, j: int, inside: np.ndarray, n: int, case: np.ndarray) -> tuple[float, float]:
    """The user's weight on the left and on the right."""
    part = node.counts[node.offset[j] : node.offset[j] + n]
    weight = part @ case if node.weight is not None else part[:, 0].astype(np.float64)
    return float(weight[inside].sum()), float(weight[~inside].sum())


def _excess(criterion: int, total: np.ndarray, impurity: float, n_rows: int, n_groups: int) -> float:
    """Improvement that a column owes to having more than ten levels: see `excess` of the core."""
    if n_groups <= 10:
        return 0.0
    levels = 2.0 / np.pi * (n_groups - 10)
    if criterion == CHI2:
        return levels
    if criterion in (ENTROPY, GAIN_RATIO):
        return float(0.5 * levels * total.sum() / n_rows)
    return levels * impurity / (n_rows * (len(total) - 1 if criterion == GINI else 1))
