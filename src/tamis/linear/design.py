"""The design matrix: raw columns, dense or sparse, read as if they were centred and scaled for given row weights.

`Design` gives standardised columns, `Centred` products with sparse rows about their centre.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from tamis.table.like import TableLike

_BLOCK = 512  # columns squared at a time


class Design:
    """A matrix X that is never copied into standardised form: z_j = (x_j - centre_j) · inverse_j.

    Parameters
    ----------
    X : dense or sparse matrix of float64.
    """

    def __init__(self, X: Any) -> None:
        self.sparse = sparse.issparse(X)
        self.X: Any = X.tocsc().astype(np.float64) if self.sparse else np.asarray(X, dtype=np.float64)
        self.n, self.p = self.X.shape

    def units(self, weights: np.ndarray, standardize: bool, centred: bool) -> tuple[np.ndarray, np.ndarray]:
        """Centres and inverse scales (p × m each) under m weightings of the rows (n × m, each summing to 1).

        A column that does not vary has inverse scale 0, so it takes no part. Without centring, the scale is still the
        standard deviation, as scikit-learn and glmnet have it.
        """
        mean = np.asarray(self.X.T @ weights)
        spread = np.sqrt(self._variance(weights, mean))
        base = np.abs(mean)
        noise = (16 + np.sqrt(self.n)) * np.finfo(float).eps * base  # what summing n rows leaves of a constant
        varies = spread > noise
        if not centred:
            varies = varies | (base > 0)
            mean = np.zeros_like(mean)
        scale = np.where(spread > noise, spread, 1.0) if standardize else np.ones_like(spread)
        return mean, np.where(varies, 1.0 / scale, 0.0)

    def deviations(self, weights: np.ndarray) -> np.ndarray:
        """Standard deviations (p × m) under m weightings of the rows."""
        return np.asarray(np.sqrt(self._variance(weights, np.asarray(self.X.T @ weights))))

    def _variance(self, weights: np.ndarray, mean: np.ndarray) -> np.ndarray:
        if self.sparse:
            return np.column_stack([self._sparse_variance(w, m) for w, m in zip(weights.T, mean.T)])
        out = np.empty_like(mean)
        middle = mean.mean(axis=1)
        for start in range(0, self.p, _BLOCK):
            here = slice(start, start + _BLOCK)
            centred = self.X[:, here] - middle[here]  # about one common middle: no digits lost to a large mean
            out[here] = (centred * centred).T @ weights - (mean[here] - middle[here, None]) ** 2
        return np.maximum(out, 0.0)

    def _sparse_variance(self, weights: np.ndarray, mean: np.ndarray) -> np.ndarray:
        """About the mean, entry by entry: the zeros of a column count together."""
        column = np.repeat(np.arange(self.p), np.diff(self.X.indptr))
        given = weights[self.X.indices]
        out = np.bincount(column, given * (self.X.data - mean[column]) ** 2, minlength=self.p)
        zeros = 1 - np.bincount(column, given, minlength=self.p)
        return np.asarray(out + np.where(zeros > 1e-12, zeros, 0.0) * mean**2)

    def score(self, residuals: np.ndarray) -> np.ndarray:
        """Xᵀ u for several u at once: one pass over the matrix serves all folds."""
        return np.asarray(self.X.T @ residuals)

    def columns(self, which: np.ndarray, centre: np.ndarray, inverse: np.ndarray) -> np.ndarray:
        """Some columns, standardised and dense (n × len(which), column-major)."""
        raw = self.X[:, which]
        raw = raw.toarray() if self.sparse else raw
        return np.asfortranarray((raw - centre[which]) * inverse[which])

    def dot(self, coef: np.ndarray) -> np.ndarray:
        """X coef, reading only the columns whose coefficients are not zero when they are few."""
        used = np.flatnonzero(coef.any(axis=1) if coef.ndim == 2 else coef)
        if 4 * used.size < self.p:
            return np.asarray(self.X[:, used] @ coef[used])
        return np.asarray(self.X @ coef)


@dataclass(frozen=True, eq=False)
class Centred:
    """The matrix S - u vᵀ with S sparse: rows √w (x - centre) / unit, for S = √w x / unit, u = √w, v = centre / unit.

    >>> from scipy import sparse
    >>> rows = Centred(sparse.csr_array(np.eye(2)), np.ones(2), np.array([0.5, 0.0]))
    >>> (rows @ np.eye(2)).tolist(), (rows.T @ np.eye(2)).tolist()
    ([[0.5, 0.0], [-0.5, 1.0]], [[0.5, -0.5], [0.0, 1.0]])
    """

    entries: Any
    u: np.ndarray
    v: np.ndarray

    @classmethod
    def of(cls, X: TableLike, weights: np.ndarray, centre: np.ndarray, inverse: np.ndarray) -> Centred:
        """The rows √w (x - centre) · inverse of a sparse matrix."""
        root = np.sqrt(weights)
        entries = sparse.diags_array(root) @ sparse.csr_array(X) @ sparse.diags_array(inverse)
        return cls(entries.tocsr(), root, centre * inverse)

    def block(self, start: int, stop: int) -> np.ndarray:
        """Some rows, dense."""
        return np.asarray(self.entries[start:stop].toarray() - np.outer(self.u[start:stop], self.v))

    @property
    def shape(self) -> tuple[int, int]:
        n_rows, n_columns = self.entries.shape
        return int(n_rows), int(n_columns)

    @property
    def T(self) -> Centred:
        return Centred(self.entries.T.tocsr(), self.v, self.u)

    def __matmul__(self, other: np.ndarray) -> np.ndarray:
        shift = self.v @ other
        return np.asarray(self.entries @ other - (np.outer(self.u, shift) if other.ndim == 2 else self.u * shift))

    def square(self) -> np.ndarray:
        """The products of all pairs of rows, dense."""
        inner = self.entries @ self.v
        dense = (self.entries @ self.entries.T).toarray()
        return np.asarray(
            dense - np.outer(inner, self.u) - np.outer(self.u, inner) + (self.v @ self.v) * np.outer(self.u, self.u)
        )
