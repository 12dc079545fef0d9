"""A study with a cost for each kind of mistake: what is judged, what is answered, what is said."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest
from tests.study.tables import write_table

import tamis
from tamis.errors import ParameterError
from tamis.evaluate import LossMatrix

QUICK = {"folds": 3, "inner": 5, "repeats": 1, "procedures": ("stump", "lasso")}
DEAR = "sick>well=10, well>sick=1"


@pytest.fixture
def study(classes_csv, tmp_path):
    return tamis.Study(classes_csv, target="outcome", folder=tmp_path / "s", loss=DEAR, **QUICK).run()


def test_answers_are_those_of_least_expected_cost(study, classes_csv):
    """A sick person taken for well costs ten times as much: the answer turns at 1/11, not at 1/2."""
    shares, answers = study.predict_proba(classes_csv), study.predict(classes_csv)
    sick = shares[:, list(study.model_.labels).index("sick")]
    clear = np.abs(sick - 1 / 11) > 1e-9
    assert (answers[clear] == np.where(sick > 1 / 11, "sick", "well")[clear]).all()
    assert ((sick > 1 / 11) & (sick < 1 / 2)).any()
    rows = list(csv.reader(study.predictions_csv(classes_csv).splitlines()))[1:]
    assert [row[1] for row in rows] == answers.tolist()
    assert (tamis.load(study.folder).predict(classes_csv) == answers).all()


def test_the_quoted_score_is_the_mean_cost(study):
    """The score must be of the decisions that will be taken: recomputed from the out-of-fold probabilities."""
    kept = study.results_["predictions"]
    chosen = study.results_["comparison"]["chosen"]
    [row] = [row for row in study.results_["comparison"]["procedures"] if row["name"] == chosen]
    labels = [row["label"] for row in study.results_["data"]["classes"]]
    loss = LossMatrix.of(DEAR, labels)
    cost = loss.cost(np.array(labels)[kept["truth"]], loss.decide(kept["answers"]))
    sizes = [fold["test"] for fold in study.results_["folds"]]
    assert np.average(row["scores"], weights=sizes) == pytest.approx(cost)
    assert study.results_["answer"]["metric"] == "cost"
    assert study.score_ < study.results_["answer"]["baseline"]
    assert "Expected mean cost on new rows" in study.answer_
    assert "the cheapest answer for all gives" in study.answer_


def test_opening_and_report_speak_of_costs(study):
    """The locked score is in the same unit, the report's square counts the decisions."""
    opened = study.open()
    assert opened["metric"] == "cost"
    assert opened["interval"][0] <= opened["score"] <= opened["interval"][1]
    page = (study.folder / "report.html").read_text(encoding="utf-8")
    assert "mean cost" in page
    assert "answer of least expected cost" in page


@pytest.mark.parametrize("kind", ["dict", "pairs", "csv", "array"])
def test_every_way_to_give_costs_is_the_same(study, classes_csv, tmp_path, kind):
    """Costs as text, dict, pairs, file or array must give the same study."""
    table = {"truth": ["sick", "well"], "sick": [0, 1], "well": [10, 0]}
    given = {
        "dict": {"sick": {"well": 10}, "well": {"sick": 1}},
        "pairs": {("sick", "well"): 10, ("well", "sick"): 1},
        "csv": write_table(tmp_path / "costs.csv", table),
        "array": [[0, 10], [1, 0]],
    }[kind]
    other = tamis.Study(classes_csv, target="outcome", folder=tmp_path / "o", loss=given, **QUICK).run()
    assert other.results_["comparison"] == study.results_["comparison"]
    assert json.loads((other.folder / "model.json").read_text()) == json.loads(
        (study.folder / "model.json").read_text()
    )


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"loss": "sick>well=10"}, "no cost for well answered as sick"),
        ({"loss": "sick>dead=10"}, "names the class 'dead', which the target lacks"),
        ({"loss": "sick>well=-1, well>sick=1"}, "is -1; give finite costs of at least 0"),
        ({"loss": "nowhere.csv"}, "cannot be read"),
        ({"loss": DEAR, "scoring": "f1"}, "scoring='f1' and loss are both given"),
    ],
)
def test_costs_that_cannot_be_used_are_refused(classes_csv, tmp_path, options, says):
    """A wrong loss matrix must not become a wrong study."""
    with pytest.raises(ParameterError, match=says):
        tamis.Study(classes_csv, target="outcome", folder=tmp_path / "s", **{**QUICK, **options}).run()


def test_numbers_have_no_loss_matrix(numbers_csv, tmp_path):
    """Costs of taking one class for another mean nothing for numbers."""
    with pytest.raises(ParameterError, match="a loss matrix is for classes"):
        tamis.Study(numbers_csv, target="y", folder=tmp_path / "s", loss=DEAR, **QUICK).run()
