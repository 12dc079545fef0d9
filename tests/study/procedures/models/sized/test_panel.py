"""Panels: few columns of many, honest strengths, any column order, all targets, saved and loaded."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import KFold, StratifiedKFold

from tamis.study.findings.interchangeable import interchangeable
from tamis.study.procedures.models.fitted import FittedProcedure
from tamis.study.procedures.models.sized import SizedPanels
from tamis.study.procedures.models.sized.base import Sample
from tamis.study.procedures.models.sized.formula import TunedFormula
from tamis.table import Table


def _classes(n_rows=90, n_columns=300, n_classes=3, seed=0):
    """Each class has two columns in which its rows are larger; column 1 is nearly a copy of column 0."""
    rng = np.random.default_rng(seed)
    y = rng.integers(n_classes, size=n_rows)
    X = rng.normal(size=(n_rows, n_columns))
    for c in range(n_classes):
        X[:, 10 * c] += 3.0 * (y == c)
        X[:, 10 * c + 5] += 2.0 * (y == c)
    X[:, 1] = X[:, 0] + 0.1 * rng.normal(size=n_rows)
    return pd.DataFrame(X, columns=[f"g{j:03d}" for j in range(n_columns)]), y


def _pairs(y, n_folds=4):
    return list(StratifiedKFold(n_folds, shuffle=True, random_state=0).split(y, y))


def _used(model):
    return list(getattr(model, "steps", [("model", model)])[-1][1].selected_columns_)


def test_panels_have_their_sizes_and_a_column_counts_once_for_all_classes():
    """A column per class would make a panel of 20 columns one of 60."""
    X, y = _classes()
    panels = SizedPanels(max_columns=20, cv=_pairs(y)).fit(X, y)
    assert list(panels.models_) == [1, 2, 3, 5, 8, 12, 20]
    assert [len(_used(model)) for model in panels.models_.values()] == [1, 2, 3, 5, 8, 12, 20]
    assert {"g010", "g020"} < set(_used(panels.models_[3]))
    fresh, truth = _classes(n_rows=600, seed=1)
    assert (panels.predict(fresh) == truth).mean() > 0.9
    assert panels.cv_predictions_by_size_[8].shape == (90, 3)


@pytest.mark.parametrize("seed", range(3))
def test_noise_is_shrunk_to_the_shares_of_the_classes(seed):
    """A ridge whose strength is tuned on columns that all rows chose would be sure of noise."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(60, 1000)), np.repeat([0, 1], 30)
    panels = SizedPanels(max_columns=20, cv=_pairs(y)).fit(X, y)
    for size in (5, 20):
        assert (
            panels._cv_loss(Sample(y), size) < 0.58
        )  # 0.5 without columns; about 0.8 with a strength tuned on chosen columns


def test_a_model_for_held_out_rows_does_not_depend_on_them(monkeypatch):
    """Columns chosen by rows that are then predicted make any score too good."""
    X, y = _classes()
    monkeypatch.setattr(SizedPanels, "_tune", lambda *args: {5: TunedFormula(1.0, 0.1)})
    pairs = _pairs(y)
    before = SizedPanels(max_columns=8, cv=pairs).fit(X, y).cv_predictions_by_size_
    test = pairs[0][1]
    changed, other = X.copy(), y.copy()
    other[test] = np.roll(y[test], 1)
    other[test[:3]] = [0, 1, 2]
    after = SizedPanels(max_columns=8, cv=pairs).fit(changed, other).cv_predictions_by_size_
    for size in before:
        assert np.array_equal(before[size][test], after[size][test])
        assert not np.array_equal(before[size], after[size])


def test_any_order_of_columns_gives_the_same_panels():
    """Ties and rounding would otherwise be settled by the order of columns."""
    X, y = _classes()
    X["g299"] = X["g000"]  # a copy: the first name is taken
    turned = X[X.columns[::-1]]
    one, other = (SizedPanels(max_columns=12, cv=_pairs(y)).fit(frame, y) for frame in (X, turned))
    for size, model in one.models_.items():
        assert sorted(_used(model)) == sorted(_used(other.models_[size]))
        assert np.allclose(
            model.predict_proba(Table.of(X)), other.models_[size].predict_proba(Table.of(turned)), atol=1e-12
        )


def test_a_panel_is_saved_and_loaded_to_the_bit():
    """A study keeps its model as JSON."""
    X, y = _classes()
    model = SizedPanels(max_columns=5, cv=_pairs(y)).fit(X, y).fitted_
    fitted = FittedProcedure("panel", model, tuple(X.columns))
    facts = json.loads(json.dumps(fitted.to_dict()))
    loaded = FittedProcedure.from_dict(facts, tuple(X.columns))
    table = Table.of(X)
    assert loaded.columns == fitted.columns == tuple(sorted(_used(model)))
    assert np.array_equal(loaded.probabilities(table, 3), fitted.probabilities(table, 3))


def test_numbers_are_predicted_by_columns_that_complement_each_other():
    """With many rows the first columns must not be copies of the best one."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 200))
    X[:, 10:20] = X[:, [0]] + 0.3 * rng.normal(size=(300, 10))
    y = 1e6 + 1e3 * (3 * X[:, 0] + X[:, 1] + X[:, 2] + rng.normal(size=300))
    pairs = list(KFold(5, shuffle=True, random_state=0).split(X))
    panels = SizedPanels("regression", max_columns=12, cv=pairs).fit(X, y)
    assert _used(panels.models_[3]) == ["x0", "x1", "x2"]
    assert panels._cv_loss(Sample(y), 3) < 1.2e6


def test_counts_are_predicted_by_a_poisson_model():
    """Least squares would predict counts below zero."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(150, 100))
    y = rng.poisson(np.exp(0.8 * X[:, 7] - 0.8 * X[:, 9])).astype(float)
    pairs = list(KFold(4, shuffle=True, random_state=0).split(X))
    panels = SizedPanels("count", max_columns=3, cv=pairs).fit(X, y)
    assert {"x7", "x9"} <= set(_used(panels.models_[2]))
    assert (panels.predict(X) > 0).all()
    assert panels._cv_loss(Sample(y), 2) < 0.5 * y.var()


def test_two_classes_categories_and_holes():
    """Wide tables of clinics hold all of these; a level that held-out rows alone have must not stop the folds."""
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.normal(size=(120, 200)), columns=[f"m{j}" for j in range(200)])
    X["stage"] = rng.choice(list("abc"), 120).astype(object)
    X.loc[0, "stage"] = "rare"
    logit = 2 * X["m3"] + 4 * (X["stage"] == "c")
    y = np.where(logit + rng.logistic(size=120) > 1, "ill", "well")
    X = X.mask(rng.random(X.shape) < 0.1)
    X["empty"] = np.nan
    panels = SizedPanels(max_columns=5, cv=_pairs(y)).fit(X, y)
    assert {"m3", "stage"} <= set(_used(panels.models_[3]))
    assert np.isfinite(panels.predict_proba(X)).all()
    assert set(panels.predict(X)) == {"ill", "well"}


def test_interchangeable_columns_stand_beside_those_of_a_panel():
    """A reader would take one of two copies for the only one that matters."""

    class Problem:
        pass

    X, y = _classes()
    Problem.X = Table.of(X)
    names = _used(SizedPanels(max_columns=3, cv=_pairs(y)).fit(X, y).models_[3])
    groups = interchangeable(Problem, names)
    assert [set(group["columns"]) for group in groups] == [{"g000", "g001"}]
    assert groups[0]["used"] == 1
