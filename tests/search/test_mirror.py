"""Mirror selection: the columns that matter are kept, noise is not, and leaves fit what the columns say."""

import numpy as np
import pytest
from sklearn.base import clone

from tamis import ForestClassifier, ForestRegressor, MirrorSelector
from tamis.errors import KindError, ParameterError
from tamis.table import Table


def forest(task):
    return ForestClassifier(200) if task == "classes" else ForestRegressor(200)


@pytest.mark.parametrize("task", ["classes", "numbers"])
def test_noise_is_sifted_out_and_an_interaction_is_kept(task):
    """A column that tells only together with another must stay, though 27 columns of noise stand around."""
    random = np.random.default_rng(1)
    X = random.normal(size=(800, 30))
    signal = X[:, 7] * X[:, 22] + X[:, 3]
    y = (signal > 0).astype(int) if task == "classes" else signal
    model = MirrorSelector(forest(task)).fit(Table.of(X), y)
    found = {int(name.removeprefix("x")) for name in model.selected_columns_}
    assert {3, 7, 22} <= found
    assert len(found) <= 10
    assert "200 trees" in model.to_text()


def test_where_nothing_stands_out_one_column_speaks():
    """Noise must not end in a forest without columns, nor in one with half of them."""
    random = np.random.default_rng(2)
    kept = [
        len(MirrorSelector().fit(Table.of(random.normal(size=(80, 30))), random.normal(size=80)).selected_columns_)
        for _ in range(10)
    ]
    assert min(kept) >= 1
    assert np.mean(kept) <= 4


def rare(n, seed):
    """5% positives, two of eight columns say something (population AUC 0.75)."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 8))
    chance = 1 / (1 + np.exp(3.35 - 0.95 * X[:, 0] - 0.29 * X[:, 1]))
    return X, (random.random(n) < chance).astype(int)


def test_leaves_grow_where_columns_say_little():
    """If this fails, a forest of few weak columns learns single rows by heart and is worse than no model."""
    fresh, truth = rare(20_000, 100)
    for seed in range(3):
        X, y = rare(1_500, seed)
        model = MirrorSelector(random_state=seed).fit(Table.of(X), y)
        assert model.min_samples_leaf_ >= 20
        assert np.mean((model.predict_proba(Table.of(fresh))[:, 1] - truth) ** 2) < np.mean((y.mean() - truth) ** 2)


@pytest.mark.parametrize("task", ["classes", "numbers"])
def test_leaves_stay_small_where_columns_say_much(task):
    """If this fails, a clear answer is blurred by large leaves."""
    X = np.random.default_rng(5).normal(size=(400, 4))
    signal = X[:, 0] * X[:, 1] + X[:, 2]
    model = MirrorSelector(forest(task)).fit(Table.of(X), (signal > 0).astype(int) if task == "classes" else signal)
    assert model.min_samples_leaf_ == 1


@pytest.mark.parametrize("n_rows", [3, 49, 200])
def test_a_leaf_is_never_larger_than_a_quarter_of_the_rows(n_rows):
    """If this fails, noise in a small table ends in trees without a split, or small tables are refused."""
    random = np.random.default_rng(6)
    table, y = Table.of(random.normal(size=(n_rows, 2))), random.normal(size=n_rows)
    model = MirrorSelector().fit(table, y)
    assert model.min_samples_leaf_ <= max(1, n_rows // 4)
    assert np.isfinite(model.predict(table)).all()


def test_plain_values_give_the_same_answers():
    """A forest that changes on its way through the disk is another forest."""
    random = np.random.default_rng(3)
    table = Table.of(random.normal(size=(120, 5)))
    y = table.numbers()[:, 0] + random.normal(size=120)
    model = MirrorSelector().fit(table, y)
    again = MirrorSelector.from_dict(model.to_dict())
    assert (model.predict(table) == again.predict(table)).all()
    assert model.to_text() == again.to_text()
    assert model.min_samples_leaf_ == again.min_samples_leaf_


def test_of_many_rows_some_are_looked_at():
    """Millions of rows would be sent down every tree, or a rare class would be lost."""
    random = np.random.default_rng(7)
    X = random.normal(size=(3_000, 4))
    y = np.where(X[:, 1] > 0, "a", "b").astype(object)
    y[5] = "rare"
    model = MirrorSelector(ForestClassifier(50), most_rows=500).fit(X, y)
    assert model.selected_columns_[:1] == ("x1",)
    assert model.classes_.tolist() == ["a", "b", "rare"]
    assert len(model.estimator_.oob_decision_function_) <= 501
    assert np.mean(model.predict(X) == y) > 0.95


def test_answers_out_of_the_bag_are_those_of_the_rows_that_were_looked_at():
    """A study of many rows would hold a forest's answers against other rows than theirs, or have none to race by."""
    X = np.random.default_rng(3).normal(size=(2_000, 3))
    y = 5 * X[:, 0]
    model = MirrorSelector(ForestRegressor(50), most_rows=500, random_state=0).fit(X, y)
    for said in (model.oob_predictions_, model.oob_predictions_of_all_):
        judged = ~np.isnan(said)
        assert said.shape == y.shape
        assert 450 < judged.sum() <= 500
        assert np.corrcoef(said[judged], y[judged])[0, 1] > 0.95


@pytest.mark.parametrize("features", [(), (2, 1), "many", 0])
def test_multiples_that_do_not_grow_are_refused(features):
    """A multiple of 0 columns, or the same one twice, would be tried."""
    X, y = np.random.default_rng(0).normal(size=(40, 3)), np.arange(40) % 2
    with pytest.raises((KindError, ParameterError), match="features"):
        MirrorSelector(features=features).fit(X, y)


def test_a_clone_of_what_was_chosen_tunes_nothing():
    """Inner folds would choose leaves and columns of their own, or others than were chosen."""
    random = np.random.default_rng(1)
    X = random.normal(size=(800, 12))
    y = X[:, 0] * X[:, 1] > 0
    model = MirrorSelector(ForestClassifier(60)).fit(X, y)
    assert model.features_ > 1
    again = clone(model).set_params(**model.chosen_parameters_).fit(X, y)
    assert (again.min_samples_leaf_, again.features_) == (model.min_samples_leaf_, model.features_)
    assert again.estimator_.tune is False
    assert again.estimator_.n_estimators == 30


def test_thresholds_follow_the_table_and_are_kept():
    """A plane over many columns is smoother by random thresholds; what was chosen must come back from the disk."""
    X = np.random.default_rng(7).normal(size=(300, 8))
    model = MirrorSelector(forest("numbers"), thresholds=("best", "random")).fit(Table.of(X), X.sum(axis=1))
    assert model.thresholds_ == model.chosen_parameters_["thresholds"] == model.estimator_.thresholds_ == "random"
    again = MirrorSelector.from_dict(model.to_dict())
    assert again.thresholds_ == "random"
    assert np.array_equal(again.predict(Table.of(X)), model.predict(Table.of(X)))
    with pytest.raises(KindError, match="names no kind"):
        MirrorSelector(thresholds=()).fit(Table.of(X), X[:, 0])


def test_calibrated_by_rows_that_had_no_say_in_the_columns():
    """Of 300 columns of noise some always tell the rows that chose them apart: they must not say how sure to be."""
    random = np.random.default_rng(0)
    X, y = random.normal(size=(80, 300)), random.integers(0, 2, size=80)
    fresh, truth = random.normal(size=(2_000, 300)), random.integers(0, 2, size=2_000)
    model = MirrorSelector(ForestClassifier(100, calibration="temperature"), halvings="auto", random_state=0).fit(X, y)
    shares = model.estimator_.trees_.mean(np.ascontiguousarray(fresh[:, model.support_]))
    plain = np.mean((shares[:, 1] - truth) ** 2)
    assert model.temperature_ >= 1
    assert np.mean((model.predict_proba(fresh)[:, 1] - truth) ** 2) <= plain
    assert MirrorSelector(ForestClassifier(100, calibration="temperature"), random_state=0).fit(X, y).temperature_ >= 1


def test_a_clone_judged_in_folds_has_the_temperature_that_was_chosen():
    random = np.random.default_rng(0)
    X = random.normal(size=(300, 12))
    y = (X[:, :8].sum(axis=1) > 0).astype(int)
    model = MirrorSelector(ForestClassifier(60, calibration="temperature"), random_state=0).fit(X, y)
    assert model.temperature_ == model.estimator_.temperature_ < 1
    again = clone(model).set_params(**model.chosen_parameters_).fit(X, y)
    assert again.temperature_ == model.temperature_
    read = MirrorSelector.from_dict(model.to_dict())
    assert read.temperature_ == model.temperature_
    np.testing.assert_array_equal(read.predict_proba(X), model.predict_proba(X))
    plain = MirrorSelector(ForestClassifier(60), random_state=0).fit(X, y)
    assert not hasattr(plain, "temperature_")
    assert (plain.predict(X) == model.predict(X)).all()
    with pytest.raises(ParameterError, match="temperature"):
        MirrorSelector(ForestClassifier(60, calibration="temperature"), temperature=0).fit(X, y)


@pytest.mark.parametrize("forest", [ForestClassifier(20), ForestRegressor(20), None])
def test_a_temperature_without_a_calibration_is_refused(forest):
    """The shares would be those of no temperature at all, and nobody would be told."""
    X = np.random.default_rng(0).normal(size=(60, 4))
    with pytest.raises(ParameterError, match=r"temperature=0\.5 has no effect .* leave it out, or give Forest"):
        MirrorSelector(forest, temperature=0.5).fit(X, (X[:, 0] > 0).astype(int))
