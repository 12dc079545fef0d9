"""Procedures that are compared only where they are named: each runs on mixed columns with holes, and is kept."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from tests.study.tables import classes_table, write_table

import tamis
from tamis.errors import ParameterError, StudyError
from tamis.study.procedures import all_procedures
from tamis.study.requested import chosen

NAMED = [one.name for one in all_procedures().values() if one.compared == "named" and one.reference is None]
QUICK = {"folds": 3, "inner": 3, "repeats": 1, "black_box": False, "prefer": "best"}


def _table(task, n=150):
    rng = np.random.default_rng(0)
    x, kind = rng.normal(size=(n, 4)), rng.choice(["a", "b", "c"], n)
    y = 2 * x[:, 1] + (kind == "a") + 0.5 * rng.normal(size=n)
    frame = pd.DataFrame(x, columns=list("pqrs")).assign(kind=kind)
    frame.loc[::9, "p"] = np.nan
    return frame.assign(y=y if task == "regression" else np.where(y > 0, "yes", "no"))


@pytest.mark.parametrize("name", NAMED)
@pytest.mark.parametrize("task", ["classification", "regression"])
def test_a_procedure_that_is_named_is_compared_and_kept(name, task, tmp_path):
    """A name on the list would stand for nothing that runs on an ordinary table."""
    frame = _table(task)
    study = tamis.Study(frame, target="y", folder=tmp_path / "s", procedures=name, **QUICK)
    if (name, task) == ("svm", "regression"):
        with pytest.raises(ParameterError, match=f"the procedure '{name}'.*leave it out"):
            study.run()
        return
    row = study.run().results_["comparison"]["procedures"][-1]
    assert row["name"] == name
    assert row["score"] > {"classification": 0.65, "regression": 0.7}[task]
    assert "q" in study.selected_
    if name != "knn":  # it is not of Tamis alone
        again = tamis.load(tmp_path / "s")
        assert (np.asarray(again.predict(frame)) == np.asarray(study.predict(frame))).all()


def test_they_are_not_compared_unless_named():
    """The main job would take several times as long."""
    assert [one.name for one in chosen(None)] == ["baseline", "small-tree", "formula", "panel", "additive"]
    best = [one.name for one in chosen(None, prefer="best")]
    assert set(best) == set(all_procedures()) - {*NAMED, "boosting"}
    named = [one.name for one in chosen(["knn", "forest", "subset", "tree"])]
    assert named == ["baseline", "tree", "subset", "forest", "knn"]


def test_a_model_tree_uses_the_columns_of_its_leaves(tmp_path):
    """A tree without a split but with a line would be said to use no column."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(200, 3))
    frame = pd.DataFrame(x, columns=list("abc")).assign(y=3 * x[:, 0] - x[:, 2])
    study = tamis.Study(frame, target="y", folder=tmp_path / "s", procedures="model-tree", **QUICK).run()
    assert {"a", "c"} <= set(study.selected_)


def test_a_log_lasso_says_which_logarithms_it_takes_and_is_not_exported(tmp_path):
    """A reader would take a coefficient of a logarithm for one of the column; or an export would answer otherwise."""
    rng = np.random.default_rng(0)
    z = rng.normal(size=(200, 3))
    frame = pd.DataFrame({"area": np.exp(1.8 * z[:, 0]), "size": np.exp(1.8 * z[:, 1]), "age": z[:, 2]})
    frame["y"] = z[:, 0] - z[:, 2] + 0.1 * rng.normal(size=200)
    study = tamis.Study(frame, target="y", folder=tmp_path / "s", procedures="log-lasso,lasso", **QUICK).run()
    rows = {row["name"]: row for row in study.results_["comparison"]["procedures"]}
    assert rows["log-lasso"]["score"] > 0.97 > rows["lasso"]["score"]
    assert study.selected_[:2] in (["area", "age"], ["age", "area"])
    words = study.results_["model"]
    assert words.startswith("log of area: positive, skewness ")
    assert "log of age" not in words
    again = tamis.load(tmp_path / "s")
    np.testing.assert_array_equal(again.predict(frame), study.predict(frame))
    assert again.model_.to_text() == words
    for to in ("python", "sql"):
        with pytest.raises(StudyError, match="stands behind Symmetrize, which is not exported"):
            again.export(to)


def test_folds_judge_the_kind_of_forest_that_the_last_fit_is():
    """Between 1,500 and 1,875 rows the folds, of fewer rows, would judge forests that may have random thresholds, and
    the last fit would have the best ones: the quoted score would be that of another forest."""
    for n_rows, kind in ((299, "random"), (300, ("best", "random")), (1_499, ("best", "random")), (1_500, "best")):
        forest = next(one for one in chosen(["forest"], shape=(n_rows, 5)) if one.name == "forest")
        assert forest.make("classification").thresholds == kind
        behind = next(one for one in chosen(["forest"], "rank", shape=(n_rows, 5)) if one.name == "forest")
        assert "after rank" in behind.words
        deep = behind.make("classification").get_params(deep=True)
        assert [value for name, value in deep.items() if name.endswith("model__thresholds")] == [kind]


@pytest.mark.parametrize("procedures", [["knn"], {"own": LogisticRegression()}])
def test_procedures_of_frames_say_up_front_that_they_need_pandas(tmp_path, monkeypatch, procedures):
    """A study ended in the middle, with advice about a method that nobody had called."""
    monkeypatch.setattr("tamis.study.running.find_spec", lambda name: None)
    rng = np.random.default_rng(0)
    columns = {"a": rng.normal(size=120), "y": rng.choice(["p", "q"], 120)}
    study = tamis.Study(columns, target="y", folder=tmp_path / "s", procedures=procedures, folds=2, black_box=False)
    with pytest.raises(StudyError, match="has steps of scikit-learn, which are given pandas frames; install pandas"):
        study.run()


def test_the_command_runs_nearest_neighbours(tmp_path):
    """`tamis run --procedures knn` said that pandas is not installed, though it is."""
    pytest.importorskip("pandas")
    path = write_table(tmp_path / "t.csv", classes_table(100))
    quick = ["--procedures", "knn", "--folds", "2", "--repeats", "1", "--no-black-box", "-j", "1"]
    words = [sys.executable, "-m", "tamis", "run", path, "-t", "outcome", "-f", tmp_path / "s", *quick]
    told = subprocess.run(list(map(str, words)), capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stderr
