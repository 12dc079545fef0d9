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
from tamis.linear.solvers.compiled.principal_axes import Models

_TALL = 1000  # columns up to which a Hessian is kept where rows outnumber them
_EXACT = 2000  # columns that may be in use up to which the model kept is solved by a Hessian
_AXES = 60  # axes above which conjugate gradients solve for several strengths at once
_STRENGTHS = 10  # strengths at once there


class NewtonFit(PathFit):
    """A fit of any loss of one linear predictor.

    The core is given the target in units of its own: counts over their mean, other numbers about their middle and
    over a width or deviation, so that no number in it depends on the units of the target. `shift` and `stretch` bring
    linear predictors back, `size` the loss.
    """

    shift, stretch, size, parameter = 0.0, 1.0, 1.0, np.inf
    kind: Any = ""  # the name of the loss in the core, or one that it calls

    def _begin(self, loss: Loss) -> None:
        self._scale()
        n = len(self.w)
        given = np.zeros(n) if loss.offset is None else loss.offset[:, 0]
        first = self._first()
        eta = given + first
        is_none = (self.centred and loss.offset is None) or not eta.any()
        self.offset = np.zeros(0) if is_none else np.array(given if self.centred else eta)
        self.core = _core.ProxNewton(
            self.kind,
            self.parameter,
            self.core_columns,
            self.y,
            self.w,
            self.offset,
            self.l1,
            self.l2,
            self.ends,
            self.sides,
            self.centred,
            self._keeps_hessian(),
        )
        self.core.start(first if self.centred else 0.0, eta)
        self.null_gradient = self.core.null_gradient * (self.size / self.stretch)
        self._measure()
        if self.axes is not None and self._takes_many:
            self.at_once = _STRENGTHS

    def _keeps_hessian(self) -> bool:
        """Whether quadratics are solved by their Hessian on the working set, else by the residuals of the rows."""
        p, n = len(self.inverse), len(self.w)
        if p <= min(n, _TALL) or self.loss.has_thresholds or self.ends.size or not (self.l1.any() or self.l2.any()):
            return True
        if self.exact and self.l1.all() and min(n, p) <= _EXACT:
            return True
        is_free = bool(np.any((self.l1 == 0) & (self.l2 == 0)))
        return bool((is_free and self.l1.any()) or (self.loss.constant_curvature and p <= _TALL))

    @property
    def _takes_many(self) -> bool:
        """Whether conjugate gradients solve for several strengths at once."""
        is_simple = isinstance(self.kind, str) and not self.loss.has_thresholds
        return len(self.inverse) > _AXES and is_simple and bool(self.l2.any())

    def _gradients(self) -> np.ndarray:
        return self.size / self.stretch * super()._gradients()

    def _scale(self) -> None:
        """The kind of loss, and the target in the core's units."""
        y, w = self.loss.y[:, 0], self.w
        if core_name(self.loss) is None:
            self.kind = LossOfRows(self.loss)
        elif self.loss.target == "classes":
            self.kind = core_name(self.loss)
        elif isinstance(self.loss, Poisson):
            self.kind, mean = "poisson", float(w @ y)
            self.shift, self.size = np.log(mean), mean
            y = y / mean
        else:
            self.kind = "huber" if isinstance(self.loss, Huber) else "squared"
            middle = float(self.loss.start(w)[0]) if self.centred else 0.0
            spread = self.loss.width if isinstance(self.loss, Huber) else float(np.sqrt(w @ (y - middle) ** 2))
            spread = spread if spread > 0 else 1.0
            self.parameter = self.loss.width / spread if isinstance(self.loss, Huber) else np.inf
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
        whole = float(self.w @ self.loss.value((self.stretch * self.core.eta + self.shift)[:, None]))
        large = max(abs(whole), abs(floor), self.loss.magnitude(self.w), np.finfo(float).tiny)
        self.null, self.floor = whole - floor if whole - floor > 1e-13 * large else large, floor
        self.core.floor = self._in_units(floor)

    def _in_units(self, loss: float) -> float:
        """A mean loss in the core's units."""
        if not isinstance(self.loss, Poisson):
            return loss / self.size
        saturated = float(self.w @ (xlogy(self.y, self.y) - self.y))  # which the core's loss leaves out
        return loss / self.size - saturated

    def original(self, models: Models) -> Models:
        """As of any fit, in the units of the target."""
        shift = self.shift if self.centred else 0.0
        return super().original(Models(self.stretch * models.coef, self.stretch * models.intercept + shift))

    def predictors(self, models: Models, eta: np.ndarray) -> np.ndarray:
        """Linear predictors in the units of the target."""
        return np.asarray(self.stretch * eta + self.shift)

    def _run(self, alphas: np.ndarray, goal: float, coef: np.ndarray, eta: np.ndarray, gap: np.ndarray) -> None:
        if self.axes is not None and self._takes_many:
            self._run_together(alphas, goal, coef, eta, gap)
            return
        self.core.solve(alphas, goal / self.size, self.enough * self.null / self.size, coef, eta, gap)
        gap *= self.size

    def _run_together(
        self, alphas: np.ndarray, goal: float, coef: np.ndarray, eta: np.ndarray, gap: np.ndarray
    ) -> None:
        """Ridge of many axes, several strengths at once."""
        from tamis.linear.solvers.compiled.ridge_strengths import Rows, Strengths, solve_strengths

        fit, Z = self.core, self.columns.Z
        seen = np.flatnonzero(self.w > 0)
        fits = Strengths.starting(alphas * self.l2[0], fit.beta, fit.eta[seen], fit.intercept, fit.mean_loss)
        rows = Rows(self.kind, self.parameter, self.y[seen], self.w[seen], self.centred)
        goals = goal / self.size, self.enough * self.null / self.size
        offset = fit.eta - fit.beta @ Z - fit.intercept
        gap[:] = solve_strengths(fits, np.ascontiguousarray(Z[:, seen]), self.norms, rows, *goals) * self.size
        coef[:, :-1], coef[:, -1] = fits.beta, fits.intercept[:, 0]
        eta[:] = fits.beta @ Z + fits.intercept[:, :1] + offset
        fit.beta[:], fit.eta[:] = fits.beta[-1], eta[-1]
        fit.intercept, fit.mean_loss = fits.intercept[-1]


class LossOfRows:
    """A loss that the core has not, as the core calls it: every argument and answer is one array of numbers."""

    def __init__(self, loss: Loss) -> None:
        self.loss = loss

    def rows(self, eta: np.ndarray) -> np.ndarray:
        """Losses, residuals and curvatures of all rows, one after the other."""
        column, loss = eta[:, None], self.loss
        return np.concatenate([loss.value(column), loss.residual(column)[:, 0], loss.curvature(column)[:, 0]])

    def conjugates(self, residual: np.ndarray) -> np.ndarray:
        """Conjugates of all rows at minus their residuals."""
        return np.ascontiguousarray(self.loss.conjugate(residual[:, None]), dtype=np.float64)


class ThresholdFit(NewtonFit):
    """A fit of ordered classes: in the core one linear predictor and thresholds, outside their differences.

    A linear predictor of `models` is threshold - xβ, the log-odds of a class at most that below the threshold.
    """

    def _scale(self) -> None:
        loss: Any = self.loss
        self.kind, self.parameter = "cumulative_logit", float(loss.n_classes)
        self.intercepts = self.tail = loss.n_classes - 1
        self.y = np.ascontiguousarray(loss.y[:, 0])

    def _first(self) -> float:
        return 0.0

    def _measure(self) -> None:
        self.null, self.floor = max(self.core.mean_loss, 1e-300), 0.0
        self.core.floor = 0.0

    def original(self, models: Models) -> Models:
        """As of any fit, the columns with their sign in the log-odds."""
        return PathFit.original(self, Models(-models.coef, models.intercept))

    def predictors(self, models: Models, eta: np.ndarray) -> np.ndarray:
        """The log-odds of all thresholds (models × rows × thresholds), from thresholds in the units of the core."""
        return np.asarray(models.intercept[:, None] - eta)
