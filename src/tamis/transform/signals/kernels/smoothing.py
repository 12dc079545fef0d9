"""Moving averages, with the system of equations that undoes sharpening by them; and local polynomials (Savitzky–Golay):
the value or a derivative of a least-squares polynomial in a window around each position.
"""

import numpy as np


def window_counts(n: int, half: int) -> np.ndarray:
    """How many positions lie within `half` of each of n positions.

    >>> window_counts(5, 1)
    array([2, 3, 3, 3, 2])
    """
    at = np.arange(n)
    return np.asarray(np.minimum(at, half) + np.minimum(n - 1 - at, half) + 1)


def averaged(signals: np.ndarray, window: int) -> np.ndarray:
    """The mean of the positions within window // 2 of each position; fewer of them near the ends.

    >>> averaged(np.array([[0.0, 3.0, 6.0, 0.0]]), 3)
    array([[1.5, 3. , 3. , 3. ]])
    """
    n, half = signals.shape[1], window // 2
    out = signals.copy()
    for step in range(1, min(half, n - 1) + 1):
        out[:, step:] += signals[:, : n - step]
        out[:, : n - step] += signals[:, step:]
    out /= window_counts(n, half)
    return out


def sharpening_bands(n: int, window: int, amount: float) -> np.ndarray:
    """The matrix (1 + a) I - a M, M the moving average, as diagonals for `scipy.linalg.solve_banded`.

    Every row is dominated by its diagonal, so the matrix has an inverse for every a >= 0.
    """
    half = window // 2
    counts = window_counts(n, half)
    bands = np.zeros((2 * half + 1, n))
    for step in range(-half, half + 1):  # row i, column i + step
        columns = np.arange(max(0, step), n + min(0, step))
        bands[half - step, columns] = -amount / counts[columns - step]
    bands[half] += 1.0 + amount
    return bands


def polynomial_weights(window: int, degree: int, order: int = 0) -> np.ndarray:
    """Weights of the values of a window in the order-th derivative of their least-squares polynomial, at each position.

    Row j holds the weights for position j of the window; positions are 1 apart.

    >>> polynomial_weights(5, 2)[2] * 35  # Savitzky and Golay's table: -3 12 17 12 -3
    array([-3., 12., 17., 12., -3.])
    """
    half = max((window - 1) / 2, 1.0)
    t = (np.arange(window) - (window - 1) / 2) / half  # within [-1, 1], where powers keep their digits
    inverse = np.linalg.pinv(np.vander(t, degree + 1, increasing=True))
    powers = np.arange(degree + 1)
    factor = np.array([np.prod(np.arange(m - order + 1, m + 1)) if m >= order else 0.0 for m in powers])
    at = factor * t[:, None] ** np.maximum(powers - order, 0)
    return np.asarray(at @ inverse / half**order)


def filtered(signals: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The local polynomial of each position: of the window around it or, near an end, of the window at that end.

    signals : rows × positions. weights : of `polynomial_weights`; a window of all positions may have an even length.
    """
    n, window = signals.shape[1], len(weights)
    half = (window - 1) // 2
    out = np.empty_like(signals)
    middle = out[:, half : n - window + 1 + half]
    np.multiply(signals[:, : n - window + 1], weights[half, 0], out=middle)
    for k in range(1, window):
        middle += weights[half, k] * signals[:, k : n - window + 1 + k]
    for j in range(half):
        out[:, j] = _weighted(signals[:, :window], weights[j])
    for j in range(half + 1, window):
        out[:, n - window + j] = _weighted(signals[:, n - window :], weights[j])
    return out


def _weighted(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Σ_k w_k x_k of each row, added in this order for any number of rows, which a matrix product is not."""
    total = weights[0] * values[:, 0]
    for k in range(1, len(weights)):
        total += weights[k] * values[:, k]
    return np.asarray(total)
