"""What the core takes to grow a tree: codes of criteria and of sides, and narrow groups of plain arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

GINI, ENTROPY, GAIN_RATIO, CHI2, SQUARED_ERROR, POISSON, ABSOLUTE_ERROR = range(7)
SURROGATE, CATEGORY, MAJORITY = range(3)
LEFT, RIGHT, UNKNOWN = range(3)


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
    monotone: np.ndarray = np.zeros(0, dtype=np.int8)  # (columns): 1 where answers may not fall, -1 where not rise
