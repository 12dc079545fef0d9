"""Products of columns: scikit-learn's, and a screen that finds the ones that matter."""

import numpy as np
import pandas as pd
import pytest
from sklearn.preprocessing import PolynomialFeatures

from tamis.errors import TableError
from tamis.transform import Monomials

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("degree", [1, 2, 3, 4])
@pytest.mark.parametrize("interactions_only", [False, True])
def test_all_products_as_scikit_learn_makes_them(degree, interactions_only):
    """A product would be missing, doubled or in another place."""
    X = RNG.normal(size=(7, 4))
    theirs = PolynomialFeatures(degree, interaction_only=interactions_only, include_bias=False).fit_transform(X)
    ours = Monomials(degree, interactions_only=interactions_only).fit_transform(X)
    np.testing.assert_allclose(ours, theirs, rtol=1e-12)


def test_names_and_values_by_hand():
    """A name would stand for another product."""
    X = pd.DataFrame({"a": [2.0], "s": ["u"], "b": [5.0]})
    made = Monomials(3, interactions_only=False).fit_transform(X)
    assert list(made.columns) == ["a", "b", "a^2", "a·b", "b^2", "a^3", "a^2·b", "a·b^2", "b^3", "s"]
    np.testing.assert_array_equal(made.drop(columns="s").astype(float), [[2, 5, 4, 10, 25, 8, 20, 50, 125]])


def test_the_product_that_matters_is_found_among_125_250():
    """500 columns would become 125,250, or the one that makes the target would be lost, means of 50 included."""
    X = RNG.normal(size=(400, 500)) + 50
    y = (X[:, 17] - 50) * (X[:, 402] - 50) + 0.1 * RNG.normal(size=400)
    made = Monomials(most=10).fit(X, y)
    assert made.transform(X).shape == (400, 510)
    assert (17, 402) in made.terms_


def test_products_of_three_are_made_of_kept_products_of_two():
    """A search over all triples would not end."""
    X = RNG.normal(size=(500, 30))
    y = X[:, 3] * X[:, 8] * (1 + X[:, 21])
    made = Monomials(3, most=8).fit(X, y)
    assert (3, 8) in made.terms_
    assert (3, 8, 21) in made.terms_
    assert len(set(made.terms_)) == len(made.terms_) == 16


def test_a_given_function_screens():
    """A score of the user's own would be ignored."""
    X, y = RNG.normal(size=(40, 6)), RNG.normal(size=40)
    worst = Monomials(most=1, by=lambda P, y: -np.array([np.corrcoef(p, y)[0, 1] ** 2 for p in P.T])).fit(X, y)
    best = Monomials(most=1).fit(X, y)
    assert worst.terms_ != best.terms_


def test_too_many_products_without_a_target_are_refused():
    """The memory would be filled."""
    with pytest.raises(ValueError, match=r"100 columns make 5,050 products.*give y"):
        Monomials().fit(RNG.normal(size=(5, 100)))


def test_a_product_beyond_the_largest_number_is_named():
    """Infinite columns would fail in the model, far from their cause."""
    with pytest.raises(TableError, match="the product x0\\^2 is beyond the largest number"):
        Monomials().fit_transform(np.array([[1e200, 1.0], [2e200, 2.0]]))
