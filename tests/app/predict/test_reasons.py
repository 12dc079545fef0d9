"""One row by hand: the model's answer, and what each value does to it."""

from __future__ import annotations

import pytest

from tamis.app.predict.form import form_of
from tamis.app.predict.reasons import answer_with_reasons
from tamis.study import load
from tamis.table import read

ROW = {"dose": "5.2", "sugar": "92", "ward": "2", "age": "70", "noise": "0.1"}


def test_the_form_asks_for_the_columns_of_the_model(finished):
    """A field of the model would be missing, or one would be asked for that does nothing."""
    form = form_of(finished.place)
    used = load(finished.place).selected_
    assert {field["name"] for field in form["fields"]} == set(used)
    assert form["fields"][0]["name"] == used[0]
    dose = next(field for field in form["fields"] if field["name"] == "dose")
    assert dose["hint"].endswith("in training")


def test_reasons_are_differences_of_the_models_own_answers(finished):
    """The page would say that a value matters which does not, or by how much it does not."""
    found = answer_with_reasons(finished.place, ROW)
    model = load(finished.place).model_

    def probability(row):
        cells = {name: [row.get(name) or None] for name in ROW}
        table = read({**cells, "patient": ["P1"], "ill": [None]}, like=model.types)
        return model.predict_proba(table)[0][model.labels.index(found["answer"])]

    assert dict(found["classes"])[found["answer"]] == pytest.approx(probability(ROW), rel=1e-12)
    for reason in found["reasons"]:
        expected = probability(ROW) - probability(ROW | {reason["name"]: ""})
        assert reason["gap"] == pytest.approx(expected, abs=1e-6)
    assert max(abs(reason["gap"]) for reason in found["reasons"]) > 0.01
    gaps = [abs(reason["gap"]) for reason in found["reasons"]]
    assert gaps == sorted(gaps, reverse=True)


def test_a_row_unlike_all_others_is_flagged_and_holes_are_named(finished):
    """A guess beyond what was seen would look like any other answer."""
    found = answer_with_reasons(finished.place, {"dose": "5000"})
    assert any("dose is above" in note for note in found["notes"])
    assert "dose" not in found["missing"]


def test_a_value_of_another_kind_is_refused_by_name(finished):
    """A slip of the hand would be read as missing, silently."""
    with pytest.raises(ValueError, match="dose"):
        answer_with_reasons(finished.place, {"dose": "nine"})
