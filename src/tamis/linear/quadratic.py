"""Minimise a quadratic with a penalty: coordinate descent finds the columns in use, a direct solve makes them exact."""

from __future__ import annotations

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve, lapack

from tamis.linear.descend import descend, descend_groups

_SWEEPS = 20_000


def minimise(
    H: np.ndarray,
    q: np.ndarray,
    beta: np.ndarray,
    l1: np.ndarray,
    l2: np.ndarray,
    tol: float,
    starts: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """New coefficients and the gradient -H(β - β₀) + q at them; `tol` is the gain below which a sweep is the last."""
    beta, q = beta.copy(), q.copy()
    if not l1.any():
        new = _solve(H, q - l2 * beta, l2)
        return beta + new, q - H @ new
    if starts is not None:
        top = np.array([np.linalg.norm(H[a:b, a:b], 2) for a, b in zip(starts[:-1], starts[1:])])
        descend_groups(H, q, beta, starts, top, l1, l2[starts[:-1]], tol, _SWEEPS)
        return beta, q
    descend(H, q, beta, l1, l2, tol, _SWEEPS)
    return _polish(H, q, beta, l1, l2)


def _polish(
    H: np.ndarray, q: np.ndarray, beta: np.ndarray, l1: np.ndarray, l2: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The exact optimum for the columns in use and their signs, taken when it keeps those signs."""
    used = np.flatnonzero((beta != 0) | ((l1 == 0) & (np.diagonal(H) > 0)))
    if not used.size or used.size > 2000:
        return beta, q
    signs = np.sign(beta[used])
    block = H[np.ix_(used, used)]
    block.flat[:: used.size + 1] += l2[used]
    exact = block.copy()
    block.flat[:: used.size + 1] += 1e-11 * np.max(np.diagonal(block))  # for columns that repeat one another
    factor, info = lapack.dpotrf(block, lower=1, overwrite_a=1)
    if info != 0:
        return beta, q
    left = q[used] - l1[used] * signs - l2[used] * beta[used]
    move = np.zeros(used.size)
    for _ in range(2):
        step, _info = lapack.dpotrs(factor, left, lower=1)
        move += step
        left = left - exact @ step
    new = beta[used] + move
    if np.any((np.sign(new) != signs) & (l1[used] > 0)):
        return beta, q
    out = beta.copy()
    out[used] = new
    return out, q - move @ H[used]


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
