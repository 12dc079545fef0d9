"""How odd a row is: its distance from the leading components (Q), and its place among them (T²)."""

import numpy as np
import scipy


def residual_squares(left: np.ndarray) -> np.ndarray:
    r"""Q of each row: the squared length of what the components leave of it, :math:`\|x - \hat x\|^2`.

    Cells that are missing (NaN) do not count.
    """
    return np.nansum(left**2, axis=1)


def hotelling(scores: np.ndarray, spectrum: np.ndarray) -> np.ndarray:
    r"""T² of each row: squared scores in units of their variances, :math:`\sum_k t_k^2 / \lambda_k`."""
    return np.asarray((scores**2 / spectrum).sum(axis=1))


def residual_threshold(spectrum: np.ndarray, total: float, n_kept: int, n_all: int, level: float) -> float:
    r"""The value that Q of a share `level` of normal rows stays below.

    Q is a sum of squares with the variances λ of the components left out, taken as a multiple of a χ² variable with the
    same mean and variance:

    .. math:: g\, \chi^2_h, \qquad g = \theta_2 / \theta_1, \quad h = \theta_1^2 / \theta_2,
              \qquad \theta_i = \sum_{j > k} \lambda_j^i

    Where the small ones of `n_all` variances are not known one by one, they count as equal.

    References
    ----------
    G. E. P. Box, "Some theorems on quadratic forms applied in the study of analysis of variance problems", 1954.

    >>> round(residual_threshold(np.array([9.0, 1.0]), 10.0, 1, 2, 0.95), 3)  # χ² of one degree of freedom
    3.841
    """
    residual_spectrum = spectrum[n_kept:]
    first = max(total - float(spectrum[:n_kept].sum()), 0.0)
    unknown = max(first - float(residual_spectrum.sum()), 0.0)
    second = float((residual_spectrum**2).sum()) + unknown**2 / max(n_all - len(spectrum), 1)
    if first <= 0 or second <= 0:
        return 0.0
    return float(second / first * scipy.stats.chi2.ppf(level, first**2 / second))


def hotelling_threshold(n_kept: int, n_rows: float, level: float) -> float:
    r"""The value that T² of a share `level` of new normal rows stays below: :math:`\frac{k(n^2-1)}{n(n-k)} F_{k,n-k}`.

    >>> round(hotelling_threshold(1, 1e9, 0.95), 3)
    3.841
    """
    if n_rows <= n_kept:
        return float("inf")
    factor = n_kept * (n_rows**2 - 1) / (n_rows * (n_rows - n_kept))
    return float(factor * scipy.stats.f.ppf(level, n_kept, n_rows - n_kept))


def carriers_of(shares: np.ndarray, names: list[str], share: float, order: np.ndarray) -> list[str]:
    """The fewest columns that hold a share of a sum of squares, largest first; ties go by `order`.

    >>> carriers_of(np.array([0.1, 0.7, 0.2]), ["a", "b", "c"], 0.8, np.arange(3))
    ['b', 'c']
    """
    total = float(shares.sum())
    if not total > 0:
        return []
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    ranking = np.lexsort((rank, -np.round(shares / total, 12)))
    cumulative = np.cumsum(shares[ranking]) / total
    n_carriers = int(np.searchsorted(cumulative, share * (1 - 1e-12))) + 1
    return [names[j] for j in ranking[:n_carriers]]
