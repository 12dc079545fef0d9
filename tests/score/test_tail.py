"""P-values beyond the permutations: a fitted tail keeps what is strong among thousands of columns, and nothing else."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import f

from tamis import RankSelector


def wide(seed, n=84, d=3000):
    """Few rows, thousands of columns of noise, and a target."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)), rng.normal(size=n)


def test_strong_columns_of_thousands_are_kept():
    """With 500 permutations no column of 3,000 could pass: nothing was ever kept."""
    X, y = wide(0)
    X[:, :4] += 1.5 * y[:, None]
    selector = RankSelector("pearson", alpha=0.05, n_permutations=500).fit(X, y)
    assert selector.tail_fitted_
    assert np.flatnonzero(selector.support_).tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("by", ["pearson", "anova", "mutual_information"])
def test_noise_is_not_kept(by):
    """A tail that falls too fast would keep noise."""
    X, y = wide(1)
    y = y if by == "pearson" else (y > 0).astype(int)
    assert not RankSelector(by, alpha=0.05, n_permutations=300).fit(X, y).support_.any()


def test_fitted_p_values_are_those_of_the_f_test():
    """For r² of normal columns the permutation tail is that of F; the fitted one must be no smaller, and near it."""
    X, y = wide(2)
    selector = RankSelector("pearson", alpha=0.05, n_permutations=1000, pvalues="adjusted").fit(X, y)
    r2 = selector.scores_
    exact = f.sf(r2 * 82 / (1 - r2), 1, 82)
    small = np.argsort(exact)[:30]
    ratio = selector.pvalues_[small] / exact[small]
    assert 0.6 < np.median(ratio) < 2.5


def test_enough_permutations_are_counted():
    """Where counting suffices the p-values must stay (1 + hits) / (1 + permutations)."""
    X, y = wide(3, d=10)
    selector = RankSelector("pearson", alpha=0.05, n_permutations=400).fit(X, y)
    assert not selector.tail_fitted_
    assert np.allclose(np.round(selector.pvalues_ * 401), selector.pvalues_ * 401)


def test_threads_do_not_matter():
    """The same bits for any number of threads."""
    X, y = wide(4, d=2000)
    one, two = (RankSelector("pearson", alpha=0.05, n_permutations=300, n_jobs=n).fit(X, y).pvalues_ for n in (1, 2))
    assert np.array_equal(one, two)
