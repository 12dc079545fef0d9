"""A polynomial under each row: by least squares, or by least squares on what is left after peaks are cut off."""

import numpy as np


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
