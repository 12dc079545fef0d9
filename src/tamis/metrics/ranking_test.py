r"""Whether held-out answers rank rows as their target does: van Elteren's test, stratified by fold.

Within fold h, of :math:`n_h` rows, let :math:`a_i` be the centred indicator of a row's class (or the centred rank of
its number) and :math:`r_i` the centred rank of its predicted probability (or number). Then

.. math:: T = \sum_h \frac{1}{n_h + 1} \sum_{i \in h} a_i r_i

is Wilcoxon's statistic of each fold with the weights that are best for a common shift; of numbers, Spearman's. Several
classes each count against the rest, divided by the standard deviation of the class. If targets were shuffled within
folds, T would have mean 0 and, over classes k and l, the variance

.. math:: V = \sum_h \frac{1}{(n_h + 1)^2 (n_h - 1)} \sum_{kl} (a_k^\top a_l) (r_k^\top r_l).

Folds are not independent: the rows of fold g train the model that is judged in fold h, and the reverse. For a learner
that is linear in the training targets each pair of folds enters T twice, so its variance is 2 V (`SHARED_TRAINING`).
In noise z / √2 exceeded the 5% point in 3.2 to 5.3% and the 0.5% point in 0.03 to 1.0% of 3,000 tables each, over
linear models and the best of 5 to 300 columns in 50 to 200 rows of numbers; most for the best of 300 columns.

References
----------
P. van Elteren, "On the combination of independent two-sample tests of Wilcoxon", Bulletin of the ISI 37, 1960.
"""

import numpy as np

from tamis.metrics.distributions import average_ranks, normal_tail

#: Variance of the statistic in times of that of independent folds.
SHARED_TRAINING = 2.0


def ranking_terms(y: np.ndarray, answer: np.ndarray, n_classes: int = 0) -> tuple[np.ndarray, float]:
    """What each row of a fold adds to the statistic, and the variance of their sum under shuffled targets.

    Parameters
    ----------
    y : codes of classes, or numbers.
    answer : probabilities, rows × classes, or predicted numbers.
    n_classes : 0 for numbers.

    >>> terms, variance = ranking_terms(np.array([0, 0, 1]), np.array([[0.9, 0.1], [0.6, 0.4], [0.2, 0.8]]), 2)
    >>> terms.round(3).tolist(), round(variance, 4)
    ([0.083, 0.0, 0.167], 0.0417)
    """
    n_rows = len(y)
    if n_rows < 2:
        return np.zeros(n_rows), 0.0
    if n_classes:
        codes = np.array([1]) if n_classes == 2 else np.flatnonzero(np.bincount(y, minlength=n_classes))
        targets, answers = (y == codes[:, None]).astype(np.float64), answer[:, codes].T
    else:
        targets, answers = average_ranks(y)[None], answer[None]
    targets = targets - targets.mean(axis=1, keepdims=True)
    if n_classes > 2:
        targets = targets / np.maximum(targets.std(axis=1, keepdims=True), 1e-12)
    size = max(float(np.abs(answers).max()), 1e-300)
    ranks = average_ranks(np.round(answers / size, 12)) - (n_rows + 1) / 2  # answers that differ by rounding are tied
    variance = float(((targets @ targets.T) * (ranks @ ranks.T)).sum()) / (n_rows - 1)
    return (targets * ranks).sum(axis=0) / (n_rows + 1), variance / (n_rows + 1) ** 2


def ranking_p_value(total: float, variance: float) -> float:
    """One-sided, of "answers do not rank held-out rows"; 1 where all answers of a fold are equal in every fold.

    >>> round(ranking_p_value(3.0, 1.0), 4)
    0.0169
    """
    if variance <= 0:
        return 1.0
    return float(normal_tail(total / np.sqrt(SHARED_TRAINING * variance)))
