"""Newton's method for several fits of one model (all rows, and each fold's training rows) down one path together.

The working set of columns is shared, so that the predictions of all fits are one matrix product, and the check of all
other columns is one more: a fold then costs little beyond its own small quadratic.
"""

from __future__ import annotations

import warnings

import numpy as np

from tamis.engine import map_threads
from tamis.errors import NotConverged
from tamis.linear.design import Design
from tamis.linear.losses.loss import Loss
from tamis.linear.penalties.elastic_net import Penalty
from tamis.linear.solvers.newton_path.objective import Objective
from tamis.linear.solvers.newton_path.state import FitState
from tamis.linear.solvers.newton_path.working_columns import WorkingColumns
from tamis.linear.solvers.quadratic import minimise

_ROUNDS = 200
_JOINT = 1200  # coefficients of several outputs up to which one Newton step moves them all


class NewtonPath:
    """Fits of one penalised loss under several weightings of the rows.

    Parameters
    ----------
    design : the matrix.
    loss : the loss with its target.
    weights : n × m, one column a fit.
    penalty : the penalty; its strength is given to `solve`.
    tol : relative duality gap to reach, of the objective without columns.
    """

    def __init__(
        self,
        design: Design,
        loss: Loss,
        weights: np.ndarray,
        penalty: Penalty,
        *,
        standardize: bool,
        fit_intercept: bool,
        tol: float = 1e-6,
        n_jobs: int | None = None,
    ) -> None:
        self.design, self.loss, self.penalty = design, loss, penalty
        self.fit_intercept, self.tol, self.n_jobs = fit_intercept, tol, n_jobs
        weights = weights / weights.sum(axis=0)
        self.columns = WorkingColumns(design, weights[:, :1], fit_intercept)
        self.objective = Objective(loss, penalty, self.columns)
        centre, inverse = design.units(weights, standardize, fit_intercept)
        base, stretch = self.columns.base_centre, self.columns.stretch
        self.fits = [
            self._start(weights[:, f], (centre[:, f] - base) * stretch, inverse[:, f] / stretch)
            for f in range(weights.shape[1])
        ]
        self.columns.update_gradients(self.fits)
        for fit in self.fits:
            fit.null = self.objective.null(fit)

    def _start(self, w: np.ndarray, centre: np.ndarray, inverse: np.ndarray) -> FitState:
        K, n, p = self.loss.outputs, self.design.n, self.design.p
        intercept = self.loss.start(w) if self.fit_intercept else np.zeros(K)
        empty = np.zeros((n, K))
        fit = FitState(
            w,
            centre,
            inverse,
            np.asarray(intercept, float),
            np.zeros((0, K)),
            np.zeros(0, np.int64),
            empty,
            empty,
            np.zeros((p, K)),
            1.0,
        )
        self._predict(fit)
        return fit

    @property
    def largest(self) -> float:
        """The strength at which the first fit uses no column."""
        return self.penalty.largest(self.fits[0].score)

    def solve(self, alpha: float, tol: float | None = None, enough: float = 0.0) -> bool:
        """Bring every fit to the optimum for one strength, from its present state; True when the gap was reached.

        Below `enough` a fit may stop short of the goal when rounding keeps the gap from falling further.
        """
        goal = self.tol if tol is None else tol
        for fit in self.fits:
            fit.gap = self.objective.gap(fit, alpha)
        for _ in range(_ROUNDS):
            open_fits = [fit for fit in self.fits if fit.gap > goal * fit.null]
            if not open_fits:
                return True
            self._widen(open_fits, alpha)
            before = [fit.gap for fit in open_fits]
            map_threads(lambda fit: self._improve(fit, alpha, goal * fit.null), open_fits, self.n_jobs)
            self.columns.update_gradients(open_fits)
            for fit, old in zip(open_fits, before):
                fit.gap = self.objective.gap(fit, alpha)
                fit.slow = fit.gap > 0.1 * old
                fit.tolerance = max(1e-8, 0.1 * fit.tolerance) if fit.slow else 1e-2
            if all(fit.gap <= enough * fit.null and fit.gap > 0.5 * old for fit, old in zip(open_fits, before)):
                return True
        worst = max(fit.gap / fit.null for fit in self.fits)
        warnings.warn(
            f"the linear model stopped at a relative duality gap of {worst:.1e} (asked {goal:.1e}) for "
            f"alpha={alpha:.3g}; give a larger alpha, or drop nearly equal columns",
            NotConverged,
            stacklevel=4,
        )
        return False

    def sharpen(self, alpha: float) -> None:
        """A few more Newton steps: near the optimum each doubles the digits, which a gap cannot see."""
        for fit in self.fits:
            kept = fit.beta, fit.intercept, fit.gap
            for _ in range(3):
                fit.slow, fit.tolerance = True, 1e-9
                self._improve(fit, alpha, 1e-14 * fit.null)
                self.columns.update_gradients([fit])
            fit.gap = self.objective.gap(fit, alpha)
            if not fit.gap <= max(kept[2], 1e-13 * fit.null):  # a kink of the loss in the way
                fit.beta, fit.intercept, fit.gap = kept
                self._predict(fit)
                self.columns.update_gradients([fit])

    # -- the working set -------------------------------------------------------------------------------------------
    def _widen(self, fits: list[FitState], alpha: float) -> None:
        """Add the columns (or groups) that violate optimality to the active ones of every open fit and to the block."""
        wanted = [self._wanted(fit, alpha) for fit in fits]
        new = np.setdiff1d(np.concatenate(wanted), self.working) if wanted else np.zeros(0, np.int64)
        if new.size:
            self.columns.add(new)
            for fit in self.fits:
                fit.beta = np.vstack([fit.beta, np.zeros((new.size, self.loss.outputs))])
        for fit, columns in zip(fits, wanted):
            if columns.size:
                self._extend(fit, self.columns.place[columns])

    def _wanted(self, fit: FitState, alpha: float) -> np.ndarray:
        """Columns outside a fit's own that break its optimality conditions, the worst first when they are many."""
        inside = np.zeros(self.design.p, dtype=bool)
        inside[self.working[fit.active]] = True
        starts = self.penalty.starts
        if self.penalty.l1_ratio == 0:
            return np.flatnonzero(~inside)
        l1, _ = self.penalty.at(alpha)
        excess = self.penalty.norms(fit.score).max(axis=1) - l1
        excess[inside if starts is None else inside[starts[:-1]]] = -1.0
        found = np.flatnonzero(excess > 0)
        most = max(50, len(fit.active))
        if found.size > most:
            found = np.sort(found[np.argsort(-excess[found], kind="stable")[:most]])
        if starts is None:
            return found
        return np.concatenate([np.arange(starts[g], starts[g + 1]) for g in found] or [np.zeros(0, np.int64)])

    def _extend(self, fit: FitState, new: np.ndarray) -> None:
        """Append columns to a fit's own; a constant Hessian only gains its new rows."""
        old, fit.active = fit.active, np.concatenate([fit.active, new])
        if fit.hessian is None or not self.loss.constant_curvature:
            fit.hessian = None
            return
        small, size = fit.hessian[0], len(fit.active)
        grown = np.empty((size + 1, size + 1))
        grown[: len(old) + 1, : len(old) + 1] = small
        part = self.columns.product(fit, fit.weights, fit.active, new)
        grown[:, len(old) + 1 :] = part[:, 1:]
        grown[len(old) + 1 :, :] = part[:, 1:].T
        fit.hessian = [grown]

    # -- one fit ---------------------------------------------------------------------------------------------------
    def _predict(self, fit: FitState) -> None:
        """Linear predictor and residual from the coefficients."""
        fit.eta = self.columns.linear_predictor(fit)
        if self.loss.offset is not None:
            fit.eta = fit.eta + self.loss.offset
        if self.fit_intercept:
            self._centre(fit)
        fit.residual = fit.weights[:, None] * self.loss.residual(fit.eta)

    def _centre(self, fit: FitState) -> None:
        """Make the intercept optimal for the coefficients: the dual point needs residuals that sum to zero."""
        size = max(1.0, float(np.abs(fit.eta).max()))
        each = self.loss.residual(fit.eta)
        residual, still = fit.weights @ each, 4e-16 * float((fit.weights @ np.abs(each)).max())
        for _ in range(100):
            if np.max(np.abs(residual)) <= still:
                return
            move = self._centring(fit, residual)
            if np.max(np.abs(move)) < 1e-15 * size:
                return
            length = 1.0
            while True:  # a step that overshoots is halved
                eta = fit.eta + length * move
                new = fit.weights @ self.loss.residual(eta)
                if np.max(np.abs(new)) < np.max(np.abs(residual)) or length < 1e-6:
                    break
                length *= 0.5
            fit.intercept, fit.eta, residual = fit.intercept + length * move, eta, new
            if length < 1e-6:
                return

    def _centring(self, fit: FitState, residual: np.ndarray) -> np.ndarray:
        """A Newton step for the intercepts."""
        if self.loss.outputs == 1:
            hessian = fit.weights @ self.loss.curvature(fit.eta)
            return np.clip(residual / np.maximum(hessian, np.finfo(float).tiny), -self.loss.stride, self.loss.stride)
        probabilities = self.loss.y - self.loss.residual(fit.eta)
        hessian = np.diag(fit.weights @ probabilities) - (probabilities * fit.weights[:, None]).T @ probabilities
        return np.clip(np.linalg.lstsq(hessian, residual, rcond=1e-12)[0], -self.loss.stride, self.loss.stride)

    def _blocks(self, active: np.ndarray) -> list[list[int]]:
        """Outputs that move together: all while their joint Hessian is small, else one after the other."""
        outputs = list(range(self.loss.outputs))
        return [outputs] if len(outputs) * (len(active) + 1) <= _JOINT else [[k] for k in outputs]

    def _hessian(self, fit: FitState, block: list[int]) -> np.ndarray:
        """The Hessian of the mean loss by the coefficients of some outputs; each begins with its intercept."""
        curvatures = self.loss.curvature(fit.eta)
        size = len(fit.active) + 1
        out = np.empty((len(block) * size, len(block) * size))
        for a, k in enumerate(block):
            for b, other in enumerate(block[: a + 1]):
                curvature = curvatures[:, k] if k == other else self.loss.cross(fit.eta, k, other)
                part = self.columns.product(fit, fit.weights * curvature, fit.active, fit.active)
                out[a * size : (a + 1) * size, b * size : (b + 1) * size] = part
                out[b * size : (b + 1) * size, a * size : (a + 1) * size] = part
        return out

    def _improve(self, fit: FitState, alpha: float, goal: float) -> None:
        """One Newton step on the working set."""
        blocks = self._blocks(fit.active)
        if fit.hessian is None or (fit.slow and not self.loss.constant_curvature):
            fit.hessian = [self._hessian(fit, block) for block in blocks]
        first = 1 if self.loss.constant_curvature or not self.fit_intercept else 0
        size, which = len(fit.active) + 1, self.working[fit.active]
        for block, H in zip(blocks, fit.hessian):
            total = fit.residual[:, block].sum(axis=0)
            score = (
                fit.score[which][:, block]
                if block is blocks[0] and fit.tolerance > 1e-8
                else self.columns.active_gradient(fit, block, total)
            )
            q = np.vstack([total, score])[first:].T.ravel()
            old = np.vstack([np.zeros(len(block)), fit.beta[fit.active][:, block]])[first:].T.ravel()
            l1, l2, starts = self._local(alpha, first, len(block), which)
            if first:
                kept = np.arange(len(block) * size).reshape(len(block), size)[:, 1:].ravel()
                H = np.ascontiguousarray(H[np.ix_(kept, kept)])
            elif len(block) > 1:  # one intercept is redundant: hold it where it is
                l2[0] = H[0, 0]
            gain = fit.tolerance * min(goal, 0.1 * fit.gap) / max(1, len(old)) ** 0.5
            new, _ = minimise(H, q, old, l1, l2, gain, starts)
            move = np.zeros((size, len(block)))
            move[first:] = (new - old).reshape(len(block), size - first).T
            self._line_search(fit, alpha, block, move)

    def _local(
        self, alpha: float, first: int, outputs: int, which: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        """The penalty of some columns, a free intercept before each output when it takes part."""
        l1, l2 = self.penalty.at(alpha)
        lead = np.zeros(1 - first)
        curvature = np.tile(np.concatenate([lead, l2[which]]), outputs)
        if self.penalty.starts is None:
            return np.tile(np.concatenate([lead, l1[which]]), outputs), curvature, None
        sizes = np.diff(self.penalty.starts)
        unit = np.repeat(np.arange(len(sizes)), sizes)[which]
        units = unit[np.concatenate([[True], np.diff(unit) != 0])] if unit.size else unit  # groups enter whole
        lengths = np.tile(np.concatenate([np.ones(1 - first, int), sizes[units]]), outputs)
        return np.tile(np.concatenate([lead, l1[units]]), outputs), curvature, np.concatenate([[0], np.cumsum(lengths)])

    def _line_search(self, fit: FitState, alpha: float, block: list[int], move: np.ndarray) -> None:
        """Take a step, shortened until the objective falls; a quadratic needs no shortening."""
        start, intercept, length = fit.beta, fit.intercept, 1.0
        exact = self.loss.constant_curvature or fit.tolerance < 1e-8  # when sharpening, rounding hides the gain
        base = None if exact else self.objective.value(fit, alpha)
        for _ in range(30):
            fit.beta = start.copy()
            fit.beta[fit.active[:, None], block] += length * move[1:]
            fit.intercept = intercept.copy()
            fit.intercept[block] += length * move[0]
            self._predict(fit)
            if base is None or self.objective.value(fit, alpha) <= base + 1e-14 * abs(base):
                return
            length *= 0.5
            fit.slow = True
        fit.beta, fit.intercept = start, intercept
        self._predict(fit)

    def coefficients(self, f: int = 0) -> tuple[np.ndarray, np.ndarray]:
        """Coefficients (p × outputs) and intercepts of fit f in the units of X."""
        return self.columns.restore(self.fits[f], self.fit_intercept)

    @property
    def working(self) -> np.ndarray:
        """The columns that any fit solves for."""
        return self.columns.chosen
