"""Minimise a quadratic with a penalty: coordinate descent finds the columns in use, a direct solve makes them exact."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve, lapack

from tamis.linear.descend import descend, descend_groups

_SWEEPS = 20_000
_LEAVES = 10  # columns that may leave while polishing


def minimise(
    H: np.ndarray,
    q: np.ndarray,
    beta: np.ndarray,
    l1: np.ndarray,
    l2: np.ndarray,
    tol: float,
    starts: np.ndarray | None = None,
    polish: bool = True,
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
        descend_groups(H, q, beta, starts, top, l1, l2[starts[:-1]], tol, _SWEEPS)
        return beta, q
    descend(H, q, beta, l1, l2, tol, _SWEEPS)
    return _polish(H, q, beta, l1, l2) if polish else (beta, q)


def _polish(
    H: np.ndarray, q: np.ndarray, beta: np.ndarray, l1: np.ndarray, l2: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Walk to the exact optimum for the columns in use and their signs; one that would change its sign leaves at 0."""
    for _ in range(_LEAVES):
        used = np.flatnonzero((beta != 0) | ((l1 == 0) & (np.diagonal(H) > 0)))
        if not used.size or used.size > 2000:
            return beta, q
        signs = np.sign(beta[used])
        move = _move(H[np.ix_(used, used)], q[used] - l1[used] * signs - l2[used] * beta[used], l2[used])
        if move is None:
            return beta, q
        crosses = (np.sign(beta[used] + move) != signs) & (l1[used] > 0)
        share = 1.0
        if crosses.any():
            lengths = np.where(crosses, -beta[used] / np.where(move == 0, 1.0, move), np.inf)
            out = int(np.argmin(lengths))
            share = float(lengths[out])
        beta, q = beta.copy(), q - (share * move) @ H[used]
        beta[used] += share * move
        if not crosses.any():
            return beta, q
        q += H[used[out]] * beta[used[out]]  # exactly 0, whatever rounding left
        beta[used[out]] = 0.0
    return beta, q


def _move(block: np.ndarray, left: np.ndarray, l2: np.ndarray) -> np.ndarray | None:
    """(block + diag l2)⁻¹ left, one step refined; None when it cannot be factored."""
    block.flat[:: len(left) + 1] += l2
    exact = block.copy()
    block.flat[:: len(left) + 1] += 1e-11 * np.max(np.diagonal(block))  # for columns that repeat one another
    factor, info = lapack.dpotrf(block, lower=1, overwrite_a=1)
    if info != 0:
        return None
    move, _ = lapack.dpotrs(factor, left, lower=1)
    more, _ = lapack.dpotrs(factor, left - exact @ move, lower=1)
    return np.asarray(move + more)


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
