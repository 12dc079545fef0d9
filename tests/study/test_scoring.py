"""A study quotes whatever metric it is asked for."""

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics as sk

import tamis
from tamis.errors import ParameterError, StudyError


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    x = rng.normal(size=120)
    target = np.where(x + rng.normal(size=120) / 2 > 0, "good", "bad")
    return pd.DataFrame({"x": x, "z": rng.normal(size=120), "y": target})


def profit(y_true, y_pred):
    return np.mean(np.where(y_pred == "good", np.where(y_true == "good", 1.0, -2.0), 0.0))


def study(frame, folder, scoring):
    return tamis.Study(
        frame, target="y", folder=folder, procedures=("stump",), repeats=1, folds=3, scoring=scoring, n_jobs=1
    )


@pytest.mark.parametrize("scoring", [profit, sk.make_scorer(profit)])
def test_a_function_is_quoted_by_its_name_and_opened_again(frame, tmp_path, scoring):
    """A function sees the classes, has an interval, and is needed again only to open."""
    found = study(frame, tmp_path / "study", scoring).run()
    low, high = found.interval_
    assert low < found.score_ < high
    name = found.results_["settings"]["scoring"]
    assert "profit" in name
    assert found.results_["answer"]["metric"] == name
    opened = found.open()["score"]
    locked = frame.iloc[found.locked_rows_]
    assert opened == pytest.approx(profit(locked["y"].to_numpy(), found.predict(locked)))
    with pytest.raises(StudyError, match="give it again"):
        tamis.load(tmp_path / "study").open(frame)
    assert tamis.load(tmp_path / "study", scoring=scoring).open(frame)["score"] == opened


def test_a_function_that_fails_or_needs_the_model_is_refused_before_any_fit(frame, tmp_path):
    """Else every fold would be without a score, silently."""
    for scoring, says in (
        (lambda y_true, y_pred: y_true[1000], "failed on"),
        (lambda estimator, X, y: 0.0, "needs the fitted model"),
    ):
        with pytest.raises(ParameterError, match=says):
            study(frame, tmp_path / "study", scoring).run()


def test_another_function_of_the_same_name_is_another_study(frame, tmp_path):
    """Scores of two functions must not be mixed in one journal."""

    def gain(y_true, y_pred):
        return np.mean(y_true == y_pred)

    study(frame, tmp_path / "study", gain).run()

    def gain(y_true, y_pred):
        return 2 * np.mean(y_true == y_pred)

    with pytest.raises(StudyError, match="other settings"):
        study(frame, tmp_path / "study", gain).run()


FACTOR = 1.0


def of_global(y_true, y_pred):
    return FACTOR * np.mean(y_true == y_pred)


def closing_over(factor):
    def gain(y_true, y_pred):
        return factor * np.mean(y_true == y_pred)

    return gain


class Gain:
    def __init__(self, factor):
        self.factor = factor

    def __call__(self, y_true, y_pred):
        return self.factor * np.mean(y_true == y_pred)

    def method(self, y_true, y_pred):
        return self(y_true, y_pred)


@pytest.mark.parametrize(
    "made",
    [closing_over, Gain, lambda factor: Gain(factor).method, lambda factor: sk.make_scorer(closing_over(factor))],
    ids=["closure", "object", "method", "scorer"],
)
def test_a_function_of_another_state_is_another_study(frame, tmp_path, made):
    """Old and new numbers would stand in one sentence; the same state must resume, and open again."""
    study(frame, tmp_path / "study", made(1)).run()
    study(frame, tmp_path / "study", made(1)).run()
    with pytest.raises(StudyError, match=r"other settings .the code or state behind scoring was changed"):
        study(frame, tmp_path / "study", made(2)).run()
    with pytest.raises(StudyError, match="of other code or state"):
        tamis.load(tmp_path / "study", scoring=made(2))
    tamis.load(tmp_path / "study", scoring=made(1))


def test_a_global_that_the_function_names_is_part_of_it(frame, tmp_path, monkeypatch):
    """A price list above the function decides its numbers as much as its body does."""
    study(frame, tmp_path / "study", of_global).run()
    monkeypatch.setattr("tests.study.test_scoring.FACTOR", 2.0)
    with pytest.raises(StudyError, match="other settings"):
        study(frame, tmp_path / "study", of_global).run()


def corr(y_true, y_pred):
    with np.errstate(invalid="ignore", divide="ignore"):
        return float(np.corrcoef(y_true, y_pred)[0, 1])


@pytest.mark.parametrize("procedures", [("lasso",), ("lasso", "stump")])
def test_a_metric_without_a_value_in_any_fold_is_said_to_have_none(frame, tmp_path, procedures):
    """Constant answers have no correlation: the study would crash after its folds, or blame the number of rows."""
    noise = frame.assign(y=np.random.default_rng(1).normal(size=120))
    found = tamis.Study(noise, target="y", folder=tmp_path, procedures=procedures, repeats=1, folds=3, scoring=corr)
    words = found.run().results_["answer"]["words"]
    assert "rows are too few" not in words
    assert "No corr() can be expected: it has no value in any fold" in words
    assert found.plot.frontier() is not None
    assert (tmp_path / "report.html").exists()


def test_a_metric_that_never_has_a_value_is_refused_before_any_fit(frame, tmp_path):
    """A whole study would be run for a number that is none."""

    def never(y_true, y_pred):
        return float("nan")

    with pytest.raises(ParameterError, match=r"scoring=never\(\) has no value, neither for right answers"):
        study(frame, tmp_path / "study", never).run()
