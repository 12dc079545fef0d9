"""The methods paragraph: true of the study it is written of, whatever the study was."""

from __future__ import annotations

import copy

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import tamis
from tamis.cli import app
from tamis.errors import StudyError
from tamis.study.claims.methods import methods


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(160, 4)), columns=["age", "dose", "a", "b"])
    frame["seen"] = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 300, 160), "D")
    frame["outcome"] = np.where(frame["age"] - frame["dose"] + 0.5 * rng.normal(size=160) > 0, "ill", "well")
    folder = tmp_path_factory.mktemp("cite") / "study"
    made = tamis.Study(frame, target="outcome", folder=folder, procedures="stump,lasso", folds=3, repeats=2, inner=3)
    return made.run()


def test_every_number_is_that_of_the_results(study):
    """A paragraph that is pasted into a paper must not say another score, fold or row count than the study's."""
    said, results = study.cite(), study.results_
    answer, data = results["answer"], results["data"]
    assert f"We analysed 160 rows with Tamis {tamis.__version__} (seed 0); the target was 'outcome'" in said
    assert f"{data['locked']} rows were locked" in said
    assert f"decided on the other {data['learned']}" in said
    assert "parts of dates counted as columns" in said
    assert "We compared a stump and the lasso with a baseline" in said
    assert "Rows were judged in 3 outer folds, drawn 2 times, with 3 inner folds." in said
    low, high = answer["interval"]
    assert f"was {answer['score']:.3g} (95% interval {low:.3g}–{high:.3g}); the baseline had" in said
    assert f"It took the {answer['procedure']}." in said
    assert all(column in said for column in answer["selected"])
    assert "The locked rows have not been opened." in said
    assert "None" not in said
    assert "  " not in said


def test_openings_are_told_as_the_ledger_has_them(study):
    """A second look at the locked rows that the paragraph hides would make it a lie."""
    first = study.open()
    said = study.cite()
    assert f"accuracy of the study's model was {first['score']:.3g}" in said
    assert "this is the first opening known here" in said
    study.open()
    assert "they were opened 2 times, and looked at 2 times in all" in study.cite()
    assert CliRunner().invoke(app, ["cite", str(study.folder)]).stdout.strip() == study.cite()


def test_what_a_person_chose_is_said(study):
    """The score of a procedure taken by somebody who saw the scores is another claim than that of the rule."""
    facts = copy.deepcopy(study.results_)
    facts["answer"] |= {"chosen_by": "person", "by_rule": "lasso", "procedure": "stump"}
    said = methods(facts, [])
    assert "It took the lasso; having seen the scores, a person chose the stump." in said
    assert "of the chosen procedure in the outer folds" in said
    assert "the whole procedure, the choice" not in said


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"comparison": {"signal": "none"}}, "No signal was seen beyond what chance explains."),
        ({"comparison": {"signal": "uncaptured"}}, "no choice of a model captured it reliably"),
        ({"answer": {"score": 0.61, "baseline": 0.63}}, "but the predicted class was not right more often."),
        ({"answer": {"interval": None, "interval_note": "cannot be bounded; do not quote"}}, "do not quote"),
        ({"comparison": {"black_box": None}}, None),
        ({"data": {"locked": 0}}, "No rows were locked"),
        ({"data": {"without_target": 3}}, "3 rows without a target were left out."),
        ({"settings": {"groups": "patient"}}, "rows of the same 'patient' kept together"),
        ({"settings": {"time": "day"}}, "models of earlier rows (by 'day')"),
        ({"answer": {"finished": {"folds": 4, "of": 6}}}, "ended early: 4 of 6 folds were finished"),
        ({"answer": {"selected": []}}, "used no column"),
        ({"answer": {"selected": [f"g{j}" for j in range(20)]}}, "used 20 columns: g0, g1"),
        ({"answer": {"interval": None}}, "no interval could be given"),
        ({"lock": {"how": "time"}}, "the latest ones"),
    ],
)
def test_a_study_of_another_kind_is_told_as_it_was(study, change, words):
    """Each kind of study has its sentence; none may be borrowed from another."""
    facts = copy.deepcopy(study.results_)
    for part, values in change.items():
        facts[part] |= values
    said = methods(facts, [])
    assert words is None or words in said
    if change == {"comparison": {"black_box": None}}:
        assert "gradient boosting" not in said
    if "signal" in change.get("comparison", {}):
        assert "was better than the baseline" not in said
    if change.get("data", {}).get("locked") == 0:
        assert "unlocked" not in said
        assert "have not been opened" not in said


def test_a_baseline_of_zero_is_said_as_zero(study):
    """ "the baseline had -3.7e-17"."""
    facts = copy.deepcopy(study.results_)
    facts["answer"] |= {"baseline": -3.7e-17, "metric": "r2"}
    assert "; the baseline had 0." in methods(facts, [])


def test_nothing_is_cited_before_a_run(tmp_path):
    """A paragraph about nothing would be an empty claim."""
    frame = pd.DataFrame({"a": range(40), "y": [0, 1] * 20})
    with pytest.raises(StudyError, match="call run"):
        tamis.Study(frame, target="y", folder=tmp_path / "s").cite()


def test_the_black_box_is_called_by_its_name(study):
    """The paragraph would name gradient boosting where a forest was the best black box."""
    facts = copy.deepcopy(study.results_)
    facts["answer"]["interval_note"] = ""
    facts["comparison"]["black_box"] = {
        **dict.fromkeys(("interval", "cost", "cost_interval")),
        **{"name": "forest", "words": "", "score": 0.82, "scores": [], "metrics": {}, "folds": 2, "quoted_score": 0.81},
        **{"loss": 0.1, "difference": 0.0, "standard_error": 0.1, "better": "neither", "p_value": 0.5},
    }
    assert "As a reference that could not be chosen, a random forest had 0.82 in the same outer folds." in methods(
        facts, []
    )
    facts["settings"]["prefer"] = "best"
    assert "As a reference, a random forest" in methods(facts, [])
