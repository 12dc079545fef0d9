"""Sparse rows about their centre: products with them, never the dense rows themselves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse


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
    def of(cls, X: Any, weights: np.ndarray, centre: np.ndarray, inverse: np.ndarray) -> Centred:
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
