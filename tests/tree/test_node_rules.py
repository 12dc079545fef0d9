"""Bins made in every node, and stopping by a node's own gain or purity: against trees written out slowly."""

import numpy as np
import pandas as pd
import pytest

from tamis import TreeClassifier, TreeRegressor
from tamis.errors import ParameterError


def gini(y):
    shares = np.bincount(y) / len(y)
    return 1 - (shares**2).sum()


def decrease(y, left):
    return gini(y) - left.mean() * gini(y[left]) - (~left).mean() * gini(y[~left])


def best_split(X, y, n_bins):
    """The textbook's search: largest values of the bins of every column, in the rows of the node."""
    tried = []
    for j in range(X.shape[1]):
        for part in np.array_split(np.sort(X[:, j]), n_bins)[:-1]:
            left = X[:, j] <= part[-1]
            if left.any() and not left.all():
                tried.append((decrease(y, left), -j, part[-1]))
    return max(tried, default=(0.0, 0, 0.0))


def grown(X, y, n_bins, depth):
    """Splits (column, threshold) from the root down, left before right."""
    gain, column, threshold = best_split(X, y, n_bins) if depth and len(np.unique(y)) > 1 else (0.0, 0, 0.0)
    if gain <= 1e-12:
        return []
    left = X[:, -column] <= threshold
    return [
        (-column, threshold),
        *grown(X[left], y[left], n_bins, depth - 1),
        *grown(X[~left], y[~left], n_bins, depth - 1),
    ]


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(240, 3))
    return X, (X[:, 0] + X[:, 1] + 0.3 * rng.normal(size=240) > 0).astype(int)


@pytest.mark.parametrize("n_bins", [2, 5, 8])
def test_bins_are_made_in_every_node_and_split_at_their_largest_value(table, n_bins):
    """Bins of the whole table would serve all nodes, or thresholds would lie between two bins."""
    X, y = table
    tree = TreeClassifier(n_bins=n_bins, max_depth=3).fit(X, y).tree_
    order = [node for node in tree.preorder() if tree.left[node] >= 0]
    expected = grown(X, y, n_bins, 3)
    assert [(int(tree.feature[n]), float(tree.threshold[n])) for n in order] == expected
    assert all(threshold in X[:, column] for column, threshold in expected)


def test_as_many_bins_as_values_is_the_exact_tree(table):
    """Few values would be thinned out: -1, 0 and 1 are three bins however rare they are."""
    X, y = table
    X = np.clip(X.round(), -1, 1)
    X[:, 2] = 0
    X[0, 2] = -1
    binned, exact = TreeClassifier(n_bins=4).fit(X, y), TreeClassifier().fit(X, y)
    assert np.array_equal(binned.predict_proba(X), exact.predict_proba(X))


def test_min_gain_is_the_decrease_in_the_node_itself(table):
    """A node of few rows would need a larger gain than one of many, as with min_impurity_decrease."""
    X, y = table
    tree = TreeClassifier(min_gain=0.1).fit(X, y).tree_
    split = tree.left >= 0
    assert (tree.improvement[split] / tree.weight[split] >= 0.1).all()
    full = TreeClassifier().fit(X, y).tree_
    own, weighted = full.improvement / full.weight, full.improvement / len(y)
    assert ((own[full.left >= 0] >= 0.1) & (weighted[full.left >= 0] < 0.1)).any()
    assert TreeClassifier(min_gain=0.6).fit(X, y).get_n_leaves() == 1
    numbers = TreeRegressor(min_gain=0.5).fit(X[:, :1], 3 * X[:, 0]).tree_
    assert (numbers.improvement[numbers.left >= 0] / numbers.weight[numbers.left >= 0] >= 0.5).all()


def test_a_pure_enough_node_is_a_leaf(table):
    """A node with 90% of one class would be split further though that is pure enough."""
    X, y = table
    tree = TreeClassifier(max_purity=0.9).fit(X, y).tree_
    shares = tree.value.max(axis=1) / tree.value.sum(axis=1)
    assert (shares[tree.left >= 0] < 0.9).all()
    assert (shares[tree.left < 0] >= 0.9).all()


def test_rules_go_with_mixed_columns_missing_values_weights_pruning_and_saving(table):
    """The variants would work on complete numbers only, or not survive their dict."""
    X, y = table
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(X, columns=list("abc")).assign(d=rng.choice(["u", "v", "w"], len(X)))
    frame.loc[rng.random(len(X)) < 0.2, "a"] = np.nan
    tree = TreeClassifier(n_bins=6, min_gain=0.01, max_purity=0.95, prune="cv").fit(frame, y)
    assert tree.score(frame, y) > 0.8
    assert np.array_equal(TreeClassifier.from_dict(tree.to_dict()).predict(frame), tree.predict(frame))
    twice = TreeClassifier(min_gain=0.05).fit(np.repeat(X, 2, axis=0), np.repeat(y, 2))
    assert np.array_equal(TreeClassifier(min_gain=0.05).fit(X, y, np.full(len(X), 2.0)).predict(X), twice.predict(X))


@pytest.mark.parametrize(
    ("params", "sentence"),
    [
        ({"n_bins": 1}, "n_bins=1"),
        ({"max_purity": 0.0}, "max_purity=0"),
        ({"min_gain": -1}, "min_gain=-1"),
        ({"n_bins": 4, "splits": "oblique"}, "splits='oblique' does not go with n_bins"),
        ({"min_gain": 0.1, "search": "optimal"}, "search='optimal' does not go with n_bins"),
    ],
)
def test_bad_rules_get_a_sentence(table, params, sentence):
    """A rule that does not fit would be ignored silently."""
    with pytest.raises(ParameterError, match=sentence):
        TreeClassifier(**params).fit(*table)
