"""A fit of three classes or more that the core takes along its path."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis import _core
from tamis.linear.solvers.compiled.path_fit import PathFit
from tamis.linear.solvers.compiled.principal_axes import Models


class MultinomialFit(PathFit):
    """A fit of the log loss of several classes.

    A ridge fit is taken along the principal axes of its rows, so a wide table costs no more than its rows. While the
    coefficients along the axes are few, Newton steps are solved by the core; beyond that by conjugate gradients.
    """

    def _begin(self, loss: Any) -> None:
        self.outputs = self.intercepts = loss.outputs
        self.y = np.ascontiguousarray(loss.y.argmax(axis=1), dtype=np.int64)
        first = loss.start(self.w) if self.centred else np.zeros(self.outputs)
        self.most = 1000 if self.axes is None else 400  # pairs up to which a Hessian is kept
        self.core = _core.MultinomialPath(
            self.core_columns, self.y, self.w, self.l1, self.l2, self.ends, self.centred, self.most, first
        )
        self.null = self.core.mean_loss if self.core.mean_loss > 1e-10 else 1.0  # one class only: nothing to learn
        self.null_gradient = self.core.null_gradient.T

    def _gradients(self) -> np.ndarray:
        assert self.axes is not None
        return self.axes.gradients(self.core.residual.T)

    def _run(self, alphas: np.ndarray, goal: float, coef: np.ndarray, eta: np.ndarray, gap: np.ndarray) -> None:
        if self.axes is None or self.core.beta.size <= self.most:
            super()._run(alphas, goal, coef, eta, gap)
            return
        from tamis.linear.solvers.compiled.softmax_newton import SoftmaxNewton

        newton = SoftmaxNewton(self)
        for a, alpha in enumerate(alphas):
            gap[a] = newton.solve(float(alpha), goal)
            coef[a] = np.vstack([self.core.beta.T, self.core.intercept]).ravel()
            eta[a] = self.core.eta.T.ravel()

    def models(self, found: np.ndarray) -> Models:
        """As of any fit; what is not penalised sums to 0 over the classes, as a number added to all changes nothing."""
        coef, intercept = super().models(found)
        if self.axes is None:
            free = self.l1 + self.l2 == 0
            coef[:, free] -= coef[:, free].mean(axis=2, keepdims=True)
        return Models(coef, intercept - intercept.mean(axis=1, keepdims=True) if self.centred else intercept)
