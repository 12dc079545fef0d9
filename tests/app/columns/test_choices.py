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
        ({"exposure": "z"}, "no column 'z'"),
        ({"monotone": {"age": 2}}, "must be 1 or -1"),
        ({"monotone": {"age": True}}, "must be 1 or -1"),
        ({"monotone": {"z": 1}}, "no column 'z'"),
        ({"monotone": {"a,b": 1}}, "comma"),
        ({"subgroups": {"a,b": True}}, "comma"),
        ({"subgroups": ["sex"]}, "by name"),
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


def test_exposure_directions_and_subgroups_become_settings():
    """What a page asks for would not reach the study."""
    choices = changed({}, {"target": "y", "exposure": "day"}, NAMES)
    choices = changed(choices, {"monotone": {"age": 1, "sex": -1}}, NAMES)
    choices = changed(choices, {"monotone": {"sex": 0}, "subgroups": {"sex": True, "patient": True}}, NAMES)
    choices = changed(choices, {"subgroups": {"patient": False}}, NAMES)
    settings = settings_of(choices)
    assert settings["exposure"] == "day"
    assert settings["monotone"] == {"age": 1}
    assert settings["subgroups"] == ("sex",)
    assert changed(choices, {"groups": "day"}, NAMES)["exposure"] is None  # a column plays one part
    assert "exposure" not in settings_of(changed(choices, {"target": "age"}, NAMES))


def test_cells_are_only_made_missing_where_a_kind_was_given():
    """A column read as Tamis found it would still lose cells."""
    choices = changed({}, {"types": {"age": {"kind": "numeric"}}, "blank": {"age": True}}, NAMES)
    assert choices["blank"] == ["age"]
    assert changed(choices, {"types": {"age": None}}, NAMES)["blank"] == []
