"""Trees and forests of ordered classes: splits by the ranked probability score."""

import numpy as np
import pandas as pd
import pytest

from tamis import ForestClassifier, TreeClassifier
from tamis.errors import ParameterError
from tamis.metrics import score

LEVELS = ["none", "mild", "moderate", "severe"]


def table(n=300, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4)).round(1)
    height = X[:, 0] + 0.5 * X[:, 1] + 0.4 * rng.normal(size=n)
    codes = np.digitize(height, [-1.0, 0.0, 1.0])
    return X, pd.Categorical.from_codes(codes, LEVELS, ordered=True), codes


def impurity(codes):
    above = (codes[:, None] > np.arange(3)).mean(axis=0)
    return (above * (1 - above)).sum() * len(codes)


def test_the_first_split_lowers_the_ranked_probability_score_most():
    """A split would be chosen for classes without an order; compared with every threshold of every column."""
    X, y, codes = table()
    tree = TreeClassifier(criterion="ordinal", max_depth=1).fit(X, y)
    falls = {}
    for j in range(X.shape[1]):
        for cut in np.unique(X[:, j])[:-1]:
            left = X[:, j] <= cut
            falls[j, cut] = impurity(codes) - impurity(codes[left]) - impurity(codes[~left])
    (column, cut) = max(falls, key=falls.get)
    assert tree.tree_.feature[0] == column
    assert cut < tree.tree_.threshold[0] < cut + 0.11
    assert tree.tree_.improvement[0] == pytest.approx(falls[column, cut])


def test_shares_are_those_of_the_leaves_and_classes_keep_their_order():
    """Differences of the columns would not be the shares that a reader counts."""
    X, y, codes = table()
    tree = TreeClassifier(criterion="ordinal", max_depth=3, prune="cv").fit(X, y)
    assert tree.classes_.tolist() == LEVELS
    leaf, shares = tree.apply(X), tree.predict_proba(X)
    for node in np.unique(leaf):
        own = np.bincount(codes[leaf == node], minlength=4) / (leaf == node).sum()
        np.testing.assert_allclose(shares[leaf == node][0], own, atol=1e-12)
    np.testing.assert_allclose(tree.cv_predictions_.sum(axis=1), 1)
    assert "moderate" in tree.to_text()
    again = TreeClassifier.from_dict(tree.to_dict())
    np.testing.assert_array_equal(again.predict_proba(X), shares)


def test_a_forest_ranks_better_than_one_that_knows_no_order():
    """The option would make probabilities of ordered classes no better: ranked probability score of new rows."""
    losses = {"ordinal": [], "gini": []}
    for seed in range(5):
        (X, y, _), (new, _, truth) = table(150, seed), table(1000, seed + 100)
        for criterion in losses:
            shares = ForestClassifier(60, criterion=criterion, random_state=0).fit(X, y).predict_proba(new)
            losses[criterion].append(score("ranked_probability_score", np.array(LEVELS)[truth], shares, labels=LEVELS))
    assert np.mean(losses["ordinal"]) < np.mean(losses["gini"]) * 1.005


def test_costs_are_refused():
    """Costs would be taken, and have no effect on the splits."""
    X, y, _ = table()
    with pytest.raises(ParameterError, match="loss_matrix"):
        TreeClassifier(criterion="ordinal", loss_matrix=1 - np.eye(4)).fit(X, y)


@pytest.mark.parametrize("kind", [TreeClassifier(criterion="ordinal"), ForestClassifier(20, criterion="ordinal")])
def test_two_classes_are_as_without_an_order(kind):
    """Two classes have one threshold."""
    X, _, codes = table()
    shares = kind.fit(X, codes > 1).predict_proba(X)
    assert shares.shape == (300, 2)
    assert (kind.predict(X) == (codes > 1)).mean() > 0.9
