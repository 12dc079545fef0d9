"""Permutation test: p-values that are right for noise and small for signal."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB

from tamis.errors import ParameterError
from tamis.evaluate import permutation_test


def test_signal_is_found_and_the_p_value_is_the_published_one():
    """The p-value must count the real score among the shuffled ones."""
    found = permutation_test(GaussianNB(), *load_iris(return_X_y=True), n_permutations=39)
    assert found.p_value == 1 / 40
    assert len(found.null) == 39
    assert found.null.max() < found.score
    assert not found.stopped_early
    assert "p = 0.025" in found.figure().title.text


def test_no_signal_stops_early_with_hits_over_shuffles():
    """Once ten shuffles have done as well, the rest cannot make the score significant."""
    rng = np.random.default_rng(0)
    found = permutation_test(DummyClassifier(), rng.normal(size=(30, 2)), np.arange(30) % 2, n_permutations=200)
    assert found.stopped_early
    assert found.p_value == 1.0
    assert len(found.null) == 10
    full = permutation_test(DummyClassifier(), np.zeros((30, 2)), np.arange(30) % 2, n_permutations=15, stop_after=None)
    assert (full.p_value, len(full.null)) == (1.0, 15)


def test_errors_are_turned_the_right_way_round():
    """A small error is a good score."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = X[:, 0] + 0.1 * rng.normal(size=60)
    assert permutation_test(LinearRegression(), X, y, n_permutations=19, scoring="mse").p_value == 0.05
    with pytest.raises(ParameterError, match="n_permutations=0"):
        permutation_test(LinearRegression(), X, y, n_permutations=0)


@pytest.mark.nightly
def test_p_values_of_noise_are_uniform_enough():
    """On noise a p-value below 0.1 must come in about one table of ten."""
    small = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(40, 5)), rng.permutation(np.arange(40) % 2)
        found = permutation_test(GaussianNB(), X, y, n_permutations=39, random_state=seed, stop_after=None)
        small += found.p_value <= 0.1
    print(f"p <= 0.1 in {small} of 200 tables of noise")
    assert 8 <= small <= 34
