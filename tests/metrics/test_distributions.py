"""Quantiles, tails and ranks: SciPy's own, to the bit."""

from __future__ import annotations

import numpy as np
import scipy.stats

from tamis.metrics.distributions import (
    average_ranks,
    binomial_tail,
    chi2_quantile,
    normal_quantile,
    t_quantile,
    t_tail,
)


def test_the_distributions_are_scipys_to_the_last_bit():
    """An interval or a p-value would change with the library it is taken from."""
    rng = np.random.default_rng(0)
    for share, freedom, t in zip(rng.random(200), rng.integers(1, 3_000, 200), 5 * rng.normal(size=200)):
        assert normal_quantile(share) == scipy.stats.norm.ppf(share)
        assert t_quantile(share, freedom) == scipy.stats.t.ppf(share, freedom)
        assert t_tail(t, freedom) == scipy.stats.t.sf(t, freedom)
        assert chi2_quantile(share, freedom) == scipy.stats.chi2.ppf(share, freedom)
        least = int(rng.integers(0, freedom + 1))
        assert binomial_tail(least, int(freedom), share) == scipy.stats.binom.sf(least - 1, freedom, share)


def test_ranks_are_scipys():
    """Ties that do not share the mean of their ranks would correlate with the order of the rows."""
    values = np.random.default_rng(0).integers(0, 9, size=(5, 40)).astype(float)
    assert np.array_equal(average_ranks(values), scipy.stats.rankdata(values, axis=1))
    assert np.array_equal(average_ranks(values[0]), scipy.stats.rankdata(values[0]))
