"""How far apart the classes' means lie, for the spread inside the classes."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tamis.score.criteria.chi2 import statistic
from tamis.score.criteria.pearson import between, r_squared
from tamis.score.criterion import Criterion, Target, score_columns
from tamis.score.groups import Tables
from tamis.score.spread import Spread, levels
from tamis.table import Table
from tamis.table.like import TableLike

EPS = float(np.finfo(np.float64).eps)


def f_ratio(explained: Any, above: Any, below: Any) -> np.ndarray:
    """F from the explained share of the variance and the degrees of freedom; a perfect fit is as good as rounding."""
    share, p, q = np.broadcast_arrays(np.asarray(explained, dtype=np.float64), above, below)
    left = np.maximum(1.0 - share, EPS) * p
    return np.divide(share * q, left, out=np.zeros(share.shape), where=(p > 0) & (q > 0) & (share > 0))


class Anova(Criterion):
    """F ratio of the analysis of variance."""

    name = "anova"

    def view(self, table: Table, target: Target, weights: np.ndarray | None, n_jobs: int | None) -> Spread:
        return Spread(table, weights)

    def values(self, view: Spread, target: Target, n_jobs: int | None = None) -> np.ndarray:
        if target.kind == "numbers":
            return self._numbers(view, target, n_jobs)
        assert target.codes is not None
        sums = view.sums(target.codes, target.n_classes, n_jobs=n_jobs)
        inside = np.divide(sums.sums**2, sums.mass, out=np.zeros_like(sums.sums), where=sums.mass > 0).sum(axis=0)
        total = sums.scatter
        explained = inside - (sums.squares - total)
        share = np.divide(explained, total, out=np.zeros_like(total), where=total > 0)
        used = (sums.mass > 0).sum(axis=0)
        f_values = f_ratio(np.clip(share, 0.0, 1.0), used - 1, sums.n - used)
        for j in view.categorical:
            f_values[j] = self._categories(view, j, target)
        return f_values

    def _numbers(self, view: Spread, target: Target, n_jobs: int | None) -> np.ndarray:
        assert target.values is not None
        sums = view.sums(numbers=target.values, n_jobs=n_jobs)
        f_values = f_ratio(r_squared(sums), 1, sums.n - 2)
        for j in view.categorical:
            inside, total, n, used = between(view.table.column(j), view.weights, target.values)
            f_values[j] = f_ratio(min(inside / total, 1.0) if total > 0 else 0.0, used - 1, n - used)
        return f_values

    def _categories(self, view: Spread, j: int, target: Target) -> float:
        """F of Pillai's trace, which for indicators against classes is the chi-squared statistic over n."""
        assert target.codes is not None
        counts = levels(view.table.column(j), view.weights, target.codes, target.n_classes)
        n, p, q = counts.sum(), int((counts.sum(axis=1) > 0).sum()) - 1, int((counts.sum(axis=0) > 0).sum()) - 1
        if p < 1 or q < 1:
            return 0.0
        s = min(p, q)
        trace = statistic(Tables(counts, np.array([0, len(counts)])))[0] / n
        return float(f_ratio(min(trace / s, 1.0), max(p, q), n - 1 - max(p, q)))


def anova(
    X: TableLike, y: ArrayLike, *, sample_weight: ArrayLike | None = None, n_jobs: int | None = None
) -> np.ndarray:
    r"""F ratio of each column: variance between classes over variance inside them.

    .. math:: F = \frac{\sum_c n_c (\bar x_c - \bar x)^2 / (C - 1)}{\sum_c \sum_{i \in c} (x_i - \bar x_c)^2 / (n - C)}

    With a numeric target it is the F ratio of the straight-line regression for a numeric column, and of y over the
    levels for a categorical one. Categories against classes take F of Pillai's trace, which for two levels is the F of
    zeros and ones. Rows without a value in the column are left out.

    Parameters
    ----------
    X : table of n rows and d columns, numeric or categorical, missing values allowed.
    y : target, classes or numbers.
    sample_weight : one weight a row: how often it was counted.
    n_jobs : number of threads.

    Returns
    -------
    array of d numbers, 0 for a constant column; perfectly separated classes give a huge number, not infinity.

    References
    ----------
    R. Fisher, "Statistical methods for research workers", 1925.
    K. Pillai, "Some new test criteria in multivariate analysis", 1955 (categories against classes).

    >>> anova([[1, 5], [2, 5], [3, 5], [4, 5]], ["a", "a", "b", "b"])
    array([8., 0.])
    """
    return score_columns(Anova(), X, y, sample_weight=sample_weight, n_jobs=n_jobs)
