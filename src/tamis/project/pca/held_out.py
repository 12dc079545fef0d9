"""How many components predict new rows best: the likelihood of held-out rows, of all sizes at once."""

from typing import Any

import numpy as np

from tamis.project.pca.decompose import Decomposition, decompose
from tamis.split import Folds


def likelihoods(X: np.ndarray, weights: np.ndarray | None, splits: Folds) -> np.ndarray:
    r"""Mean log-likelihood of held-out rows under k components and equal noise elsewhere, for k = 0, 1, 2, …

    .. math:: -\tfrac12 \Big[ p \ln 2\pi + \sum_{j \le k} \ln\lambda_j + (p - k) \ln\sigma_k^2
              + \sum_{j \le k} \frac{t_j^2}{\lambda_j} + \frac{\|x - \bar x\|^2 - \sum_{j \le k} t_j^2}{\sigma_k^2}\Big]

    with the scores t and the mean variance σₖ² of the p − k directions left. Directions are learned on the training
    rows. Beyond the true size the variances of noise fit the training rows alone, and the likelihood falls.

    References
    ----------
    M. E. Tipping and C. M. Bishop, "Probabilistic principal component analysis", JRSS B 61, 1999.
    """
    fold_values = []
    for train, test in splits:
        train_weights = None if weights is None else weights[train]
        learned, _ = decompose(X[train], train_weights, None)
        of_test = np.ones(len(test)) if weights is None else weights[test]
        fold_values.append(_of_rows(learned, X[test], of_test))
    size = min(len(values) for values in fold_values)
    return np.mean([values[:size] for values in fold_values], axis=0)


def _of_rows(learned: Decomposition, X: Any, weights: np.ndarray) -> np.ndarray:
    p, rank = X.shape[1], learned.rank
    max_components = min(rank, p - 1)  # with all p there is no noise left to judge by
    centred = X - learned.mean
    scores = centred @ learned.components[:max_components].T
    share = weights / max(weights.sum(), 1e-300)
    inside = share @ scores**2
    total_variance = float(share @ np.einsum("ij,ij->i", centred, centred))
    spectrum = learned.spectrum[:max_components]
    k = np.arange(max_components + 1)
    left = np.maximum(learned.total - np.concatenate([[0.0], np.cumsum(spectrum)]), 1e-12 * learned.total) / (p - k)
    logs = np.concatenate([[0.0], np.cumsum(np.log(spectrum))]) + (p - k) * np.log(left)
    fit = np.concatenate([[0.0], np.cumsum(inside / spectrum)])
    residual_variance = np.maximum(total_variance - np.concatenate([[0.0], np.cumsum(inside)]), 0.0) / left
    return -0.5 * (p * np.log(2 * np.pi) + logs + fit + residual_variance)
