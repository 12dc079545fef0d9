"""Minimise a quadratic with a penalty: coordinate descent finds the columns in use, a direct solve makes them exact."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from tamis import _core

_SWEEPS = 20_000


def minimise(
    H: np.ndarray,
    q: np.ndarray,
    beta: np.ndarray,
    l1: np.ndarray,
    l2: np.ndarray,
    tol: float,
    starts: np.ndarray | None = None,
    exact: bool = True,
) -> tuple[np.ndarray, np.ndarray]:
    """New coefficients and the gradient -H(β - β₀) + q at them; `tol` is the gain below which a sweep is the last."""
    beta, q = beta.copy(), q.copy()
    if not beta.size:
        return beta, q
    if not l1.any():
        new = _solve(H, q - l2 * beta, l2)
        return beta + new, q - H @ new
    if starts is not None:
        top = np.array([np.linalg.norm(H[a:b, a:b], 2) for a, b in pairwise(starts)])
        _core.group_coordinate_descent(H, q, beta, starts, top, l1, l2[starts[:-1]], tol, _SWEEPS)
        return beta, q
    _core.coordinate_descent(H, q, beta, l1, l2, tol, _SWEEPS)
    if exact:
        _core.solve_active(H, q, beta, l1, l2)
    return beta, q


def _solve(H: np.ndarray, right: np.ndarray, l2: np.ndarray) -> np.ndarray:
    """(H + diag l2)⁻¹ right; of least norm when that is singular."""
    block = H.copy()
    block.flat[:: len(right) + 1] += l2
    try:
        factor = cho_factor(block, lower=True)
        if np.min(np.diagonal(factor[0])) ** 2 > 1e-13 * np.max(np.diagonal(factor[0])) ** 2:
            return np.asarray(cho_solve(factor, right))
    except LinAlgError:
        pass
    return np.asarray(np.linalg.lstsq(block, right, rcond=1e-13)[0])
