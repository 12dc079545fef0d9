"""gain_ratio, gini, chi2 and symmetric_uncertainty against hand-made tables and other libraries."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2_contingency
from sklearn.metrics import mutual_info_score
from sklearn.tree import DecisionTreeClassifier

from tamis import score
from tamis.errors import ParameterError, TableError


def entropy(values):
    p = np.unique(np.asarray(values, dtype=str), return_counts=True)[1] / len(values)
    return -(p * np.log(p)).sum()


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    y = rng.choice(["a", "b", "c"], 200, p=[0.5, 0.3, 0.2])
    weather = np.where(rng.random(200) < 0.5, y, rng.choice(["sun", "rain", "a"], 200))
    frame = pd.DataFrame({"weather": weather, "size": rng.integers(0, 6, 200), "coin": rng.integers(0, 2, 200)})
    return frame, y


def test_chi2_is_the_contingency_statistic_of_scipy(table):
    """Pearson's statistic of the counts would be something else."""
    frame, y = table
    expected = [chi2_contingency(pd.crosstab(frame[name], y), correction=False).statistic for name in frame]
    assert score.chi2(frame, y) == pytest.approx(expected)


def test_gain_ratio_is_information_over_the_columns_entropy(table):
    """Quinlan's ratio of a multiway split would be something else."""
    frame, y = table
    expected = [mutual_info_score(frame[name], y) / entropy(frame[name]) for name in frame]
    assert score.gain_ratio(frame, y) == pytest.approx(expected)


def test_symmetric_uncertainty_is_information_over_the_mean_entropy(table):
    """The correlation that cfs is built on would be something else."""
    frame, y = table
    expected = [2 * mutual_info_score(frame[n], y) / (entropy(frame[n]) + entropy(y)) for n in frame]
    assert score.symmetric_uncertainty(frame, y) == pytest.approx(expected)


def test_gini_is_the_impurity_decrease_of_a_tree(table):
    """For a column of two values the decrease would not be the one of a one-split tree."""
    frame, y = table
    tree = DecisionTreeClassifier(max_depth=1).fit(frame[["coin"]], y).tree_
    n, impurity = tree.weighted_n_node_samples, tree.impurity
    decrease = impurity[0] - (n[1] * impurity[1] + n[2] * impurity[2]) / n[0]
    assert score.gini(frame[["coin"]], y) == pytest.approx([decrease])


def test_play_tennis_as_quinlan_computed_it():
    """The gain ratio of Outlook in Quinlan's weather table is 0.156 (gain 0.246 bits, split information 1.577)."""
    outlook = ["s", "s", "o", "r", "r", "r", "o", "s", "s", "r", "s", "o", "o", "r"]
    play = ["n", "n", "p", "p", "p", "n", "p", "n", "p", "p", "p", "p", "p", "n"]
    X = np.array(outlook, dtype=object)[:, None]
    assert score.gain_ratio(X, play) == pytest.approx([0.156], abs=5e-4)
    assert score.mutual_information(X, play) / np.log(2) == pytest.approx([0.2467], abs=5e-4)


def test_chi2_takes_negative_values_but_no_negative_counts():
    """Values are labels, so −1 and 1 must count like 0 and 1; a weight below 0 is no count."""
    y = [0, 0, 1, 1, 1]
    assert score.chi2([[-1], [-1], [1], [1], [-1]], y) == pytest.approx(score.chi2([[0], [0], [1], [1], [0]], y))
    with pytest.raises(ParameterError, match=r"sample_weight\[2\]=-1.0"):
        score.chi2([[0], [1], [0], [1], [0]], y, sample_weight=[1, 1, -1, 1, 1])


@pytest.mark.parametrize("name", ["gini", "chi2", "stump", "consistency"])
def test_a_numeric_target_is_refused_in_a_sentence(name):
    """A score of classes would take every number for a class of its own."""
    with pytest.raises(TableError, match=f"{name} takes a class target, but y holds 30 different values"):
        getattr(score, name)(np.arange(60.0).reshape(30, 2), np.random.default_rng(0).normal(size=30))
