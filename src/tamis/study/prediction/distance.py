"""How far a row is from the middle of the training rows, several columns taken together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tamis.engine import one_blas_thread
from tamis.errors import DamagedError
from tamis.saved import numbers, read_entry, texts
from tamis.table import Table

#: Columns at most, those that contribute most: the matrix of 30 has 900 numbers.
MOST_COLUMNS = 30

#: Training rows that are looked at, at equal steps: the distance that 0.1% exceed is known to a few percent from them.
MOST_ROWS = 50_000

#: The share of training rows within the limit.
WITHIN = 0.999

#: Rows with missing values that are filled at a time.
BATCH = 2_000

#: Parts of the training rows, each measured from the middle of the others.
PARTS = 5


@dataclass(frozen=True, eq=False)
class Distance:
    r"""Mahalanobis' distance of standardised columns, :math:`d = \sqrt{z^\top R^{-1} z}`.

    R is the correlation matrix, shrunk towards the unit matrix by :math:`s = p / (n + p)` so that it has an inverse
    whatever p and n are. A row with missing values has the distance of the values that are there. The limit is the
    distance that 99.9% of the training rows stay within (of fewer than 1,000, all), each measured from four fifths of
    the rows that it is not among: a new row is not among them, either.

    Attributes
    ----------
    names : the columns.
    mean, scale : of each.
    inverse : :math:`R^{-1}`.
    limit : beyond it a row is far.
    """

    names: tuple[str, ...]
    mean: np.ndarray
    scale: np.ndarray
    inverse: np.ndarray
    limit: float

    @classmethod
    def of(cls, table: Table, used: Sequence[str]) -> Distance | None:
        """Learn from the training rows; None where fewer than two columns of numbers vary."""
        names = sorted(_varied(table, used))
        if len(names) < 2 or table.n_rows < 2 * PARTS:
            return None
        rows = np.unique(np.linspace(0, table.n_rows - 1, min(table.n_rows, MOST_ROWS)).astype(np.int64))
        X = np.column_stack([table.column(name).values[rows] for name in names])
        with one_blas_thread():
            moments = _learned(X)
            lengths = np.empty(len(X))
            for k in range(PARTS):
                is_held_out = np.arange(len(X)) % PARTS == k
                lengths[is_held_out] = np.sqrt(_contributions(X[is_held_out], *_learned(X[~is_held_out])).sum(axis=1))
        rank = min(len(X), int(np.ceil(WITHIN * (len(X) + 1))))
        return cls(tuple(names), *moments, float(np.sort(lengths)[rank - 1]))

    def far(self, ready: Table) -> dict[int, str]:
        """Row -> that it is far, and which columns make it so."""
        X = np.column_stack([ready.column(name).values for name in self.names])
        contributions = _contributions(X, self.mean, self.scale, self.inverse)
        lengths = np.sqrt(contributions.sum(axis=1))
        reasons = {}
        for row in np.flatnonzero(lengths > self.limit).tolist():
            first, second = np.argsort(-contributions[row], kind="stable")[:2]
            reasons[row] = (
                f"far from the training rows, above all by {self.names[first]} and {self.names[second]} together "
                f"(distance {lengths[row]:.3g}, theirs up to {self.limit:.3g})"
            )
        return reasons

    def to_dict(self) -> dict[str, Any]:
        """Plain values that `from_dict` takes back."""
        return {
            "names": list(self.names),
            "mean": self.mean.tolist(),
            "scale": self.scale.tolist(),
            "inverse": self.inverse.tolist(),
            "limit": self.limit,
        }

    @classmethod
    def from_dict(cls, facts: dict[str, Any]) -> Distance:
        """What `to_dict` wrote, looked at."""
        names = texts("the columns of the distance", read_entry(facts, "names"))
        p = len(names)
        mean, scale = (numbers(name, read_entry(facts, name), shape=(p,)) for name in ("mean", "scale"))
        if np.any(scale <= 0):
            raise DamagedError("the scale of the distance is not above 0")
        inverse = numbers("inverse", read_entry(facts, "inverse"), shape=(p, p))
        return cls(names, mean, scale, inverse, float(numbers("limit", read_entry(facts, "limit"), shape=())))


def _learned(X: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Means, scales and the inverse of the shrunk correlation matrix, each pair of columns by the rows that have both.

    Such a matrix may have eigenvalues below 0; none is taken below the shrinkage.
    """
    is_observed = (~np.isnan(X)).astype(np.float64)
    n = np.maximum(is_observed.sum(axis=0), 1)
    mean = np.where(is_observed, X, 0.0).sum(axis=0) / n
    off = np.where(is_observed, X - mean, 0.0)
    spread = np.sqrt((off**2).sum(axis=0) / n)
    scale = np.where(spread > 0, spread, 1.0)
    z = off / scale
    shrink = X.shape[1] / (X.shape[0] + X.shape[1])
    values, vectors = np.linalg.eigh((z.T @ z) / np.maximum(is_observed.T @ is_observed, 1))
    shrunk = (1 - shrink) * np.maximum(values, 0.0) + shrink
    return mean, scale, (vectors / shrunk) @ vectors.T


def _contributions(X: np.ndarray, mean: np.ndarray, scale: np.ndarray, inverse: np.ndarray) -> np.ndarray:
    """What each column adds to the squared distance of each row; a missing value is what the others let expect.

    With P the inverse, that is :math:`z_m = -P_{mm}^{-1} P_{mo} z_o`: the distance is then that of the values there.
    """
    is_missing = np.isnan(X)
    z = np.where(is_missing, 0.0, (X - mean) / scale)
    holes = np.flatnonzero(is_missing.any(axis=1))
    for start in range(0, len(holes), BATCH):
        rows = holes[start : start + BATCH]
        missing = is_missing[rows].astype(np.float64)
        block = inverse * missing[:, :, None] * missing[:, None, :]
        block += (1 - missing)[:, :, None] * np.eye(X.shape[1])  # what is there stays as it is
        z[rows] += np.linalg.solve(block, (-(z[rows] @ inverse) * missing)[:, :, None])[:, :, 0]
    contributions = (z @ inverse) * z
    contributions[contributions.sum(axis=1) < 0] = 0.0  # rounding, at the very middle
    return np.asarray(contributions)


def _varied(table: Table, used: Sequence[str]) -> list[str]:
    """The first columns of numbers that vary, as many as are taken."""
    varied: list[str] = []
    for name in used:
        column = table.column(name)
        observed = column.values[~column.missing]
        if (
            len(varied) < MOST_COLUMNS
            and not column.is_categorical
            and len(observed)
            and observed.min() < observed.max()
        ):
            varied.append(name)
    return varied
