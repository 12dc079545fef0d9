"""Information shared by a column and the target, over what they hold together: 0 for none, 1 for all."""

import numpy as np
from numpy.typing import ArrayLike

from tamis.score.counts import Counts
from tamis.score.criteria.mutual_information import column_entropy, information, target_entropy
from tamis.score.criterion import score_columns
from tamis.score.groups import Tables
from tamis.table.like import TableLike


def uncertainty(tables: Tables) -> np.ndarray:
    """Symmetric uncertainty of each column and the classes."""
    entropies = column_entropy(tables) + target_entropy(tables)
    return np.minimum(
        np.divide(2 * information(tables), entropies, out=np.zeros_like(entropies), where=entropies > 1e-12), 1.0
    )


class SymmetricUncertainty(Counts):
    """Mutual information over the mean of the two entropies."""

    name = "symmetric_uncertainty"

    def formula(self, tables: Tables) -> np.ndarray:
        return uncertainty(tables)


def symmetric_uncertainty(
    X: TableLike, y: ArrayLike, *, sample_weight: ArrayLike | None = None, n_jobs: int | None = None
) -> np.ndarray:
    r"""Symmetric uncertainty of each column and the target.

    .. math:: \frac{2\, I(x; y)}{H(x) + H(y)}

    Columns and target are read as by `mutual_information`.

    Parameters
    ----------
    X : table of n rows and d columns, numeric or categorical, missing values allowed.
    y : target, classes or numbers.
    sample_weight : one weight a row.
    n_jobs : number of threads.

    Returns
    -------
    array of d numbers from 0 to 1, 0 for a constant column.

    References
    ----------
    W. Press et al., "Numerical Recipes", section 14.4; M. Hall, "Correlation-based feature selection", 1999.

    >>> symmetric_uncertainty([[0, 1], [1, 2], [0, 3], [1, 4]], [0, 1, 0, 1]).round(3)
    array([1.   , 0.667])
    """
    return score_columns(SymmetricUncertainty(), X, y, sample_weight=sample_weight, n_jobs=n_jobs)
