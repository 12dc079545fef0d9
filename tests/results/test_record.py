"""Records: dumped under the names of their fields, and read back as they were."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from tamis.errors import DamagedError
from tamis.results.record import Record


@dataclass
class _Part(Record):
    omitted = ("note",)

    x: float
    note: str | None = None


@dataclass
class _Whole(Record):
    single: _Part
    several: list[_Part]
    named: dict[str, _Part | None]
    maybe: _Part | None
    plain: dict[str, list[float]]


def test_what_is_dumped_comes_back():
    """A resumed study would read other values than the one that was stopped."""
    whole = _Whole(_Part(1.0), [_Part(2.0, "a"), _Part(3.0)], {"b": _Part(4.0), "c": None}, None, {"d": [5.0]})
    facts = whole.to_dict()
    assert facts["single"] == {"x": 1.0}
    assert facts["several"][0] == {"x": 2.0, "note": "a"}
    assert facts["maybe"] is None
    assert list(facts) == ["single", "several", "named", "maybe", "plain"]
    assert _Whole.from_dict(facts) == whole


def test_a_name_that_is_missing_is_damage():
    """A file that was cut would become an answer without a score."""
    with pytest.raises(DamagedError, match="it has no 'x'"):
        _Part.from_dict({"note": "a"})
    with pytest.raises(DamagedError, match="no table of names"):
        _Part.from_dict([1.0])
