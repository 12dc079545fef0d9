"""Solver state of one fit on the path."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(eq=False)
class FitState:
    """The state of one fit: its weights and units, coefficients on the working set, and what follows from them."""

    weights: np.ndarray  # n, sum 1
    centre: np.ndarray  # p, in the design's common units
    inverse: np.ndarray  # p
    intercept: np.ndarray  # outputs
    beta: np.ndarray  # working set × outputs
    active: np.ndarray  # the part of the working set this fit solves for, as positions in it
    eta: np.ndarray  # n × outputs
    residual: np.ndarray  # n × outputs, times weights
    score: np.ndarray  # p × outputs: gradient of the mean loss, sign turned
    null: float  # objective without columns
    gap: float = np.inf
    hessian: Any = None  # one matrix a block of outputs, on `active`
    slow: bool = True
    tolerance: float = 1e-2  # share of the goal to which the quadratic is solved
