"""Mutual information against hand-made tables, scikit-learn, and data whose dependence is known."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kendalltau
from sklearn.metrics import mutual_info_score

from tamis.score import mutual_information


def test_a_copy_tells_everything_and_a_constant_nothing():
    """A copy of a fair coin holds log 2 nats about it; a constant holds none."""
    y = np.array([0, 1] * 10)
    assert mutual_information(np.column_stack([y, np.ones(20), 1 - y]), y) == pytest.approx([np.log(2), 0, np.log(2)])


def test_a_table_computed_by_hand():
    """The formula is not the one in the books: counts [[3, 1], [1, 3]] hold log 2 − H(1/4) nats."""
    x, y = [0, 0, 0, 0, 1, 1, 1, 1], ["a", "a", "a", "b", "a", "b", "b", "b"]
    by_hand = np.log(2) + 0.75 * np.log(0.75) + 0.25 * np.log(0.25)
    assert mutual_information(np.array(x)[:, None], y) == pytest.approx([by_hand])


@pytest.mark.parametrize("classes", [2, 5])
def test_agrees_with_scikit_learn_on_discrete_columns(classes):
    """Discrete columns would not be counted as they are."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, classes, 500)
    X = np.column_stack([rng.integers(0, 7, 500), y + rng.integers(0, 3, 500), rng.integers(0, 2, 500) * y])
    assert mutual_information(X, y) == pytest.approx([mutual_info_score(column, y) for column in X.T], abs=1e-12)


def test_categories_and_missing_values_are_values():
    """A missing value would be dropped instead of counted as a value of its own."""
    colour = ["red", None, "blue", "red", None, "blue"]
    y = [0, 1, 0, 0, 1, 1]
    found = mutual_information(pd.DataFrame({"colour": colour, "size": [1.0, np.nan, 2.0, 1.0, np.nan, 2.0]}), y)
    assert found == pytest.approx([mutual_info_score([0, 1, 2, 0, 1, 2], y)] * 2)


def test_the_correction_takes_the_bias_away():
    """Independent columns keep the bias (groups − 1)(classes − 1) / 2n that chance gives them."""
    rng = np.random.default_rng(1)
    X, y = rng.integers(0, 8, size=(400, 300)), rng.integers(0, 3, 400)
    plain = mutual_information(X, y)
    assert plain.mean() == pytest.approx(7 * 2 / 800, rel=0.1)
    corrected = mutual_information(X, y, corrected=True)
    np.testing.assert_allclose(corrected, np.maximum(plain - 7 * 2 / 800, 0), atol=1e-12)


def test_a_numeric_target_and_column_come_near_the_gaussian_value():
    """Cut into groups, two correlated normal variables would lose most of their −½ log(1 − ρ²) nats."""
    rng = np.random.default_rng(2)
    y = rng.normal(size=20_000)
    rho = np.array([0.9, 0.6, 0.3])
    X = rho * y[:, None] + np.sqrt(1 - rho**2) * rng.normal(size=(20_000, 3))
    truth = -0.5 * np.log(1 - rho**2)
    assert mutual_information(X, y, corrected=True) == pytest.approx(truth, rel=0.15)


def test_numbers_are_ranked_by_their_known_dependence():
    """Columns with more information about the class would not come before columns with less."""
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 5000)
    shift = np.linspace(0, 1.5, 16)
    X = rng.normal(size=(5000, 16)) + shift * y[:, None]
    assert kendalltau(mutual_information(X, y), shift).statistic > 0.9


def test_monotone_changes_of_a_column_do_not_matter():
    """Groups would depend on the scale of a column and not on its order alone."""
    rng = np.random.default_rng(4)
    x, y = rng.normal(size=(300, 1)), rng.integers(0, 2, 300)
    assert mutual_information(np.exp(3 * x), y) == pytest.approx(mutual_information(x, y))
