"""Several targets: a study of each, and what their models have in common."""

import json

import numpy as np
import pandas as pd
import pytest

import tamis
from tamis.errors import ParameterError, StudyError

QUICK = {"procedures": ["stump", "lasso"], "black_box": False, "repeats": 1, "folds": 3, "inner": 3}


def drawn(n=150):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(n, 4)), columns=list("abcd"))
    number = 2 * frame["a"] + frame["b"] + 0.3 * rng.normal(size=n)
    word = np.where(frame["a"] - frame["c"] + 0.3 * rng.normal(size=n) > 0, "yes", "no")
    return frame.assign(pressure=number, **{"ill / well": word})


def test_every_target_has_its_study_and_common_columns_are_told(tmp_path):
    """A list of targets ended in a raw TypeError; a target would be learned from another."""
    table, targets = drawn(), ["pressure", "ill / well"]
    study = tamis.Study(table, target=targets, folder=tmp_path / "s", **QUICK).run()
    assert {name: one["answer"]["task"] for name, one in zip(targets, study.results_["targets"])} == {
        "pressure": "regression", "ill / well": "classification"}  # fmt: skip
    assert all(set(targets).isdisjoint(columns) for columns in study.selected_.values())
    assert study.common_[0] == "a"
    assert set(study.selected_["pressure"]) >= {"a", "b"}
    assert "Columns that all models use: a" in study.answer_
    written = json.loads((tmp_path / "s" / "results.json").read_text())
    assert written.pop("check")
    assert written == json.loads(json.dumps(study.results_))
    alone = tamis.load(tmp_path / "s" / written["targets"][1]["folder"])
    assert (alone.predict(table) == study.predict(table)["ill / well"]).all()
    page = (tmp_path / "s" / "report.html").read_text()
    assert f'href="{written["targets"][0]["folder"]}/report.html"' in page
    assert set(study.open()) == set(targets)


def test_one_name_in_a_list_is_one_target(tmp_path):
    """`Study(target=["y"])` ended in a raw TypeError."""
    study = tamis.Study(drawn(), target=["pressure"], folder=tmp_path / "s", drop="ill / well", **QUICK)
    assert isinstance(study, tamis.Study)
    assert study.settings.target == "pressure"


def test_tasks_by_target(tmp_path):
    """One task for all would make classes of numbers, or the reverse."""
    table = drawn().assign(grade=np.arange(150) % 3)
    tasks = {"grade": "ordinal"}
    studies = tamis.Study(table, target=["pressure", "grade"], task=tasks, folder=tmp_path / "s", **QUICK).studies
    assert {name: study.problem.task for name, study in studies.items()} == {
        "pressure": "regression", "grade": "ordinal"}  # fmt: skip


@pytest.mark.parametrize(
    ("target", "error", "words"),
    [
        ([], ParameterError, "no list of names"),
        (["pressure", 3], ParameterError, "no list of names"),
        (["pressure", "pressure"], ParameterError, "names a column twice"),
    ],
)
def test_lists_that_name_no_targets_are_refused(target, error, words, tmp_path):
    """A traceback instead of a sentence."""
    with pytest.raises(error, match=words):
        tamis.Study(drawn(), target=target, folder=tmp_path / "s")


def test_several_targets_need_a_table():
    """`fit(X, y)` would not know which is which."""
    with pytest.raises(StudyError, match="several targets need a table"):
        tamis.Study(target=["a", "b"])
