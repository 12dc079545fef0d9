"""Procedures of the user: compared, chosen, kept where they can be, and told clearly where not."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVC
from typer.testing import CliRunner

import tamis
from tamis import ForestClassifier
from tamis.cli import app
from tamis.errors import KindError, ParameterError, StudyError
from tamis.evaluate.inner_folds import InnerFolds
from tamis.study.requested import chosen

QUICK = {"folds": 3, "inner": 3, "repeats": 1}


def _table(n=150, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 4))
    kind = rng.choice(["a", "b", "c"], size=n)
    y = np.where(2 * x[:, 1] + (kind == "a") + 0.5 * rng.normal(size=n) > 0, "yes", "no")
    return pd.DataFrame(x, columns=list("pqrs")).assign(kind=kind, y=y)


MIXED = make_pipeline(
    make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), ["kind"]),
        (make_pipeline(SimpleImputer(), StandardScaler()), list("pqrs")),
    ),
    LogisticRegression(),
)


def test_a_pipeline_of_scikit_learn_is_compared_and_chosen(tmp_path):
    """A user's own way of working could not be held against ours."""
    frame = _table()
    study = tamis.Study(
        frame, target="y", folder=tmp_path / "s", procedures={"stump": None, "mine": MIXED}, prefer="best", **QUICK
    ).run()
    rows = {row["name"]: row for row in study.results_["comparison"]["procedures"]}
    assert list(rows) == ["baseline", "stump", "mine"]
    assert rows["mine"]["words"] == "given: ColumnTransformer, then LogisticRegression"
    assert study.results_["answer"]["procedure"] == "mine"
    assert study.answer_.startswith("Five columns predict y: q, ")
    assert "(the procedure 'mine')" in study.answer_
    assert study.selected_[0] == "q"
    assert (study.predict(frame) == frame["y"]).mean() > 0.8
    assert study.open()["score"] > 0.75


def test_a_foreign_model_is_kept_as_a_recipe_and_refitted(tmp_path):
    """A pipeline would be pickled, or lost without a word."""
    frame = _table()
    given = {"procedures": {"mine": MIXED}, "folder": tmp_path / "s", "target": "y", **QUICK}
    study = tamis.Study(frame, **given).run()
    written = json.loads((tmp_path / "s" / "model.json").read_text())
    assert written["model"] is None
    assert written["recipe"]["type"] == "sklearn.pipeline.Pipeline"
    loaded = tamis.load(tmp_path / "s")
    with pytest.raises(StudyError, match=r"not kept in the folder.*run the study again with the same procedures"):
        loaded.predict(frame)
    again = tamis.Study(frame, **given).run()
    assert (again.predict_proba(frame) == study.predict_proba(frame)).all()
    changed = {"mine": make_pipeline(StandardScaler(), LogisticRegression(C=3.0))}
    with pytest.raises(StudyError, match="other settings"):
        tamis.Study(frame, **{**given, "procedures": changed}).run()
    with pytest.raises(StudyError, match="compared other procedures"):
        tamis.load(tmp_path / "s", procedures=changed)


def test_a_pipeline_of_ours_is_kept_as_plain_values(tmp_path):
    """A pipeline of public estimators would not survive the disk."""
    frame = _table().drop(columns="kind")
    own = make_pipeline(tamis.RankSelector(by="anova", k=2), tamis.LinearClassifier(cv=InnerFolds()))
    study = tamis.Study(frame, target="y", folder=tmp_path / "s", procedures={"own": own}, **QUICK).run()
    loaded = tamis.load(tmp_path / "s")
    assert (loaded.predict_proba(frame) == study.predict_proba(frame)).all()
    assert set(study.selected_) <= set("pqrs")
    assert len(study.selected_) <= 2


def test_the_inner_score_of_a_pipeline_includes_its_selection(tmp_path):
    """Columns chosen on all training rows would make the promise of a selecting pipeline too good: on noise, a leak."""
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(rng.normal(size=(60, 400))).add_prefix("c").assign(y=np.where(np.arange(60) % 2, "p", "q"))
    own = make_pipeline(tamis.RankSelector(by="anova", k=5), tamis.LinearClassifier("ridge", cv=InnerFolds()))
    study = tamis.Study(frame, target="y", folder=tmp_path / "s", procedures={"own": own}, lock=0, **QUICK).run()
    assert study.results_["answer"]["signal"] == "none"
    assert study.results_["comparison"]["chosen_in_folds"].count("own") <= 1


class Seen(ClassifierMixin, BaseEstimator):
    """Remembers the folds it was given."""

    log: list = []  # noqa: RUF012

    def __init__(self, cv=None):
        self.cv = cv

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        Seen.log.append((self.cv, X["person"].to_numpy()))
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


def test_inner_folds_keep_groups_together(tmp_path):
    """Rows of one person on both sides of an inner fold would choose a strength that knows people by heart."""
    frame = _table().assign(person=np.repeat(np.arange(30), 5))
    Seen.log.clear()
    tamis.nested_score(Seen(InnerFolds(4)), frame.drop(columns="y"), frame["y"], groups=frame["person"], outer=3)
    assert len(Seen.log) == 3
    for pairs, person in Seen.log:
        assert len(pairs) == 4
        for train, test in pairs:
            assert not set(person[train]) & set(person[test])


def test_answers_without_probabilities_and_numbers_are_taken(tmp_path):
    """Only classifiers with probabilities would work."""
    frame = _table().drop(columns="kind")
    hard = {"svm": make_pipeline(StandardScaler(), LinearSVC(dual=False))}
    study = tamis.Study(frame, target="y", folder=tmp_path / "c", procedures=hard, **QUICK).run()
    assert study.score_ > 0.75
    numbers = frame.assign(y=frame["p"] - 2 * frame["q"])
    study = tamis.Study(numbers, target="y", folder=tmp_path / "n", procedures={"line": LinearRegression()}, **QUICK)
    assert study.run().score_ > 0.99


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({"mine": LogisticRegression}, KindError, "is a class; give an object of it"),
        ({"mine": 3}, KindError, "has no fit"),
        ({"lasso": LogisticRegression()}, ParameterError, "has the name of a procedure there is"),
        ({"mine": "laso"}, ParameterError, "did you mean 'lasso'"),
        ([LogisticRegression()], ParameterError, "without a name"),
    ],
)
def test_what_is_no_procedure_gets_a_sentence(given, error, words):
    """A user would not learn what to give."""
    with pytest.raises(error, match=words):
        tamis.Study(_table(), target="y", procedures=given).run()


def test_the_command_takes_a_pipeline_of_a_script(tmp_path):
    """Users of the command could compare our procedures only."""
    script = tmp_path / "mine.py"
    script.write_text(
        "from sklearn.linear_model import LogisticRegression\n"
        "from sklearn.pipeline import make_pipeline\n"
        "from sklearn.preprocessing import StandardScaler\n"
        "scaled = make_pipeline(StandardScaler(), LogisticRegression())\n"
    )
    _table().drop(columns="kind").to_csv(tmp_path / "t.csv", index=False)
    words = ["run", str(tmp_path / "t.csv"), "--target", "y", "--folder", str(tmp_path / "s"), "--folds", "3"]
    done = CliRunner().invoke(app, [*words, "--repeats", "1", "--procedures", f"stump,{script}:scaled", "--json"])
    assert done.exit_code == 0, done.output
    rows = json.loads(done.stdout)["comparison"]["procedures"]
    assert [row["name"] for row in rows] == ["baseline", "stump", "scaled"]


def test_the_shape_of_a_table_calls_for_procedures(tmp_path):
    """Many columns would be judged without the model that keeps what many weak ones say together."""
    from tamis.study.requested import chosen, references

    assert "ridge" not in [one.name for one in chosen(None, shape=(100, 100))]
    assert "additive" not in [one.name for one in chosen(None, shape=(100, 101))]
    assert [one.name for one in references(None, (100, 101), True, ())] == ["ridge", "forest", "boosting"]
    assert [one.name for one in references(None, (100, 13), True, ())] == ["ridge", "forest", "boosting"]
    assert [one.name for one in references(None, (100, 12), True, ())] == ["forest", "boosting"]
    assert [one.name for one in references(None, (100, 5), True, ["forest"])] == ["boosting"]
    assert [one.name for one in chosen(["ridge"], shape=(100, 5))] == ["baseline", "ridge"]
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    x = rng.normal(size=(60, 150)) + 0.35 * y[:, None]  # every column says little
    frame = pd.DataFrame(x, columns=[f"c{j}" for j in range(150)]).assign(y=np.where(y, "p", "q"))
    options = {"procedures": ["stump", "tree", "lasso", "ridge", "forest"], "lock": 0, "black_box": False}
    study = tamis.Study(frame, target="y", folder=tmp_path / "s", **options, **QUICK).run()
    rows = {row["name"]: row for row in study.results_["comparison"]["procedures"]}
    assert rows["ridge"]["loss"] < rows["lasso"]["loss"]
    assert study.results_["answer"]["procedure"] == "ridge"
    assert study.results_["answer"]["readable"] == "no"
    assert len(study.selected_) > 140


@pytest.mark.parametrize(("n_rows", "least"), [(9_999, 1), (10_000, 2), (800_000, 160)])
def test_leaves_of_many_rows_are_not_single_rows(n_rows, least):
    """A tree of 800,000 rows, grown to the last one in every fold, took most of a study's time."""
    made = next(one for one in chosen(["tree"], shape=(n_rows, 5)) if one.name == "tree")
    assert made.make("regression").min_samples_leaf == made.make("classification").min_samples_leaf == least


def test_rows_with_kin_do_not_say_how_sure_a_forest_may_be():
    """Rows out of a tree's bag have kin in it where they come in groups: it would be as sure of strangers."""
    for independent, kind in ((True, "temperature"), (False, None)):
        listed = chosen(["forest", "knn"], shape=(400, 5), independent=independent)
        assert ("calibrated" in next(one.words for one in listed if one.name == "forest")) == independent
        for made in (one.make("classification") for one in listed if one.name != "baseline"):
            found = {v for k, v in made.get_params().items() if k.rsplit("__")[-1] == "calibration"}
            assert found == {kind}
    after = chosen(["forest"], "log", shape=(400, 5), independent=False)[-1].make("classification")
    assert None in {v for k, v in after.get_params().items() if k.endswith("calibration")}
    own = ForestClassifier(20, calibration="temperature")
    assert (
        chosen({"mine": own}, shape=(400, 5), independent=False)[-1].make("classification").calibration == "temperature"
    )


def test_a_study_of_groups_leaves_its_forest_uncalibrated(tmp_path):
    rng = np.random.default_rng(0)
    x = np.repeat(rng.normal(size=(60, 4)), 4, axis=0)  # four rows of each, all but the same
    y = np.repeat(np.where(x[::4, 0] + rng.normal(size=60) > 0, "p", "q"), 4)
    frame = pd.DataFrame(x + 0.01 * rng.normal(size=x.shape), columns=list("abcd"))
    frame = frame.assign(y=y, who=np.repeat(np.arange(60), 4))
    settings = {"procedures": ("forest",), "lock": 0, "black_box": False, "prefer": "best", **QUICK}
    powers = {}
    for groups in ("who", None):
        data = frame if groups else frame.drop(columns="who")
        study = tamis.Study(data, target="y", groups=groups, folder=tmp_path / str(groups), **settings).run()
        powers[groups] = study.model_.fitted._checked_model().estimator_.temperature_ if study.selected_ else 1.0
    assert powers["who"] == 1.0
    assert powers[None] < 1.0
