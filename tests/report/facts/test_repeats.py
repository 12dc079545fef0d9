"""Folds that are drawn several times: the page's figures are of single models, as the one delivered is."""

from __future__ import annotations

import json

import numpy as np
import pytest
from tests.report.typed import of_plain

import tamis
from tamis.metrics import score
from tamis.report import charts
from tamis.report.facts.performance import errors, predictions, threshold
from tamis.report.predictions import out_of_fold

errors = of_plain(errors)
predictions = of_plain(predictions)
threshold = of_plain(threshold)
out_of_fold = of_plain(out_of_fold)

SMALL = {"folds": 3, "repeats": 3, "inner": 3, "black_box": False, "lock": 0, "prefer": "best"}


@pytest.fixture(scope="module")
def numbers(tmp_path_factory):
    """Deep trees of few rows: answers of three of them, averaged, miss by less than those of one."""
    random = np.random.default_rng(0)
    X = random.normal(size=(90, 4))
    table = {f"x{j}": X[:, j] for j in range(4)} | {"y": X[:, 0] * X[:, 1] + random.normal(size=90)}
    procedures = {"own": tamis.TreeRegressor(random_state=0)}
    folder = tmp_path_factory.mktemp("numbers")
    study = tamis.Study(table, target="y", folder=folder, procedures=procedures, **SMALL).run()
    return study.choose("own")


@pytest.fixture(scope="module")
def classes(tmp_path_factory):
    """The same of two classes."""
    random = np.random.default_rng(1)
    X = random.normal(size=(90, 4))
    y = np.where(X[:, 0] + X[:, 1] + 1.5 * random.normal(size=90) > 0, "yes", "no").astype(object)
    table = {f"x{j}": X[:, j] for j in range(4)} | {"y": y}
    procedures = {"own": tamis.TreeClassifier(min_samples_leaf=2, random_state=0)}
    folder = tmp_path_factory.mktemp("classes")
    study = tamis.Study(table, target="y", folder=folder, procedures=procedures, **SMALL).run()
    return study.choose("own")


def row_of(study):
    return next(one for one in study.results_["comparison"]["procedures"] if one["name"] == "own")


def older(results):
    """The same results as they were written before: answers averaged over the repeats, and nothing else."""
    made = json.loads(json.dumps(results))
    del made["predictions"]["by_repeat"]
    if not made["data"]["classes"]:
        made["comparison"]["diagnostics"] = None
    return made


def test_the_miss_and_the_reaches_are_those_of_single_models(numbers):
    """The page would promise the errors of an average of three models, which nobody is given."""
    found, mae = errors(numbers.results_), row_of(numbers)["metrics"]["mae"]
    averaged = out_of_fold(older(numbers.results_))
    assert np.abs(averaged.truth - averaged.answers).mean() < 0.95 * mae
    assert f"miss by {mae:.3f} on average" in found["sentence"]
    own = np.abs(numbers.model_.residuals.quantiles)  # those by which `predict` gives intervals
    for row in found["table"].rows:
        level = np.ceil(91 * row[0].sort) / 90  # so that a new row is held, too
        assert (own <= row[1].sort).mean() == pytest.approx(level, abs=0.01)
    told = numbers.results_["comparison"]["diagnostics"]["errors"]
    assert [row[1].sort for row in found["table"].rows] == [one["radius"] for one in told["radii"]]
    assert f"{abs(told['mean']):.3f}" in found["sentence"]


def test_every_repeat_is_kept_and_its_mean_is_the_answer(numbers):
    """Figures of single models could not be drawn from results.json."""
    kept = numbers.results_["predictions"]
    assert np.array(kept["by_repeat"]).shape == (3, 90)
    np.testing.assert_allclose(np.mean(kept["by_repeat"], axis=0), kept["answers"])
    assert "predicted 3 times" in predictions(numbers.results_)["sentence"]


def test_charts_of_numbers_show_single_models(numbers):
    """Dots of averaged answers would lie nearer to the diagonal than any model's."""
    kept = numbers.results_["predictions"]
    (dots,) = [one for one in charts.predicted(numbers.results_).renderers if type(one.glyph).__name__ == "Scatter"]
    np.testing.assert_allclose(dots.data_source.data["answer"], kept["by_repeat"][0], rtol=1e-6)
    every = np.concatenate([np.subtract(kept["truth"], one) for one in kept["by_repeat"]])
    lines = [part.location for part in charts.residuals(numbers.results_).center if type(part).__name__ == "Span"]
    np.testing.assert_allclose(sorted(lines)[::2], np.quantile(every, (0.05, 0.95)))


def test_the_confusion_and_the_threshold_count_every_repeat_by_itself(classes):
    """Averaged votes of three models would be counted as one model's answers."""
    results = classes.results_
    told = np.array(results["comparison"]["diagnostics"]["confusion"])
    square = predictions(results)["confusion"]
    shown = np.array([[int(one["text"]) for one in row["cells"]] for row in square["rows"]])
    assert np.abs(shown - told).max() < 1
    assert shown.sum(axis=1).tolist() == [row["rows"] for row in results["data"]["classes"]]
    right = sum(shown[k, k] for k in range(2)) / shown.sum()
    assert right == pytest.approx(row_of(classes)["metrics"]["accuracy"], abs=0.02)
    data = threshold(results)["data"]
    sure, truth = np.array(results["predictions"]["by_repeat"])[:, :, 1], np.array(results["predictions"]["truth"])
    for step in (20, 50, 80):
        reach = (sure >= step / 100).mean(axis=0)
        assert data["true"][step] == pytest.approx(reach[truth == 1].sum(), abs=0.51)
        assert data["false"][step] == pytest.approx(reach[truth == 0].sum(), abs=0.51)
    assert (data["false"][0], data["true"][0]) == (data["negatives"], data["positives"])


def test_the_curves_of_classes_are_of_single_models(classes):
    """The area under the ROC curve, and the calibration, would be those of an average of models."""
    kept = classes.results_["predictions"]
    truth, sure = np.tile(kept["truth"], 3), np.concatenate(kept["by_repeat"])[:, 1]
    curve = charts.roc(classes.results_).renderers[1].data_source.data
    area = np.trapezoid(curve["true"], curve["false"])
    assert area == pytest.approx(score("roc_auc", truth, sure), abs=1e-3)
    assert area < score("roc_auc", kept["truth"], np.array(kept["answers"])[:, 1]) - 0.01
    points = charts.reliability(classes.results_).renderers[1].data_source.data
    assert min(points["sure"]) == pytest.approx(np.sort(sure)[:27].mean())
    assert sum(points["rows"]) == 90


def test_older_results_say_that_their_answers_are_averaged(numbers, classes):
    """A reader would take the figures of averaged answers for those of the model."""
    for results in (older(numbers.results_), older(classes.results_)):
        assert "averaged over the repeats" in predictions(results)["sentence"]
        assert charts.drawn(results)
    found = errors(older(numbers.results_))
    assert "averaged over the repeats" in found["sentence"]
    assert len(found["table"].rows) == 4


def test_a_partial_study_counts_every_row_once(made):
    """Rows that a second repeat did not reach would count half, or break the page."""
    results = made.study()
    answers = [[0.9, 0.1], [0.4, 0.6], [0.2, 0.8], [0.3, 0.7]]
    again = [[0.2, 0.8], None, None, [0.3, 0.7]]
    kept = {"rows": [0, 1, 2, 3], "truth": [0, 0, 1, 1], "answers": answers, "by_repeat": [answers, again]}
    results["predictions"] = kept
    results["data"]["classes"] = [{"label": "no", "rows": 2}, {"label": "yes", "rows": 2}]
    found = predictions(results)
    assert [one["share"] for one in found["confusion"]["rows"][0]["cells"]] == ["25%", "75%"]
    assert [one["text"] for one in found["confusion"]["rows"][1]["cells"]] == ["0", "2"]
    assert [row["total"] for row in found["confusion"]["rows"]] == ["2", "2"]
    assert "up to 2 times" in found["sentence"]


def test_one_repeat_is_written_once(tmp_path):
    """results.json would hold the same answers twice."""
    X = np.random.default_rng(0).normal(size=60)
    settings = {**SMALL, "repeats": 1}
    study = tamis.Study({"x": X, "y": X}, target="y", folder=tmp_path, procedures=["stump"], **settings).run()
    assert study.results_["predictions"]["by_repeat"] is None
    assert predictions(study.results_)["sentence"] == "Each of 60 rows was predicted by a model that had not seen it."
