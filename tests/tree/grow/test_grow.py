import itertools
import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeRegressor

from tamis.table import Table, categories
from tamis.tree import TreeClassifier, TreeRegressor
from tamis.tree.prune.pruning import Sequence


def impurity(y, w, criterion):
    if criterion == "squared_error":
        return np.sum(w * (y - np.average(y, weights=w)) ** 2)
    if criterion == "absolute_error":
        return min(np.sum(w * np.abs(y - m)) for m in y)
    p = np.array([w[y == c].sum() for c in np.unique(y)]) / w.sum()
    return w.sum() * (1 - np.sum(p**2) if criterion == "gini" else -np.sum(p * np.log(p)))


def best_division(codes, y, w, criterion):
    """Best improvement over every division of the levels, by brute force."""
    levels = np.unique(codes)
    best = -np.inf
    for r in range(1, len(levels)):
        for chosen in itertools.combinations(levels, r):
            left = np.isin(codes, chosen)
            gain = impurity(y, w, criterion)
            gain -= impurity(y[left], w[left], criterion) + impurity(y[~left], w[~left], criterion)
            best = max(best, gain)
    return best


@given(st.integers(0, 10**6), st.sampled_from(["gini", "entropy", "squared_error"]), st.integers(2, 7))
@settings(max_examples=60, deadline=None)
def test_ordering_the_levels_finds_the_best_of_all_divisions(seed, criterion, k):
    """If this fails, categorical splits are not optimal: the ordering trick or the exhaustive search is wrong."""
    rng = np.random.default_rng(seed)
    n = 30
    codes = rng.integers(0, k, n)
    n_classes = 2 + seed % 2  # two classes: ordering; three: exhaustive
    y = rng.integers(0, n_classes, n) if criterion != "squared_error" else rng.normal(size=n)
    w = rng.integers(1, 4, n).astype(float)
    if len(np.unique(codes)) < 2 or len(np.unique(y)) < 2:
        return
    table = Table([categories("c", [f"l{c}" for c in codes])])
    kind = TreeRegressor if criterion == "squared_error" else TreeClassifier
    tree = kind(criterion=criterion, max_depth=1).fit(table, y, sample_weight=w).tree_
    assert tree.improvement[0] == pytest.approx(best_division(codes, y, w, criterion), abs=1e-8)


@given(st.integers(0, 10**6), st.sampled_from(["gini", "entropy", "squared_error", "absolute_error"]))
@settings(max_examples=60, deadline=None)
def test_numeric_splits_are_the_best_of_all_cuts(seed, criterion):
    """If this fails, exact search misses the best threshold."""
    rng = np.random.default_rng(seed)
    x, w = rng.integers(0, 12, 25).astype(float), rng.integers(1, 4, 25).astype(float)
    number = criterion in ("squared_error", "absolute_error")
    y = rng.normal(size=25) if number else rng.integers(0, 3, 25)
    if len(np.unique(x)) < 2 or len(np.unique(y)) < 2:
        return
    kind = TreeRegressor if number else TreeClassifier
    tree = kind(criterion=criterion, max_depth=1).fit(x[:, None], y, sample_weight=w).tree_
    values = np.unique(x)
    gains = []
    for a, b in itertools.pairwise(values):
        left = x <= a
        gain = (
            impurity(y, w, criterion) - impurity(y[left], w[left], criterion) - impurity(y[~left], w[~left], criterion)
        )
        gains.append((gain, (a + b) / 2))
    assert tree.improvement[0] == pytest.approx(max(gains)[0], abs=1e-8)
    assert any(g == pytest.approx(max(gains)[0], abs=1e-8) and t == tree.threshold[0] for g, t in gains)


@given(st.integers(0, 10**6), st.booleans())
@settings(max_examples=40, deadline=None)
def test_large_nodes_find_the_best_cut_too(seed, costly):
    """If this fails, a block of rows that holds the best cut is skipped, with or without costs of mistakes."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(60, 400))
    x = rng.integers(0, rng.integers(2, n), n).astype(float)
    y = (rng.random(n) < np.where(x > np.quantile(x, rng.random()), 0.6, 0.4)).astype(int)
    if len(np.unique(x)) < 2 or len(np.unique(y)) < 2:
        return
    loss = [[0.0, 1.0], [4.0, 0.0]] if costly else None
    tree = TreeClassifier(max_depth=1, min_samples_leaf=3, loss_matrix=loss).fit(x[:, None], y).tree_
    w = np.ones(n)
    if costly:  # altered priors: class 1 counts four times, the sum of weights stays
        w = np.where(y == 1, 4.0, 1.0) * n / (np.sum(y == 0) + 4 * np.sum(y == 1))
    gains = [-np.inf]
    for cut in np.unique(x)[:-1]:
        left = x <= cut
        if min(left.sum(), (~left).sum()) >= 3:
            parts = impurity(y[left], w[left], "gini") + impurity(y[~left], w[~left], "gini")
            gains.append(impurity(y, w, "gini") - parts)
    if np.isfinite(max(gains)):
        assert tree.improvement[0] == pytest.approx(max(gains), abs=1e-8)


@pytest.mark.parametrize("kind", [TreeClassifier, TreeRegressor])
def test_a_weight_of_two_is_a_row_given_twice(kind):
    """If this fails, weights count differently in splits, surrogates or answers."""
    rng = np.random.default_rng(9)
    X = np.c_[rng.normal(size=(300, 3)), rng.integers(0, 4, 300)]
    X[:, 1] += X[:, 0]
    y = (X[:, 0] + 0.5 * rng.normal(size=300) > 0).astype(int)
    X[rng.random(X.shape) < 0.1] = np.nan
    w = rng.integers(0, 4, 300)
    weighted = kind(max_depth=3).fit(X, y, sample_weight=w).tree_
    repeated = kind(max_depth=3).fit(np.repeat(X, w, axis=0), np.repeat(y, w)).tree_
    for name in ("feature", "threshold", "left", "surrogate", "surrogate_threshold", "default"):
        assert np.array_equal(getattr(weighted, name), getattr(repeated, name))
    for name in ("improvement", "agreement", "value", "risk"):
        np.testing.assert_allclose(getattr(weighted, name), getattr(repeated, name), rtol=1e-9, atol=1e-9)


def test_several_targets_at_once():
    """If this fails, trees for several numbers split for the first one only."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(300, 3)).astype(np.float32).astype(float)
    Y = np.c_[X[:, 0] > 0, X[:, 1] > 0.5].astype(float) + 0.1 * rng.normal(size=(300, 2))
    spread = Y.std(axis=0)  # in units of which each target counts
    ours = TreeRegressor(max_depth=3).fit(X, Y)
    theirs = DecisionTreeRegressor(max_depth=3, random_state=0).fit(X, Y / spread)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X) * spread)


def test_sorting_at_each_node_grows_the_same_tree_as_sorting_once(monkeypatch):
    """If this fails, very large tables get another tree than small ones."""
    rng = np.random.default_rng(3)
    X = np.c_[rng.normal(size=(500, 3)), rng.integers(0, 5, (500, 2))]
    X[rng.random(X.shape) < 0.1] = np.nan
    y = rng.integers(0, 3, 500)
    z = rng.normal(size=500) + np.nan_to_num(X[:, 0])
    for kind, target in ((TreeClassifier, y), (TreeRegressor, z)):
        once = kind().fit(X, target)
        with monkeypatch.context() as patch:
            patch.setattr("tamis.tree.grow.fit.MAX_SORTED", 0)
            each = kind().fit(X, target)
        for name in ("feature", "threshold", "left", "value", "surrogate", "default"):
            assert np.array_equal(getattr(once.tree_, name), getattr(each.tree_, name))
        np.testing.assert_allclose(once.tree_.improvement, each.tree_.improvement, rtol=1e-9)


def test_xor_is_learned():
    """If this fails, a tree stops where the first split alone gains nothing."""
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=float)
    assert TreeClassifier().fit(X, [0, 1, 1, 0]).predict(X).tolist() == [0, 1, 1, 0]


def test_edge_cases():
    """If this fails, constant, empty, tiny or weightless input breaks the grower."""
    rng = np.random.default_rng(4)
    y = rng.integers(0, 2, 40)
    assert TreeClassifier().fit(np.ones((40, 2)), y).get_n_leaves() == 1
    holes = np.c_[np.full(40, np.nan), np.arange(40.0)]
    for missing in ("surrogate", "category", "majority"):
        tree = TreeClassifier(missing=missing).fit(holes, y)
        assert np.array_equal(tree.predict(holes), y)  # one row a leaf
        assert 0 not in tree.tree_.feature[tree.tree_.left >= 0]
    w = np.r_[np.ones(20), np.zeros(20)]
    weighted = TreeClassifier().fit(holes, y, sample_weight=w)
    assert weighted.to_dict()["tree"] == TreeClassifier().fit(holes[:20], y[:20]).to_dict()["tree"]
    twice = TreeRegressor().fit(np.r_[holes, holes][:, 1:], np.r_[y, y].astype(float))
    assert np.array_equal(twice.predict(holes[:, 1:]), y)
    assert TreeRegressor().fit([[1.0]], [3.0]).predict([[7.0]]).tolist() == [3.0]


def chain_of(depth):
    """Alternating classes: cutting one row off an end is the best split at every node."""
    X = np.arange(depth + 1.0)[:, None]
    return X, np.arange(depth + 1) % 2


def test_a_chain_ten_thousand_deep_does_not_run_out_of_stack():
    """If this fails, unbalanced trees crash: something recurses."""
    X, y = chain_of(10_000)
    model = TreeClassifier().fit(X, y)
    assert model.get_depth() == 10_000
    assert np.array_equal(model.predict(X), y)
    assert len(model.tree_.preorder()) == 20_001
    assert model.tree_.pruned(Sequence.of(model.tree_).leaves_at(np.inf)).n_nodes == 1
    assert model.to_svg(max_depth=10_000).count('class="node"') == 20_001
    assert "leaves below" in model.to_svg()
    loaded = TreeClassifier.from_dict(json.loads(json.dumps(model.to_dict())))
    assert np.array_equal(loaded.apply(X), model.apply(X))


def test_a_chain_deeper_than_the_stack_can_be_read():
    """If this fails, printing, rules or SQL recurse: Python's stack ends at a depth of 1,000."""
    X, y = chain_of(1_500)
    model = TreeClassifier(prune="cv", rule="min", cv=2).fit(X, y)
    assert model.get_n_leaves() >= 1
    model = TreeClassifier().fit(X, y)
    assert len(model.to_text().splitlines()) == 3_001
    rules = model.rules()
    assert len(rules) == 1_501
    assert max(len(rule["conditions"]) for rule in rules) == 1  # intervals of the one column are merged
    assert model.to_sql().count("CASE") > 1_500


def test_sixty_thousand_levels():
    """If this fails, a column of identifiers takes all memory or all time."""
    rng = np.random.default_rng(5)
    n = 60_000
    y = rng.integers(0, 2, n)
    table = Table([categories("id", [f"i{k}" for k in range(n)])])
    tree = TreeClassifier(max_depth=3).fit(table, y)
    assert (tree.predict(table) == y).mean() > 0.99


def test_many_levelled_noise_does_not_beat_a_real_column():
    """If this fails, the guard against the bias to many-levelled columns is off."""
    rng = np.random.default_rng(6)
    wins = 0
    for _ in range(20):
        x = rng.normal(size=300)
        y = (x + 2.0 * rng.normal(size=300) > 0).astype(int)
        frame = pd.DataFrame({"noise": pd.Categorical(rng.integers(0, 80, 300).astype(str)), "real": x})
        tree = TreeClassifier(max_depth=1).fit(frame, y).tree_
        wins += tree.names[tree.feature[0]] == "real"
    assert wins >= 18


def test_many_classes_and_levels_find_the_split_by_principal_direction():
    """If this fails, many levels × several classes are split badly."""
    rng = np.random.default_rng(7)
    code = rng.integers(0, 40, 4000)
    y = np.where(code < 20, rng.integers(0, 2, 4000), rng.integers(2, 5, 4000))
    shuffled = rng.permutation(40)[code]
    tree = TreeClassifier(max_depth=1).fit(Table([categories("c", shuffled.astype(str))]), y)
    side = tree.apply(Table([categories("c", shuffled.astype(str))]))
    assert len(np.unique(side[code < 20])) == 1
    assert len(np.unique(side)) == 2


def test_column_order_and_source_do_not_matter():
    """If this fails, the tree depends on the order of columns or on how the table came."""
    import polars as pl

    rng = np.random.default_rng(8)
    frame = pd.DataFrame({"b": rng.integers(0, 9, 200) * 1.0, "a": rng.normal(size=200)})
    frame["c"] = frame["b"]  # a twin: ties must go by name
    frame["d"] = pd.Categorical(rng.choice(["x", "y", "z"], 200))
    y = (frame["b"] + rng.normal(size=200) > 4).astype(int)
    one = TreeClassifier(prune="cv").fit(frame, y)
    other = TreeClassifier(prune="cv").fit(frame[["d", "c", "a", "b"]], y)
    assert one.to_text() == other.to_text()
    assert "c " not in one.to_text()
    polars = pl.DataFrame({k: frame[k].astype(str).to_list() if k == "d" else frame[k].to_list() for k in frame})
    assert np.array_equal(TreeClassifier(prune="cv").fit(polars, y).predict(polars), one.predict(frame))


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"criterion": "ginni"}, "did you mean 'gini'"),
        ({"min_samples_leaf": 0}, "min_samples_leaf=0"),
        ({"max_depth": 0}, "max_depth=0"),
        ({"missing": "guess"}, "missing='guess'"),
        ({"prune": "yes"}, "prune='yes'"),
        ({"prune": -1.0}, "prune=-1.0"),
        ({"loss_matrix": [[0, 1, 1]]}, "shape"),
        ({"priors": [0.2, 0.3, 0.5]}, "2 classes"),
        ({"leaf": "linear"}, "TreeRegressor"),
    ],
)
def test_bad_parameters_get_a_sentence(params, words):
    """If this fails, a wrong parameter is swallowed or fails far from its cause."""
    with pytest.raises(ValueError, match=words):
        TreeClassifier(**params).fit(np.arange(8.0)[:, None], [0, 1] * 4)


def test_folds_of_a_wrong_kind_get_a_sentence():
    """If this fails, `cv` is read otherwise here than by linear models, searches and nested scores."""
    with pytest.raises(TypeError, match="cv='ten' is no number, splitter or list"):
        TreeClassifier(prune="cv", cv="ten").fit(np.arange(8.0)[:, None], [0, 1] * 4)
