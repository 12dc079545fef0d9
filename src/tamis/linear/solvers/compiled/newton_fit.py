"""A fit of one linear predictor that a compiled kernel takes along its path: two classes, margins, counts, numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import xlogy

from tamis import _core
from tamis.linear.losses import core_name
from tamis.linear.losses.huber import Huber
from tamis.linear.losses.loss import Loss
from tamis.linear.losses.poisson import Poisson
from tamis.linear.solvers.compiled.path_fit import PathFit
from tamis.linear.solvers.compiled.principal_axes import PrincipalAxes

_TALL = 1000  # columns up to which a Hessian is kept where rows outnumber them
_AXES = 60  # axes above which conjugate gradients solve for several strengths at once
_STRENGTHS = 10  # strengths at once there


class NewtonFit(PathFit):
    """A fit of any loss of one linear predictor.

    The core is given the target in units of its own: counts over their mean, other numbers about their middle and
    over a width or deviation, so that no number in it depends on the units of the target. `shift` and `stretch` bring
    linear predictors back, `size` the loss.
    """

    takes_sparse = True
    shift, stretch, size, kind, width = 0.0, 1.0, 1.0, "", np.inf

    def _begin(self, loss: Loss) -> None:
        self.loss = loss
        self._scale()
        p, n = len(self.inverse), len(self.w)
        given = np.zeros(n) if loss.offset is None else loss.offset[:, 0]
        first = self._first()
        eta = given + first
        is_none = (self.centred and loss.offset is None) or not eta.any()
        self.offset = np.zeros(0) if is_none else np.array(given if self.centred else eta)
        self.keeps_hessian = p <= min(n, _TALL) or (self._is_squared and p <= _TALL)
        self.core = _core.ProxNewton(
            self.kind,
            self.width,
            self.core_columns,
            self.y,
            self.w,
            self.offset,
            self.l1,
            self.l2,
            self.centred,
            self.keeps_hessian,
        )
        self.core.start(first if self.centred else 0.0, eta)
        self.null_gradient = self.core.null_gradient * (self.size / self.stretch)
        self._measure()

    @property
    def _is_squared(self) -> bool:
        """Whether the Hessian is the same everywhere, so that a fit keeps its own."""
        return self.loss.constant_curvature

    def _scale(self) -> None:
        """The kind of loss, and the target in the core's units."""
        y, w = self.loss.y[:, 0], self.w
        if self.loss.target == "classes":
            self.kind = core_name(self.loss) or ""
        elif isinstance(self.loss, Poisson):
            self.kind, mean = "poisson", float(w @ y)
            self.shift, self.size = np.log(mean), mean
            y = y / mean
        else:
            self.kind = "huber" if isinstance(self.loss, Huber) else "squared"
            middle = float(self.loss.start(w)[0]) if self.centred else 0.0
            spread = self.loss.width if isinstance(self.loss, Huber) else float(np.sqrt(w @ (y - middle) ** 2))
            spread = spread if spread > 0 else 1.0
            self.width = self.loss.width / spread if isinstance(self.loss, Huber) else np.inf
            self.shift, self.stretch, self.size = middle, spread, spread**2
            y = (y - middle) / spread
        self.y = np.ascontiguousarray(y)
        self.l1, self.l2 = self.l1 * (self.stretch / self.size), self.l2 * (self.stretch**2 / self.size)

    def _first(self) -> float:
        """The intercept to begin with, in the core's units."""
        if not self.centred:
            return -self.shift / self.stretch
        return (float(self.loss.start(self.w)[0]) - self.shift) / self.stretch

    def _measure(self) -> None:
        """The objective without columns, less what no model can lower."""
        floor = -float(self.w @ self.loss.conjugate(np.zeros_like(self.loss.y)))
        whole = float(self.w @ self.losses(self.predictors(self.core.eta)[:, None]))
        large = max(abs(whole), abs(floor), self.loss.magnitude(self.w), np.finfo(float).tiny)
        self.null, self.floor = whole - floor if whole - floor > 1e-13 * large else large, floor
        self.core.floor = self._in_units(floor)

    def _in_units(self, loss: float) -> float:
        """A mean loss in the core's units."""
        if not isinstance(self.loss, Poisson):
            return loss / self.size
        saturated = float(self.w @ (xlogy(self.y, self.y) - self.y))  # which the core's loss leaves out
        return loss / self.size - saturated

    def losses(self, eta: np.ndarray, rows: Any = slice(None)) -> np.ndarray:
        loss = self.loss if isinstance(rows, slice) else self.loss.take(rows)
        return loss.value(eta) if eta.ndim == 2 else np.array([loss.value(part) for part in eta])

    def original(self, coef: np.ndarray) -> np.ndarray:
        coef = super().original(coef)
        coef *= self.stretch
        if self.centred:
            coef[:, -1] += self.shift
        return coef

    def predictors(self, eta: np.ndarray) -> np.ndarray:
        return np.asarray(self.stretch * eta + self.shift)

    def _run(self, alphas: np.ndarray, goal: float, coef: np.ndarray, eta: np.ndarray, gap: np.ndarray) -> None:
        self.core.solve(alphas, goal / self.size, self.enough * self.null / self.size, coef, eta, gap)
        gap *= self.size


class RidgeNewtonFit(NewtonFit):
    """A ridge fit of more columns than rows, along the principal axes of its training rows.

    With few axes the core solves for one strength after another by a Cholesky factor; with more, conjugate gradients
    solve for several at once.
    """

    has_axes = True

    def _begin(self, loss: Loss) -> None:
        self.axes = PrincipalAxes.of(
            self.columns, self.w, self.inverse / np.sqrt(self.l2), self.centre if self.centred else None
        )
        self.columns = self.axes.columns
        self.centre, self.inverse = self.columns.centre, self.columns.inverse
        self.norms = self.columns.norms[:, 0].copy()
        self.l1, self.l2 = np.zeros_like(self.inverse), np.ones_like(self.inverse)
        super()._begin(loss)
        if len(self.inverse) > _AXES:
            self.at_once = _STRENGTHS
        self.null_gradient = self.size / self.stretch * self.axes.gradients(self.core.residual[:, None])

    def _run(self, alphas: np.ndarray, goal: float, coef: np.ndarray, eta: np.ndarray, gap: np.ndarray) -> None:
        if len(self.inverse) <= _AXES:
            super()._run(alphas, goal, coef, eta, gap)
            return
        from tamis.linear.solvers.compiled.ridge_strengths import Rows, Strengths, solve_strengths

        fit, Z = self.core, self.columns.Z
        seen = np.flatnonzero(self.w > 0)
        fits = Strengths.starting(alphas * self.l2[0], fit.beta, fit.eta[seen], fit.intercept, fit.mean_loss)
        rows = Rows(self.kind, self.width, self.y[seen], self.w[seen], self.centred)
        goals = goal / self.size, self.enough * self.null / self.size
        offset = fit.eta - fit.beta @ Z - fit.intercept
        gap[:] = solve_strengths(fits, np.ascontiguousarray(Z[:, seen]), self.norms, rows, *goals) * self.size
        coef[:, :-1], coef[:, -1] = fits.beta, fits.intercept[:, 0]
        eta[:] = fits.beta @ Z + fits.intercept[:, :1] + offset
        fit.beta[:], fit.eta[:] = fits.beta[-1], eta[-1]
        fit.intercept, fit.mean_loss = fits.intercept[-1]

    def original(self, coef: np.ndarray) -> np.ndarray:
        return self.axes.restore(super().original(coef))
