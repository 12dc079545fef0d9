"""Rank against tables worked out by hand and SciPy."""

import numpy as np
import pytest
from scipy.stats import norm, rankdata

from tamis.transform import Rank


def test_scores_are_mid_ranks_over_n():
    """Shares below plus half of the ties would be something else: 20 and 20 share ranks 2 and 3 of 4."""
    X = [[10.0], [20.0], [20.0], [40.0], [np.nan]]
    np.testing.assert_array_equal(Rank().fit_transform(X).ravel(), [0.125, 0.5, 0.5, 0.875, np.nan])


def test_as_scipys_ranks():
    """Ties would be broken another way than by their mean rank."""
    X = np.random.default_rng(0).integers(0, 30, size=(200, 3)).astype(float)
    expected = (np.apply_along_axis(rankdata, 0, X) - 0.5) / len(X)
    np.testing.assert_allclose(Rank().fit_transform(X), expected, rtol=1e-12)
    np.testing.assert_allclose(Rank("normal").fit_transform(X), norm.ppf(expected), rtol=1e-9)


def test_new_values_lie_between_their_neighbours_and_never_beyond_the_ends():
    """Normal scores of a new extreme would be infinite."""
    made = Rank("normal").fit([[0.0], [10.0]])
    found = made.transform([[-1e9], [5.0], [1e9]]).ravel()
    np.testing.assert_allclose(found, [norm.ppf(0.25), 0, norm.ppf(0.75)], atol=1e-12)


def test_only_the_order_counts():
    """A monotone change of unit would change the scores."""
    x = np.random.default_rng(1).normal(size=(100, 1))
    np.testing.assert_array_equal(Rank().fit_transform(x), Rank().fit_transform(np.exp(x)))


@pytest.mark.parametrize("to", ["uniform", "normal"])
@pytest.mark.parametrize("values", [[1.0, 1.0], [np.nan, np.nan], [1.0, 2.0]])
def test_missing_values_stay_missing(values, to):
    """Interpolation in a constant column would give a hole the score of its only value, there and back."""
    made = Rank(to).fit(np.array([*values, np.nan])[:, None])
    assert np.isnan(made.transform([[np.nan]])).all()
    assert np.isnan(made.inverse_transform([[np.nan]])).all()


def test_few_kept_values_cost_less_than_one_of_them():
    """A long column would be kept whole in model.json, or its scores be wrong by more than said."""
    x = np.random.default_rng(2).gamma(1.0, size=(5000, 1))
    made = Rank(n_values=50).fit(x)
    assert len(made.values_[0]) <= 50
    assert np.abs(made.transform(x) - Rank().fit_transform(x)).max() < 1 / 50


def test_an_unknown_word_is_named():
    """The user would not see the words there are."""
    with pytest.raises(ValueError, match=r"to='gauss'.*uniform, normal"):
        Rank("gauss").fit([[1.0]])
