"""Folders that earlier versions wrote are read: their names are mapped, their report is written anew."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import tamis
from tamis.results.results import SCHEMA, Results
from tamis.study.disk.files import as_json, checksum

KEPT = Path(__file__).parent


@pytest.fixture(params=["layout-2", "layout-2-numbers"])
def folder(request, tmp_path):
    """A study of a table of classes, or of numbers, as Tamis 0.1 left it with layout 2."""
    return Path(shutil.copytree(KEPT / request.param, tmp_path / "study"))


def test_a_former_layout_is_read_under_the_names_of_today(folder):
    """A folder of last week would have to be run again, or be read with a key missing."""
    former = json.loads((folder / "results.json").read_text())
    study = tamis.load(folder)
    assert former["schema"] == 2
    assert study.results_["schema"] == SCHEMA
    comparison, before = study.results_["comparison"], former["comparison"]
    assert comparison["inner_score"] == before["promised"]
    assert comparison["diagnostics"].keys() == before["judged"].keys()
    for row, old_row in zip(comparison["procedures"], before["procedures"], strict=True):
        assert (row["score"], row["train_score"], row["race"]["won"]) == (
            old_row["nested"],
            old_row["train"],
            old_row["raced"]["won"],
        )
    assert study.results_["lock"]["fraction"] == former["lock"]["share"]
    assert study.results_["answer"]["supported"] == former["answer"]["sure"]
    assert Results.from_dict(study.results_).to_dict().keys() == study.results_.keys()


def test_a_former_layout_answers_reports_and_predicts(folder, tmp_path):
    """What a person asks of an old study, each through the public path."""
    study = tamis.load(folder)
    assert study.answer_ == json.loads((folder / "results.json").read_text())["answer"]["words"]
    assert study.report(tmp_path / "r.html").stat().st_size > 100_000
    assert "outer folds" in study.cite()
    assert "dose" in study.selected_
    assert len(study.predict({"dose": [1.0, -1.0], "age": [0.0, 0.0], "weight": [0.0, 0.0]})) == 2
    assert tamis.compare(folder, folder).common == tuple(study.selected_)


def test_a_former_layout_is_still_checked(folder):
    """A value changed by hand in an old file would pass, because names are mapped after reading."""
    path = folder / "results.json"
    facts = json.loads(path.read_text())
    facts["comparison"]["promised"] = 0.99
    path.write_text(as_json(facts))
    with pytest.raises(tamis.errors.StudyError, match="checksum does not fit"):
        tamis.load(folder)
    facts.pop("check")
    path.write_text(as_json({**facts, "check": checksum(facts)}))
    assert tamis.load(folder).results_["comparison"]["inner_score"] == 0.99
