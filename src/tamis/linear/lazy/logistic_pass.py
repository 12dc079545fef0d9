"""What a pass over the rows gives the logistic loss: losses and gradients of several models, curvatures, by fold."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.special import expit

from tamis.table.lazy.grid import Cell
from tamis.views.lazy.fold_moments import MomentsOfCell


@dataclass(frozen=True, eq=False)
class Derivatives:
    """Sums over rows, by the fold of the row.

    Attributes
    ----------
    rows : folds, how many there are.
    loss : folds × models, Σ log(1 + e^η) − y η.
    gradient : folds × models × (1 + columns), Σ (y − p) [1, z]: downhill.
    hessian : folds × (1 + columns) × (1 + columns), Σ p (1 − p) [1, z][1, z]ᵀ at the last model.
    """

    rows: np.ndarray
    loss: np.ndarray
    gradient: np.ndarray
    hessian: np.ndarray

    def __add__(self, other: Derivatives) -> Derivatives:
        both = zip(vars(self).values(), vars(other).values())
        return Derivatives(*(one + two for one, two in both))


def merge(a: Derivatives, b: Derivatives) -> Derivatives:
    """The sums of both."""
    return a + b


@dataclass(frozen=True, eq=False)
class DerivativesOfCell:
    """Makes the derivatives of a cell.

    Parameters
    ----------
    rows : gives the encoded rows, fold by fold.
    centre, scale : z = (x − centre) / scale.
    models : models × (1 + columns), intercepts first.
    """

    rows: MomentsOfCell
    centre: np.ndarray
    scale: np.ndarray
    models: np.ndarray

    def __call__(self, cell: Cell) -> Derivatives:
        Z, y, ends = standardised(self.rows, cell, self.centre, self.scale)
        eta = Z @ self.models.T
        p = expit(eta)
        left = y[:, None] - p
        losses = np.logaddexp(0.0, eta) - y[:, None] * eta
        weighted = Z * (p[:, -1] * (1 - p[:, -1]))[:, None]
        spans = list(pairwise(ends))
        return Derivatives(
            np.diff(ends).astype(np.float64),
            np.array([losses[a:b].sum(axis=0) for a, b in spans]),
            np.array([left[a:b].T @ Z[a:b] for a, b in spans]),
            np.array([weighted[a:b].T @ Z[a:b] for a, b in spans]),
        )


@dataclass(frozen=True, eq=False)
class HeldOutLossOfCell:
    """Makes the losses of a cell's rows by the models of the folds that left them out: folds × models of a fold.

    Parameters
    ----------
    models : folds × models × (1 + columns).
    """

    rows: MomentsOfCell
    centre: np.ndarray
    scale: np.ndarray
    models: np.ndarray

    def __call__(self, cell: Cell) -> np.ndarray:
        Z, y, ends = standardised(self.rows, cell, self.centre, self.scale)
        out = np.zeros(self.models.shape[:2])
        for f, (a, b) in enumerate(pairwise(ends)):
            eta = Z[a:b] @ self.models[f].T
            out[f] = (np.logaddexp(0.0, eta) - y[a:b, None] * eta).sum(axis=0)
        return out


def add(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The sum of both."""
    return np.asarray(a + b)


def standardised(
    rows: MomentsOfCell, cell: Cell, centre: np.ndarray, scale: np.ndarray
) -> tuple[np.ndarray, np.ndarray, list[int]]:
    """Ones and standardised columns, the target, and where each fold ends."""
    block, ends = rows.rows(cell)
    Z = np.empty((len(block), block.shape[1]))
    Z[:, 0] = 1.0
    np.subtract(block[:, :-1], centre, out=Z[:, 1:])
    Z[:, 1:] /= scale
    return Z, np.ascontiguousarray(block[:, -1]), ends
