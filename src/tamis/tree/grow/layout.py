"""The plain arrays that the growing kernels pass to one another, under names.

Few and fat on purpose: every array a kernel takes costs seconds of compilation.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

GINI, ENTROPY, GAIN_RATIO, CHI2, SQUARED_ERROR, POISSON, ABSOLUTE_ERROR = range(7)
SURROGATE, CATEGORY, MAJORITY = range(3)
LEFT, RIGHT, UNKNOWN = range(3)

#: Keys hold a code from bit HIGH on, a row or a place in the node in the low 32, and between them the bit of class 1.
HIGH, PLACE, CLASS_BIT = 33, 0xFFFFFFFF, 32
BLOCK = 16  # keys that are summed up before any of them is looked at

# rows of Columns.about
WIDTH, PLACE_IN_WIDTH, N_VALUES, IS_CATEGORICAL, ORDER = range(5)

# columns of Nodes.ints
FEATURE, CUT, UPPER, CHILD, PARENT, DEPTH, DEFAULT, N_ROWS, FIRST_LEVEL, N_LEVELS, FIRST_SUR, N_SUR, BEGIN, END = range(
    14
)
# columns of Nodes.floats
WEIGHT, IMPURITY, IMPROVEMENT, RISK = range(4)

# rows of Work.heap
TOTAL, PRESENT, ON_LEFT, DIR0, DIR1, DIR2 = range(6)
# rows of Work.group
ROWS, CODE, ARRANGED, LEVEL, LEVEL_SIDE, SPARE = range(6)


class BinnedColumns(NamedTuple):
    """Codes of every column, by width, each column contiguous; a column's code `n_values` means missing."""

    codes8: np.ndarray  # (columns of one byte, rows)
    codes16: np.ndarray
    codes32: np.ndarray
    about: np.ndarray  # int64 (5, columns): width 0 1 2, place in it, n_values, is_categorical; order that breaks ties


class TreeTarget(NamedTuple):
    """What is to be predicted: classes (values unused) or numbers (classes unused)."""

    criterion: int
    n_stats: int  # classes: their number; numbers: 1 + number of targets
    classes: np.ndarray  # int32
    values: np.ndarray  # (rows, targets)
    weight: np.ndarray  # what the criterion counts: with altered priors where costs differ
    case: np.ndarray  # the user's weights, which surrogates and majorities count


class Limits(NamedTuple):
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


class GrowBuffers(NamedTuple):
    """Buffers of one growing thread, allocated once."""

    keys: np.ndarray  # int64 (2, rows): code << HIGH | place in the node; and a spare row for sorting
    presorted: np.ndarray  # int64 (columns, rows): see order.py; empty when columns are sorted at each node
    all_ordered: bool  # whether every column is in order
    share: np.ndarray  # weight of a row of each class, where it depends on the class alone; empty otherwise
    unit: float  # the user's weight of every row; 0 where rows differ
    tally: np.ndarray  # int64: sums of blocks of keys
    digits: np.ndarray
    classes: np.ndarray  # the node's rows, gathered
    values: np.ndarray
    weight: np.ndarray
    side: np.ndarray  # uint8, by place in the node
    direction: np.ndarray  # int8 by row of the table: 1 goes left, -1 goes right, 0 is not known
    rows: np.ndarray  # int32 scratch for partitions
    heap: np.ndarray  # (6, n_stats)
    table: np.ndarray  # (codes, n_stats): statistics of each code or level
    group: np.ndarray  # int64 (6, codes): rows, code, arranged, level and side of the best split so far; spare
    score: np.ndarray
    side_of: np.ndarray  # uint8 by level
    tried: np.ndarray  # int64 (columns)
    rank: np.ndarray  # absolute error: rank of each row's target in the node; and two rows for sorting
    fenwick: np.ndarray  # absolute error: (5, rows + 1)


def buffers_for(columns: BinnedColumns, target: TreeTarget, n_rows: int, presorted: bool) -> GrowBuffers:
    """Buffers for nodes of up to `n_rows` rows."""
    s, n_columns = target.n_stats, columns.about.shape[1]
    table = max(n_rows, 16) + 2  # tables are used only where they are shorter than the node
    absolute = n_rows if target.criterion == ABSOLUTE_ERROR else 0
    return GrowBuffers(
        keys=np.empty((2, n_rows), dtype=np.int64),
        presorted=np.empty((n_columns if presorted else 0, n_rows), dtype=np.int64),
        all_ordered=presorted and not columns.about[IS_CATEGORICAL].any(),
        share=np.empty(0),
        unit=0.0,
        tally=np.empty(n_rows // BLOCK + 1, dtype=np.int64),
        digits=np.empty(2049, dtype=np.int64),
        classes=np.empty(n_rows, dtype=np.int32),
        values=np.empty((n_rows, target.values.shape[1])),
        weight=np.empty(n_rows),
        side=np.empty(n_rows, dtype=np.uint8),
        direction=np.zeros(len(target.weight), dtype=np.int8),
        rows=np.empty(n_rows, dtype=np.int32),
        heap=np.empty((6, s)),
        table=np.empty((table, max(s, 2))),
        group=np.empty((6, table), dtype=np.int64),
        score=np.empty(table),
        side_of=np.full(int(columns.about[N_VALUES].max(initial=0)) + 2, UNKNOWN, dtype=np.uint8),
        tried=np.empty(n_columns, dtype=np.int64),
        rank=np.empty((3, absolute), dtype=np.int64),
        fenwick=np.empty((5, absolute + 1)),
    )


def nodes_of(capacity: int, n_stats: int) -> Nodes:
    """Room for a tree of up to `capacity` nodes; pages never touched cost no memory."""
    return Nodes(np.empty((capacity, 14), dtype=np.int64), np.empty((capacity, 4)), np.empty((capacity, n_stats)))
