"""Forests whose splits ask for sums of columns."""

import numpy as np
import pandas as pd
import pytest

from tamis import ForestClassifier, ForestRegressor


def rotated(n, seed):
    """A boundary that lies across the columns; and numbers that follow it."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 6))
    return X, X[:, 0] + X[:, 1] + X[:, 2] + X[:, 3]


def test_sums_help_where_the_boundary_lies_across_the_columns():
    """Oblique splits would be an option without a use."""
    X, s = rotated(600, 0)
    new, truth = rotated(4000, 1)
    plain, oblique = (
        np.mean(ForestClassifier(100, splits=splits).fit(X, s > 0).predict(new) == (truth > 0))
        for splits in ("axis", "oblique")
    )
    assert oblique > plain + 0.01
    errors = [
        np.mean((ForestRegressor(100, splits=splits).fit(X, s).predict(new) - truth) ** 2)
        for splits in ("axis", "oblique")
    ]
    assert errors[1] < 0.8 * errors[0]


def test_rows_go_the_same_way_in_training_and_in_prediction():
    """A sum computed in another order would send training rows elsewhere; without bootstrap each knows its answer."""
    X, s = rotated(300, 2)
    X[::7, 1] = np.nan
    forest = ForestRegressor(10, splits="oblique", bootstrap=False).fit(X, s)
    np.testing.assert_allclose(forest.predict(X), s, atol=1e-9)


def test_threads_order_of_columns_and_files_do_not_matter(tmp_path):
    """The same forest, however it is grown, and after loading."""
    X, s = rotated(200, 3)
    frame = pd.DataFrame(X, columns=list("abcdef"))
    frame["g"] = pd.Categorical(np.where(X[:, 0] > 0, "up", "down"))
    one = ForestClassifier(20, splits="oblique").fit(frame, s > 0)
    two = ForestClassifier(20, splits="oblique", n_jobs=2).fit(frame[list("gfbdace")], s > 0)
    assert (one.predict_proba(frame) == two.predict_proba(frame[list("gfbdace")])).all()
    assert np.allclose(
        one.impurity_importance_, two.impurity_importance_[["gfbdace".index(name) for name in "abcdefg"]]
    )
    one.save(tmp_path / "forest")
    assert (ForestClassifier.load(tmp_path / "forest").predict_proba(frame) == one.predict_proba(frame)).all()


@pytest.mark.parametrize("d", [1, 2])
def test_few_columns_make_short_sums(d):
    """A table of one or two columns must not ask for three."""
    X, s = rotated(100, 4)
    assert ForestRegressor(5, splits="oblique").fit(X[:, :d], s).trees_.sum_column.shape[1] == d


def test_only_categories_leave_nothing_to_add_up():
    """A table without numbers must still grow."""
    frame = pd.DataFrame({"a": pd.Categorical(list("xyxy") * 10)})
    y = np.array([0, 1, 0, 1] * 10)
    assert (ForestClassifier(5, splits="oblique").fit(frame, y).predict(frame) == y).all()
