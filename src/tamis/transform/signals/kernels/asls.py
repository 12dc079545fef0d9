# mypy: allow-untyped-defs
"""Asymmetric least squares: the smooth baseline of each row of a matrix, 32 rows at a time.

The baseline z of a signal y minimises

    sum_i w_i (y_i - z_i)² + lam sum_i (z_i - 2 z_{i+1} + z_{i+2})²,

with w_i = p where y_i > z_i, else 1 - p. For fixed weights z solves (W + lam D'D) z = W y, a positive definite system
of five diagonals, by Cholesky; weights are renewed until they change by less than tol.
"""

from __future__ import annotations

import numpy as np

from tamis.engine.kernel import inner, njit
from tamis.transform.signals.kernels.offset import FAR_FROM_ZERO

#: Rows solved side by side. The recurrence of one row waits for a root and two divisions at every position; loops over
#: 32 lanes are compiled to vector instructions (3.0 times the speed of 8 lanes, which are not).
LANES = 32
#: Fields of the workspace at a position: the column of the Cholesky factor (diagonal, next, next but one), the result.
NEAR, FAR, SOLUTION, WIDTH = LANES, 2 * LANES, 3 * LANES, 4 * LANES


def penalty_bands(n: int, lam: float) -> np.ndarray:
    """The diagonals of lam D'D, D the second differences of n positions: (3, n), entry i coupled with i, i+1, i+2.

    >>> penalty_bands(4, 1.0)
    array([[ 1.,  5.,  5.,  1.],
           [-2., -4., -2.,  0.],
           [ 1.,  1.,  0.,  0.]])
    """
    bands = np.zeros((3, n))
    for k, step in enumerate((1.0, -2.0, 1.0)):
        bands[0, k : n - 2 + k] += step * step
    bands[1, : n - 2] -= 2.0
    bands[1, 1 : n - 1] -= 2.0
    bands[2, : n - 2] = 1.0
    return lam * bands


@inner
def _eliminate(y, weight, diagonal, near, far, two, one, here):
    """A column of the Cholesky factor and of the forward solution, from those one and two positions before."""
    for k in range(LANES):
        root = np.sqrt((diagonal + weight[k]) - two[FAR + k] * two[FAR + k] - one[NEAR + k] * one[NEAR + k])
        inverse = 1.0 / root
        rest = weight[k] * y[k] - two[SOLUTION + k] * two[FAR + k] - one[SOLUTION + k] * one[NEAR + k]
        here[k] = root
        here[NEAR + k] = (near - one[NEAR + k] * one[FAR + k]) * inverse
        here[FAR + k] = far * inverse
        here[SOLUTION + k] = rest / root


@inner
def _substitute(here, one, two):
    """The solution at a position, from those one and two positions after."""
    for k in range(LANES):
        known = here[NEAR + k] * one[SOLUTION + k] + here[FAR + k] * two[SOLUTION + k]
        here[SOLUTION + k] = (here[SOLUTION + k] - known) / here[k]


@inner
def _solve(y, weight, bands, work):
    """Solve (W + P) z = W y in every lane; position i is row i + 2 of the workspace, the rows around it are zeros.

    Every operation comes in LAPACK's order (dpbtf2, dtbsv). With a condition number of 1e9 the eighth digit depends on
    it, and baselines are to be those of pybaselines, which solves by LAPACK.
    """
    n = len(y)
    for i in range(n):
        _eliminate(y[i], weight[i], bands[0, i], bands[1, i], bands[2, i], work[i], work[i + 1], work[i + 2])
    for back in range(n):
        i = n + 1 - back
        _substitute(work[i], work[i + 1], work[i + 2])


@inner
def _compare(y, weight, here, p, change, size):
    """Add a position to ||new weights - weights||² and ||weights||²."""
    for k in range(LANES):
        new = p if y[k] > here[SOLUTION + k] else 1.0 - p
        change[k] += (new - weight[k]) * (new - weight[k])
        size[k] += weight[k] * weight[k]


@inner
def _renew(y, weight, here, p, settled):
    """New weights of a position; a lane that has settled keeps its own and so, solved again, its baseline."""
    for k in range(LANES):
        new = p if y[k] > here[SOLUTION + k] else 1.0 - p
        weight[k] = weight[k] if settled[k] else new


@inner
def _settle(change, size, tol, settled):
    """Mark the lanes whose weights changed by less than tol; the number of those left."""
    left = 0
    for k in range(LANES):
        if not settled[k]:
            settled[k] = np.sqrt(change[k]) < tol * np.sqrt(size[k])
            left += not settled[k]
    return left


@inner
def _offset(signal):
    """A constant to leave out of a signal: 0, or the first value where all lie far from 0 and close together.

    A constant is a baseline of its own, so nothing else changes; but systems round by 1e-9 of the largest value, and an
    offset of 1e8 would cost all digits.
    """
    low, high = signal[0], signal[0]
    for value in signal:
        low, high = min(low, value), max(high, value)
    return signal[0] if max(abs(low), abs(high)) > FAR_FROM_ZERO * (high - low) else 0.0


@njit
def asls(signals, corrected, bands, p, tol, max_iter):
    """Fill `corrected` with the signals, rows × positions, less their baselines.

    Weights begin as ones and are renewed max_iter times at most. Returns how many rows had not settled, and how many
    systems the slowest took.
    """
    n_rows, n = signals.shape
    y, weight, work = np.empty((n, LANES)), np.empty((n, LANES)), np.zeros((n + 4, WIDTH))
    change, size, settled = np.empty(LANES), np.empty(LANES), np.empty(LANES, dtype=np.bool_)
    unsettled, most = 0, 0
    for first in range(0, n_rows, LANES):
        there = min(LANES, n_rows - first)
        for k in range(LANES):
            row = signals[first + min(k, there - 1)]  # lanes without a row of their own repeat the last one
            offset = _offset(row)
            for i in range(n):
                y[i, k] = row[i] - offset
        weight[:] = 1.0
        settled[:] = False
        for turn in range(max_iter + 1):
            most = max(most, turn + 1)
            _solve(y, weight, bands, work)
            change[:] = 0.0
            size[:] = 0.0
            for i in range(n):
                _compare(y[i], weight[i], work[i + 2], p, change, size)
            if _settle(change, size, tol, settled) == 0:
                break
            for i in range(n):
                _renew(y[i], weight[i], work[i + 2], p, settled)
        for k in range(there):
            unsettled += not settled[k]
            for i in range(n):
                corrected[first + k, i] = y[i, k] - work[i + 2, SOLUTION + k]
    return unsettled, most
