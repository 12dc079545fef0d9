"""Knockoffs of normal variables: the joint covariance, and the entropy that s maximises."""

import numpy as np

from tamis.search.knockoffs.latent import gaussian_knockoffs, maximum_entropy


def _toeplitz(d, rho):
    return rho ** np.abs(np.subtract.outer(np.arange(d), np.arange(d)))


def test_copies_have_the_covariance_of_the_originals_and_less_s_with_them():
    """A copy that goes with the other columns less than its original does would lose to it by chance alone."""
    rng, sigma = np.random.default_rng(0), _toeplitz(5, 0.6)
    Z = rng.normal(size=(200_000, 5)) @ np.linalg.cholesky(sigma).T
    copies = gaussian_knockoffs(Z, sigma, rng)
    both, s = np.cov(np.hstack([Z, copies]).T), np.diag(maximum_entropy(sigma))
    np.testing.assert_allclose(both, np.block([[sigma, sigma - s], [sigma - s, sigma]]), atol=0.015)


def test_s_is_stationary_and_feasible():
    """Copies would be more like their originals than they need be, or not exist."""
    sigma = _toeplitz(6, 0.8)
    s = maximum_entropy(sigma)
    left = 2 * sigma - np.diag(s)
    assert np.linalg.eigvalsh(left).min() > 0
    np.testing.assert_allclose(1 / s, np.diag(np.linalg.inv(left)), rtol=1e-2)
