"""Forests against closed forms, other systems, and their own promises."""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeRegressor

from tamis.forest import ForestClassifier, ForestRegressor


def friedman(n, d=10, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n, d))
    y = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2 + 10 * X[:, 3] + 5 * X[:, 4]
    return X, y + rng.normal(size=n)


def test_one_full_tree_without_drawing_rows_knows_its_rows_by_heart():
    """If this fails, growing stops early or routing disagrees with growing."""
    X, y = friedman(2_500)
    forest = ForestRegressor(1, bootstrap=False, max_features=None).fit(X, y)
    assert np.array_equal(forest.predict(X), y)
    labels = np.digitize(y, np.quantile(y, [0.25, 0.5, 0.75]))
    classifier = ForestClassifier(1, bootstrap=False).fit(X, labels)
    assert np.array_equal(classifier.predict(X), labels)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_same_bits_for_any_threads_and_column_order(n_jobs):
    """If this fails, a forest depends on how many threads grew it, or on where its columns stood."""
    import pandas as pd

    X, y = friedman(400)
    frame = pd.DataFrame(X, columns=[f"c{j}" for j in range(10)])
    one = ForestRegressor(12, random_state=3).fit(frame, y)
    turned = frame[frame.columns[::-1]]
    other = ForestRegressor(12, random_state=3, n_jobs=n_jobs).fit(turned, y)
    assert np.array_equal(one.predict(frame), other.predict(turned))
    assert np.array_equal(one.oob_curve_, other.oob_curve_)
    assert np.array_equal(one.feature_importances_, other.feature_importances_[::-1])


def test_the_order_of_rows_does_not_matter():
    """If this fails, shuffling a table changes the forest."""
    X, y = friedman(300)
    order = np.random.default_rng(1).permutation(len(y))
    one, other = ForestRegressor(10).fit(X, y), ForestRegressor(10).fit(X[order], y[order])
    assert np.array_equal(one.predict(X), other.predict(X))
    assert np.array_equal(one.oob_prediction_[order], other.oob_prediction_, equal_nan=True)


def test_a_whole_weight_is_that_many_copies():
    """If this fails, weighting a row by 3 differs from giving it three times."""
    X, y = friedman(120)
    labels = (y > np.median(y)).astype(int)
    weight = np.random.default_rng(2).integers(0, 4, len(y))
    one = ForestClassifier(15).fit(X, labels, sample_weight=weight)
    other = ForestClassifier(15).fit(np.repeat(X, weight, axis=0), np.repeat(labels, weight))
    assert np.allclose(one.predict_proba(X), other.predict_proba(X))


def test_about_a_share_of_one_over_e_is_left_out():
    """If this fails, rows are not drawn uniformly with replacement."""
    X, y = friedman(1_000)
    forest = ForestRegressor(50, max_depth=2).fit(X, y)
    assert abs(forest.oob_fraction_ - np.exp(-1)) < 0.005


def test_the_former_name_of_the_out_of_bag_fraction_works_and_warns():
    """Without it, code written for the last version breaks without a word."""
    X, y = friedman(100)
    forest = ForestRegressor(5).fit(X, y)
    with pytest.warns(FutureWarning, match="now called oob_fraction_"):
        assert forest.oob_share_ == forest.oob_fraction_


def test_out_of_bag_answers_come_from_trees_that_left_the_row_out():
    """If this fails, out-of-bag answers have seen the row: the answers are worked out again tree by tree."""
    X, y = friedman(150)
    forest = ForestRegressor(7).fit(X, y)
    table, values, weight = _parts(forest, X, y)
    _, data, target, _ = forest._problem(table, values, weight)
    bootstrap = forest._bootstrap(data, target)
    sums, n = np.zeros(len(y)), np.zeros(len(y))
    for t in range(7):
        out = data.rows[bootstrap.counts(t, len(y)) == 0]
        leaf = forest.apply(X)[out, t] + forest.trees_.roots[t]
        sums[out] += forest.trees_.nodes["threshold"][leaf]
        n[out] += 1
    seen = n > 0
    assert np.allclose(forest.oob_prediction_[seen], sums[seen] / n[seen])
    assert np.isnan(forest.oob_prediction_[~seen]).all()
    error = np.mean((forest.oob_prediction_[seen] - y[seen]) ** 2)
    assert np.isclose(forest.oob_curve_[-1], error)


def _parts(forest, X, y):
    from tamis.table import features, numbers

    return features(forest, X, reset=False), numbers(y), np.ones(len(y))


def test_a_file_gives_back_the_same_forest(tmp_path):
    """If this fails, a saved forest answers differently once it is read again."""
    import pandas as pd

    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=200), "b": pd.Categorical(rng.choice(list("xyz"), 200))})
    frame.loc[::7, "a"] = np.nan
    label = np.where((frame["b"] == "x") | (frame["a"] > 1), "yes", "no")
    forest = ForestClassifier(9).fit(frame, label)
    forest.save(tmp_path / "forest")
    again = ForestClassifier.load(tmp_path / "forest")
    assert np.array_equal(forest.predict_proba(frame), again.predict_proba(frame))
    assert again.oob_score_ == forest.oob_score_
    older = (tmp_path / "forest").read_bytes().replace(b"tamis forest 2", b"tamis forest 1", 1)
    (tmp_path / "older").write_bytes(older)  # the form without lists of levels, which three levels do not need
    assert np.array_equal(ForestClassifier.load(tmp_path / "older").predict_proba(frame), forest.predict_proba(frame))
    with pytest.raises(ValueError, match="holds a ForestClassifier"):
        ForestRegressor.load(tmp_path / "forest")


def test_a_node_takes_sixteen_bytes():
    """If this fails, forests need more memory than promised."""
    X, y = friedman(500)
    forest = ForestRegressor(5).fit(X, y)
    assert forest.trees_.nbytes <= 16 * len(forest.trees_.nodes) + 8 * 6 + 64


def test_levels_and_missing_values_are_split_natively():
    """If this fails, a set of levels or a missing value cannot decide a class that it alone decides."""
    import pandas as pd

    rng = np.random.default_rng(0)
    level = rng.choice(list("abcdefgh"), 400)
    x = rng.normal(size=400)
    x[rng.uniform(size=400) < 0.3] = np.nan
    frame = pd.DataFrame({"level": pd.Categorical(level), "x": x, "noise": rng.normal(size=400)})
    for truth in (np.isin(level, list("aceg")), np.isnan(x)):
        forest = ForestClassifier(30, max_features=None).fit(frame, truth)
        assert forest.oob_score_ == 1.0
        three = ForestClassifier(30, max_features=None).fit(frame, truth + 2 * (x > 0))
        assert three.oob_score_ > 0.98


def test_noise_with_many_values_gets_no_importance():
    """If this fails, the importance favours columns for having many values, as plain impurity does."""
    import pandas as pd

    rng = np.random.default_rng(0)
    n = 600
    signal = rng.integers(0, 2, n)
    frame = pd.DataFrame(
        {"signal": signal.astype(float), "many": pd.Categorical(rng.integers(0, 300, n)), "fine": rng.normal(size=n)}
    )
    y = np.where(rng.uniform(size=n) < 0.8, signal, 1 - signal)
    forest = ForestClassifier(200).fit(frame, y)
    assert forest.feature_importances_[0] > 0.95
    plain = ForestClassifier(200, oob_score=False).fit(frame, y)
    assert plain.feature_importances_[0] < 0.5


@pytest.mark.parametrize("seed", range(4))
def test_one_tree_by_the_poisson_deviance_is_scikit_learns(seed):
    """Splits of counts would be compared by something else, or a leaf would say that no count can come."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-4, 5, (300, 4)) / 3
    y = rng.poisson(np.exp(0.5 * X[:, 0] + 0.3 * X[:, 1])).astype(float)
    one = ForestRegressor(1, criterion="poisson", max_features=None, bootstrap=False, min_samples_leaf=20)
    theirs = DecisionTreeRegressor(criterion="poisson", min_samples_leaf=20).fit(X, y)
    np.testing.assert_allclose(one.set_params(oob_score=False).fit(X, y).predict(X), theirs.predict(X))
    assert one.set_params(min_samples_leaf=1).fit(X, y).predict(X).min() > 0
    with pytest.raises(ValueError, match="needs counts"):
        one.fit(X, y - 3)
