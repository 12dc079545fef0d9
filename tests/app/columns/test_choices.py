"""What the user says is checked, and one column plays one part."""

from __future__ import annotations

import pytest

from tamis.app.columns.choices import changed, settings_of
from tamis.errors import TamisError

NAMES = ("age", "sex", "patient", "day", "y", "a,b")


@pytest.mark.parametrize(
    ("patch", "said"),
    [
        ({"target": "z"}, "no column 'z'"),
        ({"target": 3}, "no column 3"),
        ({"types": {"age": {"kind": "number"}}}, "types: age"),
        ({"types": {"age": {"kind": "ordinal"}}}, "needs its levels"),
        ({"types": []}, "by name"),
        ({"drop": {"z": True}}, "no column 'z'"),
        ({"folds": 1}, "from 2 to 20"),
        ({"folds": True}, "from 2 to 20"),
        ({"seed": "0; rm"}, "whole number"),
        ({"prefer": "--fresh"}, "prefer cannot be"),
        ({"scoring": "__import__"}, "scoring cannot be"),
        ({"costs": {"a": {"b": -1}}}, "0 or more"),
        ({"costs": {"a": {"b": "1"}}}, "0 or more"),
        ({"folder": "/"}, "nothing that can be chosen"),
    ],
)
def test_what_makes_no_sense_is_refused(patch, said):
    """Whatever a request holds would reach the command line."""
    with pytest.raises(TamisError, match=said):
        changed({}, patch, NAMES)


def test_a_column_plays_one_part():
    """The target would be left out, or group its own rows."""
    choices = changed({}, {"target": "y", "groups": "patient"}, NAMES)
    choices = changed(choices, {"time": "day"}, NAMES)
    assert (choices["groups"], choices["time"]) == (None, "day")
    choices = changed(choices, {"drop": {"day": True, "y": True}}, NAMES)
    assert (choices["time"], choices["target"]) == (None, None)
    choices = changed(choices, {"target": "day"}, NAMES)
    assert choices["drop"] == ["y"]


def test_costs_go_with_their_target():
    """Costs of classes that are no longer there would stop the study."""
    choices = changed({"target": "y", "costs": {"a": {"b": 2.0}}}, {"target": "sex"}, NAMES)
    assert "costs" not in choices
    assert settings_of({"target": "y", "costs": {"a": {"b": 2.0}}, "scoring": "accuracy"})["loss"] == {"a": {"b": 2.0}}


def test_cells_are_only_made_missing_where_a_kind_was_given():
    """A column read as Tamis found it would still lose cells."""
    choices = changed({}, {"types": {"age": {"kind": "numeric"}}, "blank": {"age": True}}, NAMES)
    assert choices["blank"] == ["age"]
    assert changed(choices, {"types": {"age": None}}, NAMES)["blank"] == []
