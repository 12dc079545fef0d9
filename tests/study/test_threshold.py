"""The decision threshold: kept in the model, followed by predictions, exports and the report."""

from __future__ import annotations

import json
import sqlite3

import numpy as np
import pytest
from tests.study.export.tables import mixed, rows_of, run
from typer.testing import CliRunner

import tamis
from tamis.cli import app
from tamis.errors import ParameterError
from tamis.metrics.loss_matrix import LossMatrix


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    return run(tmp_path_factory.mktemp("threshold") / "study", "two", "tree")


def test_costs_and_threshold_are_the_same_decision():
    """A threshold t stands for a false alarm of t and a miss of 1 − t; equal costs are one half."""
    assert LossMatrix.of([[0, 1], [1, 0]], ["a", "b"]).threshold == 0.5
    assert LossMatrix.of([[0, 1], [10, 0]], ["a", "b"]).threshold == pytest.approx(1 / 11)
    assert LossMatrix.of([[1, 3], [5, 2]], ["a", "b"]).threshold == pytest.approx(2 / 5)  # right answers cost, too
    assert LossMatrix.of([[0, 1, 1], [1, 0, 1], [1, 1, 0]], list("abc")).threshold is None
    assert LossMatrix.of([[3, 1], [5, 2]], ["a", "b"]).threshold is None  # "b" is always cheaper
    steps = np.linspace(0, 1, 101)
    shares = np.column_stack([1 - steps, steps])
    for k, threshold in enumerate(steps):
        answers = LossMatrix.of_threshold(threshold, ["a", "b"]).answers(shares)
        assert (answers == (np.arange(101) >= k)).all() or threshold == 0
    with pytest.raises(ParameterError, match="a threshold is for two classes, and there are 3"):
        LossMatrix.of_threshold(0.5, list("abc"))


def test_a_threshold_moves_predictions_and_every_export(study, tmp_path):
    """An export would answer by another threshold than the model does."""
    new = mixed(200, seed=3, new=True).drop(columns=["two", "three", "number"])
    shares = study.predict_proba(new)[:, 1]
    threshold = round(float(np.median(shares[(shares > 0) & (shares < 0.5)])), 2)
    usual = study.predict(new)
    study.set_threshold(threshold)
    try:
        high = str(study.model_.labels[1])
        expected = np.where(shares >= threshold - 1e-9, high, str(study.model_.labels[0]))
        assert (expected != usual).any()
        assert study.predict(new).tolist() == expected.tolist()
        assert tamis.load(study.folder).predict(new).tolist() == expected.tolist()

        words = f"Decision threshold: a probability of {threshold:g} for {high}."
        python, sql = study.export("python"), study.export("sql")
        for text in (python, sql, study.export("html").replace("&#39;", "'")):
            assert words in text
        scope: dict = {}
        exec(python, scope)
        assert [scope["predict"](row) for row in rows_of(new)] == expected.tolist()
        with sqlite3.connect(":memory:") as base:
            new.to_sql("new_rows", base, index=False)
            answers = base.execute(sql)
            place = [column[0] for column in answers.description].index("prediction")
            assert [row[place] for row in answers.fetchall()] == expected.tolist()
        page = study.report(tmp_path / "r.html").read_text(encoding="utf-8")
        assert f'step="1" value="{round(100 * threshold)}"' in page
        assert "a threshold that was set after the study" in page
        assert "a threshold set after the study" in study.cite()
    finally:
        study.set_threshold(None)
    assert study.predict(new).tolist() == usual.tolist()
    assert "threshold" not in json.loads((study.folder / "results.json").read_text(encoding="utf-8"))


def test_the_command_says_what_holds(study):
    """A person who sets a threshold must see what the model does now."""
    high = study.model_.labels[1]

    def say(*words):
        return CliRunner().invoke(app, ["threshold", str(study.folder), *words]).output.strip()

    assert say("0.2") == f"Decision threshold: a probability of 0.2 for {high}."
    assert tamis.load(study.folder).results_["threshold"] == {"value": 0.2, "label": high}
    assert "check" in json.loads((study.folder / "results.json").read_text(encoding="utf-8"))
    assert say() == f"Decision threshold: a probability of 0.5 for {high}."
    assert "give a number" in say("1.5") or "between" in say("1.5")


def test_a_threshold_survives_run_and_choose(study):
    """The same command again, or another rung, would silently go back to the study's own decision."""
    high = str(study.model_.labels[1])
    results = (study.folder / "results.json").read_bytes()
    study.set_threshold(0.2)
    try:
        for again in (lambda one: one.run(), lambda one: one.choose("baseline"), lambda one: one.choose()):
            again(study)
            assert study.model_.threshold == pytest.approx(0.2)
            assert study.results_["threshold"] == {"value": 0.2, "label": high}
            assert tamis.load(study.folder).model_.threshold == pytest.approx(0.2)
    finally:
        study.set_threshold(None)
    study.run()
    assert study.model_.threshold == 0.5
    assert (study.folder / "results.json").read_bytes() == results


def test_the_square_of_the_report_follows_the_threshold(study):
    """The counts would be those of another decision than the model's."""
    from tamis.report.facts.performance import predictions, threshold
    from tamis.results.results import Results

    plain = study.results_ | {"threshold": {"value": 0.2, "label": str(study.model_.labels[1])}}
    results = Results.from_dict(plain)
    square = predictions(results)["confusion"]
    counts = threshold(results)["data"]
    shown = [
        int(cell["text"].replace(",", "")) for cell in (square["rows"][0]["cells"][1], square["rows"][1]["cells"][1])
    ]
    assert shown == pytest.approx([counts["false"][20], counts["true"][20]], abs=1)
    assert threshold(results)["start"] == 20
