"""The hinge loss with a penalty, exactly: an interior-point method, certified by its duality gap."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from tamis.engine import map_threads
from tamis.errors import NotConverged
from tamis.linear.design import Design
from tamis.linear.fit import Job, LinearSolution
from tamis.linear.out_of_fold import training_weights
from tamis.linear.path import Path, is_past_its_best, path_end, strengths
from tamis.split import Folds

_STEPS = 100
_RIDGE = 1e-9  # on standardised coefficients without a penalty: separated classes have no largest margin in sight


@dataclass(frozen=True, eq=False)
class HingeProgram:
    r"""min Σ ω ξ + Σ l1 t + ½ Σ l2 w² with ξ ≥ 1 - s(Zw + b), ξ ≥ 0, t ≥ \|w\|.

    Z are standardised columns (rows × columns), s the classes as -1 and 1, ω weights of sum 1.
    """

    Z: np.ndarray
    side: np.ndarray
    weights: np.ndarray
    l1: np.ndarray
    l2: np.ndarray
    fit_intercept: bool

    def primal(self, w: np.ndarray, b: float) -> float:
        """The objective at a model."""
        distance = np.maximum(0.0, 1 - self.side * (self.Z @ w + b))
        return float(self.weights @ distance + self.l1 @ np.abs(w) + 0.5 * self.l2 @ w**2)

    def dual(self, a: np.ndarray) -> float:
        """The dual objective at multipliers of the rows, brought into 0 ≤ a ≤ ω and scaled until it is finite."""
        a = np.clip(a, 0.0, self.weights)
        if self.fit_intercept:  # Σ s a = 0: the heavier side is scaled down
            up, down = float(a[self.side > 0].sum()), float(a[self.side < 0].sum())
            less = min(up, down)
            a = a * np.where(self.side > 0, less / up if up > 0 else 0.0, less / down if down > 0 else 0.0)
        q = np.abs(self.Z.T @ (self.side * a))
        rigid = self.l2 == 0
        scale = 1.0 / max(1.0, float(np.max(q[rigid] / self.l1[rigid], initial=0.0)))
        over = np.maximum(scale * q - self.l1, 0.0)[~rigid]
        return float(scale * a.sum() - 0.5 * np.sum(over**2 / self.l2[~rigid]))

    def solve_sparse(self, gap: float) -> tuple[np.ndarray, float, float]:
        """As `solve`, on a working set of columns that grows by those that break their optimality conditions."""
        n, p = self.Z.shape
        if p <= max(n, 100) or not np.all(self.l1 > 0):
            return self.solve(gap)[:3]
        gradient = np.abs(self.Z.T @ (self.side * self.weights * self.balance()))
        working = np.sort(np.argsort(-gradient / self.l1, kind="stable")[: max(20, n // 4)])
        w, b, reached = np.zeros(p), 0.0, np.inf
        for _ in range(50):
            part = replace(self, Z=self.Z[:, working], l1=self.l1[working], l2=self.l2[working])
            small, b, _, a = part.solve(gap)
            w = np.zeros(p)
            w[working] = small
            reached = (self.primal(w, b) - self.dual(a)) / self.null
            excess = np.abs(self.Z.T @ (self.side * a)) / self.l1 - 1
            excess[working] = 0.0
            new = np.argsort(-excess, kind="stable")[: max(20, n // 4)]
            new = new[excess[new] > 0]
            if reached <= gap or not new.size:
                break
            working = np.sort(np.concatenate([working, new]))
        return w, b, reached

    def balance(self) -> np.ndarray:
        """Multipliers of the model without columns, as shares of the weights."""
        heavy = [float(self.weights[self.side == s].sum()) for s in (-1.0, 1.0)]
        least = min(heavy) if self.fit_intercept else 1.0
        down, up = (min(1.0, least / side) if side > 0 else 0.0 for side in heavy)
        return np.where(self.side > 0, up, down)

    @property
    def null(self) -> float:
        """The objective without columns."""
        return max(float(self.weights @ self.balance()), 1e-300)

    def solve(self, gap: float) -> tuple[np.ndarray, float, float, np.ndarray]:
        """Coefficients, intercept, relative gap reached (measured by the objective without columns), multipliers."""
        if self.fit_intercept and (self.side == self.side[0]).all():  # a fold of one class: the intercept has no loss
            return np.zeros(len(self.l1)), float(self.side[0]), 0.0, np.zeros(len(self.side))
        state = _State.start(self)
        best = (np.zeros(len(self.l1)), 0.0, np.inf, state.a)
        with np.errstate(all="ignore"):  # products of vanishing slacks: such a step is not taken
            for _ in range(_STEPS):
                w = state.sparse_coef(self)
                reached = (self.primal(w, state.b) - self.dual(state.a)) / self.null
                if reached < best[2]:
                    best = (w, state.b, reached, state.a)
                if best[2] <= gap or not state.advance(self):
                    break
        return best


@dataclass(eq=False)
class _State:
    """Primal variables, slacks and multipliers of an interior point."""

    w: np.ndarray
    b: float
    xi: np.ndarray
    t: np.ndarray
    a: np.ndarray  # of ξ ≥ 1 - s(Zw + b)
    d: np.ndarray  # of ξ ≥ 0
    up: np.ndarray  # of t ≥ w
    down: np.ndarray  # of t ≥ -w

    @classmethod
    def start(cls, program: HingeProgram) -> _State:
        n, p = program.Z.shape
        half, part = program.weights / 2, program.l1 / 2
        return cls(np.zeros(p), 0.0, np.full(n, 2.0), np.ones(p), half.copy(), half.copy(), part.copy(), part.copy())

    def slacks(self, program: HingeProgram) -> tuple[np.ndarray, ...]:
        margin = program.side * (program.Z @ self.w + self.b)
        return self.xi + margin - 1, self.xi, self.t - self.w, self.t + self.w

    def sparse_coef(self, program: HingeProgram) -> np.ndarray:
        """The coefficients, exactly 0 where both multipliers of |w| stay and the bound t vanishes."""
        lasso = program.l1 > 0
        share = np.minimum(self.up, self.down) / np.where(lasso, program.l1, 1.0)
        return np.where(lasso & (share > self.t / max(float(self.t.max(initial=0.0)), 1e-300)), 0.0, self.w)

    def advance(self, program: HingeProgram) -> bool:
        """One predictor-corrector step of Mehrotra; False where no further step is possible."""
        s1, s2, s3, s4 = self.slacks(program)
        lasso = program.l1 > 0
        pairs = [(s1, self.a), (s2, self.d), (s3[lasso], self.up[lasso]), (s4[lasso], self.down[lasso])]
        count = sum(len(s) for s, _ in pairs)
        mu = sum(float(s @ z) for s, z in pairs) / count
        newton = _Newton(self, program)
        try:
            newton.factorise()
            affine = newton.direction(0.0, None)
            length = newton.longest(affine)
            after = newton.complementarity(affine, *length) / count
            move = newton.direction(mu * (after / mu) ** 3, affine)
        except (LinAlgError, ValueError, FloatingPointError):
            return False
        primal, dual = (0.995 * step for step in newton.longest(move))
        newton.apply(move, min(primal, 1.0), min(dual, 1.0))
        return bool(max(primal, dual) > 1e-10)


class _Newton:
    """The Newton system of one interior point, reduced to coefficients and intercept."""

    def __init__(self, state: _State, program: HingeProgram) -> None:
        self.state, self.program = state, program
        self.s = state.slacks(program)
        self.z = (state.a, state.d, state.up, state.down)
        self.lasso = program.l1 > 0
        one = np.where(self.lasso, 1.0, np.inf)
        self.r = [
            state.a / self.s[0],
            state.d / self.s[1],
            state.up / (self.s[2] * one),
            state.down / (self.s[3] * one),
        ]
        both = self.r[2] + self.r[3]
        self.theta = self.r[0] * self.r[1] / (self.r[0] + self.r[1])
        ratio = np.divide(self.r[2] * self.r[3], both, out=np.zeros_like(both), where=both > 0)
        self.diagonal = program.l2 + 4 * ratio

    def factorise(self) -> None:
        Z, theta = self.program.Z, self.theta
        n, p = Z.shape
        self.wide = p > n and not self.lasso.any()  # with |w| the diagonal spans too many orders of magnitude
        if self.wide:
            self.scaled = Z / self.diagonal
            self.factor = cho_factor(self.scaled @ Z.T + np.diag(1 / theta))
        else:
            self.factor = cho_factor(Z.T @ (theta[:, None] * Z) + np.diag(self.diagonal))
        if self.program.fit_intercept:
            self.border = Z.T @ theta
            self.solved = self._solve(self.border)
            self.corner = float(theta.sum() - self.border @ self.solved)

    def _solve(self, right: np.ndarray) -> np.ndarray:
        if not self.wide:
            return np.asarray(cho_solve(self.factor, right))
        inner = cho_solve(self.factor, self.scaled @ right)
        return np.asarray(right / self.diagonal - self.scaled.T @ inner)

    def direction(self, target: float, affine: tuple[np.ndarray, ...] | None) -> tuple[np.ndarray, ...]:
        """Moves of w, b, ξ, t, then of the four slacks and multipliers, towards products of `target`."""
        p, state, r, lasso = self.program, self.state, self.r, self.lasso
        comp = []
        for k, (s, z) in enumerate(zip(self.s, self.z)):
            extra = 0.0 if affine is None else affine[4][k] * affine[5][k]
            comp.append((target - extra) / s - z)  # dz = comp - r ds
        comp[2], comp[3] = np.where(lasso, comp[2], 0.0), np.where(lasso, comp[3], 0.0)
        residual_w = -(p.l2 * state.w - p.Z.T @ (p.side * state.a) + state.up - state.down)
        residual_b = float(p.side @ state.a)
        residual_xi = -(p.weights - state.a - state.d)
        residual_t = np.where(lasso, -(p.l1 - state.up - state.down), 0.0)
        right_xi = residual_xi + comp[0] + comp[1]  # (r0 + r1) dξ + r0 s(Z dw + db) = right_xi
        right_t = residual_t + comp[2] + comp[3]  # (r2 + r3) dt + (r3 - r2) dw = right_t
        both = np.where(lasso, r[2] + r[3], 1.0)
        rows = p.side * (comp[0] - r[0] * right_xi / (r[0] + r[1]))
        right = residual_w + p.Z.T @ rows - comp[2] + comp[3] - (r[3] - r[2]) * right_t / both
        db = 0.0
        dw = self._solve(right)
        if p.fit_intercept:
            db = (residual_b + float(rows.sum()) - float(self.border @ dw)) / max(self.corner, 1e-300)
            dw = dw - self.solved * db
        margin = p.side * (p.Z @ dw + db)
        dxi = (right_xi - r[0] * margin) / (r[0] + r[1])
        dt = np.where(lasso, (right_t - (r[3] - r[2]) * dw) / both, 0.0)
        ds = (dxi + margin, dxi, dt - dw, dt + dw)
        dz = tuple(
            np.where(lasso, c - r_ * d, 0.0) if k > 1 else c - r_ * d for k, (c, r_, d) in enumerate(zip(comp, r, ds))
        )
        return dw, np.array(db), dxi, dt, ds, dz  # type: ignore[return-value]

    def _kept(self, k: int, values: np.ndarray) -> np.ndarray:
        return values[self.lasso] if k > 1 else values

    def longest(self, move: tuple[np.ndarray, ...]) -> tuple[float, float]:
        """The longest steps of slacks and of multipliers that keep them positive, at most 1."""
        out = []
        for now, change in ((self.s, move[4]), (self.z, move[5])):
            limit = 1.0 / 0.995
            for k in range(4):
                value, slope = self._kept(k, now[k]), self._kept(k, change[k])
                falls = slope < 0
                limit = min(limit, float(np.min(-value[falls] / slope[falls], initial=np.inf)))
            out.append(limit)
        return out[0], out[1]

    def complementarity(self, move: tuple[np.ndarray, ...], primal: float, dual: float) -> float:
        """The sum of products of slacks and multipliers after a step."""
        return sum(
            float((self._kept(k, s + min(primal, 1.0) * ds)) @ (self._kept(k, z + min(dual, 1.0) * dz)))
            for k, (s, z, ds, dz) in enumerate(zip(self.s, self.z, move[4], move[5]))
        )

    def apply(self, move: tuple[np.ndarray, ...], primal: float, dual: float) -> None:
        state, (dw, db, dxi, dt, _, dz) = self.state, move
        state.w, state.b = state.w + primal * dw, state.b + primal * float(db)
        state.xi, state.t = state.xi + primal * dxi, state.t + primal * dt
        state.a, state.d = state.a + dual * dz[0], state.d + dual * dz[1]
        state.up, state.down = state.up + dual * dz[2], state.down + dual * dz[3]


def _program(job: Job, weights: np.ndarray) -> tuple[HingeProgram, np.ndarray, np.ndarray]:
    """The program of some weights of the rows without its penalty; centres and inverse scales of the columns."""
    design = Design(job.X)
    share = weights / weights.sum()
    centre, inverse = (part[:, 0] for part in design.units(share[:, None], job.standardize, job.fit_intercept))
    seen = np.flatnonzero(share)
    Z = design.columns(np.arange(design.p), centre, inverse)[seen]
    zeros = np.zeros(design.p)
    side = 2 * job.loss.y[seen, 0] - 1
    return HingeProgram(np.ascontiguousarray(Z), side, share[seen], zeros, zeros, job.fit_intercept), centre, inverse


def _solve_at(
    job: Job, alpha: float, gap: float, fit: tuple[HingeProgram, np.ndarray, np.ndarray]
) -> tuple[np.ndarray, float, float]:
    """Coefficients and intercept in the units of the columns, and the relative gap."""
    program, centre, inverse = fit
    l1, l2 = job.penalty.at(alpha)
    l2 = np.where((l1 == 0) & (l2 == 0), _RIDGE, l2)
    w, b, reached = replace(program, l1=l1, l2=l2).solve_sparse(gap)
    coef = w * inverse
    return coef, b - float(coef @ centre), reached


def _warn(gap: float, asked: float, alpha: float) -> None:
    if gap > 10 * asked:
        warnings.warn(
            f"the linear model stopped at a relative duality gap of {gap:.1e} (asked {asked:.1e}) for "
            f"alpha={alpha:.3g}; give a larger alpha, or drop nearly equal columns",
            NotConverged,
            stacklevel=5,
        )


def hinge_solution(job: Job, alpha: float, enough: float = 1e-10) -> LinearSolution:
    """The model of one strength.

    References
    ----------
    Mehrotra (1992), On the implementation of a primal-dual interior point method, SIAM J. Optimization 2.
    Fine, Scheinberg (2001), Efficient SVM training using low-rank kernel representations, JMLR 2.
    """
    coef, intercept, gap = _solve_at(job, alpha, 0.1 * enough, _program(job, job.weights))
    _warn(gap, enough, alpha)
    return LinearSolution(coef[:, None], np.array([intercept]), alpha, max(gap, 0.0))


def hinge_path(job: Job, splits: Folds | None, n_alphas: int, alphas: np.ndarray | None) -> Path:
    """The models for a falling grid of strengths, with the mean hinge of their held-out rows; it may end early."""
    weights = job.weights[:, None]
    if splits:
        weights = np.hstack([weights, training_weights(splits, job.weights)])
    fits = [_program(job, weights[:, f]) for f in range(weights.shape[1])]
    n, p = job.X.shape
    ridge = job.penalty.l1_ratio == 0
    first = fits[0][0]
    gradient = first.Z.T @ (first.side * first.weights * first.balance())
    grid = strengths(job.penalty.largest(gradient[:, None]), n_alphas, p > n, ridge) if alphas is None else alphas
    end = path_end(job, len(grid), bool(splits), alphas is None)
    found, errors, worst = [], [], 0.0
    held = [(test, job.weights[test] / job.weights[test].sum()) for _, test in splits or []]
    for alpha in grid:
        models = map_threads(partial(_solve_at, job, float(alpha), job.tol), fits, job.n_jobs)
        found.append(models[0])
        worst = max(worst, *(gap for *_, gap in models))
        etas = [np.asarray(job.X[test] @ coef) + b for (test, _), (coef, b, _) in zip(held, models[1:])]
        errors.append([share @ job.loss.take(test).value(eta[:, None]) for (test, share), eta in zip(held, etas)])
        if splits and end.always and is_past_its_best(np.array(errors).T, end.always, end.patience):
            break
    _warn(worst, job.tol, float(grid[len(found) - 1]))
    coef = np.array([one[0] for one in found])[:, :, None]
    path = Path(
        grid[: len(found)], coef, np.array([[one[1]] for one in found]), np.count_nonzero(coef[:, :, 0], axis=1)
    )
    return path.scored(np.array(errors).T, np.array([job.weights[test].sum() for test, _ in held])) if splits else path
