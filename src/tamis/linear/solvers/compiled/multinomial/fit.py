"""A fit of three classes or more that a compiled kernel takes along its path."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis import _core
from tamis.engine import map_threads
from tamis.linear.penalties.elastic_net import Penalty
from tamis.linear.solvers.compiled.path_fit import PathFit

_HESSIAN = 1500  # coefficients up to which a Hessian is kept where rows outnumber columns
_OWN = 30_000_000  # products of one Hessian below which every fit computes its own
_PARTS = 8  # of the rows, for a sum that does not depend on the number of threads


class MultinomialFit(PathFit):
    """A fit of the log loss of several classes; `y` are their indicators (rows × classes)."""

    most = 1000  # pairs up to which a Hessian is kept

    def _begin(self, y: np.ndarray) -> None:
        self.outputs = y.shape[1]
        self.y = np.ascontiguousarray(y.argmax(axis=1), dtype=np.int64)
        first = np.zeros(self.outputs)
        if self.centred:
            log_share = np.log(np.clip(self.w @ y, 1e-12, None))
            first = log_share - log_share.mean()
        self.core = _core.MultinomialPath(
            self.core_columns, self.y, self.w, self.l1, self.l2, self.ends, self.centred, self.most, first
        )
        self.null = self.core.mean_loss if self.core.mean_loss > 1e-10 else 1.0  # one class only: nothing to learn
        self.null_gradient = self.core.null_gradient.T

    def _take(self, penalty: Penalty) -> None:
        self.l1, self.l2 = penalty.at(1.0)
        self.ends = np.zeros(0, dtype=np.int64)
        if penalty.starts is not None:
            sizes = np.diff(penalty.starts)
            self.l1, self.ends = np.repeat(self.l1, sizes), np.repeat(penalty.starts[1:].astype(np.int64), sizes)

    def losses(self, eta: np.ndarray, rows: Any = slice(None)) -> np.ndarray:
        top = eta.max(axis=-1)
        own = np.take_along_axis(eta, np.broadcast_to(self.y[rows][:, None], (*eta.shape[:-1], 1)), axis=-1)[..., 0]
        return np.asarray(np.log(np.exp(eta - top[..., None]).sum(axis=-1)) + top - own)

    def solve_path(self, alphas: np.ndarray, tol: float) -> tuple[np.ndarray, np.ndarray]:
        """As of any fit; what is not penalised sums to 0 over the classes, as a number added to all changes nothing."""
        found, etas = super().solve_path(alphas, tol)
        free = np.append(self.l1 + self.l2 == 0, self.centred)
        found[:, free] -= found[:, free].mean(axis=2, keepdims=True)
        return found, etas

    @property
    def _shares(self) -> bool:
        p, n = self.columns.Z.shape
        size = self.outputs * (p + 1)
        return p <= n and size <= _HESSIAN and n * size**2 > _OWN

    def share_hessian(self, fits: list[Any], alphas: np.ndarray, n_jobs: int | None) -> None:
        """Give all fits the Hessian of this one at the pairs that any uses or may soon use.

        A fit that this did not serve well gets its own.
        """
        if not self._shares:
            return
        together = [fit for fit in fits if fit is self or not fit.core.was_renewed]
        in_hessian = np.any([fit._soon(alphas[-1]) for fit in together], axis=0)
        shared = self._reference(in_hessian, n_jobs)
        for fit in together:
            fit.core.share(shared)
        alone = [fit for fit in fits if fit is not self and fit.core.was_renewed]
        map_threads(lambda fit: fit._stand_alone(alphas[-1]), alone, n_jobs)

    def _stand_alone(self, alpha: float) -> None:
        self.core.share(self._reference(self._soon(alpha), None))

    def _soon(self, alpha: float) -> np.ndarray:
        """The pairs (classes × columns) in use, or likely to be at a strength near by."""
        gradients = np.abs(self.core.residual @ self.columns.Z.T) * self.inverse
        return np.asarray((self.core.beta != 0) | (gradients > 0.95 * alpha * self.l1))

    def _reference(self, in_hessian: np.ndarray, n_jobs: int | None) -> _core.MultinomialReference:
        """Weights, probabilities and the Hessian of some pairs, without scales."""
        K, p = in_hessian.shape
        places = np.flatnonzero(np.hstack([np.full((K, 1), self.centred), in_hessian]))
        owner, column = np.divmod(places, p + 1)
        rows = np.array_split(np.arange(len(self.w)), min(_PARTS, len(self.w)))

        def part(i: slice) -> np.ndarray:
            Z = np.vstack([np.ones((1, i.stop - i.start)), self.columns.Z[:, i]])
            scaled = (self.core.prob[:, i] * np.sqrt(self.w[i]))[owner] * Z[column]
            total = -(scaled @ scaled.T)
            for k in range(K):
                mine = slice(*np.searchsorted(owner, [k, k + 1]))
                block = Z[column[mine]]
                total[mine, mine] += (block * (self.w[i] * (self.core.prob[k, i] + 1e-9))) @ block.T
            return np.asarray(total)

        total = sum(map_threads(part, [slice(r[0], r[-1] + 1) for r in rows], n_jobs))
        hessian = np.zeros((K * (p + 1), K * (p + 1)))
        hessian[np.ix_(places, places)] = total
        return _core.MultinomialReference(self.w, self.core.prob, hessian, in_hessian)
