"""Directions of columns in a study: every model of it obeys, what cannot is left out, and the answer says so."""

import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import tamis
from tamis.cli import app
from tamis.errors import ParameterError
from tamis.linear import ScoreCardRegressor
from tamis.report.reproduce import command
from tamis.study.requested import chosen

FAST = {"folds": 4, "repeats": 1, "lock": 0}


def _table(n: int = 240, kind: str = "classes") -> pd.DataFrame:
    """The risk rises with age and then falls; bmi lowers it, and then raises it."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"age": rng.uniform(20, 90, n), "bmi": rng.normal(25, 4, n), "c": rng.normal(size=n)})
    eta = -np.abs(X.age - 60) / 12 + 0.03 * (X.bmi - 25) ** 2 + X.c + 0.8 * rng.normal(size=n)
    return X.assign(y=eta if kind == "numbers" else np.where(eta > np.median(eta), "ill", "well"))


def _answers(study, **fixed) -> np.ndarray:
    grid = pd.DataFrame({"age": 60.0, "bmi": 25.0, "c": 0.0}, index=range(120)).assign(**fixed)
    model = study.model_
    if study.results_["answer"]["task"] == "classification":
        return model.predict_proba(grid)[:, list(model.labels).index("ill")]
    return np.asarray(model.predict(grid), dtype=float)


@pytest.mark.parametrize("kind", ["classes", "numbers"])
@pytest.mark.parametrize("name", ["small-tree", "formula", "additive", "lasso", "score-card", "tree", "boosting"])
def test_every_procedure_that_takes_directions_obeys(name, kind, tmp_path):
    """A patient who is older, all else equal, would be given a lower risk in spite of what was asked."""
    settings = {**FAST, "procedures": [name], "black_box": False, "positive": "ill" if kind == "classes" else None}
    given = {"age": 1, "bmi": -1}
    study = tamis.Study(_table(kind=kind), target="y", folder=tmp_path / "s", monotone=given, **settings).run()
    ages, weights = np.linspace(10, 100, 120), np.linspace(10, 45, 120)
    for c in (-1.0, 0.0, 1.5):
        assert np.all(np.diff(_answers(study, age=ages, c=c)) >= -1e-12)
        assert np.all(np.diff(_answers(study, bmi=weights, c=c)) <= 1e-12)


def test_the_answer_the_report_and_the_command_say_it(tmp_path):
    """A constraint that stands in no sentence would be taken for what the data say."""
    path = tmp_path / "t.csv"
    _table().to_csv(path, index=False)
    words = ["run", str(path), "-t", "y", "-f", str(tmp_path / "s"), "--monotone", "age=+, bmi=-", "--positive", "ill"]
    done = CliRunner().invoke(app, [*words, "--procedures", "formula,subset", "--folds", "4", "--repeats", "1"])
    assert done.exit_code == 0, done.output
    study = tamis.load(tmp_path / "s")
    results = study.results_
    assert results["answer"]["monotone"] == {
        "directions": {"age": 1, "bmi": -1}, "label": "ill", "left_out": ["subset"]
    }  # fmt: skip
    for part in ("never falls as age rises and never rises as bmi rises", "Left out, because it cannot obey: subset."):
        assert part in results["answer"]["words"]
    assert "may only rise with 'age' and fall with 'bmi'" in study.cite()
    assert "never falls as age rises" in (tmp_path / "s" / "report.html").read_text()
    assert "--monotone age=1,bmi=-1" in command(json.loads((tmp_path / "s" / "plan.json").read_text()))
    assert study.settings.monotone == {"age": 1, "bmi": -1}
    assert {row["name"].partition("[")[0] for row in results["comparison"]["procedures"]} == {"baseline", "formula"}


def test_without_directions_nothing_is_said_or_changed(tmp_path):
    """Studies made before there were directions must keep their identity."""
    study = tamis.Study(_table(), target="y", folder=tmp_path / "s", monotone={"age": 0}, **FAST)
    assert study.settings.monotone is None
    assert "monotone" not in study.settings.to_dict()


def test_models_of_the_user_obey_where_they_can():
    """A model that has the parameter is given the directions, and stays as it was; another one is left out."""
    own = ScoreCardRegressor()
    procedures = chosen({"card": own, "knn": "knn"}, monotone={"age": 1})
    assert [procedure.name for procedure in procedures] == ["baseline", "card"]
    assert procedures[1].make("regression").monotone == {"age": 1}
    assert own.monotone is None


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"monotone": {"ages": 1}}, "'ages', which the table does not have"),
        ({"monotone": "age=up"}, "monotone holds 'age=up'"),
        ({"monotone": {"age": 2}}, r"monotone\['age'\]=2"),
        ({"monotone": {"ward": 1}}, "'ward', which holds categories"),
        ({"monotone": {"age": 1}, "transform": "log"}, "transform changes them"),
        (
            {"monotone": {"age": 1}, "procedures": ["subset", "knn"]},
            "not possible with (subset, knn|knn, subset)",
        ),
    ],
)
def test_what_cannot_be_held_is_refused(settings, says, tmp_path):
    """A misspelt column would leave the model free without a word."""
    frame = _table().assign(ward=np.resize(["a", "b", "c"], 240))
    with pytest.raises(ParameterError, match=says):
        tamis.Study(frame, target="y", folder=tmp_path / "s", **FAST | settings).run()


def test_three_classes_are_refused(tmp_path):
    """No single probability rises."""
    frame = _table(kind="numbers")
    frame["y"] = np.digitize(frame.y, np.quantile(frame.y, [0.3, 0.6])).astype(str)
    with pytest.raises(ParameterError, match="3 classes"):
        tamis.Study(frame, target="y", task="classification", folder=tmp_path / "s", monotone={"age": 1}, **FAST).run()


def test_black_boxes_obey_too(tmp_path):
    """The price of reading would hold the price of the directions."""
    from tamis.study.requested import references
    from tamis.study.running import Run, directions_of

    shape = (500, 20)
    boxes = references(None, shape, True, (), {"age": 1})
    assert [box.name for box in boxes] == ["ridge", "forest", "boosting"]
    assert all(box.make("regression").monotone == {"age": 1} for box in boxes)
    study = tamis.Study(_table(n=160), target="y", folder=tmp_path / "s", monotone="age=+", prefer="best", **FAST)
    assert directions_of(study.settings, study.problem)["left_out"] == ["forest"]
    names = [procedure.name for procedure in Run(study.settings, study.problem, None, None).procedures]
    assert "forest" not in names
    assert study.run().results_["answer"]["black_box"] is not None


def test_a_model_that_a_person_chooses_obeys_too(tmp_path):
    """A choice by hand fits on fewer columns, where a direction of another one would end in an error, or be lost."""
    settings = {**FAST, "black_box": False, "positive": "ill", "procedures": ["formula", "lasso"]}
    study = tamis.Study(_table(), target="y", folder=tmp_path / "s", monotone="age=+,bmi=-", **settings).run()
    study.choose(procedure="lasso", columns=2)
    assert "never falls as age rises" in study.answer_
    assert np.all(np.diff(_answers(study, age=np.linspace(10, 100, 120))) >= 0)
    assert np.all(np.diff(_answers(study, bmi=np.linspace(10, 45, 120))) <= 0)
