"""Boosting for classes and numbers: closed forms, and what must not change an answer."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_matrix
from scipy.special import expit

from tamis.boosting import BoostingClassifier, BoostingRegressor
from tamis.errors import TamisError
from tamis.table import Table


def mixed(n=300, seed=0):
    """Numbers with holes, a category with a level of few rows and holes, a truth value; and a number they tell."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.normal(size=(n, 3)), columns=["c", "a", "b"])
    y = np.sin(2 * frame["a"]) + frame["b"] * frame["c"] + 0.3 * rng.normal(size=n)
    word = rng.choice(["red", "green", "blue", "grey"], p=[0.4, 0.3, 0.28, 0.02], size=n).astype(object)
    y = y.to_numpy() + 2.0 * (word == "green")
    word[rng.random(n) < 0.1] = None
    frame["word"] = pd.Categorical(word)
    frame["flag"] = rng.random(n) < 0.5
    frame.loc[rng.random(n) < 0.1, "a"] = np.nan
    return frame, y


def test_one_stump_of_numbers_is_the_one_of_pencil_and_paper():
    """A wrong gain, mean or threshold would be wrong in every tree."""
    X, y = [[1.0], [2.0], [4.0], [5.0]], [1.0, 2.0, 6.0, 7.0]
    model = BoostingRegressor(1, learning_rate=0.5, max_leaf_nodes=2, min_samples_leaf=1).fit(X, y)
    # mean 4, residuals -3 -2 2 3; means of the sides -2.5 and 2.5; gain 5²/2 + 5²/2 - 0; halfway between 2 and 4
    np.testing.assert_allclose(model.predict([[3.0], [3.1]]), [4 - 1.25, 4 + 1.25])
    np.testing.assert_allclose(model.gain_importance_, [25.0])
    smaller = BoostingRegressor(1, learning_rate=0.5, max_leaf_nodes=2, min_samples_leaf=1, l2_regularization=3.0)
    np.testing.assert_allclose(smaller.fit(X, y).predict([[0.0], [9.0]]), [4 - 0.5 * 5 / 5, 4 + 0.5 * 5 / 5])


def test_a_leaf_of_classes_is_a_newton_step():
    """The step of two and of several classes: - sum (p - y) / sum p (1 - p)."""
    X = [[0.0]] * 4 + [[1.0]] * 6
    y = np.array([0, 0, 0, 1, 1, 1, 1, 1, 1, 0])
    p = y.mean()
    model = BoostingClassifier(1, learning_rate=1.0, min_samples_leaf=1).fit(X, y)
    steps = [-(4 * p - 1) / (4 * p * (1 - p)), -(6 * p - 5) / (6 * p * (1 - p))]
    np.testing.assert_allclose(model.decision_function([[0.0], [1.0]]), np.log(p / (1 - p)) + steps)
    three = np.array([0, 0, 0, 1, 1, 1, 2, 2, 2, 2])
    shares = np.bincount(three) / 10
    model = BoostingClassifier(1, learning_rate=1.0, min_samples_leaf=1).fit(X, three)
    start = np.log(shares) - np.log(shares).mean()
    there = np.array([np.bincount(three[:4], minlength=3), np.bincount(three[4:], minlength=3)])
    n = there.sum(axis=1, keepdims=True)
    known = start - (n * shares - there) / (n * shares * (1 - shares))
    np.testing.assert_allclose(model.decision_function([[0.0], [1.0]]), known)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)


def test_a_class_of_few_rows_does_not_throw_the_sums_off():
    """Where probabilities are next to 0 a Newton step is next to infinite: answers would be sure and wrong."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1500, 6))
    y = np.digitize(X[:, 0] + X[:, 1] + rng.normal(size=1500), [-4.0, -2.0, 0.0, 2.0, 4.0])
    assert np.bincount(y[:1000]).min() < 20
    model = BoostingClassifier(33, learning_rate=0.3).fit(X[:1000], y[:1000])
    told = model.predict_proba(X[1000:])[np.arange(500), y[1000:]]
    assert -np.log(np.maximum(told, 1e-15)).mean() < 2.5
    assert np.abs(model.decision_function(X)).max() < 40


def test_missing_values_go_where_they_belong():
    """Holes would be filled by a side that they say nothing about."""
    X = np.r_[np.zeros(30), np.ones(30), np.full(30, np.nan)][:, None]
    low = BoostingRegressor(1, learning_rate=1.0).fit(X, np.r_[np.zeros(30), np.ones(30), np.zeros(30)])
    np.testing.assert_allclose(low.predict([[0.0], [1.0], [np.nan]]), [0, 1, 0], atol=1e-12)
    apart = BoostingRegressor(1, learning_rate=1.0).fit(X, np.r_[np.zeros(60), np.ones(30)])
    np.testing.assert_allclose(apart.predict([[0.0], [1.0], [np.nan]]), [0, 0, 1], atol=1e-12)
    none = BoostingRegressor(1, learning_rate=1.0).fit(X[:50], np.r_[np.zeros(30), np.ones(20)])
    assert none.predict([[np.nan]])[0] == none.predict([[0.0]])[0]  # most rows are there


def test_categories_are_sets_and_a_level_never_seen_is_missing():
    """A category would be taken for a number, or a new word for an old one."""
    word = np.array(["a", "b", "c", "d"] * 30, dtype=object)
    y = np.isin(word, ["a", "c"]).astype(float)
    word[:15] = None
    frame = pd.DataFrame({"word": word})
    model = BoostingRegressor(1, learning_rate=1.0, max_leaf_nodes=3).fit(frame, y)
    np.testing.assert_allclose(model.predict(pd.DataFrame({"word": ["a", "b", "c", "d"]})), [1, 0, 1, 0], atol=0.2)
    new = model.predict(pd.DataFrame({"word": ["z", None]}))
    assert new[0] == new[1]
    known = pd.Categorical(word, categories=["a", "b", "c", "d", "z"])  # a level that no training row has
    again = BoostingRegressor(1, learning_rate=1.0, max_leaf_nodes=3).fit(pd.DataFrame({"word": known}), y)
    there = pd.DataFrame({"word": pd.Categorical(["z", None], categories=["a", "b", "c", "d", "z"])})
    np.testing.assert_array_equal(again.predict(there), new)


def test_more_levels_than_bins_share_one():
    """A column of many words would be an error, or lost."""
    word = [f"w{i % 300:03d}" for i in range(6000)] + ["rare"] * 3
    y = np.r_[(np.arange(6000) % 300 < 150).astype(float), 0.0, 0.0, 0.0]
    model = BoostingRegressor().fit(pd.DataFrame({"word": word}), y)
    assert ((model.predict(pd.DataFrame({"word": word})) > 0.5) == (y > 0.5)).mean() > 0.9


def test_a_rate_with_its_exposure_as_weight_is_the_count():
    """Half the exposure with half the count would change the rate; a count below 0 would be learned."""
    rng = np.random.default_rng(0)
    X, exposure = rng.integers(0, 5, (400, 2)).astype(float), rng.integers(1, 4, 400)
    counts = rng.poisson(exposure * np.exp(0.3 * X[:, 0] - 1))
    model = BoostingRegressor(30, loss="poisson", min_samples_leaf=1)
    rates = model.fit(X, counts / exposure, exposure).predict(X)
    once = np.repeat(np.arange(400), exposure)  # a row for every unit of exposure, each with its share of the count
    np.testing.assert_allclose(rates, model.fit(X[once], (counts / exposure)[once]).predict(X), rtol=1e-9)
    with pytest.raises(ValueError, match="needs counts, but y goes down to -8"):
        model.fit(X, -1.0 - counts)


@pytest.mark.parametrize("kind", ["numbers", "two", "several"])
def test_threads_columns_and_their_order_change_no_bit(kind):
    """An answer would hang on the machine, or on the order of the columns in a file."""
    frame, y = mixed(4000)
    model = BoostingRegressor(10) if kind == "numbers" else BoostingClassifier(10)
    target = {"numbers": y, "two": y > 0, "several": np.digitize(y, [-1, 0, 1])}[kind]
    sums = [
        model.set_params(n_jobs=n_jobs).fit(frame[order], target)._sums(frame[order])
        for n_jobs, order in ((1, list(frame)), (2, list(frame)), (None, sorted(frame)))
    ]
    np.testing.assert_array_equal(sums[0], sums[1])
    np.testing.assert_array_equal(sums[0], sums[2])
    drawn = [
        model.set_params(n_jobs=n_jobs, max_features=0.5, random_state=3).fit(frame, target)._sums(frame)
        for n_jobs in (1, 2)
    ]
    np.testing.assert_array_equal(*drawn)
    assert not np.array_equal(drawn[0], sums[0])


def test_whole_weights_are_copies_and_zero_is_absence():
    """A row that counts twice would not be as good as two rows."""
    frame, y = mixed(400)
    copies = np.random.default_rng(0).integers(0, 4, size=400)
    weighed = BoostingRegressor(20).fit(frame, y, sample_weight=copies)
    copied = BoostingRegressor(20).fit(frame.loc[frame.index.repeat(copies)], np.repeat(y, copies))
    np.testing.assert_allclose(weighed.predict(frame), copied.predict(frame), atol=1e-8)
    halves = BoostingRegressor(20).fit(frame, y, sample_weight=np.full(400, 0.5))
    np.testing.assert_allclose(halves.predict(frame), BoostingRegressor(20).fit(frame, y).predict(frame), atol=1e-8)


def test_a_rising_curve_through_a_column_changes_no_answer():
    """Codes are ranks, so an answer for training rows would hang on the units of a column."""
    frame, y = mixed()
    bent = frame.assign(a=np.exp(frame["a"]), b=frame["b"] ** 3)
    one, other = BoostingRegressor(30).fit(frame, y), BoostingRegressor(30).fit(bent, y)
    np.testing.assert_array_equal(one.predict(frame), other.predict(bent))
    moved = BoostingRegressor(30).fit(frame, 1000 + 8 * y)
    np.testing.assert_allclose(moved.predict(frame), 1000 + 8 * one.predict(frame), atol=1e-6)


def test_frames_arrays_tables_and_sparse_matrices_say_the_same():
    """The form of a table would change what is learned from it."""
    frame, y = mixed()
    numbers = frame[["a", "b", "c"]]
    known = BoostingRegressor(20).fit(numbers, y).predict(numbers)
    for X in (pl.from_pandas(numbers), Table.of(numbers), numbers.to_numpy()):
        np.testing.assert_array_equal(BoostingRegressor(20).fit(X, y).predict(X), known)
    full = numbers.fillna(0.0).to_numpy()
    np.testing.assert_array_equal(
        BoostingRegressor(20).fit(csr_matrix(full), y).predict(csr_matrix(full)),
        BoostingRegressor(20).fit(full, y).predict(full),
    )
    whole = BoostingClassifier(20).fit(pl.from_pandas(frame), y > 0)
    np.testing.assert_array_equal(whole.predict_proba(pl.from_pandas(frame)), whole.predict_proba(Table.of(frame)))


def test_the_last_stage_is_the_prediction():
    """Curves of the loss over rounds would end elsewhere than the model."""
    frame, y = mixed()
    model = BoostingRegressor(12).fit(frame, y)
    stages = list(model.staged_predict(frame))
    assert len(stages) == 12
    np.testing.assert_allclose(stages[-1], model.predict(frame))
    fewer = BoostingRegressor(5).fit(frame, y)
    np.testing.assert_allclose(stages[4], fewer.predict(frame))
    for target in (y > 0, np.digitize(y, [-0.5, 0.5])):
        classes = BoostingClassifier(4).fit(frame, target)
        *_, sums = classes.staged_decision_function(frame)
        *_, shares = classes.staged_predict_proba(frame)
        *_, answers = classes.staged_predict(frame)
        np.testing.assert_allclose(sums, classes.decision_function(frame))
        np.testing.assert_allclose(shares, classes.predict_proba(frame))
        assert (answers == classes.predict(frame)).all()
        if sums.ndim == 1:
            np.testing.assert_allclose(shares[:, 1], expit(sums))


def test_importances_and_columns_are_those_of_the_splits():
    """Noise would be named, or what decides left out."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(300, 3)), columns=list("xyz")).assign(one=1.0)
    model = BoostingRegressor(3, max_leaf_nodes=3).fit(frame, np.sign(frame["y"]))
    assert model.selected_columns_ == ("y",)
    assert model.feature_importances_.tolist() == [0, 1, 0, 0]
    nothing = BoostingRegressor(3).fit(frame, np.full(300, 0.1))
    assert nothing.selected_columns_ == ()
    assert nothing.feature_importances_.sum() == 0
    np.testing.assert_allclose(nothing.predict(frame), 0.1)


def test_no_row_held_out_has_a_say():
    """Edges and levels would be learned from rows the model is judged by."""
    frame, y = mixed(200)
    whole = Table.of(frame)
    spoilt = frame.copy()
    spoilt.loc[150:, ["a", "b", "c"]] = 1e6
    spoilt["word"] = spoilt["word"].astype(object)
    spoilt.loc[150:, "word"] = "purple"
    rows = np.arange(150)
    one = BoostingRegressor(20).fit(whole.take(rows), y[:150])
    other = BoostingRegressor(20).fit(Table.of(spoilt).take(rows), y[:150])
    np.testing.assert_array_equal(one.predict(frame[:150]), other.predict(frame[:150]))


def test_limits_of_trees_hold():
    """A tree would be deeper, larger or finer than was asked."""
    frame, y = mixed(1000)
    model = BoostingRegressor(5, max_leaf_nodes=7, min_samples_leaf=30).fit(frame, y)
    assert (np.diff(model.trees_.roots) <= 13).all()
    leaves = model.trees_.leaves(model._matrix(frame))
    assert min(np.bincount(line)[np.unique(line)].min() for line in leaves.T) >= 30
    stumps = BoostingRegressor(5, max_depth=1).fit(frame, y)
    assert (np.diff(stumps.trees_.roots) == 3).all()
    some, own = frame[["b", "c"]][:200], y[:200]
    full = BoostingRegressor(1, learning_rate=1.0, max_leaf_nodes=None, min_samples_leaf=1).fit(some, own)
    np.testing.assert_allclose(full.predict(some), own)


@pytest.mark.parametrize("kind", ["numbers", "two", "several", "one"])
def test_saved_as_json_and_loaded_it_is_the_same(kind):
    """A model kept in a file would answer differently, or hold what is no plain value."""
    frame, y = mixed()
    target = {"numbers": y, "two": np.where(y > 0, "yes", "no"), "several": np.digitize(y, [0, 1]), "one": np.ones(300)}
    model = BoostingRegressor(8) if kind == "numbers" else BoostingClassifier(8)
    model.fit(frame, target[kind])
    again = type(model).from_dict(json.loads(json.dumps(model.to_dict(), allow_nan=False)))
    np.testing.assert_array_equal(again._sums(frame), model._sums(frame))
    np.testing.assert_array_equal(again.predict(frame), model.predict(frame))
    assert again.selected_columns_ == model.selected_columns_
    assert again.get_params() == model.get_params()


@pytest.mark.parametrize(
    ("part", "value"),
    [("left", -5), ("column", 99), ("roots", 7), ("threshold", "x"), ("threshold", None), ("left", 10**6)],
)
def test_a_damaged_model_is_refused(part, value):
    """A kernel that does not look would read beyond its arrays."""
    frame, y = mixed()
    saved = BoostingRegressor(3).fit(frame, y).to_dict()
    place = next(k for k, left in enumerate(saved["trees"]["left"]) if left < 0) if part == "threshold" else 0
    saved["trees"][part][place] = value
    with pytest.raises(TamisError, match="damaged"):
        BoostingRegressor.from_dict(saved)
    with pytest.raises(TamisError, match="not a BoostingClassifier"):
        BoostingClassifier.from_dict(saved)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"max_bins": 256}, "max_bins=256"),
        ({"learning_rate": 0}, "learning_rate=0"),
        ({"max_leaf_nodes": 1}, "max_leaf_nodes=1"),
        ({"min_samples_leaf": 0}, "min_samples_leaf=0"),
        ({"l2_regularization": -1.0}, "l2_regularization=-1"),
        ({"n_estimators": 0}, "n_estimators=0"),
        ({"max_features": "some"}, "max_features='some'"),
    ],
)
def test_bad_settings_get_one_sentence(settings, words):
    """A user would get a traceback from a kernel, or a model of something else."""
    frame, y = mixed(60)
    with pytest.raises(ValueError, match=words):
        BoostingRegressor(**settings).fit(frame, y)


def _leveled(seed):
    """Levels of which some have exactly as many rows as a level needs to be put in order."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(60, 200))
    codes = rng.integers(0, 8, n)
    frame = pd.DataFrame({"c": pd.Categorical(codes.astype(str)), "x": rng.normal(size=n).round(1)})
    number = (codes % 3 + rng.normal(size=n)).round(1)
    return frame, number, (rng.random(n) < 1 / (1 + np.exp(1 - codes % 3))).astype(int), rng


@pytest.mark.parametrize("seed", range(25))
def test_categories_do_not_see_the_order_of_rows_and_whole_weights_are_copies(seed):
    """A level of exactly the least hessian, or of an equal mean, must not be decided by rounding."""
    frame, number, label, rng = _leveled(seed)
    order = rng.permutation(len(frame))
    times = rng.integers(1, 4, len(frame))
    again = np.repeat(np.arange(len(frame)), times)
    for model, target, method in (
        (BoostingClassifier(10, min_samples_leaf=10), label, "decision_function"),
        (BoostingRegressor(10, min_samples_leaf=10), number, "predict"),
    ):
        plain = getattr(model.fit(frame, target), method)(frame)
        shuffled = model.fit(frame.iloc[order].reset_index(drop=True), target[order])
        assert getattr(shuffled, method)(frame) == pytest.approx(plain, abs=1e-8)
        weighted = getattr(model.fit(frame, target, times), method)(frame)
        copied = model.fit(frame.iloc[again].reset_index(drop=True), target[again])
        assert getattr(copied, method)(frame) == pytest.approx(weighted, abs=1e-8)


def test_a_large_mean_leaves_the_model_as_it_is():
    """Squares about zero of numbers about 1e12 are larger than any gain."""
    frame, number, _, _ = _leveled(0)
    moved = number + 1e12
    plain = BoostingRegressor(20, min_samples_leaf=5).fit(frame, moved - 1e12).predict(frame)
    assert plain.std() > 0.5
    found = BoostingRegressor(20, min_samples_leaf=5).fit(frame, moved).predict(frame) - 1e12
    assert found == pytest.approx(plain, abs=1e-3)
