"""Permutation importance against its definition, and what it says about signal, noise, copies and groups."""

import gc
import pickle

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kstest
from sklearn.datasets import make_friedman1

from tamis.forest import ForestClassifier, ForestRegressor
from tamis.table import Classes, features, numbers


def mixed(n=80, seed=0):
    """A frame with numbers, holes and levels, three classes and a number that depend on all of them."""
    rng = np.random.default_rng(seed)
    a, level = rng.normal(size=n), rng.choice(list("uvwxyz"), n)
    b = np.where(rng.uniform(size=n) < 0.25, np.nan, rng.normal(size=n))
    frame = pd.DataFrame({"z": rng.normal(size=n), "level": pd.Categorical(level), "a": a, "b": b})
    value = a + np.isin(level, list("uw")) + np.nan_to_num(b, nan=1.5) + 0.3 * rng.normal(size=n)
    return frame, np.digitize(value, np.quantile(value, [0.33, 0.66])), value


def expected_rise(forest, X, y, columns):
    """The definition: each left-out row with the columns of every left-out row in turn, a tree at a time."""
    table = features(forest, X, reset=False)
    is_classes = hasattr(forest, "classes_")
    _, data, target, _ = forest._problem(table, Classes.of(y) if is_classes else numbers(y), np.ones(len(X)))
    bootstrap, trees, out = forest._bootstrap(data, target), forest.trees_, []
    for t in range(len(trees)):
        rows = np.sort(data.rows[bootstrap.counts(t, len(X)) == 0])
        mine = X.iloc[np.repeat(rows, len(rows))].reset_index(drop=True)
        mine[columns] = X[columns].iloc[np.tile(rows, len(rows))].to_numpy()
        mine = mine.astype(X.dtypes)
        costs = []
        for frame, truth in ((mine, np.repeat(y[rows], len(rows))), (X.iloc[rows], y[rows])):
            leaf = trees.nodes[trees.roots[t] + forest.apply(frame)[:, t]]
            if is_classes:
                answer = [
                    c if c < trees.n_classes else trees.table[c - trees.n_classes].argmax() for c in leaf["column"]
                ]
                costs.append(np.mean(forest.classes_[answer] != truth))
            else:
                costs.append(np.mean((leaf["threshold"] - truth) ** 2))
        out.append(costs[0] - costs[1])
    return np.mean(out)


@pytest.mark.parametrize("kind", ["classes", "numbers"])
def test_many_permutations_reach_the_mean_over_all_of_them(kind):
    """If this fails, rows are sent on wrongly after a permutation, or the wrong rows are judged."""
    X, classes, value = mixed()
    y = classes if kind == "classes" else value
    forest = (ForestClassifier if kind == "classes" else ForestRegressor)(6, max_features=None).fit(X, y)
    found = forest.permutation_importance(n_repeats=3_000, interchangeable=None)
    grouped = forest.permutation_importance(n_repeats=3_000, groups=[["a", "level"]])
    wanted = np.array([expected_rise(forest, X, y, [name]) for name in X.columns])
    assert np.allclose(found.importance, wanted, atol=1e-3, rtol=5e-3)
    together = grouped.importance[grouped.names.index("level + a")]
    assert np.isclose(together, expected_rise(forest, X, y, ["a", "level"]), atol=1e-3, rtol=5e-3)


def test_classes_weighted_by_their_rows_give_the_whole():
    """If this fails, the loss in each class is not the loss among its own rows."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(400, 3))
    y = rng.permutation(np.repeat([0, 1], 200))
    X[:, 0] += 2 * y
    found = ForestClassifier(150).fit(X, y).permutation_importance()
    assert np.allclose(found.by_class.mean(axis=1), found.importance, atol=4e-3)
    assert found.scaled == pytest.approx(found.importance / found.error)


def test_same_bits_for_any_threads_and_column_order():
    """If this fails, an importance depends on how many threads worked it out or on where the columns stood."""
    X, y, _ = mixed(200)
    one = ForestClassifier(20).fit(X, y).permutation_importance(n_permutations=4)
    turned = X[X.columns[::-1]]
    other = ForestClassifier(20).fit(turned, y).permutation_importance(n_permutations=4, n_jobs=2)
    assert np.array_equal(one.importance, other.importance[::-1])
    assert np.array_equal(one.error, other.error[::-1])
    assert np.array_equal(one.p_value, other.p_value[::-1])
    assert one.ranking == other.ranking


def test_the_five_true_columns_come_first():
    """If this fails, noise outranks the columns of Friedman's function."""
    X, y = make_friedman1(1_000, 25, noise=1.0, random_state=0)
    forest = ForestRegressor(200, n_jobs=2).fit(X, y)
    found = forest.permutation_importance()
    assert set(found.ranking[:5]) == set(range(5))
    assert found.scaled[:5].min() > 5 > np.abs(found.scaled[5:]).max()
    few = forest.permutation_importance(n_permutations=19)
    assert np.all(few.p_value[:5] == 0.05)


def test_noise_with_a_thousand_levels_gets_no_importance():
    """If this fails, a column is favoured for having many levels."""
    rng = np.random.default_rng(0)
    n = 3_000
    signal = rng.integers(0, 2, n)
    X = pd.DataFrame({"many": pd.Categorical(rng.integers(0, 1_000, n)), "signal": signal.astype(float)})
    y = np.where(rng.uniform(size=n) < 0.8, signal, 1 - signal)
    forest = ForestClassifier(100, n_jobs=2).fit(X, y)
    found = forest.permutation_importance(n_permutations=19)
    assert found.ranking[0] == "signal"
    assert abs(found.importance[0]) < 0.02 * found.importance[1]
    assert found.p_value[0] > 0.05 == found.p_value[1]
    assert forest.feature_importances_[0] < 0.02


def test_copies_share_importance_and_are_named_together():
    """If this fails, two columns that could stand for each other look weak, or an arbitrary winner is named."""
    rng = np.random.default_rng(0)
    g = rng.normal(size=(500, 6))
    names = ["g1", "g17", "g2", "g3", "g4", "g5"]
    alone = pd.DataFrame(g, columns=names)
    both = alone.assign(g203=g[:, 1] + 0.01 * rng.normal(size=500))
    y = g[:, 1] + 0.5 * g[:, 3] + 0.3 * rng.normal(size=500) > 0
    single = ForestClassifier(200, n_jobs=2).fit(alone, y).permutation_importance()
    found = ForestClassifier(200, n_jobs=2).fit(both, y).permutation_importance()
    assert single.shared == ()
    (cluster,) = found.shared
    assert str(cluster) in ("g17 or g203", "g203 or g17")
    parts = found.importance[[found.names.index(name) for name in ("g17", "g203")]]
    whole = single.importance[1]
    assert parts.max() < 0.8 * whole
    assert cluster.importance > 0.8 * whole
    assert f"interchangeable: {cluster}" in found.to_text()


def test_the_training_table_is_found_but_not_kept_alive(tmp_path):
    """If this fails, a model keeps its training table in memory, in its pickle or in its file, or takes other rows."""
    X, y, _ = mixed(120)
    forest = ForestClassifier(20).fit(X, y)
    found = forest.permutation_importance()
    forest.save(tmp_path / "forest")
    for other in (pickle.loads(pickle.dumps(forest)), ForestClassifier.load(tmp_path / "forest")):
        with pytest.raises(ValueError, match="give X and y as they were given to fit"):
            other.permutation_importance()
        assert np.array_equal(other.permutation_importance(X, y).importance, found.importance)
        with pytest.raises(ValueError, match="not those the forest was grown on"):
            other.permutation_importance(X.assign(z=0.0), y)
        with pytest.raises(ValueError, match="not those the forest was grown on"):
            other.permutation_importance(X[:-1], y[:-1])
    with pytest.raises(ValueError, match="X and y belong together"):
        forest.permutation_importance(X)
    copied = X.copy()
    forest.fit(copied, y)
    del copied
    gc.collect()
    with pytest.raises(ValueError, match="not in memory any more"):
        forest.permutation_importance()
    forest.set_params(max_samples=0.5)
    with pytest.raises(ValueError, match="changed after fit"):
        forest.permutation_importance(X, y)
    whole = ForestClassifier(5, bootstrap=False).fit(X, y)
    with pytest.raises(ValueError, match="every tree saw every row"):
        whole.permutation_importance()


def test_weights_groups_and_pictures():
    """If this fails, weights are ignored, groups are misnamed, or the figure cannot be drawn."""
    X, y, value = mixed(150)
    weight = np.random.default_rng(0).uniform(0, 2, len(y)).round(2)
    weight[:10] = 0
    forest = ForestRegressor(30).fit(X, value, sample_weight=weight)
    fewer = X[10:]
    again = ForestRegressor(30).fit(fewer, value[10:], sample_weight=weight[10:])
    found = forest.permutation_importance()
    assert np.array_equal(found.importance, again.permutation_importance().importance)
    assert found.by_class.shape == (4, 0)
    named = forest.permutation_importance(groups={"pair": ["a", "b"]})
    assert sorted(named.names) == ["level", "pair", "z"]
    assert named.table()[0]["column"] == "pair"
    labels = forest.permutation_importance(groups=["one", "one", None, None])
    assert sorted(labels.names) == ["a", "b", "one"]
    with pytest.raises(ValueError, match="in two groups"):
        forest.permutation_importance(groups=[["a", "b"], ["b"]])
    figure = found.figure(top=3)
    assert len(figure.y_range.factors) == 3


@pytest.mark.parametrize("settings", [{"splits": "oblique"}, {"thresholds": "random"}, {"voting": "majority"}])
def test_every_kind_of_forest_has_an_importance(settings):
    """If this fails, permuted rows go astray in trees with oblique or random splits, or in forests that vote."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 6))
    y = X[:, 2] + X[:, 4] > 0
    found = ForestClassifier(60, **settings).fit(X, y).permutation_importance(n_permutations=9)
    assert set(found.ranking[:2]) == {2, 4}
    assert np.all(found.p_value[[2, 4]] == 0.1)


def test_several_targets_and_costs_are_measured():
    """If this fails, the importance forgets a target or the loss matrix."""
    X, classes, value = mixed(200)
    y = np.column_stack([value, X["z"]])
    found = ForestRegressor(60).fit(X, y).permutation_importance()
    assert found.importance[list(found.names).index("z")] > 0.1
    plain = ForestClassifier(60).fit(X, classes > 0).permutation_importance()
    costly = ForestClassifier(60, loss_matrix=[[0, 1], [5, 0]]).fit(X, classes > 0).permutation_importance()
    assert costly.importance.max() > 1.2 * plain.importance.max()


@pytest.mark.nightly
@pytest.mark.parametrize("kind", ["classes", "numbers"])
def test_pvalues_of_noise_are_uniform(kind):
    """If this fails, noise columns beside strong signal get p-values that are too small or too large."""
    found = []
    for seed in range(40):
        X, y = make_friedman1(150, 15, noise=1.0, random_state=seed)
        if kind == "classes":
            forest = ForestClassifier(60, random_state=seed, n_jobs=2).fit(X, y > np.median(y))
        else:
            forest = ForestRegressor(60, random_state=seed, n_jobs=2).fit(X, y)
        p = forest.permutation_importance(n_permutations=39, random_state=seed, interchangeable=None).p_value
        found.extend(p[5:])
    jitter = np.random.default_rng(0).uniform(size=len(found)) / 40  # a p-value is a multiple of 1/40
    assert kstest(np.array(found) - jitter, "uniform").pvalue > 0.01
