"""How often chance does as well: the one rule for scores on shuffled targets."""

import numpy as np

from tamis.metrics import Metric, utility


def as_good(metric: Metric | None, null: np.ndarray, score: float) -> np.ndarray:
    """Which scores on shuffled targets are at least as good; scores that differ in their last bits are equal.

    Parameters
    ----------
    metric : says whether larger or smaller is better; None where larger is.
    null : scores on shuffled targets.
    score : the score on the target as it is.

    >>> as_good(None, np.array([0.4, 0.7, 0.1 + 0.2]), 0.3).tolist()
    [True, True, True]
    """
    slack = 1e-12 * float(np.max(np.abs(null), initial=abs(score)))
    if metric is None:
        return null >= score - slack
    return np.asarray(utility(metric, null) >= utility(metric, score) - slack)


def shuffle_p_value(metric: Metric | None, null: np.ndarray, score: float) -> float:
    r"""(1 + shuffled targets that score at least as well) / (1 + shuffled targets).

    References
    ----------
    B. Phipson and G. Smyth, "Permutation p-values should never be zero", 2010.

    >>> shuffle_p_value(None, np.array([0.5, 0.6, 0.4]), 0.9)
    0.25
    """
    return (1 + int(as_good(metric, null, score).sum())) / (1 + len(null))
