"""The arrays that the kernels of one linear predictor hand to one another, under names.

Narrow on purpose: a kernel that reads five arrays is not given twenty, and each shape is written down once. n rows,
p columns of the table.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Columns(NamedTuple):
    """Columns of one fit: (Z - centre) · inverse; dense, or by the entries of a sparse table (`column_products`)."""

    Z: np.ndarray  # p × n; of a sparse table 1 × entries
    place: np.ndarray  # int64: empty; of a sparse table where each column begins, then the row of every entry
    centre: np.ndarray  # p
    inverse: np.ndarray  # p, 1 / scale; 0 for a column that does not vary
    norms: np.ndarray  # p, lengths of the columns under the weights of the rows


class Target(NamedTuple):
    """What is fitted, row by row."""

    y: np.ndarray  # n
    w: np.ndarray  # n, weights, sum 1
    offset: np.ndarray  # n, added to every linear predictor; or empty


class PenaltyWeights(NamedTuple):
    """Σ l1 |β| + ½ l2 β², to be multiplied by the strength alpha."""

    l1: np.ndarray  # p
    l2: np.ndarray  # p


class State(NamedTuple):
    """Solver state of one fit on the path; kernels update it in place."""

    beta: np.ndarray  # p
    eta: np.ndarray  # n, linear predictor
    residual: np.ndarray  # n, minus the derivative of the loss, times the weight
    intercept: np.ndarray  # 2: the intercept, the mean loss


class Screening(NamedTuple):
    """What bounds the gradients of columns that are not read (`screening.violators`)."""

    last_residual: np.ndarray  # n, residuals of the last look
    clock: np.ndarray  # 2: product of all factors so far, sum of all rests over it
    last_gradient: np.ndarray  # p, over clock[0]
    when: np.ndarray  # p, clock[1] when last_gradient was computed


class Violators(NamedTuple):
    """Columns outside the working set whose gradient is beyond its limit; the kernel counts how many are filled."""

    column: np.ndarray  # int64, p
    gradient: np.ndarray  # p


class PathOut(NamedTuple):
    """What a path leaves, one row a strength."""

    coef: np.ndarray  # alphas × (p + 1) (× outputs), the intercept last
    eta: np.ndarray  # alphas × n (× outputs)
    gap: np.ndarray  # alphas, duality gaps
