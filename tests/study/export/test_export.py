"""The one door to every export."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from tests.study.export.tables import QUICK, mixed, rows_of

import tamis
from tamis.errors import StudyError, UnwritableError
from tamis.study.export import export, formats


def test_every_kind_but_onnx_is_text(studies):
    """A kind that is listed and not written would be found out by the user."""
    model = studies("two", "tree").model_
    assert sorted(formats()) == ["html", "onnx", "python", "sql"]
    assert {kind: type(export(model, kind)) for kind, each in formats().items() if each.is_text} == dict.fromkeys(
        ("python", "sql", "html"), str
    )


def test_a_forest_of_too_many_nodes_is_refused_with_a_way_out(studies, monkeypatch):
    """A file of a hundred megabytes of brackets helps nobody."""
    monkeypatch.setitem(export.__globals__, "MOST_NODES", 50)
    with pytest.raises(StudyError, match="give --to onnx, or take a smaller model"):
        export(studies("two", "forest").model_, "python")


def test_a_place_that_cannot_be_written_is_named(studies, tmp_path):
    """The system's own words do not say which file."""
    with pytest.raises(UnwritableError, match="none"):
        studies("two", "tree").export("python", tmp_path / "none" / "model.py")


@pytest.mark.parametrize("procedure", ["tree", "lasso", "forest"])
def test_a_loaded_study_exports_the_same(studies, procedure):
    """Whoever exports has a folder, not the study that ran."""
    study = studies("three", procedure)
    assert tamis.load(study.folder).export("python") == study.export("python")


@pytest.mark.parametrize("procedure", ["tree", "lasso", "forest"])
def test_a_model_held_to_few_columns_is_exported(tmp_path, procedure):
    """Behind a choice of columns the places of columns are others than in the table."""
    path = tmp_path / "t.csv"
    mixed().drop(columns=["two", "three"]).to_csv(path, index=False)
    study = tamis.Study(path, target="number", folder=tmp_path / "s", **{**QUICK, "procedures": (procedure,)}).run()
    study.choose(procedure, columns=2)
    assert len(study.selected_) == 2
    space: dict = {}
    exec(study.export("python"), space)
    new = mixed(60, seed=3, new=True)
    np.testing.assert_allclose([space["predict"](row) for row in rows_of(new)], study.predict(new), rtol=1e-9)


def test_missing_values_and_joined_levels_go_into_every_export(tmp_path):
    """999 would be a number in SQL, and a rare level of many have the coefficient of another."""
    import sqlite3

    rng = np.random.default_rng(2)
    n = 600
    codes = np.minimum(rng.geometric(0.03, n), 80)
    frame = pd.DataFrame({"age": rng.normal(50, 9, n), "zip": [f"z{code:02d}" for code in codes]})
    frame["y"] = frame["age"] / 9 + np.where(codes < 5, 3.0, 0.0) + rng.normal(0, 0.3, n)
    frame.loc[::10, "age"] = 999.0
    study = tamis.Study(
        frame, target="y", missing="age=999", folder=tmp_path / "s", **QUICK, procedures=("lasso",)
    ).run()
    new = pd.DataFrame({"age": [999.0, 48.5, 60.0, 999.0], "zip": ["z01", "z02", "z75", "z40"]})
    wanted = study.predict(new)
    assert wanted[0] == pytest.approx(study.predict(new.assign(age=np.nan))[0])
    space: dict = {}
    exec(compile(study.export("python"), "exported", "exec"), space)
    assert [space["predict"](row) for row in new.to_dict("records")] == pytest.approx(wanted.tolist())
    with sqlite3.connect(":memory:") as base:
        new.to_sql("new_rows", base)
        found = pd.read_sql(study.export("sql"), base)
    assert found["prediction"].tolist() == pytest.approx(wanted.tolist())
