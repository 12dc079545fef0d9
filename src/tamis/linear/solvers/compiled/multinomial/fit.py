"""A fit of three classes or more that a compiled kernel takes along its path."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis import _core
from tamis.linear.penalties.elastic_net import Penalty
from tamis.linear.solvers.compiled.path_fit import PathFit


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

    def original(self, coef: np.ndarray) -> np.ndarray:
        """As of any fit; what is not penalised sums to 0 over the classes, as a number added to all changes nothing."""
        coef = super().original(coef)
        free = np.append(self.l1 + self.l2 == 0, self.centred)
        coef[:, free] -= coef[:, free].mean(axis=2, keepdims=True)
        return coef
