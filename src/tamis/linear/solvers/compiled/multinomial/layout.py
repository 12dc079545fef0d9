"""The arrays that the multinomial kernels hand to one another, under names: K classes, n rows, p columns.

A pair is a (class, column): one coefficient. Columns and their screening are those of `compiled.layout`, with one row
a class where that says n or p.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Target(NamedTuple):
    """What is fitted, row by row."""

    y: np.ndarray  # int64, n: the class of every row
    w: np.ndarray  # n, weights, sum 1
    present: np.ndarray  # bool, K: classes that take part; one without a row that counts keeps its first intercept


class PenaltyWeights(NamedTuple):
    """Σ l1 |β| + ½ l2 β², to be multiplied by the strength; |β| is the length of a group's coefficients."""

    l1: np.ndarray  # p; in a group: that of the group
    l2: np.ndarray  # p
    ends: np.ndarray  # int64, p: where the group of every column ends; empty without groups


class State(NamedTuple):
    """Solver state of one fit on the path; kernels update it in place."""

    beta: np.ndarray  # K × p
    eta: np.ndarray  # K × n, linear predictors
    residual: np.ndarray  # K × n, w (y - P)
    prob: np.ndarray  # K × n, probabilities P
    intercept: np.ndarray  # K + 1: the intercepts, the mean loss


class Rules(NamedTuple):
    """What holds for a whole path."""

    centred: bool  # whether there are intercepts
    most: int  # pairs up to which a Hessian is kept
    goal: float  # duality gap to reach
    enough: float  # the gap that is enough where rounding keeps it from falling


class Step(NamedTuple):
    """What holds for one quadratic."""

    alpha: float
    centred: bool
    tolerance: float


class Pairs(NamedTuple):
    """The working set of m pairs."""

    owner: np.ndarray  # int64, m: class
    column: np.ndarray  # int64, m


class WorkingSet(NamedTuple):
    """Buffers of the working set."""

    owner: np.ndarray  # int64, K p: class of every pair in the set
    column: np.ndarray  # int64, K p
    gradient: np.ndarray  # K p
    inside: np.ndarray  # bool, K × p
    size: np.ndarray  # int64, 2: pairs in the set; how many of them the Hessian holds
    limits: np.ndarray  # p: gradients up to which a pair stays out


class Violators(NamedTuple):
    """Pairs outside the working set whose gradient is beyond its limit."""

    column: np.ndarray  # int64, K × p
    gradient: np.ndarray  # K × p
    counts: np.ndarray  # int64, K: how many are filled


class Reference(NamedTuple):
    """A fit near by, whose Hessian serves; `hessian` is empty where only its probabilities are known."""

    w: np.ndarray  # n
    prob: np.ndarray  # K × n
    hessian: np.ndarray  # (K (1 + p))², the intercept of a class first; without scales
    held: np.ndarray  # bool, K × p: pairs the Hessian holds


class Factor(NamedTuple):
    """The Cholesky factor of the Hessian on the coefficients in use; size 0: none."""

    size: int
    used: np.ndarray  # int64: their places in the Hessian
    L: np.ndarray


class Quadratic(NamedTuple):
    """The Hessian of the working set (intercepts first), what it was computed from, and its factor."""

    H: np.ndarray  # room × room
    reference: Reference
    factor: Factor
    renewed: bool  # whether the fit's own reference took the place of the one given


class Move(NamedTuple):
    """A step of the m pairs and what follows from it."""

    old: np.ndarray  # m
    new: np.ndarray  # m
    u: np.ndarray  # K × n, change of the linear predictors
    intercepts: np.ndarray  # K, change of the intercepts
