"""The plain arrays that the kernels of boosting take, and what their numbers mean."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

SQUARED, LOGISTIC, MULTINOMIAL = range(3)  # losses

WORDS = 4  # of 64 bits: a set of codes, that of missing values among them
LANES = 4  # numbers of a bin: the sums of gradients, of hessians and of rows, and a zero: one wide register

# rows of Buffers.leaf: its rows from BEGIN to END, its depth, its histogram (-1: none), its node, and its best split
BEGIN, END, DEPTH, SLOT, PLACE, SPLIT_COLUMN, SPLIT_BIN, MISSING_LEFT = range(8)
# rows of Buffers.sums: gain of the best split (0: there is none), sums of gradients, hessians and rows
GAIN, GRADIENT, HESSIAN, COUNT = range(4)


class BinnedColumns(NamedTuple):
    """The training rows, columns in the order of their names."""

    codes: np.ndarray  # uint8 (columns, rows)
    n_bins: np.ndarray  # int32 (columns): bins of values, which is also the code of a missing value
    category: np.ndarray  # bool (columns)
    first: np.ndarray  # int64 (columns + 1): where a column's bins begin in a histogram, that of missing values last
    edges: np.ndarray  # float64 (columns, bins): values up to edges[j, b] have a code of at most b


class BoostingTarget(NamedTuple):
    """What is to be predicted."""

    loss: int  # SQUARED, LOGISTIC or MULTINOMIAL
    values: np.ndarray  # float64 (rows): numbers; 0 and 1 of two classes; the code of one of several
    weight: np.ndarray  # float64 (rows)
    counted: np.ndarray  # float64 (rows): rows that each counts for


class BoostingLimits(NamedTuple):
    """When a tree ends, and what it answers."""

    max_leaves: int
    is_bounded: bool  # whether leaves, and so the order of splits, are limited
    max_depth: int
    min_leaf: float  # rows
    l2: float
    rate: float
    most_step: float  # that a leaf takes, before the rate
    least_gain: float  # less is rounding
    max_features: int
    seed: int
    dense_rows: int  # of a node: with fewer the bins it has are counted anew


class Scores(NamedTuple):
    """What is known of each row in a round; lines are sums of trees: one, or one a class."""

    raw: np.ndarray  # float64 (sums, rows): the model's sums so far
    gradient: np.ndarray  # float64 (sums, rows)
    hessian: np.ndarray  # float64 (sums, rows)


class Buffers(NamedTuple):
    """What a growing tree works in."""

    rows: np.ndarray  # uint32 (rows): those of a node are a stretch of it, divided in place as the node is
    spare: np.ndarray  # uint32 (rows)
    lines: np.ndarray  # float64 (rows · LANES): gradient, hessian and count of `rows`
    histograms: np.ndarray  # float64 (slots, bins · LANES)
    free: np.ndarray  # int64 (slots + 1): histograms that are free, and last how many
    leaf: np.ndarray  # int64 (8, leaves)
    sums: np.ndarray  # float64 (4, leaves)
    left: np.ndarray  # uint64 (leaves, WORDS): codes that go left at a leaf's best split of a categorical column
    tried: np.ndarray  # bool (columns): of this tree
    column: ColumnBuffers
    order: SortedRows


class SortedRows(NamedTuple):
    """Rows in the order of every column, where a table has few: (0, 0) where it has many."""

    of_all: np.ndarray  # uint16 (columns, rows): never changed
    of_nodes: np.ndarray  # uint16 (columns, rows): stretches of it are nodes, as in Buffers.rows
    lines: np.ndarray  # float64 (rows · LANES): gradient, hessian and count of each row
    goes_left: np.ndarray  # uint8 (rows)
    spare: np.ndarray  # uint16 (rows)


class ColumnBuffers(NamedTuple):
    """What the search for a split of one column works in."""

    histogram: np.ndarray  # float64 (256 · LANES): zero between columns
    there: np.ndarray  # uint8 (256): whether a code is there; zero between columns
    eight: np.ndarray  # uint64 (32): the same bytes
    present: np.ndarray  # uint8 (256): codes that are there, in their order
    every: np.ndarray  # uint8 (256): 0, 1, …
    order: np.ndarray  # uint8 (256): levels in the order of their means
    best: np.ndarray  # float64 (4): score, bin or levels, missing left (of levels: the direction), rows on the left


class GrownTrees(NamedTuple):
    """Trees one after another, as the kernels leave them; columns as in BinnedColumns."""

    nodes: np.ndarray  # NODE
    roots: np.ndarray  # int64 (trees + 1)
    sets: np.ndarray  # uint64
    gain: np.ndarray  # float64 (columns): sums over splits
    used: np.ndarray  # int64 (3): trees, nodes and words of sets so far
