"""Growing until the out-of-bag error is flat within its own noise."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris, make_friedman1

from tamis.forest import ForestClassifier, ForestRegressor
from tamis.forest.predict.out_of_bag import EVERY, LEAST, is_flat

CAP = 1_000


def mixed(n=400, seed=0):
    """Numbers, levels and gaps; three classes."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"x": rng.normal(size=n), "z": rng.normal(size=n), "level": rng.choice(list("abcde"), n)})
    frame.loc[::9, "x"] = np.nan
    frame["level"] = frame["level"].astype("category")
    label = np.where(frame["level"].isin(["a", "c"]), 2, (frame["x"].fillna(0) + 0.3 * rng.normal(size=n) > 0) * 1)
    return frame, label


def same(one, other, X):
    """Whether two forests are the same, bit for bit."""
    trees = zip(one.trees_.arrays.items(), other.trees_.arrays.items())
    answer = "predict_proba" if hasattr(one, "predict_proba") else "predict"
    return (
        all(a == b and np.array_equal(x, y, equal_nan=x.dtype.kind == "f") for (a, x), (b, y) in trees)
        and np.array_equal(getattr(one, answer)(X), getattr(other, answer)(X))
        and np.array_equal(one.oob_curve_, other.oob_curve_, equal_nan=True)
        and np.array_equal(one.feature_importances_, other.feature_importances_)
        and one.oob_score_ == other.oob_score_
    )


@pytest.mark.parametrize("kind", [ForestClassifier, ForestRegressor])
def test_the_stopped_forest_is_the_forest_of_that_many_trees(kind):
    """If this fails, stopping changes the trees it kept, forgets one, or depends on the number of threads."""
    X, y = load_iris(return_X_y=True)
    stopped = kind(CAP, stop_when_stable=True).fit(X, y)
    n_trees = len(stopped.trees_)
    assert LEAST <= n_trees < CAP
    assert n_trees % EVERY == 0
    assert len(stopped.oob_curve_) == n_trees
    assert same(stopped, kind(n_trees).fit(X, y), X)
    for n_jobs in (2, 3):
        assert same(stopped, kind(CAP, stop_when_stable=True, n_jobs=n_jobs).fit(X, y), X)


@pytest.mark.parametrize("kind", [ForestClassifier, ForestRegressor])
def test_what_is_left_to_win_is_less_than_the_noise(kind):
    """If this fails, growing stops while the error still falls: a + b / t is fitted to the curve by its two halves."""
    X, y = make_friedman1(300, noise=3.0, random_state=0)
    y = y > np.median(y) if kind is ForestClassifier else y
    curve = kind(2_000, stop_when_stable=True, n_jobs=2).fit(X, y).oob_curve_
    t = np.arange(1, len(curve) + 1)
    assert len(t) < 2_000
    late = t > len(t) // 2
    slope, limit = np.polyfit(1 / t[late], curve[late], 1)
    noise = np.std(curve[late] - limit - slope / t[late])
    assert abs(slope) / t[-1] <= noise
    # no look before the last would have said so
    assert not any(is_flat(curve[:n]) for n in range(LEAST, len(curve), EVERY))


def test_a_falling_curve_goes_on():
    """If this fails, growing stops however much is still to be won, or however long nothing was won."""
    t = np.arange(1.0, 301.0)
    noise = np.random.default_rng(0).normal(size=300)
    assert not is_flat(0.2 + 1.0 / t + 1e-4 * noise)
    assert is_flat(0.2 + 1.0 / t + 1e-2 * noise)
    assert is_flat(np.full(100, 0.2))
    assert is_flat(np.zeros(100))
    assert not is_flat(np.full(100, np.nan))


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"splits": "oblique"},
        {"bootstrap": "balanced"},
        {"bootstrap": False, "max_samples": 0.5, "voting": "majority"},
        {"loss_matrix": [[0, 1, 2], [2, 0, 1], [1, 1, 0]], "thresholds": "random"},
    ],
)
def test_copies_and_weights_stop_at_the_same_tree(params):
    """If this fails, a row given three times and a row of weight 3 lead to forests of different sizes."""
    X, y = mixed(120)
    weight = np.random.default_rng(1).integers(0, 4, len(y))
    copied = np.repeat(np.arange(len(y)), weight)
    sizes = set()
    for seed in range(3):
        forest = ForestClassifier(CAP, stop_when_stable=True, random_state=seed, n_jobs=2, **params)
        given = forest.fit(X.iloc[copied], y[copied])
        shares, size = given.predict_proba(X), len(given.trees_)
        weighted = forest.fit(X, y, sample_weight=weight)
        assert len(weighted.trees_) == size
        assert np.allclose(weighted.predict_proba(X), shares)
        sizes.add(size)
    assert len(sizes) > 1


def test_copies_and_weights_stop_at_the_same_tree_for_numbers():
    """If this fails, weights and copies lead to forests of different sizes, for one target or two."""
    X, y = make_friedman1(100, noise=1.0, random_state=0)
    weight = np.random.default_rng(1).integers(1, 3, len(y))
    for target in (y, np.column_stack([y, X[:, 0]])):
        one = ForestRegressor(CAP, stop_when_stable=True).fit(X, target, sample_weight=weight)
        other = ForestRegressor(CAP, stop_when_stable=True).fit(
            np.repeat(X, weight, axis=0), np.repeat(target, weight, axis=0)
        )
        assert len(one.trees_) == len(other.trees_) < CAP
        assert np.allclose(one.predict(X), other.predict(X))


def test_the_cap_holds():
    """If this fails, more trees are grown than asked for, or fewer than are needed to judge."""
    X, y = make_friedman1(300, noise=1.0, random_state=0)
    assert len(ForestRegressor(LEAST - 1, stop_when_stable=True).fit(X, y).oob_curve_) == LEAST - 1


@pytest.mark.parametrize("params", [{"oob_score": False}, {"bootstrap": False}])
def test_nothing_to_look_at_gets_a_sentence(params):
    """If this fails, stopping is silently ignored where no error out of the bag is worked out."""
    with pytest.raises(ValueError, match="stop_when_stable=True looks at"):
        ForestRegressor(60, stop_when_stable=True, **params).fit([[1.0], [2.0], [3.0]], [0.0, 1.0, 2.0])
