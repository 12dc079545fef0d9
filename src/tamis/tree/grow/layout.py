"""The plain arrays that the growing kernels pass to one another, under names.

Groups are narrow: a kernel takes those it reads, and every array that a call passes on takes time to compile.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tamis.views.binned import IS_CATEGORICAL, N_VALUES, BinnedByWidth

GINI, ENTROPY, GAIN_RATIO, CHI2, SQUARED_ERROR, POISSON, ABSOLUTE_ERROR = range(7)
SURROGATE, CATEGORY, MAJORITY = range(3)
LEFT, RIGHT, UNKNOWN = range(3)

#: Keys hold a code from bit HIGH on, a row or a place in the node in the low 32, and between them the bit of class 1.
HIGH, PLACE, CLASS_BIT = 33, 0xFFFFFFFF, 32
BLOCK = 16  # keys that are summed up before any of them is looked at

# columns of Nodes.ints
FEATURE, CUT, UPPER, CHILD, PARENT, DEPTH, DEFAULT, N_ROWS, FIRST_LEVEL, N_LEVELS, FIRST_SUR, N_SUR, BEGIN, END = range(
    14
)
# columns of Nodes.floats
WEIGHT, IMPURITY, IMPROVEMENT, RISK = range(4)

# rows of GrowBuffers.stats
TOTAL, PRESENT, ON_LEFT, DIR0, DIR1, DIR2 = range(6)
# rows of LevelBuffers.group
ROWS, CODE, ARRANGED, LEVEL, LEVEL_SIDE, SORTING = range(6)


class TreeTarget(NamedTuple):
    """What is to be predicted: classes (values unused) or numbers (classes unused)."""

    criterion: int
    n_stats: int  # classes: their number; numbers: 1 + number of targets
    classes: np.ndarray  # int32
    values: np.ndarray  # (rows, targets)
    weight: np.ndarray  # what the criterion counts: with altered priors where costs differ
    case: np.ndarray  # the user's weights, which surrogates and majorities count


class TreeLimits(NamedTuple):
    """When to stop, and how to treat missing values."""

    max_depth: int
    min_split: int
    min_leaf: int
    min_share: float  # of the total weight, in each leaf
    min_decrease: float  # of the weighted impurity, in units of the total weight
    max_leaves: int  # 0: no limit, grow depth first
    missing: int
    n_surrogates: int
    max_features: int
    seed: int


class Nodes(NamedTuple):
    """The tree: one row a node. Children lie side by side: the right one follows the left one."""

    ints: np.ndarray  # feature (-1 at a leaf), cut, upper, left child (-1 at a leaf), …
    floats: np.ndarray  # weight, impurity, improvement, risk
    stats: np.ndarray  # (nodes, n_stats): weight of each class; or weight and answer of each target


class SplitLists(NamedTuple):
    """Levels and surrogates of all splits, one split after the other; the arrays are longer than what is in them."""

    level: np.ndarray  # int64 (levels, 2): code, side
    n_level: int
    surrogate: np.ndarray  # int64 (surrogates, 6): column, cut, upper, flip, first level, number of levels
    agreement: np.ndarray  # float64 (surrogates, 2): agreement, adjusted agreement
    n_surrogate: int


class NodeRows(NamedTuple):
    """The rows of one node: rows[start:stop]."""

    rows: np.ndarray  # int32: all rows of the tree
    start: int
    stop: int


class RowTargets(NamedTuple):
    """Targets and weights of rows, by row of the table or by place in a node."""

    classes: np.ndarray  # int32 (rows)
    values: np.ndarray  # float64 (rows, targets)
    weight: np.ndarray  # float64 (rows)


class CodeSpan(NamedTuple):
    """The keys of a column in a node: how many, their lowest and their highest code."""

    n: int
    low: int
    high: int


class CutLimits(NamedTuple):
    """What both sides of a split need, and by how much a better split must be better."""

    min_leaf: int
    min_weight: float
    slack: float


class SideWeights(NamedTuple):
    """Weight of the rows that a split sends left and right."""

    left: float
    right: float


class SortBuffers(NamedTuple):
    """Keys of the node's rows, and what sorting them needs."""

    keys: np.ndarray  # int64 (2, rows): code << HIGH | place in the node; the second row is for sorting
    digits: np.ndarray  # int64 (2049): counts of a radix sort


class LevelBuffers(NamedTuple):
    """Statistics of the codes or levels of one column in one node."""

    table: np.ndarray  # float64 (codes, n_stats): statistics of each code or level
    group: np.ndarray  # int64 (6, codes): ROWS, CODE, ARRANGED; LEVEL and LEVEL_SIDE of the best split so far; SORTING
    score: np.ndarray  # float64 (codes): what levels are ordered by


class MedianBuffers(NamedTuple):
    """Buffers of the absolute error; empty for other criteria."""

    rank: np.ndarray  # int64 (3, rows): rank of each row's target in the node; and two rows for sorting
    fenwick: np.ndarray  # float64 (5, rows + 1): see absolute_error.py


class GrowBuffers(NamedTuple):
    """Buffers of one growing thread, allocated once."""

    sort: SortBuffers
    levels: LevelBuffers
    median: MedianBuffers
    gathered: RowTargets  # by place in the node
    presorted: np.ndarray  # int64 (columns, rows): see presorted.py; empty when columns are sorted at each node
    all_ordered: bool  # whether every column is in order
    share: np.ndarray  # float64: weight of a row of each class, where it depends on the class alone; empty otherwise
    unit: float  # the user's weight of every row; 0 where rows differ
    tally: np.ndarray  # int64: sums of blocks of keys
    side: np.ndarray  # uint8, by place in the node
    direction: np.ndarray  # int8 by row of the table: 1 goes left, -1 goes right, 0 is not known
    moved: np.ndarray  # int32: rows on their way to the right child, or left over by a split
    stats: np.ndarray  # float64 (6, n_stats): TOTAL of the node, PRESENT (with a value), ON_LEFT, three directions
    side_of: np.ndarray  # uint8 by level
    tried: np.ndarray  # int64 (columns)


def buffers_for(columns: BinnedByWidth, target: TreeTarget, n_rows: int, presorted: bool) -> GrowBuffers:
    """Buffers for nodes of up to `n_rows` rows."""
    s, n_columns = target.n_stats, columns.about.shape[1]
    table = max(n_rows, 16) + 2  # tables are used only where they are shorter than the node
    absolute = n_rows if target.criterion == ABSOLUTE_ERROR else 0
    return GrowBuffers(
        sort=SortBuffers(np.empty((2, n_rows), dtype=np.int64), np.empty(2049, dtype=np.int64)),
        levels=LevelBuffers(np.empty((table, max(s, 2))), np.empty((6, table), dtype=np.int64), np.empty(table)),
        median=MedianBuffers(np.empty((3, absolute), dtype=np.int64), np.empty((5, absolute + 1))),
        gathered=RowTargets(
            np.empty(n_rows, dtype=np.int32), np.empty((n_rows, target.values.shape[1])), np.empty(n_rows)
        ),
        presorted=np.empty((n_columns if presorted else 0, n_rows), dtype=np.int64),
        all_ordered=presorted and not columns.about[IS_CATEGORICAL].any(),
        share=np.empty(0),
        unit=0.0,
        tally=np.empty(n_rows // BLOCK + 1, dtype=np.int64),
        side=np.empty(n_rows, dtype=np.uint8),
        direction=np.zeros(len(target.weight), dtype=np.int8),
        moved=np.empty(n_rows, dtype=np.int32),
        stats=np.empty((6, s)),
        side_of=np.full(int(columns.about[N_VALUES].max(initial=0)) + 2, UNKNOWN, dtype=np.uint8),
        tried=np.empty(n_columns, dtype=np.int64),
    )


def nodes_of(capacity: int, n_stats: int) -> Nodes:
    """Room for a tree of up to `capacity` nodes; pages never touched cost no memory."""
    return Nodes(np.empty((capacity, 14), dtype=np.int64), np.empty((capacity, 4)), np.empty((capacity, n_stats)))
