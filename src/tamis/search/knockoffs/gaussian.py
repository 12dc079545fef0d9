"""Knockoffs of normal variables: copies that nothing but the target tells from the originals."""

import numpy as np
from sklearn.covariance import ledoit_wolf

#: Sweeps over the columns until their s changes by less than this.
LEAST_EIGENVALUE = 1e-6
MAX_SWEEPS, TOLERANCE = 30, 1e-4


def correlation(Z: np.ndarray) -> np.ndarray:
    """Correlations of the columns, shrunk towards 0 after Ledoit and Wolf, with ones on the diagonal.

    No eigenvalue is below 1e-6: two rows, or columns that are copies of each other, would leave no inverse.
    """
    covariance = ledoit_wolf(Z)[0]
    scale = np.sqrt(np.maximum(np.diag(covariance), 1e-12))
    matrix = covariance / np.outer(scale, scale)
    np.fill_diagonal(matrix, 1.0)
    lack = LEAST_EIGENVALUE - float(np.linalg.eigvalsh(matrix)[0])
    if lack > 0:
        matrix = (matrix + 2 * lack * np.eye(len(matrix))) / (1 + 2 * lack)
    return np.asarray(matrix)


def maximum_entropy(sigma: np.ndarray) -> np.ndarray:
    r"""The s that makes copies least alike to their originals: it maximises the entropy of both,

    .. math:: \sum_j \log s_j + \log\det(2\Sigma - \operatorname{diag}(s)),

    coordinate by coordinate: with a the j-th diagonal element of :math:`(2\Sigma - \operatorname{diag}(s))^{-1}` the
    best change of s_j is :math:`(1 - a s_j) / 2a`.

    References
    ----------
    A. Spector and L. Janson, "Powerful knockoffs via minimizing reconstructability", Annals of Statistics 50, 2022.

    >>> maximum_entropy(np.eye(3)).round(3)
    array([1., 1., 1.])
    """
    smallest = float(np.linalg.eigvalsh(sigma)[0])
    s = np.full(len(sigma), min(1.0, max(smallest, 1e-6)))
    for _ in range(MAX_SWEEPS):
        inverse = np.linalg.inv(2 * sigma - np.diag(s))  # anew in every sweep: updates lose digits
        largest = 0.0
        for j in range(len(s)):
            a = float(inverse[j, j])
            change = (1 - a * s[j]) / (2 * a)
            s[j] += change
            row = inverse[j].copy()
            inverse += np.outer(row, row) * (change / (1 - change * a))
            largest = max(largest, abs(change))
        if largest < TOLERANCE:
            break
    return np.asarray(s * (1 - 1e-6))


def gaussian_knockoffs(Z: np.ndarray, sigma: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    r"""A copy of each column of Z, rows of which are normal with correlations Σ.

    .. math:: \tilde Z \mid Z \sim N\bigl(Z - Z \Sigma^{-1} D,\; 2D - D \Sigma^{-1} D\bigr), \quad
        D = \operatorname{diag}(s),

    so that columns and copies have the covariance :math:`\Sigma` each, and :math:`\Sigma - D` with each other.
    """
    s = maximum_entropy(sigma)
    ratio = np.linalg.solve(sigma, np.diag(s))
    conditional = 2 * np.diag(s) - s[:, None] * ratio
    values, vectors = np.linalg.eigh((conditional + conditional.T) / 2)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    return np.asarray(Z - Z @ ratio + rng.standard_normal(Z.shape) @ root.T)
