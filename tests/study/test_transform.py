"""A study whose columns are transformed first."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline
from typer.testing import CliRunner

import tamis
from tamis import transform
from tamis.cli import app
from tamis.errors import StudyError
from tamis.evaluate.baseline import Baseline
from tamis.study.procedures.models.fitted import FittedProcedure
from tamis.study.procedures.models.transformed import Transformed
from tamis.tree import TreeClassifier

LINE = "city: encode(target); x*: log,standardize"


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    rng = np.random.default_rng(0)
    n = 120
    frame = pd.DataFrame({f"x{j}": rng.gamma(2.0, size=n) for j in range(3)})
    frame["city"] = rng.choice(["Ulm", "Bern", "Rome"], n)
    score = 2 * np.log(frame["x0"]) + (frame["city"] == "Ulm") + 0.5 * rng.normal(size=n)
    frame["state"] = np.where(score > 1, "ill", "well")
    frame.loc[5, "x1"] = np.nan
    path = tmp_path_factory.mktemp("study") / "table.csv"
    frame.to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def study(table):
    made = tamis.Study(
        table, target="state", folder=table.parent / "s", transform=LINE, folds=2, repeats=1, procedures="tree,lasso"
    )
    return made.run()


def test_the_transform_is_part_of_the_saved_model(study, table):
    """model.json would predict from columns that were not transformed."""
    again = tamis.load(study.folder)
    np.testing.assert_array_equal(again.model_.predict_proba(table), study.model_.predict_proba(table))
    facts = json.loads((study.folder / "model.json").read_text())
    assert facts["steps"][0]["model"] == "transform.Transforms"
    assert again.settings.transform == LINE


def test_columns_bear_their_names_and_the_words_say_what_came_first(study):
    """The reader would see x0, x1, … or not know that a column is a logarithm."""
    assert "x0" in study.selected_
    assert set(study.selected_) <= {"x0", "x1", "x2", "city"}
    assert study.model_.to_text().startswith(f"after {LINE}:")
    words = {row["name"]: row["words"] for row in study.results_["comparison"]["procedures"]}
    assert words["lasso"].endswith(f"after {LINE}")
    assert "after" not in words["baseline"]


def test_a_level_never_seen_is_predicted_all_the_same(study):
    """A new city would end the prediction."""
    new = pd.DataFrame({"x0": [1.0], "x1": [2.0], "x2": [0.5], "city": ["Oslo"]})
    assert study.model_.predict(new)[0] in ("ill", "well")


def test_a_damaged_step_is_a_sentence(study, tmp_path):
    """Loading would end in an error that nobody understands."""
    for name in ("plan.json", "results.json"):
        (tmp_path / name).write_bytes((study.folder / name).read_bytes())
    facts = json.loads((study.folder / "model.json").read_text())
    facts["steps"][0]["state"]["state"]["parts"][0][0] = ["x1"]
    (tmp_path / "model.json").write_text(json.dumps(facts))
    with pytest.raises(StudyError, match="damaged"):
        tamis.load(tmp_path)


def test_held_out_rows_leave_no_trace_in_the_procedure():
    """The transform would be learned once, outside of the folds."""
    rng = np.random.default_rng(1)
    X = tamis.Table.of(pd.DataFrame(rng.gamma(2.0, size=(60, 3)), columns=list("abc")))
    y = (X.column("a").values > 1).astype(int)
    train = np.arange(60) < 40
    fitted = Transformed.of("log,standardize", TreeClassifier(max_depth=2)).fit(X.take(train), y[train])
    expected = transform.Standardize().fit(np.log1p(X.numbers()[train]))
    np.testing.assert_allclose(fitted.steps[0][1].parts_[0][1][1].mean_, expected.mean_)


def test_studies_without_a_transform_are_what_they_were():
    """A study begun before there were transforms could not be resumed."""
    assert "transform" not in tamis.Study(target="y").settings.to_dict()


def test_on_the_command_line(table, tmp_path):
    """`tamis run --transform` would not be understood, or a slip of the pen be found after an hour."""
    words = ["run", str(table), "--target", "state", "--folder", str(tmp_path / "s")]
    bad = CliRunner().invoke(app, [*words, "--transform", "lgo"])
    assert bad.exit_code != 0
    assert "did you mean 'log'" in bad.output
    few = ["--folds", "2", "--repeats", "1", "--procedures", "stump"]
    done = CliRunner().invoke(app, [*words, *few, "--transform", "x*: rank; x0: clip(quantiles=(0.1, 0.9)),center"])
    assert done.exit_code == 0, done.output
    assert json.loads((tmp_path / "s" / "plan.json").read_text())["settings"]["transform"].startswith("x*: rank")


@pytest.mark.parametrize("output", ["default", "pandas"])
def test_pipelines_of_transforms_and_models_are_kept(output):
    """A user's own pipeline of transforms could not be loaded without running the study again."""
    X, y = pd.DataFrame(np.random.default_rng(2).gamma(2.0, size=(40, 3)), columns=list("abc")), np.arange(40) % 2
    steps = make_pipeline(transform.Log(), transform.Standardize(), TreeClassifier(max_depth=2))
    fitted = FittedProcedure("mine", steps.set_output(transform=output).fit(X, y), tuple("abc"))
    assert fitted.is_kept
    again = FittedProcedure.from_dict(json.loads(json.dumps(fitted.to_dict())), tuple("abc"))
    np.testing.assert_array_equal(again.model.predict_proba(X), fitted.model.predict_proba(X))


def test_the_baseline_of_scores_and_that_of_signals_are_two_models():
    """A study that keeps its baseline would read it back as a transform of signals, or the other way round."""
    y = np.arange(20) % 2
    plain = FittedProcedure("baseline", Baseline("classification").fit(None, y))
    again = FittedProcedure.from_dict(json.loads(json.dumps(plain.to_dict())))
    assert type(again.model) is Baseline
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(20, 12)).cumsum(axis=1)).add_prefix("s")
    piped = make_pipeline(transform.Baseline(), TreeClassifier(max_depth=1)).fit(X, y)
    again = FittedProcedure.from_dict(
        json.loads(json.dumps(FittedProcedure("mine", piped, tuple(X.columns)).to_dict()))
    )
    assert type(again.model.steps[0][1]) is transform.Baseline
    np.testing.assert_array_equal(again.model.predict_proba(X), piped.predict_proba(X))
