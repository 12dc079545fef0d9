"""Moving averages, and the system of equations that undoes sharpening by them."""

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
