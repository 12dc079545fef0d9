"""SVD: a table as a product of two thin ones, dense or sparse, and what is lost by it."""

from dataclasses import field
from numbers import Integral
from typing import Any

import numpy as np
from scipy import linalg, sparse

from tamis import check
from tamis.errors import DamagedError, ParameterError
from tamis.project.base import CATEGORIES, Loaded, refuse_overflow, saved_matrix
from tamis.project.pca.decompose import EPS
from tamis.project.pca.krylov import leading
from tamis.project.pca.size import share
from tamis.project.signs import fixed_signs
from tamis.table.interface.takes_table import parameters
from tamis.table.like import TableLike
from tamis.typing import RandomState

_FULL = 600  # of rows or columns, up to which all singular values are found


@parameters
class SVD(Loaded):
    r"""Truncated singular value decomposition: the table of rank k nearest to a table, without centring it.

    .. math:: X \approx \sum_{k} \sigma_k u_k v_k^\top, \qquad
              \mathrm{loss} = 1 - \sum_k \sigma_k^2 \Big/ \sum_{ij} x_{ij}^2

    Sparse matrices stay sparse.

    Parameters
    ----------
    n_components : a count, a share of the sum of squares (0.9), or None for all.
    categories : "refuse", "indicators" (a column 0/1 a level), or "keep" (pass categories on beside the scores).
    random_state : seed of the start, where only some of many components are wanted.

    Attributes
    ----------
    components_ : directions v, one a row; the largest entry of each is positive.
    singular_values_ : σ of those kept.
    loss_ : share of the sum of squares that is lost.
    compression_ : numbers in the two thin tables, relative to those in the table (of a sparse one: those stored).

    References
    ----------
    C. Eckart and G. Young, "The approximation of one matrix by another of lower rank", Psychometrika 1, 1936.

    >>> svd = SVD(1).fit([[3.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
    >>> svd.singular_values_, svd.loss_.round(3)
    (array([3.]), np.float64(0.1))
    """

    takes_sparse = True
    allows_missing = False

    n_components: Any = field(default=None, kw_only=False)
    categories: str = "refuse"
    random_state: RandomState = 0

    def _check(self) -> None:
        check.one_of("categories", self.categories, CATEGORIES)
        if isinstance(self.n_components, Integral) and not isinstance(self.n_components, bool):
            check.count("n_components", self.n_components)
        elif self.n_components is not None:
            check.number("n_components", self.n_components, low=0, high=1, open_low=True)

    def _fit(self, X: Any, y: Any) -> None:
        squares = float((X.power(2) if sparse.issparse(X) else np.square(X)).sum())
        refuse_overflow(X, self.encoding_.columns, np.array([squares]))
        if squares == 0:
            raise ParameterError("all values are 0, so there is no component; give a table that holds something")
        values, components = self._decomposed(X)
        size = self._size(values, squares, min(X.shape))
        signs = fixed_signs(components[:size], self._order_of_names())
        self.components_ = np.ascontiguousarray(components[:size] * signs[:, None])
        self.singular_values_ = values[:size]
        self.loss_ = np.float64(max(1.0 - float((values[:size] ** 2).sum()) / squares, 0.0))
        stored = X.nnz if sparse.issparse(X) else X.size
        self.compression_ = size * (X.shape[0] + X.shape[1]) / max(stored, 1)

    def _decomposed(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        """Singular values beyond rounding, largest first, and their directions."""
        count, smaller_side = self.n_components, min(X.shape)
        if isinstance(count, Integral) and smaller_side > _FULL and int(count) * 5 <= smaller_side:
            values, components = leading(X, int(count), self._seed())
        else:
            dense = X.toarray() if sparse.issparse(X) else X
            if X.shape[0] > 2 * X.shape[1]:
                dense = linalg.qr(dense, mode="r", check_finite=False)[0][: X.shape[1]]
            _, values, components = linalg.svd(dense, full_matrices=False, check_finite=False)
        rank = int((values > EPS * max(X.shape) * values[0]).sum())
        return values[:rank], components[:rank]

    def _size(self, values: np.ndarray, squares: float, max_components: int) -> int:
        if self.n_components is None:
            return len(values)
        if isinstance(self.n_components, Integral):
            if int(self.n_components) > len(values):
                raise ParameterError(
                    f"n_components={self.n_components}, but the table has rank {len(values)}; "
                    f"give n_components between 1 and {len(values)}"
                )
            return int(self.n_components)
        return share(values**2, float(self.n_components), squares)

    def _project(self, X: Any) -> np.ndarray:
        return np.asarray(X @ self.components_.T)

    def _unproject(self, scores: np.ndarray) -> np.ndarray:
        return scores @ self.components_

    def loss(self, X: TableLike) -> float:
        """Share of the sum of squares of these rows that the components lose."""
        matrix = self._encoded(self._checked_input(X))
        squares = float((matrix.power(2) if sparse.issparse(matrix) else np.square(matrix)).sum())
        return max(1.0 - float((self._project(matrix) ** 2).sum()) / squares, 0.0) if squares else 0.0

    def _learned(self) -> dict[str, Any]:
        return {
            "components": self.components_.tolist(),
            "singular_values": self.singular_values_.tolist(),
            "loss": float(self.loss_),
            "compression": float(self.compression_),
        }

    def _relearn(self, state: dict[str, Any], n_columns: int) -> None:
        self.components_ = saved_matrix(state, "components", (None, n_columns))
        if not len(self.components_):
            raise DamagedError("it has no component")
        self.singular_values_ = saved_matrix(state, "singular_values", (len(self.components_),))
        self.loss_ = np.float64(saved_matrix(state, "loss", ()))
        self.compression_ = float(saved_matrix(state, "compression", ()))
