"""Information about the target, for each nat that the column itself takes to state."""

import numpy as np
from numpy.typing import ArrayLike

from tamis.score.counts import Counts
from tamis.score.criteria.mutual_information import column_entropy, information
from tamis.score.criterion import score_columns
from tamis.score.groups import Tables
from tamis.table.like import TableLike


class GainRatio(Counts):
    """Mutual information over the column's entropy."""

    name = "gain_ratio"

    def formula(self, tables: Tables) -> np.ndarray:
        entropy = column_entropy(tables)
        return np.divide(information(tables), entropy, out=np.zeros_like(entropy), where=entropy > 1e-12)


def gain_ratio(
    X: TableLike, y: ArrayLike, *, sample_weight: ArrayLike | None = None, n_jobs: int | None = None
) -> np.ndarray:
    r"""Gain ratio of each column: information gain over the entropy of the split into all its values.

    .. math:: \frac{I(x; y)}{H(x)}, \qquad H(x) = -\sum_x p(x) \log p(x)

    Columns and target are read as by `mutual_information`; the split is into every group of the column at once.

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
    J. R. Quinlan, "Induction of decision trees", Machine Learning 1, 1986.

    >>> gain_ratio([[0, 1], [1, 2], [0, 3], [1, 4]], [0, 1, 0, 1]).round(3)
    array([1. , 0.5])
    """
    return score_columns(GainRatio(), X, y, sample_weight=sample_weight, n_jobs=n_jobs)
