import numpy as np
import pytest

from tamis.table import Table, categories
from tamis.tree import TreeClassifier, TreeRegressor


def twins(n=400, seed=0):
    """A column, a noisy copy of it, noise; the target follows the first."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    X = np.c_[x, x + 0.05 * rng.normal(size=n), rng.normal(size=n)]
    return X, (x > 0).astype(int)


def test_surrogates_route_rows_that_the_split_cannot():
    """If this fails, rows without the split's value are sent to the majority although a twin column knows better."""
    X, y = twins()
    holes = X.copy()
    holes[:, 0] = np.nan
    by_twin = TreeClassifier(max_depth=1).fit(X, y)
    assert (by_twin.predict(holes) == y).mean() > 0.9
    assert (TreeClassifier(max_depth=1, missing="majority").fit(X, y).predict(holes) == y).mean() < 0.7
    nothing = by_twin.predict(np.full((1, 3), np.nan))
    assert nothing[0] == np.bincount(y).argmax()


def test_missing_as_a_category_may_carry_information():
    """If this fails, missing="category" cannot use that a value is missing."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=200)
    y = (rng.random(200) < 0.5).astype(int)
    x[y == 1] = np.nan
    tree = TreeClassifier(missing="category").fit(x[:, None], y)
    assert tree.get_n_leaves() == 2
    assert np.array_equal(tree.predict(x[:, None]), y)
    assert "x0 is missing" in tree.to_text()
    words = np.where(np.isnan(x), None, np.where(x > 0, "up", "down"))
    table = Table([categories("w", list(words))])
    assert np.array_equal(TreeClassifier(missing="category").fit(table, y).predict(table), y)


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "poisson"])
def test_missing_with_the_low_values(criterion):
    """If this fails, missing rows are never grouped with the numbers they resemble."""
    x = np.r_[np.arange(10.0), np.full(10, np.nan), np.arange(10.0, 20.0)]
    y = np.r_[np.ones(20), np.full(10, 9.0)]
    tree = TreeRegressor(missing="category", max_depth=1, criterion=criterion).fit(x[:, None], y)
    assert np.array_equal(tree.predict(x[:, None]), y)
    assert tree.tree_.threshold[0] == 9.5


def test_unseen_levels_follow_the_rule_for_missing():
    """If this fails, a new level crashes prediction or goes an arbitrary way."""
    rng = np.random.default_rng(2)
    level = rng.integers(0, 3, 300)
    y = (level == 2).astype(int)
    other = level + 0.01 * rng.normal(size=300)
    names = [f"l{k}" for k in level]
    fit = Table([categories("c", names), Table.of(other[:, None]).column(0)])
    tree = TreeClassifier(max_depth=1).fit(fit, y)
    new = Table([categories("c", ["never", "never"]), Table.of(np.array([[2.0], [0.0]])).column(0)])
    expected = [1, 0] if tree.tree_.n_surrogates[0] else [0, 0]
    assert tree.predict(new).tolist() == expected
    assert tree.tree_.n_surrogates[0] == 1


def test_surrogates_must_beat_the_majority():
    """If this fails, useless surrogates take the place of the majority."""
    rng = np.random.default_rng(3)
    X = np.c_[np.r_[np.zeros(10), np.ones(90)], rng.permutation(100)]
    tree = TreeClassifier(max_depth=1).fit(X, (X[:, 0] > 0.5).astype(int)).tree_
    for agreement, adjusted in tree.agreement:
        assert agreement > 0.9
        assert adjusted > 0
