"""The plain arrays and numbers that the core takes of a boosting run; see `_core/boosting.hpp`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

SQUARED, LOGISTIC, MULTINOMIAL, POISSON = range(4)  # losses


class BoostingTarget(NamedTuple):
    """What is to be predicted."""

    loss: int  # SQUARED, LOGISTIC, MULTINOMIAL or POISSON
    values: np.ndarray  # float64 (rows): numbers or counts; 0 and 1 of two classes; the code of one of several
    weight: np.ndarray  # float64 (rows)
    counted: np.ndarray  # float64 (rows): rows that each counts for


class BoostingLimits(NamedTuple):
    """When a tree ends, what it answers, and how its splits are looked for."""

    max_leaves: int
    is_best_first: bool  # leaves, and so the order of splits, are limited
    max_depth: int
    min_leaf: float  # rows
    l2: float
    rate: float
    max_step: float  # of a leaf, before the rate
    min_gain: float  # less is rounding
    max_features: int
    seed: int
    dense_rows: int  # of a node: with fewer the bins it has are counted again
    max_histograms: int  # kept at a time
    sorts_rows: bool  # by every column, instead of histograms
    monotone: np.ndarray = np.zeros(0, dtype=np.int8)  # (columns): 1 where answers may not fall, -1 where not rise
