"""A fit of three classes or more that a compiled kernel takes along its path."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis.engine import map_threads
from tamis.linear.penalties.elastic_net import Penalty
from tamis.linear.solvers.compiled.layout import PathOut, Screening
from tamis.linear.solvers.compiled.multinomial.layout import PenaltyWeights, Reference, Rules, State, Target
from tamis.linear.solvers.compiled.path_fit import PathFit

_HESSIAN = 1500  # coefficients up to which a Hessian is kept where rows outnumber columns
_OWN = 30_000_000  # products of one Hessian below which every fit computes its own
_PARTS = 8  # of the rows, for a sum that does not depend on the number of threads


class MultinomialFit(PathFit):
    """A fit of the log loss of several classes; `y` are their indicators (rows × classes)."""

    most = 1000  # pairs up to which a Hessian is kept

    def _begin(self, y: np.ndarray) -> None:
        from tamis.linear.solvers.compiled.multinomial.line_search import update_probabilities

        (p, n), K = self.columns.Z.shape, y.shape[1]
        self.outputs = (K,)
        self.y = np.ascontiguousarray(y.argmax(axis=1), dtype=np.int64)
        self.b, self.beta = np.zeros(K + 1), np.zeros((K, p))
        if self.centred:
            log_share = np.log(np.clip(self.w @ y, 1e-12, None))
            self.b[:-1] = log_share - log_share.mean()
        self.eta, self.residual, self.prob = (np.repeat(self.b[:-1, None], n, axis=1) for _ in range(3))
        loss = self.b[-1] = update_probabilities(self.eta, self.y, self.w, self.residual, self.prob, np.empty(K))
        self.null = loss if loss > 1e-10 else 1.0  # one class only: nothing to learn
        self.present = np.full(K, not self.centred)
        self.present[self.y[self.w > 0]] = True
        self.shared = Reference(np.zeros(0), np.zeros((0, 0)), np.zeros((0, 0)), np.zeros((K, p), dtype=bool))
        self.enough, self.alone = 0.0, False

    def _take(self, penalty: Penalty) -> None:
        self.l1, self.l2 = penalty.at(1.0)
        self.ends = np.zeros(0, dtype=np.int64)
        if penalty.starts is not None:
            sizes = np.diff(penalty.starts)
            self.l1, self.ends = np.repeat(self.l1, sizes), np.repeat(penalty.starts[1:].astype(np.int64), sizes)

    def _start_screening(self) -> None:
        self.null_gradient = (self.columns.Z @ self.residual.T) * self.inverse[:, None]
        gradients = np.ascontiguousarray(self.null_gradient.T)
        clock = np.tile([1.0, 0.0], (len(gradients), 1))
        self.screening = Screening(self.residual.copy(), clock, gradients, np.zeros_like(gradients))

    def losses(self, eta: np.ndarray, rows: Any = slice(None)) -> np.ndarray:
        top = eta.max(axis=-1)
        own = np.take_along_axis(eta, np.broadcast_to(self.y[rows][:, None], (*eta.shape[:-1], 1)), axis=-1)[..., 0]
        return np.asarray(np.log(np.exp(eta - top[..., None]).sum(axis=-1)) + top - own)

    def _run(self, alphas: np.ndarray, goal: float, out: PathOut) -> None:
        from tamis.linear.solvers.compiled.multinomial.path import solve_path

        target, weights = Target(self.y, self.w, self.present), PenaltyWeights(self.l1, self.l2, self.ends)
        state = State(self.beta, self.eta, self.residual, self.prob, self.b)
        rules = Rules(self.centred, self.most, goal, self.enough * self.null)
        self.alone |= solve_path(self.arrays, target, weights, self.screening, state, self.shared, rules, alphas, out)

    def solve_path(self, alphas: np.ndarray, tol: float) -> tuple[np.ndarray, np.ndarray]:
        """As of any fit; what is not penalised sums to 0 over the classes, as a number added to all changes nothing."""
        found, etas = super().solve_path(alphas, tol)
        free = np.append(self.l1 + self.l2 == 0, self.centred)
        found[:, free] -= found[:, free].mean(axis=2, keepdims=True)
        return found, etas

    @property
    def _shares(self) -> bool:
        p, n = self.columns.Z.shape
        size = self.outputs[0] * (p + 1)
        return p <= n and size <= _HESSIAN and n * size**2 > _OWN

    def share_hessian(self, fits: list[Any], alphas: np.ndarray, n_jobs: int | None) -> None:
        """Give all fits the Hessian of this one at the pairs that any uses or may soon use.

        A fit that this did not serve well gets its own.
        """
        if not self._shares:
            return
        together = [fit for fit in fits if fit is self or not fit.alone]
        in_hessian = np.any([fit._soon(alphas[-1]) for fit in together], axis=0)
        shared = self._reference(in_hessian, n_jobs)
        for fit in together:
            fit.shared = shared
        alone = [fit for fit in fits if fit is not self and fit.alone]
        map_threads(lambda fit: fit._stand_alone(alphas[-1]), alone, n_jobs)

    def _stand_alone(self, alpha: float) -> None:
        self.shared = self._reference(self._soon(alpha), None)

    def _soon(self, alpha: float) -> np.ndarray:
        """The pairs (classes × columns) in use, or likely to be at a strength near by."""
        gradients = np.abs(self.residual @ self.columns.Z.T) * self.inverse
        return np.asarray((self.beta != 0) | (gradients > 0.95 * alpha * self.l1))

    def _reference(self, in_hessian: np.ndarray, n_jobs: int | None) -> Reference:
        """Weights, probabilities and the Hessian of some pairs, without scales."""
        K, p = in_hessian.shape
        places = np.flatnonzero(np.hstack([np.full((K, 1), self.centred), in_hessian]))
        owner, column = np.divmod(places, p + 1)
        rows = np.array_split(np.arange(len(self.w)), min(_PARTS, len(self.w)))

        def part(i: slice) -> np.ndarray:
            Z = np.vstack([np.ones((1, i.stop - i.start)), self.columns.Z[:, i]])
            scaled = (self.prob[:, i] * np.sqrt(self.w[i]))[owner] * Z[column]
            total = -(scaled @ scaled.T)
            for k in range(K):
                mine = slice(*np.searchsorted(owner, [k, k + 1]))
                block = Z[column[mine]]
                total[mine, mine] += (block * (self.w[i] * (self.prob[k, i] + 1e-9))) @ block.T
            return np.asarray(total)

        total = sum(map_threads(part, [slice(r[0], r[-1] + 1) for r in rows], n_jobs))
        hessian = np.zeros((K * (p + 1), K * (p + 1)))
        hessian[np.ix_(places, places)] = total
        return Reference(self.w, self.prob.copy(), hessian, in_hessian)
