"""Linear equations that have no solution, or too many: the shortest of the best ones."""

from typing import Any

import numpy as np
from scipy import linalg, sparse

from tamis import check
from tamis.errors import ParameterError, TableError


class Solution(np.ndarray):
    """A solution x as an array, with what was done to find it.

    Attributes
    ----------
    dropped : number of singular values that were dropped.
    rank : number that were kept.
    singular_values : all of them, largest first.
    residual : length of A x − b (of each column of b).
    """

    dropped: int
    rank: int
    singular_values: np.ndarray
    residual: Any

    def __array_finalize__(self, obj: Any) -> None:
        for name in ("dropped", "rank", "singular_values", "residual"):
            setattr(self, name, getattr(obj, name, None))

    def __repr__(self) -> str:
        if self.rank is None or self.ndim == 0:
            return repr(np.asarray(self))
        total = self.rank + self.dropped
        return f"Solution({np.asarray(self).tolist()}, {self.dropped} of {total} singular values dropped)"


def solve(A: Any, b: Any, *, floor: float | None = None) -> Solution:
    r"""The x of least length among those that make A x nearest to b, small singular values dropped.

    .. math:: x = \sum_{\sigma_k > f \sigma_1} \frac{u_k^\top b}{\sigma_k} v_k

    Parameters
    ----------
    A : equations × unknowns, dense or sparse.
    b : one value, or one row of values, an equation.
    floor : f, below which a singular value, relative to the largest, is dropped; by default what rounding leaves, the
        larger side of A times 2.2e-16.

    Returns
    -------
    x as an array that also has `dropped`, `rank`, `singular_values` and `residual`.

    References
    ----------
    G. H. Golub and C. F. Van Loan, "Matrix computations", 4th ed., 2013, section 5.5.

    >>> x = solve([[1.0, 1.0], [2.0, 2.0]], [2.0, 4.0])
    >>> x.round(12).tolist(), x.dropped
    ([1.0, 1.0], 1)
    """
    matrix = np.asarray(A.toarray() if sparse.issparse(A) else A)
    right = np.asarray(b.toarray() if sparse.issparse(b) else b)
    if matrix.ndim != 2 or 0 in matrix.shape:
        raise TableError(f"A has the shape {matrix.shape}; give equations × unknowns (2D), at least one of each")
    if right.ndim not in (1, 2) or len(right) != len(matrix):
        raise TableError(f"b has the shape {right.shape}, but A has {len(matrix):,} rows; give one value per row of A")
    matrix, right = _finite("A", matrix), _finite("b", right)
    size = max(matrix.shape) * float(np.finfo(np.float64).eps)
    limit = size if floor is None else check.number("floor", floor, low=0, high=1, open_high=True)
    u, values, v = linalg.svd(matrix, full_matrices=False, check_finite=False)
    if not np.isfinite(values).all():
        raise TableError(
            f"A holds {np.abs(matrix).max():.3g}, which is too large to be squared; divide it by a constant"
        )
    rank = int((values > limit * values[0]).sum()) if values[0] > 0 else 0
    scaled = (u[:, :rank].T @ right).T / values[:rank]
    solution = (scaled @ v[:rank]).T.view(Solution)
    solution.dropped, solution.rank, solution.singular_values = len(values) - rank, rank, values
    left = np.linalg.norm(matrix @ np.asarray(solution) - right, axis=0)
    solution.residual = float(left) if right.ndim == 1 else left
    return solution


def _finite(name: str, values: np.ndarray) -> np.ndarray:
    if values.dtype.kind not in "fiub":
        raise ParameterError(f"{name} holds values of the kind {values.dtype}; give real numbers")
    out = values.astype(np.float64)
    bad = np.argwhere(~np.isfinite(out))
    if len(bad):
        position = ", ".join(str(int(i)) for i in bad[0])
        raise ParameterError(f"{name}[{position}] is {out[tuple(bad[0])]}; give finite numbers")
    return out
