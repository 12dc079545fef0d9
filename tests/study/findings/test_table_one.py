"""The table of rows by class: figures that can be computed by hand."""

from __future__ import annotations

import pandas as pd
import pytest

import tamis
from tamis.study.findings.table_one import table_one


def test_figures_are_those_of_the_rows_by_class(tmp_path):
    """A clinician would publish wrong means, quartiles or counts."""
    n = 40
    frame = pd.DataFrame(
        {
            "age": [float(20 + k) for k in range(n)],
            "stage": ["I", "II", None, "III"] * (n // 4),
            "outcome": ["sick" if k % 4 == 0 else "well" for k in range(n)],
        }
    )
    frame.loc[3, "age"] = float("nan")
    problem = tamis.Study(frame, target="outcome", lock=0, folder=tmp_path / "s").problem
    facts = table_one(problem, ["age", "stage"])
    assert facts["classes"] == ["well", "sick"]
    assert facts["rows"] == [30, 10]
    assert (facts["n"], facts["left"]) == (40, 0)
    age, stage = facts["columns"]
    for numbers, kept in zip(age["numbers"], (slice(None), frame["outcome"] == "well", frame["outcome"] == "sick")):
        known = frame["age"][kept].dropna()
        expected = [known.mean(), known.std(), *known.quantile([0.25, 0.5, 0.75])]
        assert numbers[0] == len(known)
        assert numbers[1:] == pytest.approx(expected)
    assert age["numbers"][2][1:3] == pytest.approx([38.0, 4 * (82.5 / 9) ** 0.5])  # 20, 24 … 56
    assert stage["levels"] == ["I", "II", "III"]
    assert stage["counts"] == [[10, 10, 10], [0, 10, 10], [10, 0, 0]]


def test_numbers_have_no_classes_to_compare(tmp_path):
    """A target of numbers has no table of rows by class."""
    frame = pd.DataFrame({"a": [k * k % 17 for k in range(30)], "y": [0.5 * k for k in range(30)]})
    assert table_one(tamis.Study(frame, target="y", folder=tmp_path / "s").problem, ["a"]) is None
