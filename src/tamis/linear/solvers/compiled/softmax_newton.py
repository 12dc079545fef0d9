"""Ridge fits of three classes or more with many axes: Newton steps by conjugate gradients."""

from __future__ import annotations

from typing import Any

import numpy as np

_NEWTON = 100  # quadratics a strength
_CONJUGATE = 500  # steps of conjugate gradients a quadratic


class SoftmaxNewton:
    """Newton steps of a fit along principal axes: there the Hessian is nearly a block for each axis."""

    def __init__(self, fit: Any) -> None:
        self.core, self.Z, self.w, self.y = fit.core, fit.columns.Z, fit.w, fit.y
        self.norms, self.centred, self.enough = fit.norms, fit.centred, fit.enough * fit.null

    def solve(self, alpha: float, goal: float) -> float:
        """Newton steps at one strength; returns the gap, which for ridge is |gradient|² / 2 alpha."""
        gap = np.inf
        for _ in range(_NEWTON):
            self._centre()
            left = self.core.residual @ self.Z.T - alpha * self.core.beta
            before, gap = gap, float((left * left).sum()) / (2 * alpha)
            if gap <= goal or (gap <= self.enough and gap > 0.5 * before):
                break
            self._step(alpha, *self._direction(alpha, left, max(0.05 * goal, 1e-4 * gap)))
        return gap

    def _direction(self, alpha: float, left: np.ndarray, goal: float) -> tuple[np.ndarray, np.ndarray]:
        """The Newton step of the coefficients and the intercepts, by preconditioned conjugate gradients."""
        Z, wide = self.Z, self.core.prob * self.w
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
        u = move @ self.Z + shift[:, None]
        before, length = fit.mean_loss + 0.5 * alpha * (beta * beta).sum(), 1.0
        for _ in range(30):
            fit.beta[:], fit.eta[:], fit.intercept[:] = beta + length * move, eta + length * u, b + length * shift
            self._refresh()
            if fit.mean_loss + 0.5 * alpha * (fit.beta**2).sum() <= before + 1e-14 * abs(before):
                break
            length *= 0.5

    def _refresh(self) -> np.ndarray:
        """Residuals, probabilities and mean loss at the linear predictors; returns the sums of the residuals."""
        totals = np.empty(len(self.core.beta))
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
