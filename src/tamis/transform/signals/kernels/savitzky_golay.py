"""Local polynomials: the value or a derivative of a least-squares polynomial in a window around each position."""

import numpy as np


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
