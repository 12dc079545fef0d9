"""The one door to every export."""

from __future__ import annotations

import pytest

from tamis.errors import StudyError, UnwritableError
from tamis.study.export import KINDS, export


def test_every_kind_but_onnx_is_text(studies):
    """A kind that is listed and not written would be found out by the user."""
    model = studies("two", "tree").model_
    assert {kind: type(export(model, kind)) for kind in KINDS if kind != "onnx"} == dict.fromkeys(
        ("python", "sql", "html"), str
    )


def test_a_forest_of_too_many_nodes_is_refused_with_a_way_out(studies, monkeypatch):
    """A file of a hundred megabytes of brackets helps nobody."""
    monkeypatch.setitem(export.__globals__, "MOST_NODES", 50)
    with pytest.raises(StudyError, match="give --to onnx, or take a smaller model"):
        export(studies("two", "forest").model_, "python")


def test_a_place_that_cannot_be_written_is_named(studies, tmp_path):
    """The system's own words do not say which file."""
    with pytest.raises(UnwritableError, match="none"):
        studies("two", "tree").export("python", tmp_path / "none" / "model.py")
