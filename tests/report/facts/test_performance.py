"""Truth and prediction of rows not seen."""

from __future__ import annotations

import numpy as np
import pytest
from tests.report.typed import of_plain

from tamis.report.facts.performance import errors, predictions, threshold

errors = of_plain(errors)
predictions = of_plain(predictions)
threshold = of_plain(threshold)


def test_the_square_counts_every_row(made):
    """A predicted class would be counted at the wrong place."""
    results = made.study()
    answers = [[0.9, 0.1], [0.4, 0.6], [0.2, 0.8], [0, 1]]
    results["predictions"] = {"rows": [0, 1, 2, 3], "truth": [0, 0, 1, 1], "answers": answers}
    table = predictions(results)["confusion"]
    assert table["heads"] == ["benign", "malignant"]
    assert [[c["text"] for c in row["cells"]] for row in table["rows"]] == [["1", "1"], ["0", "2"]]
    assert [c["share"] for c in table["rows"][0]["cells"]] == ["50%", "50%"]
    assert [c["right"] for c in table["rows"][1]["cells"]] == [False, True]


def test_repeated_folds_are_said(made):
    """A reader would wonder why the square and the nested score differ."""
    results = made.study(learned=1365)  # 15 folds of 91 rows
    assert predictions(results)["sentence"] == "Each of 1,365 rows was predicted by a model that had not seen it."
    assert "several times" in predictions(made.study())["sentence"]


def test_many_classes_are_told_one_by_one(made):
    """A square of a hundred classes would fill the report, or a class would be said to be taken for itself."""
    results = made.study(labels=tuple(f"c{i}" for i in range(100)))
    truth = [i % 100 for i in range(300)]
    answers = [[float(place == (label + (row < 200)) % 100) for place in range(100)] for row, label in enumerate(truth)]
    results["predictions"] = {"rows": [], "truth": truth, "answers": answers}
    found = predictions(results)
    assert found["confusion"] is None
    assert [one.text for one in found["by_class"].rows[7]] == ["c7", "3", "33.3%", "c8"]
    assert [one.text for one in found["by_class"].rows[99]] == ["c99", "3", "33.3%", "c0"]


def test_without_predictions_it_is_said(made):
    """A long table's report would break, or show an empty square."""
    found = predictions({**made.study(), "predictions": None})
    assert [[one["text"] for one in row["cells"]] for row in found["confusion"]["rows"]] == [["1", "0"], ["0", "1"]]
    assert "too many rows" in found["sentence"]


def test_every_threshold_counts_the_rows_that_reach_it(made):
    """The sliders would show other counts than the predictions give."""
    results = made.study()
    found = threshold(results)["data"]
    truth, sure = np.array(results["predictions"]["truth"]), np.array(results["predictions"]["answers"])[:, 1]
    for step in (0, 20, 50, 73, 100):
        assert found["true"][step] == int(((sure >= step / 100) & (truth == 1)).sum())
        assert found["false"][step] == int(((sure >= step / 100) & (truth == 0)).sum())
    assert (found["positives"], found["negatives"]) == (int(truth.sum()), int((truth == 0).sum()))
    assert threshold(made.study(labels=("a", "b", "c"))) is None
    assert threshold(made.study(labels=(), metric="rmse")) is None


def test_thresholds_come_from_counts_where_predictions_are_not_kept(made):
    """A long table would have no sliders, or wrong ones."""
    results = {**made.study(), "predictions": None}
    judged = {
        "confusion": [[8, 2], [1, 9]],
        "roc": {"false_positive": [0, 0.2, 1], "true_positive": [0, 0.9, 1], "threshold": [1.0, 0.5, 0.0]},
    }
    results["comparison"] = {**results["comparison"], "diagnostics": judged}
    found = threshold(results)["data"]
    assert (found["true"][50], found["false"][50]) == (9, 2)
    assert (found["true"][51], found["false"][51]) == (0, 0)
    assert (found["true"][0], found["false"][0]) == (10, 10)


def test_the_reach_of_numbers_holds_its_share(made):
    """An interval would be called one of 95% and hold fewer of the rows."""
    results = made.study(labels=(), metric="rmse", learned=400)
    found = errors(results)
    residual = np.abs(np.array(results["predictions"]["truth"]) - np.array(results["predictions"]["answers"]))
    for row in found["table"].rows:
        held = float((residual <= row[1].sort).mean())
        assert row[0].sort <= held < row[0].sort + 0.01
    assert [row[0].text for row in found["table"].rows] == ["50%", "80%", "90%", "95%"]
    mean = float(residual.mean())
    assert f"miss by {mean:,.0f}" in found["sentence"]
    assert errors(made.study()) is None


def test_few_rows_have_no_reach_that_they_cannot_hold(made):
    """Ten rows would be said to give an interval of 95%."""
    results = made.study(labels=(), metric="rmse", learned=10)
    assert [row[0].text for row in errors(results)["table"].rows] == ["50%", "80%", "90%"]


@pytest.mark.parametrize("rows", [1, 2])
def test_a_row_or_two_can_be_shown(made, rows):
    """A tiny study would have no report."""
    assert errors(made.study(labels=(), metric="rmse", learned=rows))["sentence"]
