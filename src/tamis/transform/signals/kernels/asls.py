"""Asymmetric least squares: the smooth baseline of each row of a matrix.

The baseline z of a signal y minimises

    sum_i w_i (y_i - z_i)² + lam sum_i (z_i - 2 z_{i+1} + z_{i+2})²,

with w_i = p where y_i > z_i, else 1 - p. For fixed weights z solves (W + lam D'D) z = W y, a positive definite system
of five diagonals, by Cholesky; weights are renewed until they change by less than tol.
"""

import numpy as np

from tamis import _core
from tamis.transform.signals.kernels.offset import FAR_FROM_ZERO


def asls(
    signals: np.ndarray, corrected: np.ndarray, bands: np.ndarray, p: float, tol: float, max_iter: int
) -> tuple[int, int]:
    """Fill `corrected` with the signals, rows × positions, less their baselines.

    Weights begin as ones and are renewed max_iter times at most. Returns how many rows had not settled, and how many
    systems the slowest took.
    """
    return _core.subtract_baselines(signals, corrected, bands, p, tol, max_iter, FAR_FROM_ZERO)


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
