"""Factor analysis against scikit-learn and a known model."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.decomposition import FactorAnalysis as Reference

from tamis.errors import DamagedError, ParameterError, TableError
from tamis.project import FactorAnalysis
from tamis.project.factor_analysis import varimax


def table(n=400, p=10, k=3, seed=0):
    rng = np.random.default_rng(seed)
    load = rng.normal(size=(k, p))
    return rng.normal(size=(n, k)) @ load + rng.normal(size=(n, p)) * rng.uniform(0.4, 1.2, p), load


@pytest.mark.parametrize(("n", "p"), [(400, 10), (40, 60)])
def test_the_likelihood_is_scikit_learns_or_better(n, p):
    """Loadings and noise would not be the most likely ones."""
    X, _ = table(n, p)
    ours = FactorAnalysis(2).fit(X)
    theirs = Reference(2, tol=1e-10, max_iter=20_000, svd_method="lapack").fit(X)
    assert ours.log_likelihood_ >= theirs.score(X) - 1e-5
    if n > p:
        np.testing.assert_allclose(ours.noise_variance_, theirs.noise_variance_, rtol=1e-4)
        np.testing.assert_allclose(np.abs(ours.transform(X)), np.abs(theirs.transform(X)), atol=1e-4)


def test_a_known_model_is_found():
    """Communalities: with loadings 1, 2, 3, 0 and noise 1 they are 1/2, 4/5, 9/10, 0."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 1)) * [1.0, 2.0, 3.0, 0.0] + rng.normal(size=(20_000, 4))
    found = FactorAnalysis(1).fit(pd.DataFrame(X, columns=list("abcd")))
    np.testing.assert_allclose(found.communalities_, [0.5, 0.8, 0.9, 0.0], atol=0.02)
    np.testing.assert_allclose(found.components_[0], [1, 2, 3, 0], atol=0.05)
    np.testing.assert_allclose(found.noise_variance_, 1.0, atol=0.05)
    assert found.carriers(0.8) == [["c", "b"]]


def test_varimax_turns_and_keeps_the_model():
    """The rotation would change what the factors say together, or not make them simpler."""
    X, _ = table()
    plain, turned = FactorAnalysis(3).fit(X), FactorAnalysis(3, rotation="varimax").fit(X)
    np.testing.assert_allclose(
        plain.components_.T @ plain.components_, turned.components_.T @ turned.components_, atol=1e-9
    )

    def simplicity(L):
        return (L**2).var(axis=1).sum()

    assert simplicity(turned.components_) > simplicity(plain.components_)
    theirs = Reference(3, rotation="varimax", tol=1e-10, max_iter=20_000, svd_method="lapack").fit(X)
    assert simplicity(turned.components_) >= simplicity(theirs.components_) * (1 - 1e-4)


def test_varimax_finds_the_simple_structure():
    """Loadings turned away from a simple structure would not be turned back."""
    simple = np.array([[2.0, 0, 0], [1, 0, 0], [0, 3, 0], [0, 1, 0], [0, 0, 1], [0, 0, 2]])
    turn = np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))[0]
    found = varimax(simple @ turn)
    np.testing.assert_allclose(np.sort(np.abs(found), axis=1), np.sort(simple, axis=1), atol=1e-8)


def test_saved_and_read_again():
    """A saved study would have other factors."""
    X, _ = table()
    found = FactorAnalysis(2).fit(X)
    back = FactorAnalysis.from_dict(json.loads(json.dumps(found.to_dict())))
    np.testing.assert_array_equal(back.transform(X), found.transform(X))
    damaged = found.to_dict()
    damaged["state"]["noise_variance"] = [0.0] * 10
    with pytest.raises(DamagedError, match="damaged"):
        FactorAnalysis.from_dict(damaged)


def test_bad_input_gets_a_sentence():
    """A user would be told nothing."""
    X, _ = table()
    with pytest.raises(ParameterError, match="n_components=11, but 400 rows of 10 columns"):
        FactorAnalysis(11).fit(X)
    with pytest.raises(ParameterError, match="rotation='promax' is not known"):
        FactorAnalysis(rotation="promax").fit(X)
    with pytest.raises(TableError, match="missing values"):
        FactorAnalysis(1).fit([[1.0, np.nan], [1.0, 2.0], [0.0, 1.0]])
