"""Neighbouring rows of a file with similar targets: a sign of time or groups that nobody declared."""

import numpy as np

from tamis.metrics.distributions import average_ranks, normal_tail

#: Level of the test, and the least autocorrelation that is worth a warning.
LEVEL, MIN_AUTOCORRELATION = 0.001, 0.1


def file_order(y: np.ndarray, n_classes: int = 0) -> float | None:
    r"""The autocorrelation of neighbouring targets, where it exceeds chance; None where not, or rows are sorted by it.

    With the centred indicators of the classes (or ranks of the numbers) as rows :math:`a_t` and their covariance S,

    .. math:: r = \frac{\sum_t a_t^\top a_{t+1}}{\sum_t a_t^\top a_t}, \qquad
        z = \frac{\operatorname{tr} S + \sum_t a_t^\top a_{t+1}}{\sqrt{n \operatorname{tr} S^2}}.

    A file sorted by its target (as many runs as classes, or numbers that only rise or fall) says nothing about time.

    Parameters
    ----------
    y : codes of classes, or numbers, in the order of the file.
    n_classes : 0 for numbers.

    >>> round(file_order(np.repeat([1.0, 3.0, 2.0, 5.0, 4.0, 0.0], 10)), 2)
    0.89
    """
    n = len(y)
    steps = np.diff(y)
    sorted_by_target = np.count_nonzero(steps) < n_classes if n_classes else (steps >= 0).all() or (steps <= 0).all()
    if n < 3 or sorted_by_target:
        return None
    target_columns = (y[:, None] == np.arange(n_classes)).astype(np.float64) if n_classes else average_ranks(y)[:, None]
    centred = target_columns - target_columns.mean(axis=0)
    covariance = centred.T @ centred / n
    spread = float(np.trace(covariance))
    if spread <= 0:
        return None
    products = float((centred[1:] * centred[:-1]).sum()) / spread
    z = (products + 1) / (np.sqrt(n * np.trace(covariance @ covariance)) / spread)
    autocorrelation = products / n
    exceeds = normal_tail(z) <= LEVEL and autocorrelation >= MIN_AUTOCORRELATION
    return autocorrelation if exceeds else None
