"""The plain arrays that the core takes for the fit of an additive model."""

from typing import NamedTuple

import numpy as np

SQUARED, LOGISTIC, MULTINOMIAL, POISSON = range(4)  # losses


class AdditiveColumns(NamedTuple):
    """The training rows as bins, columns in the order of their names."""

    codes: np.ndarray  # uint8 (columns, rows)
    n_values: np.ndarray  # int32 (columns): bins of values, which is also the code of a missing value
    category: np.ndarray  # bool (columns)
    monotone: np.ndarray  # int8 (columns): 1 where curves may not fall, -1 where they may not rise


class AdditiveTarget(NamedTuple):
    """What is to be predicted."""

    loss: int  # SQUARED, LOGISTIC, MULTINOMIAL or POISSON
    n_sums: int  # 1, or the number of classes
    values: np.ndarray  # float64 (rows): numbers; 0 and 1 of two classes; the code of one of several; counts
    weight: np.ndarray  # float64 (rows)
    counted: np.ndarray  # float64 (rows): rows that each counts for


class AdditiveLimits(NamedTuple):
    """How far a fit goes."""

    rate: float
    max_step: float  # of a leaf, before the rate
    min_leaf: float  # rows
    max_cycles: int
    max_terms: int  # curves that a bag visits
    max_pairs: int
    map_bins: int
    seed: int
