"""The learning curve of a study, continued to twice its rows: sentence, picture, command and refusals."""

import json

import numpy as np
import pandas as pd
import pytest
from tests.report.typed import of_plain
from typer.testing import CliRunner

import tamis
from tamis.cli import app
from tamis.report.facts.curves import learning

learning = of_plain(learning)

FAST = {"repeats": 1, "black_box": False, "procedures": ["lasso"]}


def _table(n: int, seed: int = 0, sick: float = 0.0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 6))
    signal = x.sum(axis=1) + 2 * rng.normal(size=n)
    frame = pd.DataFrame(x, columns=list("abcdef")).assign(y=signal)
    return frame if not sick else frame.assign(y=np.where(signal > np.quantile(signal, 1 - sick), "sick", "well"))


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    folder = tmp_path_factory.mktemp("learning") / "s"
    return tamis.Study(_table(500), target="y", folder=folder, **FAST).run()


def test_a_study_says_what_twice_its_rows_would_gain(study):
    """Least squares of six columns on 320 to 400 rows is near its limit: twice the rows add about 0.005 to R²."""
    curve = study.results_["findings"]["learning"]
    assert curve["rows"] == [40, 80, 160, 320]
    told = curve["forecast"]
    assert told["rows"] == 800  # twice those that are not locked
    low, high = told["band"]
    expected = 0.4 * (6 / 392 - 6 / 792)  # noise share times what the six coefficients cost
    assert low <= expected <= high
    assert high < 0.05
    assert told["words"].startswith("Twice the rows to learn from (800) would raise R² by about 0.0")
    json.dumps(told, allow_nan=False)


def test_the_report_draws_and_says_it(study):
    """A forecast that stands in a file only is read by nobody."""
    picture = learning(study.results_)
    assert picture["band"].endswith("Z")
    page = (study.folder / "report.html").read_text()
    assert study.results_["findings"]["learning"]["forecast"]["words"] in page
    assert "thin dashed" in page


def test_size_of_a_study_prints_it(study):
    """`tamis size` before a study asks for predictors; after it, for the folder alone."""
    told = CliRunner().invoke(app, ["size", str(study.folder)])
    forecast = study.results_["findings"]["learning"]["forecast"]
    assert told.output.strip() == forecast["words"]
    assert json.loads(CliRunner().invoke(app, ["size", str(study.folder), "--json"]).output) == forecast
    both = CliRunner().invoke(app, ["size", str(study.folder), "--predictors", "3"])
    assert both.exit_code
    assert "--predictors is for a study that is not made yet" in both.output
    assert "give --predictors" in CliRunner().invoke(app, ["size"]).output


def test_parts_are_nested_and_of_the_training_rows_alone(study, monkeypatch):
    """A larger part of other rows would add its own luck to the curve; a held-out or locked row would be learned."""
    from tamis.study.findings import learning as module
    from tamis.study.fold import FoldRules
    from tamis.study.running import Run, procedures_of

    problem, rules = study.problem, FoldRules.of(study.settings, study.problem)
    folds = Run(study.settings, problem, rules, None).folds
    parts = {}

    def remembered(problem, rules, procedure, fold, rows, seed):
        parts.setdefault(fold.index, []).append(set(rows.tolist()))
        return np.zeros(len(fold.test)), np.empty(0, bool)

    monkeypatch.setattr(module, "_answers", remembered)
    module.learning(problem, rules, procedures_of(study.settings, problem)[-1], folds, seed=1)
    assert len(parts) == 5
    for fold in folds:
        smaller, larger, largest = parts[fold.index]
        assert smaller < larger < largest <= set(fold.train.tolist())


def test_groups_stay_whole(tmp_path):
    """Few rows of every patient are not few patients: the curve would be flat where it is not."""
    from tamis.evaluate.curves import nested_order
    from tamis.evaluate.problem import Problem

    frame = _table(240).assign(patient=np.arange(240) % 30)
    problem = tamis.Study(frame, target="y", groups="patient", folder=tmp_path / "s", **FAST).problem
    assert isinstance(problem, Problem)
    first = nested_order(problem, np.arange(len(problem.y)), 0)[:40]
    whole = [
        np.sum(problem.groups[first] == group) == np.sum(problem.groups == group) for group in problem.groups[first]
    ]
    assert np.mean(whole) > 0.7


@pytest.mark.parametrize(
    ("table", "settings", "reason"),
    [
        (_table(200).assign(day=range(200)), {"time": "day"}, "in the order of time"),
        (_table(200), {"folds": 3}, "has 3 folds, at least 4 are needed"),
        (_table(60), {}, "too few for a learning curve of 3 sizes"),
        (_table(200).assign(y=np.random.default_rng(1).normal(size=200)), {}, "no model is shown to predict"),
    ],
)
def test_what_cannot_be_told_is_said_in_one_sentence(table, settings, reason, tmp_path):
    """A forecast from two folds, three sizes, noise or an order of time would be false precision."""
    study = tamis.Study(table, target="y", folder=tmp_path / "s", **FAST | settings).run()
    told = study.results_["findings"]["learning"]["forecast"]
    assert told["gain"] is None
    assert reason in told["words"]
    assert told["words"].count(". ") == 0


def test_a_study_without_an_answer_gets_a_sentence(tmp_path):
    """A study that was ended early would end in a KeyError."""
    study = tamis.Study(_table(120), target="y", folder=tmp_path / "s", **FAST).run(budget=0)
    assert "answer" not in study.results_
    told = CliRunner().invoke(app, ["size", str(tmp_path / "s")])
    assert told.exit_code == 1
    assert "finish the study with `tamis run` first" in told.output
