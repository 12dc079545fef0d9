"""The ladder: a rung per number of columns, the choice on it, and what a person takes from it."""

from __future__ import annotations

import re
import shlex

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import tamis
from tamis.cli import app
from tamis.results.answer import Answer
from tamis.study.claims.price import price

QUICK = {"folds": 3, "inner": 3, "repeats": 1, "n_jobs": 1}


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """Two of six columns decide."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(240, 6)), columns=list("abcdef"))
    frame["y"] = 2 * frame["b"] + np.abs(frame["e"]) + 0.3 * rng.normal(size=240)
    return tamis.Study(frame, target="y", folder=tmp_path_factory.mktemp("ladder") / "s", **QUICK).run()


def test_rungs_have_scores_columns_and_one_choice(study):
    """The page would draw a ladder without a chosen rung, or name other columns than the model's."""
    ladder = study.results_["ladder"]
    assert [rung["columns"] for rung in ladder] == [1, 2, 3, 5, 6, 6]
    assert [rung["black_box"] for rung in ladder] == [False] * 5 + [True]
    assert [rung["chosen"] for rung in ladder].count(True) == 1
    assert all(len(rung["selected"]) <= rung["columns"] for rung in ladder)
    assert ladder[0]["selected"] == ["b"]
    assert set(ladder[1]["selected"]) == {"b", "e"}
    assert ladder[1]["better"]
    assert not ladder[3]["better"]
    assert all(rung["interval"][0] < rung["score"] < rung["interval"][1] for rung in ladder)


def test_the_answer_is_a_readable_model_of_few_columns(study):
    """A forest on every column would be the answer, and its price untold."""
    found = study.results_["answer"]
    assert found["readable"] in ("glance", "page")
    assert set(found["selected"]) == {"b", "e"}
    assert found["procedure"] in ("additive", "small-tree", "formula")
    assert study.answer_.startswith("Two columns predict y: ")
    price = found["price"]
    assert price["interval"][0] < price["difference"] < price["interval"][1]
    assert price["words"] in study.answer_


def test_a_person_takes_another_rung_or_a_black_box(study):
    """Folds would be fitted again for models that were judged already."""
    before = len((study.folder / "journal.jsonl").read_text().splitlines())
    study.choose(columns=1)
    assert study.results_["answer"]["selected"] == ["b"]
    assert study.results_["answer"]["max_columns"] == 1
    assert [rung["columns"] for rung in study.results_["ladder"] if rung["chosen"]] == [1]
    assert "A person chose" in study.answer_
    after = len((study.folder / "journal.jsonl").read_text().splitlines())
    assert after - before < 12
    study.choose("forest")
    assert study.results_["answer"]["procedure"] == "forest"
    assert study.results_["answer"]["readable"] == "no"
    study.choose()
    assert study.results_["answer"]["chosen_by"] == "rule"
    assert set(study.selected_) == {"b", "e"}


def test_the_command_in_the_price_takes_the_black_box(tmp_path):
    """The command as it is printed would end in "Missing argument 'STUDY'"."""
    box = {"name": "boosting", "score": 0.966, "quoted_score": 0.9, "cost": 0.066, "cost_interval": [0.02, 0.1]}
    facts = {"black_box": {**box, "better": "black box"}, "signal": "captured", "readable": "glance", "metric": "r2"}
    facts |= {"loss": "squared_error", "procedure": "additive", "baseline": 0.0, "n_columns": 6}
    words = price(Answer(**facts, contributions={"a": 1.0}))
    command = re.search("`tamis (.*)` takes it", words)
    assert command
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(80, 3)), columns=list("abc"))
    frame.assign(y=frame["a"] + frame["b"]).to_csv(tmp_path / "t.csv", index=False)
    tamis.Study(str(tmp_path / "t.csv"), target="y", folder=tmp_path / "s", **QUICK).run()
    given = shlex.split(command[1].replace("STUDY", str(tmp_path / "s")))
    assert CliRunner().invoke(app, given).exit_code == 0
    assert tamis.load(tmp_path / "s").results_["answer"]["procedure"] == "boosting"


def test_columns_bounds_readable_models(tmp_path):
    """--columns 2 would be exceeded."""
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.normal(size=(150, 6)), columns=list("abcdef"))
    frame["y"] = np.where(frame.sum(axis=1) + 0.5 * rng.normal(size=150) > 0, "p", "q")
    study = tamis.Study(frame, target="y", folder=tmp_path / "s", columns=2, **QUICK).run()
    assert len(study.selected_) <= 2
    assert [rung["columns"] for rung in study.results_["ladder"]] == [1, 2, 6]
