r"""The share of the variance that answers explain, :math:`R^2 = 1 - \sum w (y - a)^2 / \sum w (y - \bar y)^2`.

Three forms: of one set of any weights and several targets, of many sets of whole weights at once, and pooled over folds
about the means of their training rows.
"""

import numpy as np


def weighted_r_squared(truth: np.ndarray, answer: np.ndarray, weight: np.ndarray) -> float:
    """Averaged over targets (the columns of truth and answer); NaN without two different answers to compare.

    >>> weighted_r_squared(np.array([[1.0], [2.0], [3.0]]), np.array([[1.0], [2.0], [2.0]]), np.ones(3))
    0.5
    """
    if len(truth) < 2:
        return float("nan")
    off = weight @ (truth - answer) ** 2
    spread = weight @ (truth - np.average(truth, axis=0, weights=weight)) ** 2
    if not np.all(spread > 0):
        return float("nan")
    return float(np.mean(1.0 - off / spread))


def bootstrap_r_squared(
    y: np.ndarray, answer: np.ndarray, weights: np.ndarray, reference: np.ndarray | None = None
) -> np.ndarray:
    """For each row of weights (draws × rows); NaN where fewer than 2 rows, or none that differ, are drawn.

    Given a `reference` for each row, the mean target of the rows it was trained on, R² is about that.

    >>> y, answer = np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 2.0])
    >>> bootstrap_r_squared(y, answer, np.array([[1.0, 1, 1], [3, 0, 0]]))
    array([0.5, nan])
    """
    if reference is not None:
        errors, spread = (weights @ np.column_stack([(y - answer) ** 2, (y - reference) ** 2])).T
        return np.where(spread > 0, 1 - errors / np.where(spread > 0, spread, 1.0), np.nan)
    centre = y.mean()  # moments about the mean lose no digits
    summands = np.column_stack([(y - answer) ** 2, y - centre, (y - centre) ** 2, np.ones(len(y))])
    squares, first, second, n = (weights @ summands).T
    with np.errstate(divide="ignore", invalid="ignore"):  # draws without rows
        spread = second - first**2 / n
        return np.where((n >= 2) & (spread > 1e-12 * second), 1 - squares / spread, np.nan)


def fold_r_squared(errors: np.ndarray, spreads: np.ndarray, repeats: np.ndarray) -> np.ndarray:
    r"""What each fold adds to R² pooled over the folds of its repeat: :math:`1 - K \, SSE_k / \sum_k SST_k`.

    Parameters
    ----------
    errors : squared errors of the fold's held-out rows, summed.
    spreads : squares of their targets about the mean of the fold's training rows, summed.
    repeats : which drawing of the folds each fold is of; K is the number of its folds.

    Returns
    -------
    One value a fold, NaN where the targets of its repeat do not vary. The mean over a repeat is its pooled R².

    >>> fold_r_squared(np.array([1.0, 2.0]), np.array([2.0, 6.0]), np.array([0, 0])).tolist()
    [0.75, 0.5]
    """
    fold_values = np.full(len(errors), np.nan)
    for repeat in np.unique(repeats):
        mine = repeats == repeat
        spread = spreads[mine].sum()
        if spread > 0:
            fold_values[mine] = 1 - mine.sum() * errors[mine] / spread
    return fold_values
