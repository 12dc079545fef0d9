"""Ranking a table: what is said about the rows of the target and about columns left out."""

import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from tamis.cli import app
from tamis.errors import TableError
from tamis.score import rank


@pytest.mark.parametrize("target", [[7.0] * 20, ["yes"] * 20, [True] * 20, ["yes", None] * 10, [np.nan, 3] * 10])
def test_a_constant_target_is_refused_in_one_sentence(target):
    """Columns would be ranked for a target that no column can tell anything about."""
    frame = pd.DataFrame({"a": np.arange(20.0) ** 2, "b": [1.0, 5.0] * 10, "y": target})
    with pytest.raises(TableError, match=r"^the target 'y' is constant \(.* in every row.*\); .*$") as caught:
        rank(frame, "y")
    assert len(str(caught.value)) < 200


def test_rows_without_a_target_are_counted_and_said():
    """A ranking of half the rows would look like one of all of them."""
    frame = pd.DataFrame({"a": np.arange(40.0) ** 2, "b": [1.0, 5.0] * 20, "y": ["n", "p"] * 20})
    whole = rank(frame, "y")
    assert (whole.rows, whole.dropped, whole.note) == (40, 0, "")
    frame.loc[[0, 7, 9], "y"] = None
    part = rank(frame, "y")
    assert (part.rows, part.dropped) == (37, 3)
    assert part.note == "3 of 40 rows have no value of 'y' and were left out"
    frame.loc[frame.index != 0, "y"] = ["n", "p", "p"] * 13
    assert rank(frame, "y").note == "1 of 40 rows has no value of 'y' and was left out"
    facts = json.loads(part.to_json())
    assert (facts["rows"], facts["dropped"]) == (37, 3)


def test_columns_that_are_not_ranked_are_said(tmp_path):
    """One bad cell would take a column out of the ranking without a word."""
    n = 60
    numbers = [f"{k / 7:.3f}" for k in range(n)]
    numbers[17] = "oops"
    lines = ["a,b,y", *(f"{k * 37 % 11 + 0.5},{numbers[k]},{'uv'[k % 2]}" for k in range(n))]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    found = rank(tmp_path / "t.csv", "y")
    assert found.columns == ["a"]
    assert [decision.name for decision in found.left_out] == ["b"]
    told = CliRunner().invoke(app, ["rank", str(tmp_path / "t.csv"), "--target", "y"])
    assert "column 'b' left out: " in told.stderr
