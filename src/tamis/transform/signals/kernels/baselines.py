"""Baselines of the rows of a matrix: asymmetric least squares, and polynomials.

An offset is left out before sums are formed, which round by the largest value. The baseline of asymmetric least
squares z of a signal y minimises

    sum_i w_i (y_i - z_i)² + lam sum_i (z_i - 2 z_{i+1} + z_{i+2})²,

with w_i = p where y_i > z_i, else 1 - p. For fixed weights z solves (W + lam D'D) z = W y, a positive definite system
of five diagonals, by Cholesky; weights are renewed until they change by less than tol.
"""

import numpy as np

from tamis import _core

#: How many times its range the largest value of a signal is where an offset is left out: what is nearer to 0 keeps the
#: bits it has in pybaselines.
FAR_FROM_ZERO = 1000.0


def offsets(signals: np.ndarray) -> np.ndarray:
    """A constant to leave out of each row: 0, or the first value where all lie far from 0 and close together.

    >>> offsets(np.array([[1.0, 5.0], [1e8, 1e8 + 4.0]]))
    array([0.e+00, 1.e+08])
    """
    low, high = signals.min(axis=1), signals.max(axis=1)
    far = np.maximum(np.abs(low), np.abs(high)) > FAR_FROM_ZERO * (high - low)
    return np.where(far, signals[:, 0], 0.0)


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


def polynomial_basis(n: int, degree: int) -> np.ndarray:
    """Orthonormal polynomials of degree 0, 1, … on n equally spaced positions: (degree + 1, n)."""
    t = np.linspace(-1.0, 1.0, n)
    return np.ascontiguousarray(np.linalg.qr(np.polynomial.legendre.legvander(t, degree))[0].T)


def projected(signals: np.ndarray, basis: np.ndarray) -> np.ndarray:
    """The least-squares polynomial of each row, as sums of its own row alone."""
    out = np.zeros_like(signals)
    for direction in basis:
        out += (signals * direction).sum(axis=1, keepdims=True) * direction
    return out


def under(signals: np.ndarray, basis: np.ndarray, tol: float, max_iter: int) -> tuple[np.ndarray, int, int]:
    """The polynomial under the peaks: values above it are cut down to it, and it is fitted again, until it settles.

    z ← fit(min(y, z)) until ||new z - z|| < tol ||z||. Returns the baselines, how many had not settled, and
    how many fits the slowest took.
    """
    cut = signals
    fit = projected(cut, basis)
    left = np.arange(len(signals))
    baseline = fit.copy()
    fits = 1
    for _ in range(max_iter):
        fits += 1
        cut = np.minimum(cut, fit)
        new = projected(cut, basis)
        moving = _norm(new - fit) >= tol * np.maximum(_norm(fit), np.finfo(float).tiny)
        baseline[left] = new
        left, cut, fit = left[moving], cut[moving], new[moving]
        if not len(left):
            break
    return baseline, len(left), fits


def _norm(rows: np.ndarray) -> np.ndarray:
    return np.asarray(np.sqrt(np.square(rows).sum(axis=1)))
