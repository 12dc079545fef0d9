"""The main job: a sound answer, the same bytes however it is run, and nothing learned from locked rows."""

from __future__ import annotations

import json
import re

import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config
from tests.study.tables import classes_table, numbers_table, write_table

import tamis
from tamis.errors import StudyError
from tamis.study.fold import outer_folds

QUICK = {"folds": 3, "inner": 2, "repeats": 1}
FILES = ("results.json", "model.json", "selected.csv", "lock.json")


def _bytes(folder):
    return {name: (folder / name).read_bytes() for name in FILES}


def _learned(folder):
    """All that was learned and said: what is on disk but for the digest of the locked targets."""
    lock = {**json.loads((folder / "lock.json").read_text()), "target": ""}
    return {**_bytes(folder), "lock.json": lock}


def _run(source, folder, target="outcome", **options):
    return tamis.Study(source, target=target, folder=folder, **{**QUICK, **options}).run()


def test_a_sound_answer_for_classes(classes_csv, tmp_path):
    """The true columns are found, the noise is left, and the score beats the baseline."""
    study = _run(classes_csv, tmp_path / "s")
    assert set(study.selected_[:2]) == {"size", "colour"}
    assert sum(study.results_["answer"]["contributions"][name] for name in ("size", "colour")) > 0.8
    low, high = study.interval_
    assert low < study.score_ < high
    assert study.score_ > study.results_["answer"]["baseline"] + 0.1
    assert re.match(
        r"\w+ columns predict outcome: (size and colour|colour and size|size, colour|colour, size)", study.answer_
    )
    assert "On new rows the model should be right in " in study.answer_
    assert "always answering one class is right in 50 on average" in study.answer_


def test_a_sound_answer_for_numbers(numbers_csv, tmp_path):
    """R² near its true value 13 / 13.25, from the two columns that matter."""
    study = _run(numbers_csv, tmp_path / "s", target="y")
    assert {"a", "b"} <= set(study.selected_)
    assert 0.9 < study.score_ < 1
    assert "On new rows the model should explain " in study.answer_


def test_noise_is_called_noise(tmp_path):
    """Claiming a signal in pure noise is the mistake Tamis exists to prevent."""
    rng = np.random.default_rng(3)
    noise = {f"x{j}": rng.normal(size=200).tolist() for j in range(20)}
    path = write_table(tmp_path / "noise.csv", {**noise, "y": rng.choice(["a", "b"], size=200).tolist()})
    study = _run(path, tmp_path / "s", target="y")
    assert study.selected_ == []
    assert study.answer_.startswith("None of the 20 columns predicts y measurably better than chance, ")
    assert study.results_["answer"]["beats_baseline"] is False
    assert study.score_ == study.results_["answer"]["baseline"]


def test_same_bytes_for_any_number_of_threads(classes_csv, tmp_path):
    """Results that depend on the machine's cores cannot be checked by anybody else."""
    _run(classes_csv, tmp_path / "one", n_jobs=1)
    _run(classes_csv, tmp_path / "two", n_jobs=2)
    assert _bytes(tmp_path / "one") == _bytes(tmp_path / "two")


def test_same_bytes_on_other_processes(numbers_csv, tmp_path):
    """A user's joblib backend computes elsewhere, and must find the same."""
    _run(numbers_csv, tmp_path / "here", target="y", procedures=["tree"])
    with parallel_config("loky", n_jobs=2):
        _run(numbers_csv, tmp_path / "there", target="y", procedures=["tree"])
    assert _bytes(tmp_path / "here") == _bytes(tmp_path / "there")


def test_same_bytes_for_any_order_of_columns(tmp_path):
    """The order of columns in a file means nothing and must change nothing."""
    columns = classes_table()
    there = write_table(tmp_path / "a.csv", columns)
    back = write_table(tmp_path / "b.csv", dict(reversed(columns.items())))
    _run(there, tmp_path / "a")
    _run(back, tmp_path / "b")
    assert _bytes(tmp_path / "a") == _bytes(tmp_path / "b")


def test_same_bytes_from_a_frame_and_a_file(tmp_path):
    """A frame and the file it was written to hold the same table."""
    pandas = pytest.importorskip("pandas")
    columns = numbers_table()
    _run(write_table(tmp_path / "a.csv", columns), tmp_path / "a", target="y")
    _run(pandas.DataFrame(columns), tmp_path / "b", target="y")
    assert (tmp_path / "a" / "results.json").read_bytes() == (tmp_path / "b" / "results.json").read_bytes()


@pytest.mark.parametrize("garbage", ["other class", "missing", "new class", "a number"])
def test_locked_targets_change_nothing_before_open(tmp_path, garbage):
    """If the locked rows' targets mattered before `open`, the locked score would be worth nothing."""
    columns = classes_table()
    quick = {"procedures": ["stump", "tree"]}
    first = _run(write_table(tmp_path / "a.csv", columns), tmp_path / "a", **quick)
    swap = {"well": "sick", "sick": "well"}
    for row in first.locked_rows_:
        old = columns["outcome"][row]
        columns["outcome"][row] = {"other class": swap[old], "missing": "", "new class": "odd", "a number": "7"}[
            garbage
        ]
    _run(write_table(tmp_path / "b.csv", columns), tmp_path / "b", **quick)
    assert _learned(tmp_path / "a") == _learned(tmp_path / "b")


def test_a_numeric_target_stays_numeric_whatever_the_locked_rows_hold(tmp_path):
    """Text in a locked row's target must not turn a regression into a classification."""
    columns = numbers_table()
    first = _run(write_table(tmp_path / "a.csv", columns), tmp_path / "a", target="y")
    columns["y"] = ["rubbish" if i in set(first.locked_rows_) else v for i, v in enumerate(columns["y"])]
    _run(write_table(tmp_path / "b.csv", columns), tmp_path / "b", target="y")
    assert _learned(tmp_path / "a") == _learned(tmp_path / "b")


def test_opening_is_counted_and_the_second_is_not_independent(classes_csv, tmp_path):
    """Peeking twice must be visible for good."""
    study = _run(classes_csv, tmp_path / "s")
    first, second = study.open(), tamis.load(tmp_path / "s").open()
    assert (first["openings"], first["independent"]) == (1, True)
    assert (second["openings"], second["independent"]) == (2, False)
    assert first["score"] == second["score"]
    low, high = first["interval"]
    assert 0 <= low < first["score"] <= high <= 1
    assert len((tmp_path / "s" / "ledger.jsonl").read_text().splitlines()) == 2
    assert "no longer independent" in (tmp_path / "s" / "report.html").read_text()


def test_the_locked_score_is_that_of_the_saved_model(classes_csv, tmp_path):
    """The ledger must tell how the model that people get does on the locked rows."""
    study = _run(classes_csv, tmp_path / "s")
    columns = classes_table()
    rows = study.locked_rows_
    part = write_table(tmp_path / "locked.csv", {name: [values[i] for i in rows] for name, values in columns.items()})
    right = np.mean(study.predict(part) == np.array(columns["outcome"])[rows])
    assert study.open()["score"] == right


def test_a_class_absent_from_the_locked_rows_is_said(tmp_path):
    """A score over fewer classes than promised must say so."""
    rng = np.random.default_rng(0)
    y = np.array(["rare"] * 5 + ["b"] * 95 + ["c"] * 100)
    x = rng.normal(size=200) + 3 * (y == "b")
    path = write_table(tmp_path / "t.csv", {"x": x.tolist(), "z": rng.normal(size=200).tolist(), "y": y.tolist()})
    for seed in range(40):
        study = tamis.Study(path, target="y", folder=tmp_path / str(seed), seed=seed, procedures=["tree"], **QUICK)
        if not set(study.problem.lock.rows) & set(range(5)):
            break
    assert "no row of class rare" in study.run().open()["note"]


def test_a_small_table_is_not_locked(tmp_path):
    """With 60 rows there is nothing to lock, and the answer says so."""
    study = _run(write_table(tmp_path / "t.csv", classes_table(60)), tmp_path / "s")
    assert len(study.locked_rows_) == 0
    assert "no rows were set aside" in study.results_["lock"]["reason"]
    with pytest.raises(StudyError, match="nothing to open"):
        study.open()


def test_rows_without_a_target_are_dropped_and_counted(tmp_path):
    """Dropping rows silently would misstate what was learned from."""
    columns = numbers_table(200)
    columns["y"] = ["" if i % 20 == 0 else value for i, value in enumerate(columns["y"])]
    study = _run(write_table(tmp_path / "t.csv", columns), tmp_path / "s", target="y")
    data = study.results_["data"]
    assert 0 < data["without_target"] <= 10
    assert data["learned"] + data["locked"] + data["without_target"] == 200


def test_groups_stay_together(tmp_path):
    """A group on both sides of a split makes every score too good."""
    columns = {**classes_table(200), "patient": [f"p{i // 4}" for i in range(200)]}
    study = tamis.Study(
        write_table(tmp_path / "t.csv", columns), target="outcome", folder=tmp_path / "s", groups="patient"
    )
    problem = study.problem
    assert "patient" not in problem.table.names
    assert not set(problem.lock.rows // 4) & set(problem.rows // 4)
    for fold in outer_folds(problem, problem.plan.folds, problem.plan.repeats, 0):
        assert not set(problem.rows[fold.train] // 4) & set(problem.rows[fold.test] // 4)


def test_time_order_is_kept(tmp_path):
    """Learning from the future to judge the past is peeking."""
    columns = {**classes_table(240), "day": [f"2024-{1 + i // 28:02d}-{1 + i % 28:02d}" for i in range(240)]}
    study = tamis.Study(write_table(tmp_path / "t.csv", columns), target="outcome", folder=tmp_path / "s", time="day")
    problem = study.problem
    assert problem.lock.rows.min() > problem.rows.max()
    for fold in outer_folds(problem, problem.plan.folds, problem.plan.repeats, 0):
        assert problem.rows[fold.train].max() < problem.rows[fold.test].min()
    assert study.run().score_ > 0.6


def test_columns_can_be_dropped_and_typed(tmp_path):
    """What the user says about columns is obeyed."""
    columns = {**classes_table(), "code": ["007", "011"] * 80}
    path = write_table(tmp_path / "t.csv", columns)
    study = tamis.Study(path, target="outcome", folder=tmp_path / "s", drop=["noise 0"], types={"code": "categorical"})
    assert "noise 0" not in study.problem.table.names
    assert study.problem.table.column("code").levels == ("007", "011")


def test_results_follow_their_schema(classes_csv, tmp_path):
    """People read results.json with programs; a missing key breaks them."""
    study = _run(classes_csv, tmp_path / "s")
    results = json.loads((tmp_path / "s" / "results.json").read_text())
    assert list(results)[-1] == "check"  # a checksum of all that stands before it
    del results["check"]
    assert results == json.loads(json.dumps(study.results_))
    assert list(results) == [
        "tamis",
        "schema",
        "partial",
        "answer",
        "data",
        "settings",
        "columns",
        "leaks",
        "ladder",
        "comparison",
        "frontier",
        "paths",
        "stability",
        "findings",
        "validity",
        "plan",
        "folds",
        "model",
        "lock",
        "predictions",
    ]
    assert results["schema"] == 3
    listed = {row["name"] for row in results["comparison"]["procedures"]}
    assert listed >= {"baseline", "small-tree", "formula", "additive"}
    shares = np.array(results["predictions"]["answers"])
    assert np.allclose(shares.sum(axis=1), 1)


def test_a_folder_of_an_older_layout_is_recognised(classes_csv, tmp_path):
    """Results of an older version would be read wrongly, or end in a riddle."""
    _run(classes_csv, tmp_path / "s")
    path = tmp_path / "s" / "results.json"
    older = json.loads(path.read_text()) | {"schema": 1}
    del older["check"]  # which older versions did not write
    path.write_text(json.dumps(older))
    with pytest.raises(StudyError, match=r"results of layout 1, written by Tamis .* reads layout 3: start over"):
        tamis.load(tmp_path / "s")


def test_nothing_is_written_outside_the_folder(classes_csv, tmp_path, monkeypatch):
    """A study must not litter the working directory."""
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    _run(classes_csv, tmp_path / "s")
    assert list((tmp_path / "empty").iterdir()) == []
    assert sorted(p.name for p in (tmp_path / "s").iterdir()) == [
        "journal.jsonl",
        "lock.json",
        "model.json",
        "plan.json",
        "report.html",
        "results.json",
        "running.lock",
        "selected.csv",
    ]


def test_a_column_that_gives_the_target_away_is_named(tmp_path):
    """A column known only after the outcome makes every score too good, and the user must be told."""
    columns = classes_table()
    columns["bill"] = [f"{900 + i % 90 if word == 'sick' else i % 90}" for i, word in enumerate(columns["outcome"])]
    study = _run(write_table(tmp_path / "t.csv", columns), tmp_path / "s")
    told = [leak for leak in study.results_["leaks"] if leak["kind"] == "predicts"]
    assert told[0]["columns"] == ["bill"]
    assert "bill" in (tmp_path / "s" / "report.html").read_text().split('id="warnings"')[1].split("</section>")[0]


def test_progress_names_every_step_before_it_is_done(classes_csv, tmp_path):
    """A study of 15 classes took minutes, and nobody knew with what: the bar showed the last task that was finished."""
    seen = []
    quick = {"procedures": ["stump"], "folds": 2, "inner": 2, "repeats": 1, "n_jobs": 1}
    study = tamis.Study(classes_csv, target="outcome", folder=tmp_path / "s", **quick)
    study.run(null=1, progress=lambda finished, total, name: seen.append(name))
    steps = [
        "leaks",
        "procedures in folds",
        "black boxes in folds",
        "final fit and learning curve of the stump",
        "effects and interactions of columns",
        "shuffled targets",
    ]
    assert [name for name in dict.fromkeys(seen) if name in steps] == steps
    assert seen[-1] == "null 0"


def test_numbers_that_are_predicted_as_classes_are_told(tmp_path):
    """The screen called the target numeric, and the answer spoke of classes; nothing said how to predict a number."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=90), "b": rng.normal(size=90), "y": 10 * (np.arange(90) % 4)})
    options = {"target": "y", "folder": tmp_path / "s", "procedures": ["stump"], "black_box": False}
    noted = {decision.name: decision.note for decision in tamis.Study(frame, **options).decisions}
    assert noted["y"].startswith(
        "its 4 whole numbers are predicted as classes without an order; give task='regression'"
    )
    given = tamis.Study(frame, task="classification", **options).decisions
    assert "predicted as classes" not in next(decision.note for decision in given if decision.name == "y")
