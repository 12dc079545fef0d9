"""The principal axes of the rows of one fit: along them a ridge fit has no more columns than rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tamis.linear.solvers.compiled.standardized import StandardizedColumns


class Models(NamedTuple):
    """Coefficients (models × columns × outputs) and intercepts or thresholds (models × intercepts)."""

    coef: np.ndarray
    intercept: np.ndarray


@dataclass(frozen=True, eq=False)
class PrincipalAxes:
    """The rotation of (z - centre) · units onto the principal axes of weighted rows.

    A ridge penalty is invariant under rotation, and coefficients outside the span of the rows are 0.

    Attributes
    ----------
    columns : the rows along the axes, ready for a fit.
    axes : columns × axes where rows outnumber columns; else rows × axes, and an axis is a combination of rows.
    """

    columns: StandardizedColumns
    axes: np.ndarray
    columns_given: StandardizedColumns
    centre: np.ndarray
    units: np.ndarray

    @classmethod
    def of(
        cls, given: StandardizedColumns, w: np.ndarray, units: np.ndarray, centre: np.ndarray | None
    ) -> PrincipalAxes:
        """The axes of dense columns; `centre` is None where nothing is centred."""
        centre = np.zeros_like(units) if centre is None else centre
        A = ((given.Z - centre[:, None]) * units[:, None]).T
        p, n = given.Z.shape
        if p <= n:
            weighted = A * np.sqrt(w)[:, None]
            values, axes = _eigen(weighted.T @ weighted)
            turned = A @ axes
        else:  # products of rows: A Aᵀ is symmetric, so half of it is computed
            seen, products = np.flatnonzero(w > 0), A @ A.T
            root = np.sqrt(w[seen])
            values, vectors = _eigen(products[np.ix_(seen, seen)] * root[:, None] * root)
            combined = vectors * root[:, None] / np.sqrt(values)
            turned, axes = products[:, seen] @ combined, np.zeros((n, len(values)))
            axes[seen] = combined
        zero, one = np.zeros(len(values)), np.ones(len(values))
        columns = StandardizedColumns(
            np.ascontiguousarray(turned.T), zero, one, zero[:, None], one[:, None], np.sqrt(values)[:, None]
        )
        return cls(columns, axes, given, centre, units)

    def gradients(self, residual: np.ndarray) -> np.ndarray:
        """Gradients of the given columns (× outputs) from residuals (rows × outputs)."""
        return np.asarray(((self.columns_given.Z - self.centre[:, None]) @ residual) * self.units[:, None])

    def restore(self, coef: np.ndarray, intercept: np.ndarray) -> Models:
        """Models along the axes in the units of the table."""
        turned = self._turned(coef)
        coef = turned * (self.units * self.columns_given.inverse)[:, None]
        shift = np.tensordot(turned, self.centre * self.units, axes=(1, 0))
        shift = shift + np.tensordot(coef, self.columns_given.centre, axes=(1, 0))
        return Models(coef, intercept - shift)

    def _turned(self, found: np.ndarray) -> np.ndarray:
        """Coefficients (strengths × axes × outputs) as coefficients of the columns in their units."""
        if len(self.axes) == len(self.units):
            return np.asarray(self.axes @ found)
        n_strengths, n_axes, n_outputs = found.shape
        flat = self.axes @ found.transpose(1, 0, 2).reshape(n_axes, n_strengths * n_outputs)
        turned = (self.columns_given.Z @ flat - np.outer(self.centre, flat.sum(axis=0))) * self.units[:, None]
        return turned.reshape(len(self.units), n_strengths, n_outputs).transpose(1, 0, 2)


def _eigen(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues of a symmetric matrix that are not 0 but for rounding, and their vectors."""
    values, vectors = np.linalg.eigh(matrix)
    kept = values > 1e-14 * values[-1]
    return values[kept], vectors[:, kept]
