"""Predictions that rise or fall with a column: bounds that are passed down trees, forests and boosting."""

import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from tests.table.lazy.parts import lazy_table, write_parts

from tamis import ForestClassifier, ForestRegressor, TreeClassifier, TreeRegressor
from tamis.boosting import BoostingClassifier, BoostingRegressor
from tamis.errors import TamisError

DIRECTIONS = {"up": 1, "down": -1, "free": 0}


def table(seed, n=240):
    """Two columns with a direction that the target goes against here and there, a free one, a category, holes."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n, 3)), columns=["up", "down", "free"])
    X["few"] = rng.integers(0, 4, n).astype(float)
    X["word"] = rng.choice(["a", "b", "c", "d"], n)
    signal = np.sin(3 * X["up"]) + X["up"] - np.cos(2 * X["down"]) * X["free"] + (X["word"] == "b") * X["up"]
    y = signal.to_numpy() + 0.5 * rng.normal(size=n)
    if seed % 2:
        X = X.mask(rng.random(X.shape) < 0.15)
    weight = rng.integers(0, 3, n) + rng.choice([0.0, 0.25], n) if seed % 3 == 2 else None
    return X, y, weight


def pairs(X, seed, n=600):
    """Rows, and the same rows further in the direction of one directed column or both."""
    rng = np.random.default_rng(seed + 100)
    low = X.iloc[rng.integers(0, len(X), n)].reset_index(drop=True)
    low = low.assign(**{name: rng.permutation(low[name].to_numpy()) for name in low})
    high = low.copy()
    high["up"] += rng.exponential(size=n) * rng.integers(0, 2, n)
    high["down"] -= rng.exponential(size=n) * rng.integers(0, 2, n)
    return low, high


def answers(model, X):
    return model.predict_proba(X)[:, 1] if hasattr(model, "classes_") else model.predict(X)


def target_of(kind, y):
    if "Classifier" in kind.__name__:
        return np.where(y > np.median(y), "yes", "no")
    return y


MODELS = [
    *[(TreeClassifier, {"criterion": word}) for word in ("gini", "entropy", "gain_ratio", "chi2")],
    (TreeClassifier, {"missing": "category", "max_leaf_nodes": 12}),
    (TreeClassifier, {"prune": "cv", "prune_by": "log_loss", "cv": 3}),
    (TreeClassifier, {"loss_matrix": [[0, 5], [1, 0]], "missing": "majority", "prune": "cv", "cv": 3}),
    *[(TreeRegressor, {"criterion": word}) for word in ("squared_error", "absolute_error", "poisson")],
    (TreeRegressor, {"prune": "cv", "cv": 3, "min_samples_leaf": 3}),
    (TreeRegressor, {"missing": "category", "max_depth": 6}),
    (ForestClassifier, {"n_estimators": 12}),
    (ForestClassifier, {"n_estimators": 12, "criterion": "entropy", "voting": "majority"}),
    (ForestClassifier, {"n_estimators": 12, "thresholds": "random", "calibration": "temperature"}),
    (ForestRegressor, {"n_estimators": 12}),
    (ForestRegressor, {"n_estimators": 12, "max_split_samples": 16, "min_samples_leaf": 3}),
    (ForestRegressor, {"n_estimators": 12, "criterion": "standard_deviation"}),
    (ForestRegressor, {"n_estimators": 12, "criterion": "poisson"}),
    (BoostingClassifier, {"n_estimators": 30, "min_samples_leaf": 5}),
    (BoostingRegressor, {"n_estimators": 30, "min_samples_leaf": 5, "max_depth": 3, "max_leaf_nodes": None}),
    (BoostingRegressor, {"n_estimators": 30, "loss": "poisson", "min_samples_leaf": 5, "learning_rate": 0.5}),
]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("kind", "params"), MODELS, ids=lambda value: getattr(value, "__name__", str(value)))
def test_no_pair_of_rows_goes_against_the_direction(kind, params, seed):
    """With holes, weights, categories and free columns; a free model does go against it, so the table asks for it."""
    X, y, weight = table(seed)
    y = np.round(np.exp(y)).clip(0, 50) if "poisson" in params.values() else target_of(kind, y)
    low, high = pairs(X, seed)
    model = kind(monotone=DIRECTIONS, **params).fit(X, y, sample_weight=weight)
    assert np.min(answers(model, high) - answers(model, low)) >= -1e-12
    free = kind(**params).fit(X, y, sample_weight=weight)
    if params.get("prune") is None:
        assert np.min(answers(free, high) - answers(free, low)) < -1e-3
        assert len(np.unique(answers(model, low))) > 3


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    ("kind", "rival", "y_of"),
    [
        (TreeRegressor, DecisionTreeRegressor, lambda y: y),
        (TreeClassifier, DecisionTreeClassifier, lambda y: (y > 0.3).astype(int)),
    ],
)
def test_a_full_tree_is_that_of_scikit_learn(kind, rival, y_of, seed):
    """The same splits are allowed, and the same bounds passed down."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(150, 3))
    y = y_of(np.sin(3 * X[:, 0]) + X[:, 1] + X[:, 2] + 0.3 * rng.normal(size=150))
    other = rival(monotonic_cst=[1, -1, 0], max_depth=5, min_samples_leaf=4, random_state=0).fit(X, y)
    ours = kind(monotone={"x0": 1, "x1": -1}, max_depth=5, min_samples_leaf=4).fit(X, y)
    new = rng.normal(size=(500, 3))
    wanted = other.predict_proba(new)[:, 1] if kind is TreeClassifier else other.predict(new)
    np.testing.assert_allclose(answers(ours, new), wanted)


@pytest.mark.parametrize("kind", [TreeRegressor, ForestRegressor, BoostingRegressor])
def test_a_column_that_only_goes_against_its_direction_is_not_used(kind):
    X = np.linspace(0, 1, 80)[:, None]
    model = kind(monotone={"x0": 1}).fit(X, 5.0 - 3.0 * X[:, 0])
    assert np.ptp(model.predict(X)) <= 0.2 if kind is ForestRegressor else np.ptp(model.predict(X)) == 0.0


@pytest.mark.parametrize(
    "model",
    [
        TreeRegressor(),
        BoostingRegressor(1, learning_rate=1.0, min_samples_leaf=3),
        ForestRegressor(1, bootstrap=False, max_features=None),
    ],
    ids=lambda model: type(model).__name__,
)
def test_answers_are_held_to_the_midpoint_above(model):
    """Split by a first: means 1.25 and 4, midpoint 2.625. Then b: 5 on the lower side would be above it."""
    a, b = np.repeat([0.0, 0.0, 1.0, 1.0], [9, 3, 6, 6]), np.repeat([0.0, 1.0, 0.0, 1.0], [9, 3, 6, 6])
    y = np.where(a == 1, 4.0, 5.0 * b)
    X = pd.DataFrame({"a": a, "b": b})
    new = pd.DataFrame({"a": [0.0, 0.0, 1.0, 1.0], "b": [0.0, 1.0, 0.0, 1.0]})
    assert model.fit(X, y).predict(new).tolist() == pytest.approx([0.0, 5.0, 4.0, 4.0])
    model.set_params(monotone={"a": 1}).fit(X, y)
    assert model.predict(new).tolist() == pytest.approx([0.0, 2.625, 4.0, 4.0])


@pytest.mark.parametrize(
    "kind", [TreeClassifier, ForestClassifier, BoostingClassifier, TreeRegressor, BoostingRegressor]
)
def test_threads_do_not_matter_and_json_brings_the_model_back(kind, tmp_path):
    X, y, weight = table(3)
    y = target_of(kind, y)
    params = {"monotone": DIRECTIONS} | ({"prune": "cv"} if kind.__name__.startswith("Tree") else {"n_estimators": 9})
    one, two = (kind(n_jobs=n, **params).fit(X, y, sample_weight=weight) for n in (1, 2))
    np.testing.assert_array_equal(answers(one, X), answers(two, X))
    if kind is ForestClassifier:
        one.save(tmp_path / "forest")
        again = ForestClassifier.load(tmp_path / "forest")
    else:
        again = kind.from_dict(json.loads(json.dumps(one.to_dict())))
    assert again.get_params()["monotone"] == DIRECTIONS
    np.testing.assert_array_equal(answers(one, X), answers(again, X))


@pytest.mark.parametrize("kind", [TreeClassifier, TreeRegressor, ForestClassifier, ForestRegressor])
def test_a_table_larger_than_memory_keeps_the_direction(kind, tmp_path):
    X, y, _ = table(1, n=3_000)
    write_parts(tmp_path, pa.Table.from_pandas(X.assign(y=target_of(kind, y)), preserve_index=False), [2], 500)
    lazy = lazy_table(tmp_path / "2", 500, target="y")
    params = {"n_estimators": 5} if "Forest" in kind.__name__ else {"min_samples_leaf": 5}
    model = kind(monotone=DIRECTIONS, **params).fit(lazy, "y")
    low, high = pairs(X, 1)
    assert np.min(answers(model, high) - answers(model, low)) >= -1e-12


def test_importances_with_p_values_keep_the_direction():
    """The permuted copies of a directed column have its direction, too."""
    X, y, _ = table(0)
    forest = ForestRegressor(10, monotone={"up": 1}).fit(X, y)
    importance = forest.permutation_importance(X, y, n_permutations=9)
    assert importance.p_value[0] <= 0.1


ALL = [TreeClassifier, TreeRegressor, ForestClassifier, ForestRegressor, BoostingClassifier, BoostingRegressor]


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize(
    ("monotone", "sentence"),
    [
        ({"upp": 1}, "did you mean 'up'"),
        ({"up": 2}, "give 1"),
        ({"up": True}, "give 1"),
        ({"word": 1}, "categories without an order"),
        (["up"], "give a dict"),
    ],
)
def test_a_direction_that_cannot_be_is_refused(kind, monotone, sentence):
    X, y, _ = table(0, n=60)
    with pytest.raises(TamisError, match=sentence):
        kind(monotone=monotone).fit(X, target_of(kind, y))


@pytest.mark.parametrize("kind", [TreeClassifier, ForestClassifier, BoostingClassifier])
def test_several_classes_are_refused(kind):
    X, y, _ = table(0, n=60)
    with pytest.raises(TamisError, match="the target has 3 classes"):
        kind(monotone={"up": 1}).fit(X, np.digitize(y, [-0.5, 0.5]))


@pytest.mark.parametrize("kind", [TreeRegressor, ForestRegressor])
def test_several_targets_are_refused(kind):
    X, y, _ = table(0, n=60)
    with pytest.raises(TamisError, match="the target has 2 columns"):
        kind(monotone={"up": 1}).fit(X, np.column_stack([y, -y]))


@pytest.mark.parametrize(
    "model",
    [
        TreeRegressor(splits="oblique"),
        TreeRegressor(leaf="linear"),
        TreeClassifier(search="optimal"),
        TreeClassifier(max_purity=0.9),
        TreeRegressor(n_bins=5),
        ForestClassifier(splits="oblique"),
    ],
)
def test_what_does_not_keep_a_direction_is_refused(model):
    X, y, _ = table(0, n=60)
    with pytest.raises(TamisError, match="monotone does not go with"):
        model.set_params(monotone={"up": 1}).fit(X.drop(columns="word"), target_of(type(model), y))


def test_a_direction_of_no_column_is_none():
    """The same bits as without the parameter."""
    X, y, _ = table(1)
    for kind in (TreeRegressor, ForestRegressor, BoostingRegressor):
        plain, zero = kind(random_state=0).fit(X, y), kind(random_state=0, monotone={"up": 0}).fit(X, y)
        np.testing.assert_array_equal(plain.predict(X), zero.predict(X))


@pytest.mark.parametrize("kind", [TreeClassifier, ForestClassifier, BoostingClassifier])
def test_one_class_has_nothing_to_direct(kind):
    X, _, _ = table(0, n=40)
    assert kind(monotone={"up": 1}).fit(X, ["yes"] * 40).predict(X).tolist() == ["yes"] * 40
