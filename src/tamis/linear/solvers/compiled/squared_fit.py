"""A fit of the squared loss along its path, and the lasso path of centred columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis import _core
from tamis.linear.losses.squared import Squared
from tamis.linear.penalties.elastic_net import Penalty
from tamis.linear.solvers.compiled.path_fit import PathFit
from tamis.linear.solvers.compiled.principal_axes import Models
from tamis.linear.solvers.compiled.standardized import StandardizedColumns


class SquaredFit(PathFit):
    """A fit of the squared loss on dense columns that are penalised one by one; the target is centred first."""

    def _begin(self, loss: Any) -> None:
        y = np.ascontiguousarray(loss.y[:, 0])
        self.middle = float(self.w @ y) if self.centred else 0.0
        self.y = y - self.middle
        self.core = _core.SquaredPath(self.core_columns, self.y, self.w, self.l1, self.l2, self.sides, self.centred)
        self.null, self.null_gradient = self.core.null_loss, self.core.null_gradient

    def original(self, models: Models) -> Models:
        """As of any fit, about the middle of the target."""
        return super().original(Models(models.coef, models.intercept + self.middle))

    def predictors(self, models: Models, eta: np.ndarray) -> np.ndarray:
        """Linear predictors in the units of the target."""
        return np.asarray(eta + self.middle)


def lasso_path(Z: np.ndarray, y: np.ndarray, alphas: np.ndarray, tol: float) -> tuple[np.ndarray, float]:
    """Minimise |y - Zᵀβ|²/2n + alpha |β|₁ for falling alphas: coefficients (alphas × columns) and the largest gap.

    Z holds centred columns as rows (columns × rows); y is centred; gaps are relative to |y|²/2n and at most `tol`.

    >>> Z, y = np.array([[1.0, -1.0, 1.0, -1.0], [1.0, 1.0, -1.0, -1.0]]), np.array([3.0, -1.0, 1.0, -3.0])
    >>> lasso_path(Z, y, np.array([1.5, 0.5]), 1e-9)[0]
    array([[0.5, 0. ],
           [1.5, 0.5]])
    """
    p, n = Z.shape
    norms = np.sqrt(np.einsum("ji,ji->j", Z, Z) / n)
    zeros, alive = np.zeros(p), (norms > 0).astype(float)
    columns = StandardizedColumns(Z, zeros, alive, zeros[:, None], alive[:, None], norms[:, None])
    fit = SquaredFit(columns, 0, Squared(y), np.full(n, 1 / n), Penalty(1.0, np.ones(p)), True)
    models, _ = fit.solve_path(alphas, tol)
    return models.coef[:, :, 0], fit.gap
