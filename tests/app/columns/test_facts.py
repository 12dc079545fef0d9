"""A column as the page shows it."""

from __future__ import annotations

import pytest

from tamis.app.columns.check import cached_check, check
from tamis.app.columns.facts import column_facts, fit_of, levels_of
from tamis.app.columns.reading import Reading
from tamis.table import fetch


@pytest.fixture(scope="module")
def reading(patients):
    return Reading(fetch(patients))


def test_kind_reason_values_holes_and_picture(reading):
    """Somebody could not see how a column was read, or why."""
    facts = column_facts(reading, "sugar", None)
    assert (facts["kind"], facts["used"], facts["given"]) == ("numeric", True, False)
    assert facts["missing"] == 14
    assert "numbers" in facts["reason"]
    assert len(facts["values"]) == 4
    assert facts["picture"]["path"].startswith("M")
    left_out = column_facts(reading, "patient", None)
    assert (left_out["used"], left_out["kind"]) == (False, "identifier")
    assert left_out["values"][0] == "P0000"
    words = column_facts(reading, "ill", None)["picture"]["levels"]
    assert sum(share for _, share in words) == pytest.approx(1, abs=1e-3)


def test_cells_that_do_not_fit_are_named(reading):
    """A kind would be refused without a word about which cell, or taken though cells do not fit."""
    found = fit_of(reading, "age", {"kind": "numeric"})
    assert not found["fits"]
    assert found["count"] == 2
    assert found["cells"] == [{"row": 5, "text": "unknown"}, {"row": 71, "text": "about 60"}]
    assert fit_of(reading, "ward", {"kind": "categorical"})["fits"]
    assert fit_of(reading, "ward", {"kind": "ordinal", "levels": ["1", "2"]})["count"] > 10
    assert not fit_of(reading, "dose", {"kind": "date"})["fits"]


def test_levels_come_in_an_order_that_makes_sense():
    """10 would stand before 9, or poor behind good."""
    raw = fetch({"n": ["10", "9", "1"] * 9, "grade": ["A2", "A1", "B1"] * 9, "x": list(range(27))})
    assert levels_of(Reading(raw), "n") == ["1", "9", "10"]
    assert levels_of(Reading(raw), "grade") == ["A1", "A2", "B1"]


def test_after_the_check_nothing_of_locked_rows_is_shown(patients):
    """The page would show values of rows that nobody is to look at."""
    reading = Reading(fetch(patients))
    choices = {"target": "ill", "types": {"ward": {"kind": "categorical"}}}
    assert cached_check(reading, choices) is None
    found = check(reading, patients, choices)
    plan = found["plan"]
    assert (plan["rows"], plan["locked"], plan["learned"]) == (120, 24, 96)
    assert plan["classes"] == ["no", "yes"]
    assert plan["tasks"] == 15 * 4 + 15 * 3 + 5  # procedures, black boxes, the rest
    rows = found["unlocked"]
    facts = column_facts(reading, "dose", None, found["decisions"]["dose"], rows)
    assert facts["rows"] == 96
    texts = [line.split(",")[1] for line in patients.read_text().splitlines()[1:]]
    assert facts["values"] == [f"{float(texts[row]):g}" for row in rows[:4]]
    assert "96" in facts["reason"]


def test_a_leak_is_said_before_any_run(tmp_path):
    """A column that tells the target would only be noticed in the report."""
    lines = ["x,told,y", *(f"{k * 37 % 101},{k % 2 * 7},{'ab'[k % 2]}" for k in range(60))]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    found = check(Reading(fetch(tmp_path / "t.csv")), tmp_path / "t.csv", {"target": "y"})
    assert any(leak["kind"] == "predicts" and leak["columns"] == ["told"] for leak in found["leaks"])
    wrong = check(Reading(fetch(tmp_path / "t.csv")), tmp_path / "t.csv", {"target": "y", "task": "regression"})
    assert "task" in wrong["error"]
