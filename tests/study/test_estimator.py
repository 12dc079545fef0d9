"""A study works where scikit-learn's estimators do, and its model takes frames."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.utils.estimator_checks import estimator_checks_generator

import tamis
from tamis.errors import StudyError, TamisError


def frame(n=120):
    rng = np.random.default_rng(0)
    x = rng.normal(size=n)
    return pd.DataFrame({"x": x, "kind": rng.choice(["a", "b"], n), "y": np.where(x > 0, "up", "down")})


def quick(**settings):
    return {"procedures": "stump", "repeats": 1, "folds": 3, "n_jobs": 1} | settings


def test_the_model_takes_a_frame(tmp_path):
    """study.model_ predicts any table, frames included, as the study itself does."""
    data = frame()
    study = tamis.Study(data, target="y", folder=tmp_path / "s", **quick()).run()
    np.testing.assert_array_equal(study.model_.predict(data), study.predict(data))
    np.testing.assert_array_equal(study.model_.predict_proba(data), study.predict_proba(data))


def test_names_may_be_one_text(tmp_path):
    """A text with commas names procedures and columns, not letters."""
    study = tamis.Study(frame(), target="y", procedures="stump, lasso", drop="kind")
    assert study.settings.procedures == ("stump", "lasso")
    assert study.settings.drop == ("kind",)


@pytest.mark.parametrize("as_array", [True, False])
def test_cross_val_score_judges_a_study(as_array, tmp_path, monkeypatch):
    """Every fold runs the whole job on its training rows, and leaves nothing behind."""
    monkeypatch.chdir(tmp_path)
    data = frame()
    X, y = data[["x", "kind"]], data["y"]
    if as_array:
        X, y = data[["x"]].to_numpy(), (data["y"] == "up").to_numpy().astype(int)
    study = tamis.Study(**quick(task="classification"))
    found = cross_val_score(study, X, y, cv=3)
    assert found.mean() > 0.9
    assert found.mean() == pytest.approx(cross_val_score(study, X, y, cv=3, scoring="accuracy").mean())
    assert cross_val_score(study, X, y, cv=3, scoring="roc_auc").mean() > 0.9
    assert list(tmp_path.iterdir()) == []
    fitted = clone(study).fit(X, y)
    assert fitted.predict(X).dtype == np.asarray(y).dtype
    np.testing.assert_array_equal(fitted.classes_[fitted.predict_proba(X).argmax(axis=1)], fitted.predict(X))
    with pytest.raises(StudyError, match="held out from fit"):
        fitted.open()


def test_fit_draws_no_report_and_looks_at_no_folder_beside(monkeypatch):
    """Half of a fit went into a page that nobody sees, a quarter into other programs' temporary folders."""
    from tamis.study.disk import sibling_studies
    from tamis.study.published import Published

    found, beside = [], sibling_studies.folders_beside
    monkeypatch.setattr(Published, "page", lambda *given: pytest.fail("a page was drawn"))
    monkeypatch.setattr(sibling_studies, "folders_beside", lambda folder: found.append(beside(folder)) or found[-1])
    data = frame()
    tamis.Study(**quick(task="classification")).fit(data[["x"]], data["y"])
    assert found == [[]]


def test_parameters_are_those_given_and_can_be_changed():
    """clone and grid searches read and set what the study was made with."""
    study = tamis.Study(**quick(seed=3))
    assert clone(study).get_params() == study.get_params()
    assert study.set_params(seed=5).settings.seed == 5
    with pytest.raises(ValueError, match="seeds"):
        study.set_params(seeds=1)


def test_a_notebook_shows_the_answer_escaped(tmp_path):
    """A hostile column name must not become markup."""
    data = frame().rename(columns={"x": "<script>x"})
    study = tamis.Study(data, target="y", folder=tmp_path / "s", **quick())
    assert "not run yet" in study._repr_html_()
    shown = study.run()._repr_html_()
    assert "<script>" not in shown
    assert "&lt;script&gt;x" in shown


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("task", ["regression", "classification", None])
def test_scikit_learns_checks(task):
    """A pipeline or a grid search clones an estimator, gives it sparse tables and asks what it can do."""
    study = tamis.Study(**quick(task=task, black_box=False, inner=2, folds=2, procedures=["tree"], lock=0))
    seen = set()
    for instance, check in estimator_checks_generator(study):
        name = getattr(check, "func", check).__name__
        if name != "check_array_api_input":  # asks for SCIPY_ARRAY_API in the environment
            check(instance)
            seen.add(name)
    assert len(seen) > 35
    assert {"check_dict_unchanged", "check_estimator_sparse_array", "check_estimators_pickle"} <= seen


def test_probabilities_of_numbers(tmp_path):
    """A study of numbers has no probabilities: none for scikit-learn to ask for, and a sentence for people."""
    data = frame().drop(columns="y")
    study = tamis.Study(**quick(task="regression"))
    assert not hasattr(study, "predict_proba")
    asked = tamis.Study(data, target="x", folder=tmp_path / "s", **quick()).run()
    for each in (asked, tamis.load(tmp_path / "s")):
        with pytest.raises(StudyError, match="is a number, so there are no probabilities"):
            each.predict_proba(data)


@pytest.mark.parametrize(
    ("y", "words"),
    [(np.linspace(0, 1, 40), "continuous numbers"), (np.ones(40), "only one class")],
    ids=["continuous", "one class"],
)
def test_targets_that_are_no_classes(y, words):
    """A target of 40 numbers was forty classes of one row each."""
    with pytest.raises(TamisError, match=words):
        tamis.Study(**quick(task="classification")).fit(np.arange(80.0).reshape(40, 2), y)


class Convertible:
    """Something that NumPy turns into an array."""

    def __init__(self, values):
        self.values = values

    def __array__(self, dtype=None, copy=None):
        return self.values


def test_what_numpy_turns_into_an_array():
    """Arrays of other libraries, which NumPy can convert, were fitted and then refused by predict."""
    X = np.random.default_rng(0).normal(size=(60, 3))
    y = X[:, 0]
    study = tamis.Study(**quick(task="regression", black_box=False, inner=2)).fit(Convertible(X), Convertible(y))
    assert np.array_equal(study.predict(Convertible(X)), study.predict(X))


def test_a_study_of_the_fewest_rows(tmp_path):
    """Ten rows ended in a sentence about neighbours that nobody had asked for."""
    data = pd.DataFrame({"a": np.arange(10.0), "b": np.sin(np.arange(10)), "y": np.arange(10.0) ** 2})
    study = tamis.Study(data, target="y", folder=tmp_path / "s", **quick(task="regression", lock=0))
    assert study.run().results_["answer"]


@pytest.mark.parametrize(
    ("X", "words"),
    [
        (np.ones((20, 2)) * 1j, "Complex data not supported"),
        (np.ones(20), "Reshape your data"),
        (np.ones((20, 0)), r"0 feature\(s\) \(shape=\(\d+, 0\)\) while a minimum of 1 is required"),
        (np.ones((1, 2)), r"1 sample\(s\) .* while a minimum of 10 is required"),
    ],
    ids=["complex", "one dimension", "no column", "one row"],
)
def test_tables_that_are_none_are_named_as_scikit_learn_does(X, words):
    """Arrow's own words came through."""
    with pytest.raises(TamisError, match=words):
        tamis.Study(**quick()).fit(X, np.arange(len(X)))


def test_a_missing_target_is_named():
    """`fit(X)` alone, in a pipeline without a target."""
    with pytest.raises(TamisError, match="requires y to be passed, but the target y is None"):
        tamis.Study(**quick()).fit(np.ones((20, 2)), None)
