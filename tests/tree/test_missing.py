import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tamis.errors import TableError, TamisWarning
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


def best_agreement(x, side, w):
    """Largest weight that a cut of x sends the way `side` says (1 left, -1 right, 0 not known), by brute force."""
    known = (side != 0) & ~np.isnan(x)
    x, side, w = x[known], side[known], w[known]
    best = 0.0
    for cut in np.unique(x)[:-1]:
        below = x <= cut
        if min(w[below].sum(), w[~below].sum()) >= 2:  # whole weights are copies
            same = w[below == (side == 1)].sum()
            best = max(best, same, w.sum() - same)
    return best


@given(st.integers(0, 10**6), st.booleans())
@settings(max_examples=40, deadline=None)
def test_surrogates_are_those_that_agree_most(seed, weighted):
    """If this fails, the search for surrogates skips the cut that agrees most, or ranks columns wrongly."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(20, 300))
    x = rng.normal(size=n)
    X = np.c_[x, x + rng.normal(size=n), -x + 2 * rng.normal(size=n), np.round(x * 2), rng.integers(0, 9, n)]
    X[rng.random(X.shape) < 0.15] = np.nan
    y = (x + 0.3 * rng.normal(size=n) > 0).astype(int)
    w = rng.integers(1, 4, n).astype(float) if weighted else np.ones(n)
    tree = TreeClassifier(max_depth=1, min_samples_leaf=3).fit(X, y, sample_weight=w).tree_
    if tree.left[0] < 0:
        return
    j = int(tree.feature[0])
    side = np.where(np.isnan(X[:, j]), 0, np.where(X[:, j] <= tree.threshold[0], 1, -1))
    total, majority = w[side != 0].sum(), max(w[side == 1].sum(), w[side == -1].sum())
    best = {k: best_agreement(X[:, k], side, w) for k in range(5) if k != j}
    expected = sorted((a for a in best.values() if a > majority * (1 + 1e-9)), reverse=True)[:5]
    np.testing.assert_allclose(tree.agreement[:, 0] * total, expected, rtol=1e-9)
    for q, (column, flip, _, _) in enumerate(tree.surrogate.tolist()):
        assert best[column] == pytest.approx(expected[q])
        known = (side != 0) & ~np.isnan(X[:, column])
        goes_left = (X[known, column] <= tree.surrogate_threshold[q]) != bool(flip)
        assert w[known][goes_left == (side[known] == 1)].sum() == pytest.approx(expected[q])


def test_drop_grows_on_complete_rows_and_says_how_many_were_left_out():
    """Rows with holes would take part in the fit, or be left out silently."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    y = (X[:, 0] > 0).astype(int)
    X[::4, 1] = np.nan
    with pytest.warns(TamisWarning, match="20 of 80 rows have missing values and were left out"):
        tree = TreeClassifier(missing="drop").fit(X, y)
    complete = ~np.isnan(X[:, 1])
    assert tree.n_dropped_ == 20
    assert tree.to_text() == TreeClassifier(missing="majority").fit(X[complete], y[complete]).to_text()
    assert len(tree.predict(X)) == 80
    with pytest.raises(TableError, match="each of the 80 rows lacks a value"):
        TreeClassifier(missing="drop").fit(np.full((80, 2), np.nan), y)


def test_selected_columns_are_those_that_splits_and_lines_read():
    """A column of a combination, or of a line in a leaf, would not be named."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 4))
    y = (X[:, 1] + X[:, 2] > 0).astype(int)
    assert TreeClassifier(max_depth=1).fit(X, X[:, 3] > 0).selected_columns_ == ("x3",)
    oblique = TreeClassifier(splits="oblique", max_depth=1).fit(X, y)
    assert set(oblique.selected_columns_) >= {"x1", "x2"}
    lines = TreeRegressor(leaf="linear", max_depth=1).fit(X, X[:, 0] + 2 * X[:, 3])
    assert set(lines.selected_columns_) >= {"x0", "x3"}


def test_training_rows_reach_the_leaves_that_count_them():
    """A row placed by a surrogate whose code lies between two of the node's would be counted in another leaf."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X = rng.integers(0, 12, (300, 4)).astype(float)
        X[:, 1] = X[:, 0] + rng.integers(0, 4, 300)
        y = (X[:, 0] + rng.normal(0, 3, 300) > 6).astype(int)
        X[rng.random(X.shape) < 0.25] = np.nan
        model = TreeClassifier().fit(X, y)
        leaves = model.tree_.left < 0
        counts = np.bincount(model.apply(X), minlength=model.tree_.n_nodes)
        np.testing.assert_array_equal(counts[leaves], model.tree_.n_rows[leaves])
