"""Boosting of small trees among the procedures: where it is compared, what it keeps, what is kept of it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import tamis
from tamis.errors import ParameterError
from tamis.study.procedures.models.boosting import Boosting
from tamis.study.requested import chosen
from tamis.table import Table


def _bumps(n: int, d: int, seed: int = 0) -> pd.DataFrame:
    """Numbers that three of d columns tell, by thresholds and together."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, d))
    y = 3 * np.sign(x[:, 0]) * (x[:, 1] > 0.5) + np.sin(3 * x[:, 2]) + 0.3 * rng.normal(size=n)
    return pd.DataFrame(x, columns=[f"c{j:02d}" for j in range(d)]).assign(y=y)


@pytest.mark.parametrize(("shape", "is_there"), [((500, 100), True), ((499, 5), False), ((500, 101), False)])
def test_tables_of_many_rows_call_for_it(shape, is_there):
    """It would cost minutes on wide tables, or loom over few rows; it is no candidate by default."""
    assert ("booster" in [one.name for one in chosen(None, shape=shape, prefer="best")]) == is_there
    assert "booster" not in [one.name for one in chosen(None, shape=shape)]


@pytest.mark.parametrize(("n_rows", "leaves"), [(2_999, 8), (3_000, 16), (8_000, 31)])
def test_more_rows_bear_larger_trees(n_rows, leaves):
    """The folds, of fewer rows, would judge other trees than those of the last fit."""
    booster = next(one for one in chosen(["booster"], shape=(n_rows, 5)) if one.name == "booster")
    assert booster.make("regression").max_leaf_nodes == leaves


def test_it_keeps_the_columns_that_its_splits_gain_by():
    """27 columns of noise would stand in the answer; or a column that matters would be lost."""
    frame = _bumps(1_200, 30)
    table, y = Table.of(frame.drop(columns="y")), frame["y"].to_numpy()
    model = Boosting("regression", rounds=100, max_leaf_nodes=8, min_samples_leaf=5, kept=0.9).fit(table, y)
    assert model.columns_ == model.selected_columns_ == ("c00", "c01", "c02")
    fresh = _bumps(1_000, 30, seed=1)
    said = model.predict(Table.of(fresh.drop(columns="y")))
    assert ((said - fresh["y"]) ** 2).mean() < 0.35 * fresh["y"].var()
    assert model.to_text().startswith("the sum of 100 rounds of small trees on 3 columns")
    again = Boosting.from_dict(model.to_dict())
    np.testing.assert_array_equal(again.predict(Table.of(fresh.drop(columns="y"))), said)
    assert again.selected_columns_ == model.selected_columns_
    with pytest.raises(ParameterError, match="kept=2"):
        Boosting("regression", kept=2).fit(table, y)


def test_trees_of_few_columns_see_them_together():
    """Trees that draw one of two columns make a sum of functions of one, which tells nothing of an exclusive or."""
    x = np.random.default_rng(0).normal(size=(800, 2))
    y = np.where(x[:, 0] * x[:, 1] > 0, "same", "other")
    booster = next(one for one in chosen(["booster"], shape=(600, 2)) if one.name == "booster").make("classification")
    model = booster.set_params(random_state=0).fit(Table.of(x[:600]), y[:600])
    assert (model.predict(Table.of(x[600:])) == y[600:]).mean() > 0.9


def test_rows_held_out_have_no_say_in_its_columns():
    """Columns chosen with the rows that judge them would flatter."""
    frame = _bumps(600, 24)
    X, y = frame.drop(columns="y").to_numpy(), frame["y"].to_numpy()
    spoilt, other = X.copy(), y.copy()
    spoilt[450:], other[450:] = 1e3 * X[450:, ::-1], -y[450:]
    model = Boosting("regression", rounds=40, max_leaf_nodes=8, min_samples_leaf=5, kept=0.9)
    outer = [(np.arange(450), np.arange(450, 600))]
    found = [
        tamis.nested_score(model, Table.of(one), two, outer=outer, keep_models=True).models[0]
        for one, two in ((X, y), (spoilt, other))
    ]
    assert found[0].columns_ == found[1].columns_
    np.testing.assert_array_equal(*(one.predict(Table.of(X)) for one in found))


def test_a_study_takes_it_where_it_is_better_and_keeps_it(tmp_path):
    """Thresholds that act together ask for it; the folder must hold it, its columns in the order of what they bring."""
    frame, fresh = _bumps(1_300, 6), _bumps(500, 6, seed=1)
    settings = {"folds": 3, "inner": 3, "repeats": 1, "procedures": ["tree", "lasso", "booster"], "black_box": False}
    study = tamis.Study(frame, target="y", folder=tmp_path / "s", **settings).run()
    assert study.results_["answer"]["procedure"] == "booster"
    assert "(the booster)" in study.answer_.split(".")[0]
    assert set(study.selected_[:3]) == {"c00", "c01", "c02"}
    again = tamis.load(tmp_path / "s")
    np.testing.assert_array_equal(again.predict(fresh), study.predict(fresh))
    score = 1 - ((study.predict(fresh) - fresh["y"]) ** 2).mean() / fresh["y"].var()
    assert abs(score - study.score_) < 0.05
    assert "low" in study.predictions_csv(fresh.head()).splitlines()[0]
