"""What a target is taken for, why, and whole studies of counts and of ordered classes."""

import json

import numpy as np
import pandas as pd
import pytest

import tamis
from tamis.errors import TableError
from tamis.study.target.decide import is_count_target


def drawn(seed=0, n=160):
    """Columns, and the logarithm of a mean."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.normal(size=(n, 3)), columns=["a", "b", "c"])
    return frame, 0.7 * frame["a"].to_numpy(), rng


@pytest.mark.parametrize(
    ("frequency", "first", "is_count"),
    [
        ([60, 55, 30, 12, 4, 1], 0, True),
        ([80, 50, 20, 9, 3], 1, True),
        ([60, 55], 0, False),  # two classes
        ([60, 55, 30], 1, False),  # codes 1, 2, 3
        ([60, 55, 30, 12], 0, False),  # four values may be codes
        ([10, 53, 681, 638, 199, 18], 3, False),  # grades of wine: less varied than counts
        ([30, 60, 90, 160, 120], 1, False),  # stars
        ([50, 50, 50, 50, 50, 50, 50], 0, False),  # balanced codes
        ([4913, 329, 28, 88, 115], 0, False),  # page_blocks
        ([244, 429, 463, 44, 35, 51, 163, 30, 20], 0, False),  # yeast
        ([9, 9, 8, 5, 7, 6, 8, 6, 2], 0, False),  # nci9
    ],
)
def test_counts_are_told_from_codes_and_grades(frequency, first, is_count):
    """A count would be predicted as classes, or codes as counts."""
    assert is_count_target(np.repeat(np.arange(len(frequency)) + first, frequency).astype(float)) is is_count


@pytest.mark.parametrize(
    ("y", "is_count"),
    [
        (lambda rng: rng.poisson(rng.gamma(2.0, 4.0, 600)), True),  # of more than twenty values
        (lambda rng: rng.integers(0, 91, 600), False),  # ages
        (lambda rng: 10 * rng.poisson(2.0, 600), False),  # with gaps
        (lambda rng: rng.poisson(2.0, 600) - 1, False),  # below 0
        (lambda rng: rng.poisson(2.0, 600) / 2, False),  # halves
    ],
)
def test_many_values_are_counts_where_they_are_skewed_and_dense(y, is_count):
    """Ages and prices would be predicted as counts."""
    assert is_count_target(y(np.random.default_rng(0)).astype(float)) is is_count


def task(frame, tmp_path, **settings):
    problem = tamis.Study(frame, target="y", folder=tmp_path / "s", **settings).problem
    return problem.task, problem.task_note


def test_a_type_given_for_the_target_decides(tmp_path):
    """`types="y=numeric"` was read and ignored."""
    frame, _, rng = drawn()
    grades = frame.assign(y=rng.integers(1, 4, len(frame)))
    assert task(grades, tmp_path)[0] == "classification"
    assert task(grades, tmp_path, types="y=numeric")[0] == "regression"
    assert task(grades, tmp_path, types="y=ordinal:1<2<3")[0] == "ordinal"
    counts = frame.assign(y=rng.poisson(2.0, len(frame)))
    assert task(counts, tmp_path)[0] == task(counts, tmp_path, types="y=numeric")[0] == "count"
    assert task(counts, tmp_path, types="y=categorical")[0] == "classification"
    assert task(counts, tmp_path, task="regression") == ("regression", "")


def test_what_was_taken_is_told_with_the_word_that_changes_it(tmp_path):
    """A reader could not know that another task was possible, nor how to ask for it."""
    frame, _, rng = drawn()
    note = task(frame.assign(y=rng.poisson(2.0, len(frame))), tmp_path)[1]
    assert note.startswith("taken as a count: whole numbers from 0 to")
    assert "task='classification'" in note
    assert "'ordinal'" in task(frame.assign(y=rng.integers(1, 4, len(frame))), tmp_path)[1]


def test_tasks_that_do_not_fit_the_target_are_refused(tmp_path):
    """A traceback, or a model of nonsense, instead of a sentence."""
    frame, mean, rng = drawn()
    with pytest.raises(TableError, match=r"task='count', but the target 'y' holds -?\d.*give task='regression'"):
        task(frame.assign(y=mean), tmp_path, task="count")
    words = frame.assign(y=rng.choice(["high", "low", "mid"], len(frame)))
    with pytest.raises(TableError, match="order of the classes of 'y' is not known; give it from lowest to highest"):
        task(words, tmp_path, task="ordinal")
    with pytest.raises(TableError, match="task='count', but the target 'y' holds"):
        task(words, tmp_path, task="count")


QUICK = {"procedures": ["tree", "lasso"], "black_box": False, "repeats": 1, "folds": 3, "inner": 3}


def test_a_study_of_counts(tmp_path):
    """Counts would be compared by another loss than the Poisson deviance, or predicted below 0."""
    frame, mean, rng = drawn(n=240)
    study = tamis.Study(frame.assign(y=rng.poisson(np.exp(mean))), target="y", folder=tmp_path / "s", **QUICK).run()
    answer = study.results_["answer"]
    assert (answer["task"], answer["metric"], answer["loss"]) == ("count", "poisson_deviance", "poisson_deviance")
    assert answer["score"] < answer["baseline"]
    assert "Poisson deviance" in answer["words"]
    assert answer["selected"][0] == "a"
    assert study.predict(frame).min() > 0
    assert tamis.load(tmp_path / "s").predict(frame) == pytest.approx(study.predict(frame))
    assert study.open()["score"] > 0
    target = next(column for column in json.loads((tmp_path / "s" / "results.json").read_text())["columns"]
                  if column["name"] == "y")  # fmt: skip
    assert target["note"].startswith("taken as a count")
    assert "taken as a count" in (tmp_path / "s" / "report.html").read_text()


@pytest.mark.parametrize("name", ["booster", "forest", "additive", "ridge", "stump"])
def test_procedures_of_counts_learn_means_and_are_exported(name, tmp_path):
    """A model of counts would predict logarithms, or its export other numbers than the study."""
    frame, mean, rng = drawn(n=200)
    frame["a"] = frame["a"].round(1)
    counts = rng.poisson(np.exp(mean + 1))
    settings = QUICK | {"procedures": [name], "lock": 0, "prefer": "best"}
    study = tamis.Study(frame.assign(y=counts), target="y", folder=tmp_path / "s", task="count", **settings).run()
    predicted = study.predict(frame)
    assert np.corrcoef(predicted, np.exp(mean))[0, 1] > 0.6
    assert predicted.mean() == pytest.approx(counts.mean(), rel=0.1)
    scope: dict = {}
    exec(study.export("python"), scope)
    rows = frame.to_dict("records")[:20]
    exported = [scope["predict"](row) for row in rows]
    exported = [one["prediction"] if isinstance(one, dict) else one for one in exported]
    assert exported == pytest.approx(predicted[:20])


def test_ordered_classes_keep_their_order(tmp_path):
    """Levels were sorted by the alphabet: high, low, mid."""
    frame, mean, rng = drawn(n=240)
    levels = ["low", "mid", "high"]
    y = pd.Categorical.from_codes(np.digitize(mean + 0.5 * rng.normal(size=240), [-0.5, 0.5]), levels, ordered=True)
    study = tamis.Study(frame.assign(y=y), target="y", folder=tmp_path / "s", **QUICK).run()
    answer = study.results_["answer"]
    assert (answer["task"], answer["metric"], answer["loss"]) == (
        "ordinal", "mean_rank_error", "ranked_probability_score")  # fmt: skip
    assert [row["label"] for row in study.results_["data"]["classes"]] == levels
    assert f"Weighted kappa {answer['weighted_kappa']:.2f}." in answer["words"]
    assert answer["score"] < answer["baseline"]
    probability = study.predict_proba(frame)
    assert np.corrcoef(probability @ [0, 1, 2], mean)[0, 1] > 0.6
    assert list(study.model_.labels) == levels
    chosen = {row["name"]: row["metrics"] for row in study.results_["comparison"]["procedures"]}[answer["procedure"]]
    assert {"weighted_kappa", "mean_rank_error", "ranked_probability_score"} <= set(chosen)
