"""Bad input: each kind gets one sentence of its own, with the way out."""

from __future__ import annotations

import os
import threading

import numpy as np
import pandas as pd
import pytest
from tests.study.tables import classes_table, numbers_table, write_table

import tamis
from tamis.errors import StudyError


def _columns(**changes):
    return {**classes_table(60), **changes}


def _run(path, folder, target="outcome", **options):
    quick = {"folds": 3, "inner": 2, "repeats": 1, **options}
    return tamis.Study(path, target=target, folder=folder / "study", **quick).run()


CASES = {
    "the target is absent": (
        _columns(),
        {"target": "outcom"},
        r"no target column 'outcom' \(did you mean 'outcome'\?\)",
    ),
    "the target is constant": (_columns(outcome=["sick"] * 60), {}, r"'outcome' is constant \('sick' in every row\)"),
    "the target is all missing": (_columns(outcome=[""] * 60), {}, r"'outcome' is missing in every row"),
    "classes of one row each": (
        _columns(outcome=[*(f"odd {i}" for i in range(58)), "a", "a"]),
        {},
        r"'outcome' has 1 class\(es\) with more than one unlocked row .*nothing can be both learned and judged",
    ),
    "rare classes dropped, one left": (
        _columns(outcome=["odd", *["a"] * 59]),
        {"rare": "drop"},
        r"rare='drop' leaves 1 class\(es\) of the target 'outcome'.* give rare='keep' or 'merge'",
    ),
    "an unknown way with rare classes": (_columns(), {"rare": "hide"}, r"rare='hide' is not known.* keep, merge, drop"),
    "an unknown preference": (_columns(), {"prefer": "beste"}, r"prefer='beste' is not known.*'best'"),
    "one row": ({name: values[:1] for name, values in classes_table(60).items()}, {}, r"1 row\(s\).* at least 10"),
    "few rows": ({name: values[:6] for name, values in classes_table(60).items()}, {}, r"6 row\(s\).* at least 10"),
    "no features left": (
        {"id": range(60), "outcome": ["a", "b"] * 30},
        {},
        r"all are left out|every column .*left out",
    ),
    "text for numbers": (
        _columns(),
        {"task": "regression"},
        r"task='regression', but the target 'outcome' holds '(sick|well)'",
    ),
    "an unknown task": (_columns(), {"task": "regresion"}, r"task='regresion' is not known.*regression"),
    "an unknown metric": (
        _columns(),
        {"scoring": "acuracy"},
        r"scoring='acuracy' is not known.*did you mean 'accuracy'",
    ),
    "a metric of the other task": (_columns(), {"scoring": "r2"}, r"scoring='r2', but the target holds classes"),
    "an unknown procedure": (_columns(), {"procedures": ["lassso"]}, r"procedures='lassso' is not known.*'lasso'"),
    "one fold": (_columns(), {"folds": 1}, r"folds=1 is too small; give a whole number of at least 2"),
    "a lock of everything": (_columns(), {"lock": 1.0}, r"lock=1.0 is out of range"),
    "groups and time": (
        _columns(),
        {"groups": "size", "time": "size"},
        r"groups and time are both 'size'; give two columns",
    ),
    "an unknown group": (_columns(), {"groups": "colors"}, r"no column 'colors' \(did you mean 'colour'\?\)"),
    "an unknown column to drop": (_columns(), {"drop": ["colr"]}, r"no column 'colr' \(did you mean 'colour'\?\)"),
    "an unknown type": (_columns(), {"types": {"colour": "colourful"}}, r"colourful"),
}


@pytest.mark.parametrize("case", CASES)
def test_every_kind_of_bad_input_has_its_sentence(case, tmp_path):
    """A traceback, or a wrong answer, instead of a sentence."""
    columns, options, sentence = CASES[case]
    path = write_table(tmp_path / "t.csv", columns)
    with pytest.raises((ValueError, TypeError), match=sentence) as caught:
        _run(path, tmp_path, **options)
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "study" / "results.json").exists()


def test_an_infinite_value_is_named(tmp_path):
    """inf would poison every mean."""
    columns = numbers_table(60)
    columns["b"][7] = "inf"
    with pytest.raises(ValueError, match=r"'b'.*(row|line) "):
        _run(write_table(tmp_path / "t.csv", columns), tmp_path, target="y")


def test_no_such_file(tmp_path):
    """The path must be in the sentence."""
    with pytest.raises((ValueError, OSError), match=r"nowhere\.csv"):
        _run(tmp_path / "nowhere.csv", tmp_path)


def test_a_folder_that_is_a_file(classes_csv, tmp_path):
    """The study folder cannot be made where a file is."""
    (tmp_path / "study").write_text("mine")
    with pytest.raises(ValueError, match=r"study' is a file; give another folder"):
        _run(classes_csv, tmp_path)
    assert (tmp_path / "study").read_text() == "mine"


def test_a_class_with_few_rows_still_runs(tmp_path):
    """Three rows of a class are few, but no reason to stop."""
    rng = np.random.default_rng(0)
    y = ["rare"] * 3 + ["a", "b"] * 40
    path = write_table(
        tmp_path / "t.csv", {"x": rng.normal(size=83).tolist(), "z": rng.normal(size=83).tolist(), "y": y}
    )
    assert 0 <= _run(path, tmp_path, target="y").score_ <= 1


def test_a_ranking_metric_is_quoted_for_the_classes_that_a_fold_has(tmp_path):
    """Three rows of a class are in three folds of five; the other two must not stop the study."""
    rng = np.random.default_rng(0)
    y = ["rare"] * 3 + ["a", "b"] * 40
    path = write_table(
        tmp_path / "t.csv", {"x": rng.normal(size=83).tolist(), "z": rng.normal(size=83).tolist(), "y": y}
    )
    study = _run(path, tmp_path, target="y", scoring="roc_auc", folds=5, n_jobs=2, procedures=["stump"])
    assert 0 <= study.score_ <= 1


def test_load_of_what_is_no_study(tmp_path):
    """Pointing at a wrong folder gets a sentence, not a KeyError."""
    with pytest.raises(ValueError, match="there is no study folder"):
        tamis.load(tmp_path / "nothing")
    with pytest.raises(ValueError, match=r"holds no plan\.json"):
        tamis.load(tmp_path)


def test_asking_before_running(classes_csv, tmp_path):
    """Asking an unfinished study for its answer."""
    study = tamis.Study(classes_csv, target="outcome", folder=tmp_path / "s")
    with pytest.raises(ValueError, match="not been run yet"):
        _ = study.score_
    with pytest.raises(ValueError, match="nothing to report"):
        study.report()


def test_classes_of_two_rows_each_get_a_sentence(tmp_path):
    """ "cv=2 folds … give cv of at most 1" told nobody what to do."""
    rng = np.random.default_rng(0)
    columns = {"a": rng.normal(size=120), "b": rng.normal(size=120), "y": [f"c{i % 60}" for i in range(120)]}
    with pytest.raises(ValueError, match="no class of the target 'y' has more than 2 unlocked rows") as found:
        tamis.Study(columns, target="y", folder=tmp_path / "s", lock=0).run()
    assert "cv" not in str(found.value)


@pytest.mark.parametrize("learned", [("no", "yes"), ("false", "true"), (False, True), ("N", "Y"), ("0", "1")])
def test_a_boolean_is_predicted_in_any_of_its_spellings(tmp_path, learned):
    """'yes' was refused where true and false had been learned, and '1.0' of a CSV everywhere."""
    rng = np.random.default_rng(0)
    truth = rng.random(120) < 0.5
    columns = {
        "b": [learned[int(one)] for one in truth],
        "x": rng.normal(size=120),
        "y": np.where(truth ^ (rng.random(120) < 0.1), "p", "q"),
    }
    quick = {"procedures": ["stump"], "folds": 2, "repeats": 1, "inner": 2, "black_box": False, "n_jobs": 1}
    study = tamis.Study(columns, target="y", folder=tmp_path / "s", types={"b": "boolean"}, **quick).run()
    for spelling in (["yes", "no"], ["TRUE", "false"], ["1.0", "0.0"], [True, False], [1.0, 0.0], ["Y", "n"]):
        assert study.predict({"b": spelling, "x": [0.0, 0.0]}).tolist() == ["p", "q"]
        assert study.predict({"b": spelling[:1], "x": [0.0]}).tolist() == ["p"]
    with pytest.raises(ValueError, match="row 1 holds 'perhaps'"):
        study.predict({"b": ["perhaps"], "x": [0.0]})


def test_a_study_of_a_pipe(tmp_path):
    """The place of a pipe was written down, and `open` spoke of a file in /proc."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=150), "b": rng.normal(size=150)})
    frame["y"] = np.where(frame["a"] > 0, "yes", "no")
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=lambda: (tmp_path / "pipe").write_text(frame.to_csv(index=False)))
    writer.start()
    settings = {"procedures": ["stump"], "folds": 2, "inner": 2, "repeats": 1, "black_box": False}
    tamis.Study(tmp_path / "pipe", target="y", folder=tmp_path / "s", **settings).run()
    writer.join()
    frame.to_csv(tmp_path / "t.csv", index=False)
    with pytest.raises(StudyError, match="was run on a table in memory or a pipe; give that table"):
        tamis.load(tmp_path / "s").open()
    assert tamis.load(tmp_path / "s").open(tmp_path / "t.csv")["independent"]
