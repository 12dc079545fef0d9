"""The exported SQL, run by SQLite, answers what the study predicts."""

from __future__ import annotations

import math
import sqlite3

import numpy as np
import pandas as pd
import pytest
from tests.study.export.tables import QUICK, mixed, rows_of

import tamis
from tamis.errors import StudyError


def _asked(study, frame):
    """The rows that the statement gives, as dicts."""
    base = sqlite3.connect(":memory:")
    base.create_function("EXP", 1, lambda value: None if value is None else math.exp(value))
    names = ", ".join('"' + name.replace('"', '""') + '"' for name in frame.columns)
    base.execute(f"CREATE TABLE new_rows ({names})")
    marks = ", ".join("?" * frame.shape[1])
    base.executemany(f"INSERT INTO new_rows VALUES ({marks})", [tuple(row.values()) for row in rows_of(frame)])
    found = base.execute(study.export("sql"))
    heads = [head[0] for head in found.description]
    return [dict(zip(heads, row)) for row in found.fetchall()]


@pytest.mark.parametrize("procedure", ["baseline", "stump", "tree", "lasso"])
def test_numbers_are_those_of_predict(studies, procedure):
    """On rows with holes and unseen levels."""
    study, new = studies("number", procedure), mixed(200, seed=3, new=True)
    found = [row["prediction"] for row in _asked(study, new)]
    np.testing.assert_allclose(found, study.predict(new), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("target", ["two", "three"])
@pytest.mark.parametrize("procedure", ["baseline", "stump", "tree", "lasso"])
def test_classes_and_probabilities_are_those_of_predict(studies, target, procedure):
    """Quotes in names, levels and labels stay what they are."""
    study, new = studies(target, procedure), mixed(200, seed=3, new=True)
    rows = _asked(study, new)
    assert [row["prediction"] for row in rows] == study.predict(new).tolist()
    shares = [[row[f"p({label})"] for label in study.model_.labels] for row in rows]
    np.testing.assert_allclose(shares, study.predict_proba(new), rtol=1e-9, atol=1e-12)


def test_the_cheapest_answer_is_that_of_predict(studies):
    """Costs are in the statement."""
    study = studies("two", "lasso", loss="it's high>low=8, low>it's high=1")
    new = mixed(300, seed=3, new=True)
    assert [row["prediction"] for row in _asked(study, new)] == study.predict(new).tolist()


@pytest.mark.parametrize(
    ("procedure", "words"), [("forest", "a forest of 200 trees"), ("booster", "a sum of .* trees")]
)
def test_many_trees_are_refused_with_a_way_out(studies, procedure, words):
    """No database takes 200 nested expressions."""
    with pytest.raises(StudyError, match=f"{words} is no SQL .* `tamis choose STUDY --procedure tree`"):
        studies("two", procedure).export("sql")


def test_dates_are_compared_with_dates_and_other_parts_are_refused(tmp_path):
    """A database holds the date, not the days since 1970; a month is written differently in each."""
    rng = np.random.default_rng(0)
    days = np.datetime64("2020-01-01") + rng.integers(0, 2000, size=240)
    y = np.where(days > np.datetime64("2022-06-01"), "late", "early")
    frame = pd.DataFrame({"when": days.astype(str), "x": rng.normal(size=240), "y": y})
    settings = {**QUICK, "procedures": ("stump",)}
    study = tamis.Study(frame, target="y", folder=tmp_path / "s", **settings).run()
    assert study.selected_ == ["when (elapsed days)"]
    assert [row["prediction"] for row in _asked(study, frame)] == study.predict(frame).tolist() == y.tolist()
    sums = tamis.Study(frame, target="y", folder=tmp_path / "l", **{**QUICK, "procedures": ("lasso",)}).run()
    with pytest.raises(StudyError, match="made of a date"):
        sums.export("sql")


def test_an_absent_column_is_an_error_of_the_database(studies):
    """SQLite takes an unknown name between quotes for a text, and would answer something."""
    study = studies("number", "tree")
    with pytest.raises(sqlite3.OperationalError, match="no such column"):
        _asked(study, mixed(5).drop(columns=["kind"]))
