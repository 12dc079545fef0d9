"""Small trees by search: against enumeration, against greedy trees, and on what greed cannot find."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from tamis import TreeClassifier, TreeRegressor, _core
from tamis.errors import ParameterError


def best_gain(codes, values, weight, rows, depth, n_leaves, min_leaf):
    """The largest Σ |Σ w y|² / Σ w over the leaves of any tree, by enumeration."""
    total = weight[rows] @ values[rows]
    best = (total @ total) / weight[rows].sum()
    if depth == 0 or n_leaves == 1:
        return best
    for k in range(codes.shape[1]):
        for cut in range(codes[:, k].max()):
            left, right = rows[codes[rows, k] <= cut], rows[codes[rows, k] > cut]
            if min(len(left), len(right)) < max(1, min_leaf):
                continue
            for n_left in range(1, n_leaves):
                sides = ((left, n_left), (right, n_leaves - n_left))
                gain = sum(best_gain(codes, values, weight, side, depth - 1, n, min_leaf) for side, n in sides)
                best = max(best, gain)
    return best


@pytest.mark.parametrize("seed", range(8))
def test_enumeration(seed):
    rng = np.random.default_rng(seed)
    n, n_codes, min_leaf = int(rng.integers(8, 25)), int(rng.integers(2, 4)), int(rng.integers(1, 4))
    codes = rng.integers(0, n_codes, (n, 2))
    codes[0] = n_codes - 1
    values = rng.normal(size=(n, 1 + seed % 2))
    weight = rng.uniform(0.5, 2, n) if seed % 3 else np.ones(n)
    counts = np.full(2, n_codes, dtype=np.int32)
    last = np.tile(np.arange(n_codes, dtype=np.int32), (2, 1))
    fine = np.ascontiguousarray(codes.T.astype(np.uint16))
    for depth, sizes in ((1, [2]), (2, [2, 3, 4]), (3, [4, 5, 6])):
        arguments = (codes.astype(np.uint8), counts, fine, counts, last, values, weight)
        _, gain, proved = _core.optimal_trees(*arguments, depth, min_leaf, 10**6)
        assert proved
        for size in sizes:
            expected = best_gain(codes, values, weight, np.arange(n), depth, size, min_leaf)
            assert gain[size - 1] == pytest.approx(expected, rel=1e-9, abs=1e-9)


def mixed(seed=0, n=300):
    """Columns of numbers, some missing, and levels; classes by an exclusive or inside some levels."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.normal(size=(n, 6)), columns=list("uvwxyz"))
    frame["level"] = pd.Categorical(rng.choice(list("abcde"), n))
    frame.loc[rng.random(n) < 0.1, "x"] = np.nan
    truth = ((frame.u > 0) ^ (frame.v > 0.3)) & (frame.level.isin(["a", "c"]) | frame.x.isna())
    return frame, np.where(rng.random(n) < 0.1, ~truth, truth), rng


def leaf_impurity(model):
    return float(model.tree_.impurity[model.tree_.left < 0].sum())


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_never_worse_than_greed_on_the_training_rows(seed, depth):
    frame, classes, rng = mixed(seed)
    numbers = np.where(classes, 2.0, 0.0) + rng.normal(size=len(frame))
    for kind, target in ((TreeClassifier, classes), (TreeRegressor, numbers)):
        for n_leaves in range(2, 2**depth + 1):
            limits = {"max_depth": depth, "max_leaf_nodes": n_leaves, "min_samples_leaf": 5}
            greedy = kind(missing="category", **limits).fit(frame.drop(columns="x"), target)
            searched = kind(search="optimal", **limits).fit(frame.drop(columns="x"), target)
            assert searched.get_n_leaves() <= n_leaves
            assert searched.get_depth() <= depth
            assert leaf_impurity(searched) <= leaf_impurity(greedy) * (1 + 1e-9)


def test_exclusive_or_is_found():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(200, 12))
    y = (X[:, 4] > 0) ^ (X[:, 9] > 0)
    tree = TreeClassifier(search="optimal", max_depth=2).fit(X, y)
    assert tree.optimal_
    assert set(tree.tree_.feature[tree.tree_.left >= 0].tolist()) == {4, 9}
    assert tree.score(X, y) > 0.99
    assert TreeClassifier(max_depth=2).fit(X, y).score(X, y) < 0.8


def test_missing_values_and_levels_are_sent_where_they_were_in_training():
    frame, classes, _ = mixed()
    tree = TreeClassifier(search="optimal").fit(frame, classes)
    counts = np.bincount(tree.apply(frame), minlength=tree.tree_.n_nodes)
    is_leaf = tree.tree_.left < 0
    assert np.array_equal(counts[is_leaf], tree.tree_.n_rows[is_leaf])
    share = tree.tree_.value / tree.tree_.value.sum(axis=1, keepdims=True)
    for leaf in np.flatnonzero(is_leaf):
        assert share[leaf, 1] == pytest.approx(classes[tree.apply(frame) == leaf].mean())


def test_several_classes_and_several_targets():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(240, 5))
    classes = np.where(X[:, 0] > 0, np.where(X[:, 1] > 0, "a", "b"), np.where(X[:, 2] > 0, "c", "d"))
    tree = TreeClassifier(search="optimal", max_depth=2).fit(X, classes)
    assert tree.score(X, classes) > 0.98
    several = np.column_stack([X[:, 0] > 0, X[:, 1] > 0]).astype(float)
    predicted = TreeRegressor(search="optimal", max_depth=2).fit(X, several).predict(X)
    assert predicted.shape == (240, 2)
    assert np.mean((predicted - several) ** 2) < 0.01


def test_a_weight_of_two_is_a_row_twice():
    frame, classes, _ = mixed(1, 120)
    X = frame.drop(columns=["level", "x"])
    twice = np.arange(120) % 3 == 0
    weighted = TreeRegressor(search="optimal", max_depth=2).fit(X, classes.astype(float), np.where(twice, 2.0, 1.0))
    rows = np.concatenate([np.arange(120), np.flatnonzero(twice)])
    repeated = TreeRegressor(search="optimal", max_depth=2).fit(X.iloc[rows], classes[rows].astype(float))
    assert np.allclose(weighted.predict(X), repeated.predict(X))


def test_the_order_of_columns_does_not_matter():
    frame, classes, _ = mixed(2)
    one = TreeClassifier(search="optimal").fit(frame, classes)
    other = TreeClassifier(search="optimal").fit(frame[frame.columns[::-1]], classes)
    assert np.allclose(one.predict_proba(frame), other.predict_proba(frame[frame.columns[::-1]]))


def test_size_by_cross_validation():
    frame, classes, _ = mixed(4, 400)
    tree = TreeClassifier(search="optimal", prune="cv", prune_by="brier").fit(frame, classes)
    shown = tree.cost_complexity_
    assert shown["n_leaves"][0] == 1
    assert np.all(np.diff(shown["n_leaves"]) > 0)
    assert np.all(np.diff(shown["risk"]) <= 1e-12)
    assert tree.get_n_leaves() in shown["n_leaves"]
    assert np.isfinite(tree.nested_predictions_).all()
    brier = np.mean((tree.nested_predictions_[:, 1] - classes) ** 2)
    assert brier < 0.8 * classes.mean() * (1 - classes.mean())
    same = clone(tree).set_params(n_jobs=2).fit(frame, classes)
    assert np.array_equal(same.predict_proba(frame), tree.predict_proba(frame))


def test_noise_keeps_the_root():
    rng = np.random.default_rng(8)
    n_split = 0
    for _ in range(10):
        X, y = rng.normal(size=(120, 6)), rng.random(120) < 0.5
        n_split += (
            TreeClassifier(search="optimal", prune="cv", prune_by="brier", min_samples_leaf=5).fit(X, y).get_n_leaves()
            > 1
        )
    assert n_split <= 3


def test_saved_and_exported_as_any_tree():
    frame, classes, _ = mixed()
    tree = TreeClassifier(search="optimal").fit(frame, classes)
    again = TreeClassifier.from_dict(json.loads(json.dumps(tree.to_dict())))
    assert np.array_equal(again.predict_proba(frame), tree.predict_proba(frame))
    assert tree.to_text().count("\n") == tree.tree_.n_nodes - 1


@pytest.mark.parametrize(
    ("parameters", "name"),
    [
        ({"criterion": "entropy"}, "criterion"),
        ({"splits": "oblique"}, "splits"),
        ({"max_depth": 4}, "max_depth"),
        ({"prune": "chi2"}, "prune"),
    ],
)
def test_what_does_not_go_together_is_refused(parameters, name):
    with pytest.raises(ParameterError, match=name):
        TreeClassifier(search="optimal", **parameters).fit([[0.0], [1.0], [2.0]], [0, 1, 1])
