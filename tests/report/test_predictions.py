"""Truth and prediction of rows not seen."""

from __future__ import annotations

from tamis.report.predictions import predictions


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
