"""The effects of the folds' models beside those of the final model, and what the page says of them."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from tests.report.typed import of_plain

import tamis
from tamis import ForestClassifier, MirrorSelector
from tamis.report import page
from tamis.report.facts.cards import cards
from tamis.study.findings.effect import effects

cards = of_plain(cards)

SMALL = {"folds": 3, "repeats": 1, "inner": 3, "black_box": False, "lock": 0, "prefer": "best"}


def line(n_columns, classes=False, n=240, last=3.0):
    """Columns in the order of names, the later the more they say."""
    random = np.random.default_rng(0)
    X = random.normal(size=(n, n_columns))
    y = X @ np.linspace(0.3, last, n_columns) ** 2 + random.normal(size=n)
    target = np.where(y > 0, "yes", "no").astype(object) if classes else y
    return {f"x{j:02d}": X[:, j] for j in range(n_columns)} | {"y": target}


def bands(results):
    """Card -> how many folds have a curve, and the least span among them."""
    found = {}
    for card in results["findings"]["cards"]:
        kept = [fold[0] for fold in card["effect"]["folds"] if fold]
        found[card["name"]] = len(kept), min((np.ptp(curve) for curve in kept), default=0.0)
    return found


@pytest.mark.parametrize(
    "procedures", [["booster"], {"own": make_pipeline(StandardScaler(), Ridge())}], ids=["booster", "pipeline"]
)
def test_folds_keep_the_effects_of_the_columns_that_get_cards(tmp_path, procedures):
    """Folds would keep the effects of the first columns by name, and the most important one would have no band."""
    study = tamis.Study(line(18), target="y", folder=tmp_path, procedures=procedures, **SMALL).run()
    for _ in range(2):
        assert study.selected_[0] == "x17"
        found = bands(study.results_)
        for name in study.selected_[:6]:
            assert found[name][0] == 3
            assert found[name][1] > 0.5
        said = cards(study.results_)["listed"][0]
        assert "its span in the folds is 0.000" not in said["alt"]
        if procedures == ["booster"]:  # and where a person holds it to few columns
            study.choose("booster", columns=14)
            assert study.results_["answer"]["procedure"] == "booster[14]"


@pytest.fixture(scope="module")
def few(tmp_path_factory):
    """A forest that a person held to 5 of 16 columns."""
    folder = tmp_path_factory.mktemp("few")
    study = tamis.Study(line(16, classes=True), target="y", folder=folder, procedures=["forest"], **SMALL).run()
    return study.choose("forest", columns=5)


def test_effects_of_a_forest_held_to_few_columns_are_of_the_same_shares_in_all_its_folds(tmp_path):
    """The curve would be of shares before calibration, and its band of calibrated ones."""
    found = {}
    for kind in (None, "temperature"):
        own = {"own": MirrorSelector(ForestClassifier(60, calibration=kind), random_state=0)}
        folder = tmp_path / str(kind)
        study = tamis.Study(line(8, classes=True), target="y", folder=folder, procedures=own, **SMALL).run()
        study.choose("own", columns=3)
        assert study.results_["answer"]["procedure"] == "own[3]"
        found[kind] = study.results_["findings"]["cards"]
    assert found[None] == found["temperature"]


def test_a_forest_held_to_few_columns_is_said_to_be_one(few):
    """Its effects would be called predicted probabilities, which they are not."""
    assert few.results_["answer"]["procedure"] == "forest[5]"
    assert "(of the forest, the mean share in the leaves)" in cards(few.results_)["sentence"]


def test_a_forest_of_another_name_is_said_to_be_one(few, tmp_path):
    """The words would hang on a procedure's name, and be said of a model whose effects are its answers."""
    results = json.loads(json.dumps(few.results_))
    del results["findings"]["uncalibrated"]  # as older results are
    assert "the mean share in the leaves" in cards(results)["sentence"]
    own = {"mine": ForestClassifier(50, calibration="temperature", random_state=0)}
    study = tamis.Study(line(4, classes=True), target="y", folder=tmp_path, procedures=own, **SMALL).run()
    assert study.results_["findings"]["uncalibrated"]
    assert "the mean share in the leaves" in cards(study.results_)["sentence"]


def test_a_forest_alone_shows_its_shares_before_calibration(tmp_path):
    """Calibrated, a forest that is no step of a selector is all but sure of the rows it learned from."""
    problem = tamis.Study(line(4, classes=True), target="y", folder=tmp_path, lock=0).problem
    found = {}
    for kind in (None, "temperature"):
        model = ForestClassifier(50, calibration=kind, random_state=0).fit(problem.X, problem.y)
        found[kind] = effects(problem, model, ["x03"])
    assert model.temperature_ != 1
    assert found[None] == found["temperature"]


def test_the_page_says_of_how_many_folds_a_band_is(few):
    """A band of some folds, or of none, would be shown as if it were of all."""
    results = json.loads(json.dumps(few.results_))
    first, second = (card["effect"] for card in results["findings"]["cards"][:2])
    first["folds"], second["folds"] = [None, *first["folds"][1:]], [None] * 3
    found = cards(results)["listed"]
    assert found[0]["lines"][-1].startswith("the band covers 2 of 3 folds")
    assert "its span in 2 of 3 folds is" in found[0]["alt"]
    assert found[1]["lines"][-1].startswith("no band")
    assert found[1]["alt"].endswith("no fold kept its curve.")
    assert [curve["band"] for curve in found[1]["scales"][0]["curves"]] == [""]
    assert found[1]["scales"][0]["curves"][0]["line"]
    assert not [one for one in cards(few.results_)["listed"][2]["lines"] if "band" in one]
    assert "no fold kept its curve" in page(results, few._plan())


@pytest.mark.parametrize(("n_columns", "said"), [(30, "tenths"), (6000, "fifths")])
def test_the_marks_under_a_curve_are_said_to_be_what_they_are(tmp_path, n_columns, said):
    """Marks of a wide table, where points are fewer, would be called tenths of the rows."""
    random = np.random.default_rng(0)
    X = random.normal(size=(60, n_columns))
    table = {f"x{j}": X[:, j] for j in range(n_columns)} | {"y": X[:, 0]}
    study = tamis.Study(table, target="y", folder=tmp_path, procedures=["stump"], **SMALL).run()
    sentence = cards(study.results_)["sentence"]
    (card,) = study.results_["findings"]["cards"]
    assert len(card["effect"]["points"]) == {"tenths": 11, "fifths": 6}[said]
    assert f"marks under the curve are {said} of the rows" in sentence
    del study.results_["findings"]["effect_steps"]  # an older results.json: fewer points may be equal values
    assert ("marks under the curve" in cards(study.results_)["sentence"]) == (said == "tenths")
