"""The principal axes of the rows of one fit: along them a ridge fit has no more columns than rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tamis.linear.solvers.compiled.standardized import StandardizedColumns


@dataclass(frozen=True, eq=False)
class PrincipalAxes:
    """The rotation of (z - centre) · units onto the principal axes of weighted rows.

    A ridge penalty is invariant under rotation, and coefficients outside the span of the rows are 0.

    Attributes
    ----------
    columns : the rows along the axes, ready for a fit.
    vectors : columns × axes.
    """

    columns: StandardizedColumns
    vectors: np.ndarray
    given: StandardizedColumns
    centre: np.ndarray
    units: np.ndarray

    @classmethod
    def of(
        cls, given: StandardizedColumns, w: np.ndarray, units: np.ndarray, centre: np.ndarray | None
    ) -> PrincipalAxes:
        """The axes of dense columns; `centre` is None where nothing is centred."""
        centre = np.zeros_like(units) if centre is None else centre
        A = ((given.Z - centre[:, None]) * units[:, None]).T
        root = np.sqrt(w)[:, None]
        p, n = given.Z.shape
        values, vectors = np.linalg.eigh((A * root).T @ (A * root) if p <= n else (A * root) @ (A * root).T)
        kept = values > 1e-14 * values[-1]
        vectors = vectors[:, kept]
        if p > n:
            vectors = (A * root).T @ (vectors / np.sqrt(values[kept]))
        zero, one = np.zeros(int(kept.sum())), np.ones(int(kept.sum()))
        lengths = np.sqrt(values[kept])[:, None]
        columns = StandardizedColumns(
            np.ascontiguousarray((A @ vectors).T), zero, one, zero[:, None], one[:, None], lengths
        )
        return cls(columns, vectors, given, centre, units)

    def gradients(self, residual: np.ndarray) -> np.ndarray:
        """Gradients of the given columns (× outputs) from residuals (rows × outputs)."""
        return np.asarray(((self.given.Z - self.centre[:, None]) @ residual) * self.units[:, None])

    def restore(self, found: np.ndarray) -> np.ndarray:
        """Coefficients (strengths × columns × outputs, intercepts last) in the units of the table."""
        turned = self.vectors @ found[:, :-1]
        coef = turned * (self.units * self.given.inverse)[:, None]
        shift = (self.centre * self.units) @ turned + self.given.centre @ coef
        return np.concatenate([coef, (found[:, -1] - shift)[:, None]], axis=1)
