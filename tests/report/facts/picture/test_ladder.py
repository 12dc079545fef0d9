"""The ladder as data: where its rungs stand, what they are called, which of them is marked."""

from __future__ import annotations

import pytest
from tests.report.typed import of_plain

from tamis.report.facts.picture import ladder

ladder = of_plain(ladder)


def test_a_study_without_a_ladder_has_none(made):
    """The report of an earlier study, or of a user's procedures, would break."""
    assert ladder(made.study()) is None
    assert ladder({**made.study(), "ladder": []}) is None


def test_rungs_stand_by_their_columns_and_scores(made):
    """A picture would put a better model lower, more columns further left, or mark another rung as chosen."""
    for picture in ladder(made.ladder(made.study()))["pictures"]:
        marks = picture["marks"]
        assert [mark["x"] for mark in marks] == sorted(mark["x"] for mark in marks)
        assert [mark["y"] for mark in marks] == sorted((mark["y"] for mark in marks), reverse=True)
        assert [mark["tick"] for mark in marks] == ["1", "2", "3", "5", "all 10"]
        assert [mark["word"] for mark in marks] == ["tree", "tree", "formula", "curves", "boosting"]
        assert [mark["css"] for mark in marks] == ["", "", "chosen", "grey", "box"]
        assert [mark["is_box"] for mark in marks] == [False] * 4 + [True]
        first, second, third = (mark["x"] for mark in marks[:3])
        assert (second - first) / (third - first) == pytest.approx(0.6309, abs=0.005)  # log 2 / log 3
        assert marks[-1]["x"] > picture["wall"] > marks[-2]["x"]
        assert all(0 < mark["x"] < picture["width"] and 0 < mark["word_y"] < picture["floor"] for mark in marks)


def test_a_rung_without_a_score_or_an_interval_is_no_trouble(made):
    """A rung that no fold could score would stop the report."""
    results = made.ladder(made.study())
    results["ladder"][0]["score"] = None
    results["ladder"][1]["interval"] = None
    found = ladder(results)
    assert [mark["tick"] for mark in found["pictures"][0]["marks"]] == ["2", "3", "5", "all 10"]
    results["ladder"] = results["ladder"][2:3]
    assert len(ladder(results)["pictures"][0]["marks"]) == 1


def test_the_table_names_model_and_columns_of_each_rung(made):
    """Somebody who cannot see the picture would not learn what each rung is."""
    results = made.ladder(made.study())
    rows = [[one.text for one in row] for row in ladder(results)["table"].rows]
    assert rows[2] == [
        "3",
        "formula of 3",
        "0.917",
        "0.897–0.937",
        "beyond chance",
        "mean radius, mean texture, mean area",
    ]
    assert rows[3][4] == "not beyond chance"
    assert rows[4][0] == "all 10"
    assert ladder(results)["table"].rows[2][1].badge == "chosen"
