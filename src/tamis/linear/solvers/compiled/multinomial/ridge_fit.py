"""A ridge fit of three classes or more: the same path along the principal axes of the training rows."""

from __future__ import annotations

import numpy as np

from tamis.linear.solvers.compiled.multinomial.fit import MultinomialFit
from tamis.linear.solvers.compiled.principal_axes import PrincipalAxes

_NEWTON = 100  # quadratics a strength
_CONJUGATE = 500  # steps of conjugate gradients a quadratic


class RidgeMultinomialFit(MultinomialFit):
    """A fit with a ridge penalty on every column, along the principal axes of its training rows.

    The penalty is invariant under rotation, and coefficients outside the span of the rows are 0, so a wide table costs
    no more than its rows. While the coefficients along the axes are few, Newton steps are solved by the kernel; beyond
    that by conjugate gradients, of which few are needed: along the axes the Hessian is nearly a block for each.
    """

    most = 400
    has_axes = True

    def _begin(self, y: np.ndarray) -> None:
        self.axes = PrincipalAxes.of(
            self.columns, self.w, self.inverse / np.sqrt(self.l2), self.centre if self.centred else None
        )
        self.columns = self.axes.columns
        self.inverse, self.norms = self.columns.inverse, self.columns.norms[:, 0].copy()
        self.centre, self.l1, self.l2 = self.columns.centre, np.zeros_like(self.inverse), np.ones_like(self.inverse)
        super()._begin(y)
        self.null_gradient = self.axes.gradients(self.core.residual.T)

    def _run(self, alphas: np.ndarray, goal: float, coef: np.ndarray, eta: np.ndarray, gap: np.ndarray) -> None:
        fit = self.core
        if fit.beta.size <= self.most:
            super()._run(alphas, goal, coef, eta, gap)
            return
        for a, alpha in enumerate(alphas):
            gap[a] = self._solve(float(alpha), goal)
            coef[a] = np.vstack([fit.beta.T, fit.intercept]).ravel()
            eta[a] = fit.eta.T.ravel()

    def _solve(self, alpha: float, goal: float) -> float:
        """Newton steps at one strength; returns the gap, which for ridge is |gradient|² / 2 alpha."""
        gap = np.inf
        for _ in range(_NEWTON):
            self._centre()
            left = self.core.residual @ self.columns.Z.T - alpha * self.core.beta
            before, gap = gap, float((left * left).sum()) / (2 * alpha)
            if gap <= goal or (gap <= self.enough * self.null and gap > 0.5 * before):
                break
            self._step(alpha, *self._direction(alpha, left, max(0.05 * goal, 1e-4 * gap)))
        return gap

    def _direction(self, alpha: float, left: np.ndarray, goal: float) -> tuple[np.ndarray, np.ndarray]:
        """The Newton step of the coefficients and the intercepts, by preconditioned conjugate gradients."""
        Z, wide = self.columns.Z, self.core.prob * self.w
        hessian = np.diag(wide.sum(axis=1)) - wide @ self.core.prob.T
        values, turn = np.linalg.eigh(hessian)
        curvatures = np.maximum(values, 0.0)[:, None] * np.append(self.norms**2, 1.0)
        curvatures[:, :-1] += alpha
        curvatures[:, -1] += 1e-3 * values[-1]  # adding a number to all intercepts changes nothing
        rest = np.hstack([left, self.core.residual.sum(axis=1, keepdims=True)])
        if not self.centred:
            rest[:, -1] = 0.0
        move = np.zeros_like(rest)
        ready = turn @ ((turn.T @ rest) / curvatures)
        along, size = ready, float((rest * ready).sum())
        for _ in range(_CONJUGATE):
            u = along[:, :-1] @ Z + along[:, -1:]
            u = wide * (u - (self.core.prob * u).sum(axis=0))
            curved = np.hstack([u @ Z.T + alpha * along[:, :-1], u.sum(axis=1, keepdims=True) * self.centred])
            length = size / max(float((along * curved).sum()), 1e-300)
            move, rest = move + length * along, rest - length * curved
            if float((rest[:, :-1] ** 2).sum()) <= 2 * alpha * goal:
                break
            ready = turn @ ((turn.T @ rest) / curvatures)
            ready[:, -1] *= self.centred
            size, old = float((rest * ready).sum()), size
            along = ready + size / max(old, 1e-300) * along
        return move[:, :-1], move[:, -1]

    def _step(self, alpha: float, move: np.ndarray, shift: np.ndarray) -> None:
        """Line search: a step along a direction, halved until the objective falls."""
        fit = self.core
        beta, eta, b = fit.beta.copy(), fit.eta.copy(), fit.intercept.copy()
        u = move @ self.columns.Z + shift[:, None]
        before, length = fit.mean_loss + 0.5 * alpha * (beta * beta).sum(), 1.0
        for _ in range(30):
            fit.beta[:], fit.eta[:], fit.intercept[:] = beta + length * move, eta + length * u, b + length * shift
            self._refresh()
            if fit.mean_loss + 0.5 * alpha * (fit.beta**2).sum() <= before + 1e-14 * abs(before):
                break
            length *= 0.5

    def _refresh(self) -> np.ndarray:
        """Residuals, probabilities and mean loss at the linear predictors; returns the sums of the residuals."""
        totals = np.empty(self.outputs)
        self.core.refresh(totals)
        return totals

    def _centre(self) -> None:
        """Newton steps for the intercepts alone: the dual point needs residuals of every class that sum to zero."""
        here = np.bincount(self.y, weights=self.w, minlength=len(self.core.beta)) > 0
        totals, was = self.core.residual.sum(axis=1), np.inf
        for _ in range(50 if self.centred else 0):
            far = np.abs(totals[here]).max()
            if far < 1e-15 or (far > 0.5 * was and was < 1e-10):
                return
            was = far
            wide = (self.core.prob * self.w)[here]
            hessian = np.diag(wide.sum(axis=1)) - wide @ self.core.prob[here].T
            shift = np.clip(np.linalg.lstsq(hessian, totals[here], rcond=1e-12)[0], -2.0, 2.0)
            self.core.intercept[here] += shift
            self.core.eta[here] += shift[:, None]
            totals = self._refresh()

    def original(self, coef: np.ndarray) -> np.ndarray:
        """As of any fit, the coefficients brought back from the axes to the columns."""
        coef = self.axes.restore(super().original(coef))
        if self.centred:
            coef[:, -1] -= coef[:, -1].mean(axis=1, keepdims=True)
        return coef
