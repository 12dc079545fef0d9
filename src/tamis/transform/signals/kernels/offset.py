"""An offset that a baseline takes up: left out before sums are formed, which round by the largest value."""

import numpy as np

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
