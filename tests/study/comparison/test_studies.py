"""Two studies side by side."""

from __future__ import annotations

import json
import shutil

import numpy as np
import pytest
from scipy import stats
from tests.study.tables import classes_table, numbers_table, write_table
from typer.testing import CliRunner

import tamis
from tamis.cli import app
from tamis.errors import KindError, StudyError

QUICK = {"folds": 3, "inner": 2, "repeats": 1, "black_box": False}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("compare")
    table = write_table(place / "t.csv", classes_table())
    other = write_table(place / "n.csv", numbers_table())

    def run(name, source=table, target="outcome", **more):
        tamis.Study(source, target=target, folder=place / name, **{**QUICK, **more}).run()

    run("tree", procedures=["tree"], prefer="best")
    run("lasso", procedures=["lasso"], prefer="best")
    run("fewer", procedures=["lasso"], prefer="best", drop=["colour"])
    run("seed", procedures=["lasso"], prefer="best", seed=1)
    run("folds", procedures=["lasso"], prefer="best", folds=4)
    run("cost", procedures=["lasso"], prefer="best", loss="sick>well=5, well>sick=1")
    run("numbers", other, "y", procedures=["lasso"], prefer="best")
    return place


def test_the_paired_difference_is_that_of_the_rows(folder):
    """Against the plain t test of the differences of Brier scores, row by row."""
    found = tamis.compare(folder / "tree", str(folder / "lasso"))
    sides = [json.loads((folder / name / "results.json").read_text()) for name in ("tree", "lasso")]
    truth = np.array(sides[0]["predictions"]["truth"])
    first, second = ((np.array(side["predictions"]["answers"])[:, 1] - (truth == 1)) ** 2 for side in sides)
    assert found.comparable
    assert found.by_rows["loss"] == "brier"
    assert found.by_rows["mean"] == pytest.approx((first - second).mean())
    assert found.by_rows["error"] == pytest.approx(stats.sem(first - second))
    assert (found.by_rows["p_value"] < 0.05) == (abs(found.by_rows["mean"]) > 2.05 * found.by_rows["error"])


def test_the_loss_of_a_row_is_the_mean_of_its_repeats(tmp_path):
    """Answers averaged over the repeats lose less than a model does, and the less the more its folds differ."""
    table, sides = write_table(tmp_path / "t.csv", classes_table()), []
    for name in ("tree", "lasso"):
        settings = {**QUICK, "repeats": 2, "procedures": [name], "prefer": "best"}
        study = tamis.Study(table, target="outcome", folder=tmp_path / name, **settings).run()
        kept = study.results_["predictions"]
        sides.append(((np.array(kept["by_repeat"])[:, :, 1] - (np.array(kept["truth"]) == 1)) ** 2).mean(axis=0))
    found = tamis.compare(tmp_path / "tree", tmp_path / "lasso").by_rows
    assert found["mean"] == pytest.approx((sides[0] - sides[1]).mean())
    assert found["error"] == pytest.approx(stats.sem(sides[0] - sides[1]))


def test_the_difference_over_folds_allows_for_their_overlap(folder):
    """Three folds share training rows: the plain standard error of three scores would be too small."""
    found = tamis.compare(folder / "tree", folder / "lasso").by_folds
    sides = [json.loads((folder / name / "results.json").read_text()) for name in ("tree", "lasso")]
    gaps = np.subtract(*(side["comparison"]["scores"] for side in sides))
    share = np.mean([fold["test"] / fold["train"] for fold in sides[0]["folds"]])
    assert found["mean"] == pytest.approx(gaps.mean())
    assert found["mean"] == pytest.approx(sides[0]["answer"]["score"] - sides[1]["answer"]["score"])
    assert found["error"] == pytest.approx(np.sqrt(gaps.var(ddof=1) * (1 / 3 + share)))
    assert found["p_value"] == pytest.approx(2 * stats.t.sf(abs(found["mean"]) / found["error"], 2))


def test_leaving_out_a_column_keeps_the_rows(folder):
    """Test rows are drawn from all columns: a study without one of them is judged on the same rows."""
    assert tamis.compare(folder / "lasso", folder / "fewer").comparable


def test_columns_in_common_are_listed(folder):
    """The columns of the two models, and which of them both use, in the order of the first."""
    found = tamis.compare(folder / "lasso", folder / "fewer")
    assert "colour" in found.only_first
    assert set(found.common) == set(found.second["selected"]) & set(found.first["selected"])
    assert set(found.only_second) == set(found.second["selected"]) - set(found.first["selected"])


@pytest.mark.parametrize(
    ("other", "why"),
    [
        ("seed", "seed is 0 in the first, 1 in the second"),
        ("folds", "in other folds"),
        ("numbers", "'y'"),
    ],
)
def test_other_rows_or_folds_are_said(folder, other, why):
    """A difference over other rows is mostly scatter; it is not computed."""
    found = tamis.compare(folder / "lasso", folder / other)
    assert not found.comparable
    assert found.by_rows is None
    assert found.by_folds is None
    assert why in found.reason
    assert f"not comparable row by row: {found.reason}" in found.to_text()


def test_other_metrics_are_compared_by_loss_alone(folder):
    """Cost and accuracy have no difference; the answers of the same rows do."""
    found = tamis.compare(folder / "lasso", folder / "cost")
    assert found.by_folds is None
    assert found.by_rows is not None


def test_a_study_with_itself_does_not_differ(folder):
    """A difference of nothing is nothing, and chance explains it."""
    found = tamis.compare(tamis.load(folder / "tree"), folder / "tree")
    assert found.by_rows["mean"] == found.by_folds["mean"] == 0
    assert found.by_rows["p_value"] == found.by_folds["p_value"] == 1
    assert found.only_first == found.only_second == ()


def test_the_command_says_it_in_words_and_in_json(folder):
    """The facts of the text and of --json are the same."""
    said = CliRunner().invoke(app, ["compare", str(folder / "tree"), str(folder / "lasso")])
    assert said.exit_code == 0, said.output
    for word in ("score (95% interval)", "procedure", "columns of both models: ", "over the same 3 folds, accuracy"):
        assert word in said.stdout
    told = CliRunner().invoke(app, ["compare", str(folder / "tree"), str(folder / "lasso"), "--json"])
    facts = json.loads(told.stdout)
    assert facts == tamis.compare(folder / "tree", folder / "lasso").to_dict()
    assert f"{facts['first']['score']:.4g}" in said.stdout


def test_what_is_no_study_is_said(folder, tmp_path):
    """One sentence, with the way out."""
    with pytest.raises(StudyError, match="give the folder"):
        tamis.compare(folder / "tree", tmp_path / "none")
    with pytest.raises(KindError, match="give the folder"):
        tamis.compare(folder / "tree", 3)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("partial",), None),
        (("plan",), None),
        (("comparison",), 3),
        (("folds",), None),
        (("predictions", "answers"), "x"),
        (("answer", "n_columns"), "x"),
        (("answer", "procedure"), 5),
        (("data", "learned"), "many"),
    ],
)
@pytest.mark.parametrize("with_check", [True, False])
def test_damaged_results_are_named(folder, tmp_path, path, value, with_check):
    """Results that lack what a comparison needs ended in errors of Python's."""
    shutil.copytree(folder / "lasso", tmp_path / "damaged")
    file = tmp_path / "damaged" / "results.json"
    facts = json.loads(file.read_text())
    inner = facts
    for name in path[:-1]:
        inner = inner[name]
    if value is None:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    if not with_check:
        del facts["check"]
    file.write_text(json.dumps(facts))
    with pytest.raises(StudyError, match=r"results\.json of '.*/damaged' is damaged"):
        tamis.compare(tmp_path / "damaged", folder / "tree").to_text()
