"""A person takes another point of the frontier: judged in the same folds, refitted, and written down."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import tamis
from tamis.cli import BAD_INPUT, app
from tamis.errors import ParameterError, StudyError
from tamis.results.procedure import ProcedureRecord
from tamis.study.comparison.frontier import frontier
from tamis.study.procedures.models.few_columns import FewColumns
from tamis.table import Table

QUICK = {"folds": 3, "inner": 2, "repeats": 1, "procedures": ["stump", "tree", "lasso"], "black_box": False}


def _line(n=200, seed=0):
    """Four of eight columns decide, each less than the one before."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 8))
    y = x @ np.array([3.0, 2, 1, 0.5, 0, 0, 0, 0]) + 0.5 * rng.normal(size=n)
    return pd.DataFrame(x, columns=list("abcdefgh")).assign(y=y)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    path = tmp_path_factory.mktemp("choose") / "line.csv"
    _line().to_csv(path, index=False)
    tamis.Study(str(path), target="y", folder=path.parent / "s", **QUICK).run()
    return path.parent / "s"


@pytest.fixture
def study(finished, tmp_path):
    import shutil

    shutil.copytree(finished, tmp_path / "s")
    return tamis.load(tmp_path / "s")


def test_the_frontier_has_every_procedure_and_marks_the_choice(study):
    """Nobody could see what fewer columns would cost."""
    points = study.results_["frontier"]
    rows = {row["name"]: row for row in study.results_["comparison"]["procedures"]}
    assert {point["procedure"] for point in points} == set(rows)
    assert [point["columns"] for point in points] == sorted(point["columns"] for point in points)
    for point in points:
        row = rows[point["procedure"]]
        assert point["columns"] == np.mean(row["columns"])
        assert (point["score"], point["interval"]) == (row["score"], row["interval"])
    assert [point["procedure"] for point in points if point["chosen"]] == ["lasso"]


def test_a_point_is_efficient_where_none_with_as_few_columns_loses_less():
    """A procedure that is worse on more columns would be offered."""
    unused = dict.fromkeys(("train_score", "gap", "interval", "interval_note"))
    rows = [
        ProcedureRecord(
            name=name,
            words=name,
            score=0.0,
            scores=[],
            metrics={},
            columns=[k],
            race={},
            loss=loss,
            gain=0.0,
            difference=0.0,
            standard_error=0.0,
            **unused,
        )
        for name, k, loss in (("a", 0, 1.0), ("b", 3, 0.5), ("c", 2, 0.7), ("d", 5, 0.6))
    ]
    found = {point.procedure: point.efficient for point in frontier(rows, "b")}
    assert found == {"a": True, "c": True, "b": True, "d": False}


def test_another_procedure_is_refitted_and_its_own_score_is_quoted(study):
    """The model, the score and the words would be of different procedures."""
    before = study.results_
    study.choose("tree")
    now, row = study.results_["answer"], {r["name"]: r for r in before["comparison"]["procedures"]}["tree"]
    assert (now["procedure"], now["chosen_by"], now["by_rule"]) == ("tree", "person", "lasso")
    assert (now["score"], now["interval"]) == (row["score"], row["interval"])
    assert study.answer_.startswith("A person chose the tree when the scores had been seen; the rule (balanced) takes")
    assert "That is this procedure's own score in the outer folds" in study.answer_
    assert study.results_["comparison"]["score"] == before["comparison"]["score"]
    again = tamis.load(study.folder)
    assert again.results_ == study.results_
    assert again.model_.fitted.procedure == "tree"
    np.testing.assert_array_equal(again.predict(_line(50, 1)), study.predict(_line(50, 1)))
    page = (study.folder / "report.html").read_text()
    assert "A person chose tree; the rule (" in page
    assert "It is chosen, for no simpler one will do" not in page
    assert any("choice of a person" in line for line in (study.folder / "journal.jsonl").read_text().splitlines())


def test_few_columns_are_chosen_on_training_rows_and_held_to(study):
    """The score of five columns would be that of columns chosen with the rows that judge them."""
    study.choose(columns=2)
    assert study.results_["answer"]["procedure"] == "lasso[2]"
    assert study.selected_ == ["a", "b"]
    row = {r["name"]: r for r in study.results_["comparison"]["procedures"]}["lasso[2]"]
    assert max(row["columns"]) == 2
    assert {p["procedure"] for p in study.results_["frontier"]} >= {"stump[2]", "tree[2]", "lasso[2]"}
    truth = 13 / (13 + 1.25 + 0.25)  # two columns explain 9 + 4 of a variance of 14.25 + 0.25
    assert row["score"] == pytest.approx(truth, abs=0.05)
    assert "with at most 2 columns" in study.answer_
    new = tamis.load(study.folder).predict(_line(50, 1)[["a", "b"]])  # the others need not be there
    np.testing.assert_allclose(new, study.predict(_line(50, 1)))


@pytest.mark.parametrize("procedure", ["tree", "lasso"])
def test_the_score_along_a_path_is_what_the_choice_of_that_point_quotes(study, procedure):
    """A person would take a point for its score, and be given another model, or quoted another score."""
    path = {one["procedure"]: one for one in study.results_["paths"]}[procedure]
    own = {row["name"]: row for row in study.results_["comparison"]["procedures"]}[procedure]
    assert path["rows"] == "outer"
    sizes = [point["max_columns"] for point in path["points"]]
    assert sizes == [k for k in (1, 2, 3, 5, 8) if k < max(own["columns"])]
    point = path["points"][1]
    study.choose(procedure, columns=point["max_columns"])
    row = {r["name"]: r for r in study.results_["comparison"]["procedures"]}[f"{procedure}[2]"]
    assert row["score"] == pytest.approx(point["score"], rel=1e-9)
    assert row["loss"] == pytest.approx(point["loss"], rel=1e-9)
    assert np.mean(row["columns"]) == point["columns"] <= 2
    assert study.results_["answer"]["score"] == row["score"]


def test_held_out_rows_have_no_say_in_the_columns():
    """Rubbish in rows that judge would change which columns are held."""
    X, y = _line()[list("abcdefgh")], _line()["y"].to_numpy()
    spoilt, other = X.copy(), y.copy()
    spoilt.iloc[150:], other[150:] = 1e6, -other[150:]
    made = FewColumns(tamis.LinearRegressor("lasso", cv=3), 3)
    pairs = [(np.arange(150), np.arange(150, 200))]
    models = [
        tamis.nested_score(made, Table.of(one), two, outer=pairs, keep_models=True).models[0]
        for one, two in ((X, y), (spoilt, other))
    ]
    assert models[0].selected_columns_ == models[1].selected_columns_ == ("a", "b", "c")
    np.testing.assert_array_equal(models[0].predict(Table.of(X)), models[1].predict(Table.of(X)))


def test_the_choice_stays_when_the_study_is_run_again_and_goes_back_when_asked(study, finished):
    """The next run would quietly undo what a person chose, or the rule could not be had again."""
    rule = (finished / "results.json").read_bytes()
    study.choose("lasso", columns=3)
    chosen = (study.folder / "results.json").read_bytes()
    assert chosen != rule
    tamis.Study(study.source, target="y", folder=study.folder, **QUICK).run()
    assert (study.folder / "results.json").read_bytes() == chosen
    tamis.load(study.folder).choose()
    assert (study.folder / "results.json").read_bytes() == rule


def test_what_cannot_be_chosen_is_refused_and_leaves_the_study_as_it_was(study, tmp_path):
    """A mistyped word would cost the study its answer."""
    before = (study.folder / "results.json").read_bytes()
    with pytest.raises(ParameterError, match="procedure='tre' is not known"):
        study.choose("tre")
    with pytest.raises(ParameterError, match="columns=9"):
        study.choose(columns=9)
    with pytest.raises(ParameterError, match="does not go with the baseline"):
        study.choose("baseline", columns=1)
    assert (study.folder / "results.json").read_bytes() == before
    memory = tamis.Study(_line(), target="y", folder=tmp_path / "m", **QUICK).run()
    with pytest.raises(StudyError, match="give that table: choose"):
        tamis.load(tmp_path / "m").choose("tree")
    assert tamis.load(tmp_path / "m").choose("tree", source=_line()).results_["answer"]["procedure"] == "tree"
    assert memory.results_["answer"]["procedure"] == "lasso"


def test_pipelines_do_not_stand_in_the_way_of_a_number_of_columns(tmp_path):
    """One pipeline among the procedures would make every shorter list unavailable."""
    given = {**QUICK, "procedures": ["tree", "log-lasso"]}
    study = tamis.Study(_line(), target="y", folder=tmp_path / "a", **given).run()
    study.choose(columns=2)
    assert study.results_["answer"]["procedure"] == "tree[2]"
    with pytest.raises(ParameterError, match="does not go with the procedure 'log-lasso'"):
        study.choose("log-lasso", columns=2)
    only = tamis.Study(_line(), target="y", folder=tmp_path / "b", **{**QUICK, "procedures": ["log-lasso"]}).run()
    with pytest.raises(ParameterError, match="columns=2 goes with no procedure of this study"):
        only.choose(columns=2)
    assert only.results_["answer"]["chosen_by"] == "rule"


def test_the_command_shows_the_frontier_and_takes_a_point(study):
    """`tamis choose` would do something else than the method."""
    shown = CliRunner().invoke(app, ["choose", str(study.folder)])
    assert shown.exit_code == 0
    first, *along = shown.stdout.split("\n\n")
    assert [line.split()[0] for line in first.splitlines()] == [
        "procedure",
        *(point["procedure"] for point in study.results_["frontier"]),
    ]
    assert [block.split()[0] for block in along] == [path["procedure"] for path in study.results_["paths"]]
    assert "lasso held to fewer columns (held-out rows, first repeat)\nat most 1 " in shown.stdout
    said = CliRunner().invoke(app, ["choose", str(study.folder), "--procedure", "stump"])
    assert "Model: stump, chosen by a person. The rule would take lasso." in said.stdout
    taken = CliRunner().invoke(app, ["choose", str(study.folder), "--procedure", "tree", "--json"])
    assert json.loads(taken.stdout)["answer"]["chosen_by"] == "person"
    both = CliRunner().invoke(app, ["choose", str(study.folder), "--rule", "--columns", "2"])
    assert both.exit_code == BAD_INPUT
    back = CliRunner().invoke(app, ["choose", str(study.folder), "--rule"])
    assert back.exit_code == 0
    assert tamis.load(study.folder).results_["answer"]["chosen_by"] == "rule"
