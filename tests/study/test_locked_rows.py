"""Locked rows leave no trace: not in kinds, levels, formats, classes, words on the screen, or anything on disk."""

from __future__ import annotations

import json

import numpy as np
import pytest
from tests.study.tables import write_table
from typer.testing import CliRunner

import tamis
from tamis.cli import app
from tamis.errors import StudyError
from tamis.table import fetch

N, FREE = 200, 160  # the latest 40 rows are locked by time, whatever they hold
QUICK = {"folds": 2, "inner": 2, "repeats": 1, "procedures": ["stump"], "time": "hour"}


def _table(target="numbers"):
    """A column of every kind, spelt so that one strange cell would change what it is."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=N)
    day = rng.integers(1, 28, N)
    columns = {
        "hour": [str(i) for i in range(N)],
        "number": [f"{v:.4f}" for v in x],
        "code": [f"{i:03d}" for i in rng.integers(0, 30, N)],
        "long": [str(10**17 + int(i)) for i in rng.integers(0, 9, N)],
        "whole": [str(i) for i in rng.integers(0, 50, N)],
        "comma": [f"{v:.2f}".replace(".", ",") for v in rng.normal(size=N)],
        "yes": rng.choice(["yes", "no"], N).tolist(),
        "truth": rng.choice(["True", "False"], N).tolist(),
        "iso": [f"2021-03-{d:02d}" for d in day],
        "day first": [f"{d:02d}/{m:02d}/2021" for d, m in zip(day, rng.integers(1, 12, N))],
        "level": rng.choice(["a", "b", "c"], N).tolist(),
        "country": rng.choice(["DE", "FR", "US", "GB"], N).tolist(),
        "dash": ["-"] * N,
        "same": ["7"] * N,
    }
    noise = 0.3 * rng.normal(size=N)
    targets = {
        "numbers": [f"{v:.4f}" for v in x + noise],
        "classes": np.where(x + noise > 0, "high", "low").tolist(),
        "words": np.where(x + noise > 0, "yes", "no").tolist(),
        "codes": [str(int(v)) for v in (x + noise > 0)],
        "dates": [f"{1 + int(abs(v) * 8):02d}/{1 + int(abs(v)):02d}/2021" for v in x + noise],
    }
    return {**columns, "y": targets[target]}


def _write(path, columns):
    """The table with its rows in another order, so that locked rows stand among the others."""
    order = np.random.default_rng(5).permutation(N)
    return write_table(path, {name: [values[i] for i in order] for name, values in columns.items()})


def _seen(path, **options):
    """All that a study may know before it fits anything."""
    problem = tamis.Study(path, target="y", folder=path.parent / "s", **{**QUICK, **options}).problem
    free = problem.table.take(~problem.lock.mask(N))
    return {
        "locked": problem.lock.rows.tolist(),
        "decisions": [(d.name, d.kind, d.used, d.reason, d.note, d.type) for d in problem.decisions],
        "levels": {column.name: column.levels for column in problem.table.columns},
        "cells": free.digest(),
        "task": (problem.task, problem.labels, problem.y.tolist(), problem.rows.tolist()),
    }


FEATURES = {
    "number": ["abc", "inf", "1,5", "2020-01-01", ""],
    "code": ["1.5", "x", "0.5"],
    "long": ["1.5", "x"],
    "whole": ["1.5", "007", "12345678901234567890", "word", "nan"],
    "comma": ["1.5", "1,234", "x"],
    "yes": ["maybe", "1", "None"],
    "truth": ["maybe", "1", "0.5"],
    "iso": ["never", "01/02/2021", "2021-03-01T10:00:00Z", "3"],
    "day first": ["01/25/2021", "never", "2021-01-01"],
    "level": ["d", "None", "1", "a long text of several words"],
    "country": ["NA", "Namibia"],
    "dash": ["3", "1.5", "word", "2021-01-01"],
    "same": ["8", "x", ""],
}


@pytest.mark.parametrize(("column", "cell"), [(name, cell) for name, cells in FEATURES.items() for cell in cells])
def test_a_locked_feature_decides_nothing(tmp_path, column, cell):
    """One strange cell in a locked row would change what a column is for all the others."""
    columns = _table()
    clean = _seen(_write(tmp_path / "a.csv", columns))
    columns[column][FREE + 7] = cell
    assert _seen(_write(tmp_path / "b.csv", columns)) == clean


@pytest.mark.parametrize("column", FEATURES)
def test_no_locked_cell_of_a_column_decides_anything(tmp_path, column):
    """Nor would all locked cells together."""
    columns = _table()
    clean = _seen(_write(tmp_path / "a.csv", columns))
    columns[column][FREE:] = [FEATURES[column][i % len(FEATURES[column])] for i in range(N - FREE)]
    assert _seen(_write(tmp_path / "b.csv", columns)) == clean


TARGETS = {
    "numbers": ["abc", "inf", "1,5", "NA", "None", "2021-01-01", ""],
    "classes": ["other", "NA", "None", "7", "", "true"],
    "words": ["maybe", "1", "true", "None"],
    "codes": ["2", "x", "0.5", "01", "NA", "inf"],
    "dates": ["12/25/2021", "never", "2021-01-01"],
}


@pytest.mark.parametrize(("kind", "cell"), [(kind, cell) for kind, cells in TARGETS.items() for cell in cells])
def test_a_locked_target_decides_nothing(tmp_path, kind, cell):
    """One strange target in a locked row would change the task, the classes or the order of day and month."""
    columns = _table(kind)
    clean = _seen(_write(tmp_path / "a.csv", columns))
    columns["y"][FREE + 7] = cell
    assert _seen(_write(tmp_path / "b.csv", columns)) == clean


@pytest.mark.parametrize("strange", [{"number": "abc", "level": "new", "y": "x"}, {"truth": 3, "iso": "never"}])
def test_a_frame_of_objects_is_read_like_a_file(tmp_path, strange):
    """A frame whose locked rows hold other objects becomes texts as a whole, and must decide the same."""
    pandas = pytest.importorskip("pandas")
    columns = {**_table(), "truth": [v == "True" for v in _table()["truth"]]}
    columns |= {name: [float(v) for v in columns[name]] for name in ("number", "whole", "y")}
    columns["iso"] = pandas.to_datetime(columns["iso"]).to_list()
    frames = [pandas.DataFrame(columns), pandas.DataFrame(columns).astype(object)]
    for name, value in strange.items():
        frames[1].loc[FREE + 3, name] = value
    settings = tamis.study.settings.Settings(target="y", time="hour")
    clean, spoilt = (tamis.study.problem.StudyProblem.of(fetch(frame), settings) for frame in frames)
    assert [d.sentence for d in clean.decisions] == [d.sentence for d in spoilt.decisions]
    assert clean.table.take(clean.rows).digest() == spoilt.table.take(spoilt.rows).digest()


def _comparable(folder):
    """All files of a finished study without the digests of all cells, and the checksum over them."""
    results = json.loads((folder / "results.json").read_text())
    del results["data"]["digest"], results["lock"]["digest"], results["lock"]["data"], results["check"]
    names = ("model.json", "selected.csv", "report.html")
    return results, [(folder / name).read_bytes() for name in names[:2]]


def _run(path, folder, **options):
    return tamis.Study(path, target="y", folder=folder, n_jobs=1, **{**QUICK, **options}).run()


@pytest.mark.parametrize("target", ["numbers", "classes"])
def test_whatever_locked_rows_hold_the_same_is_learned_and_said(tmp_path, target):
    """Results, model and selected columns, byte for byte, when every locked cell is rubbish."""
    columns = _table(target)
    _run(_write(tmp_path / "a.csv", columns), tmp_path / "one" / "s")
    for name in columns:
        if name != "hour":
            columns[name][FREE:] = [f"rubbish {i % 7}" for i in range(N - FREE)]
    _run(_write(tmp_path / "b.csv", columns), tmp_path / "two" / "s")
    assert _comparable(tmp_path / "one" / "s") == _comparable(tmp_path / "two" / "s")
    for name in ("model.json", "results.json", "journal.jsonl"):
        assert "rubbish" not in (tmp_path / "two" / "s" / name).read_text()


def test_the_screen_says_nothing_of_locked_targets(tmp_path):
    """`tamis run` and `tamis columns` would print the range of a target that nobody may know yet."""
    columns = _table()
    columns["y"] = [str(i) for i in np.random.default_rng(1).integers(0, 99, N)]
    for path in (write_table(tmp_path / "clean.csv", columns), tmp_path / "spoilt.csv"):
        if not path.exists():
            lock = tamis.Study(tmp_path / "clean.csv", target="y").problem.lock
            columns["y"] = ["987654" if i in set(lock.rows) else v for i, v in enumerate(columns["y"])]
            write_table(path, columns)
        shown = CliRunner(env={"COLUMNS": "250"}).invoke(app, ["columns", str(path), "--target", "y"])
        assert shown.exit_code == 0, shown.output
        assert "from 0 to 98" in " ".join(shown.output.split())
        assert "987" not in shown.output
    quick = ["--folds", "2", "--repeats", "1", "--procedures", "stump", "-j", "1"]
    ran = CliRunner().invoke(app, ["run", str(tmp_path / "spoilt.csv"), "-t", "y", "-f", str(tmp_path / "s"), *quick])
    assert ran.exit_code == 0, ran.output
    assert "987" not in ran.output


def test_strange_locked_values_are_said_at_opening(tmp_path):
    """What the model could not use must be known to whoever reads its locked score."""
    columns = _table()
    columns["number"][FREE + 1], columns["level"][FREE + 2], columns["yes"][FREE + 3] = "abc", "new", "maybe"
    columns["y"][FREE + 4], columns["y"][FREE + 5], columns["y"][FREE + 6] = "text", "inf", ""
    study = _run(write_table(tmp_path / "t.csv", columns), tmp_path / "s")
    opened = study.open()
    assert opened["rows"] == N - FREE - 3
    assert "3 locked row(s) have no target, 2 of them a value that does not fit the others" in opened["note"]
    assert "3 value(s) of the locked rows fit no kind or level" in opened["note"]
    assert "level, number, yes" in opened["note"]
    locked = study.problem.locked()
    assert (locked.without_target, locked.misfits, locked.never_seen) == (3, 2, 0)


def test_classes_never_seen_are_told_from_missing_targets(tmp_path):
    """A class that could not be learned is a wrong answer; a missing target is none."""
    columns = _table("classes")
    columns["y"][FREE : FREE + 5] = ["odd", "", "strange", "odd", "NA"]
    study = _run(write_table(tmp_path / "t.csv", columns), tmp_path / "s")
    locked = study.problem.locked()
    assert locked.y[:3].tolist() == [-1, -1, -1]
    assert (locked.never_seen, locked.without_target, len(locked.y)) == (3, 2, N - FREE - 2)
    assert len(locked.table) == len(locked.y)
    note = study.open()["note"]
    assert "2 locked row(s) have no target and were not scored" in note
    assert "3 locked row(s) have a class that was not learned and count as wrong answers" in note


def test_locked_targets_that_are_all_strange_get_a_sentence(tmp_path):
    """Nothing to score is said with its reason, not as a failed conversion."""
    columns = _table()
    columns["y"][FREE:] = ["unknown"] * (N - FREE)
    study = _run(write_table(tmp_path / "t.csv", columns), tmp_path / "s")
    with pytest.raises(StudyError, match=r"none of the locked rows has a usable target: 40 locked row\(s\)"):
        study.open()


def test_an_infinite_value_is_named_by_its_row_in_the_file(tmp_path):
    """Rows of the unlocked part are counted otherwise than rows of the file."""
    columns = {name: values for name, values in _table().items() if name != "hour"}
    path = write_table(tmp_path / "t.csv", columns)
    free = tamis.Study(path, target="y").problem.rows
    columns["number"][free[100]] = "inf"
    spoilt = write_table(tmp_path / "u.csv", columns)
    study = tamis.Study(spoilt, target="y", types={"number": "numeric"})
    if free[100] in set(tamis.lock.Lock.of(fetch(spoilt), target="y").rows):
        pytest.skip("the changed row is locked now")
    with pytest.raises(ValueError, match=rf"'number' holds an infinite value \(inf\) in row {free[100] + 1};"):
        _ = study.problem


@pytest.mark.parametrize("change", ["a feature", "an unlocked feature", "a locked target"])
def test_another_table_is_not_opened(tmp_path, change):
    """A table that was changed since would give a score of rows that nobody locked."""
    columns = _table()
    path = write_table(tmp_path / "t.csv", columns)
    study = _run(path, tmp_path / "s")
    if change == "a locked target":
        columns["y"][FREE + 1] = "77.0"
    else:
        columns["number"][FREE + 1 if change == "a feature" else 3] = "77.0"
    write_table(path, columns)
    words = "the targets of its locked rows differ" if change == "a locked target" else "its features differ"
    with pytest.raises(StudyError, match=words):
        tamis.load(tmp_path / "s").open()
    with pytest.raises(StudyError, match=words):
        study.open(path)
    assert not (tmp_path / "s" / "ledger.jsonl").exists()
    columns = _table()
    order = np.random.default_rng(3).permutation(N)
    write_table(path, {name: [values[i] for i in order] for name, values in columns.items()})
    assert tamis.load(tmp_path / "s").open()["independent"]


def test_the_report_quotes_only_openings_of_its_own_lock(tmp_path):
    """After a fresh start with another seed, the old score would be quoted as the new one's."""
    path = write_table(tmp_path / "t.csv", _table())
    options = {"time": None}
    _run(path, tmp_path / "s", **options).open()
    other = _run_fresh(path, tmp_path / "s", seed=1)
    page = (tmp_path / "s" / "report.html").read_text()
    assert "Opened 0 times." in page
    opened = other.open()
    assert (opened["openings"], opened["independent"]) == (1, False)
    assert "other locked rows of this table were looked at once before" in opened["note"]


def _run_fresh(path, folder, **options):
    quick = {**QUICK, "time": None, **options}
    return tamis.Study(path, target="y", folder=folder, n_jobs=1, **quick).run(fresh=True)


def test_a_torn_line_of_the_ledger_counts_and_bricks_nothing(tmp_path):
    """A kill while the ledger was written must neither hide an opening nor end the study."""
    path = write_table(tmp_path / "t.csv", _table())
    _run(path, tmp_path / "s")
    (tmp_path / "s" / "ledger.jsonl").write_bytes(b'{"kind": "opened", "sco')
    opened = tamis.load(tmp_path / "s").open()
    assert (opened["openings"], opened["independent"]) == (2, False)
    again = tamis.load(tmp_path / "s").open()
    assert again["openings"] == 3
    assert "Opened 3 times." in (tmp_path / "s" / "report.html").read_text()


def test_predicting_the_own_table_is_a_look_that_is_counted(tmp_path):
    """The locked score, uncounted: every row is answered, but it is said and written down."""
    columns = _table("classes")
    path = write_table(tmp_path / "t.csv", columns)
    study = _run(path, tmp_path / "s")
    new = write_table(tmp_path / "new.csv", {name: values[:FREE] for name, values in columns.items()})
    assert len(study.predict(new)) == FREE
    assert study.note_ == ""
    assert not (tmp_path / "s" / "ledger.jsonl").exists()
    told = CliRunner().invoke(app, ["predict", str(tmp_path / "s"), str(path)])
    assert len(told.stdout.splitlines()) == N + 1
    assert "the table holds 40 of the locked rows" in told.stderr
    assert "counts this as a look" in told.stderr
    opened = tamis.load(tmp_path / "s").open()
    assert (opened["openings"], opened["independent"]) == (1, False)
    page = (tmp_path / "s" / "report.html").read_text()
    assert "predicted" in page
    assert "Opened once." in page


def test_locked_rows_are_not_predicted_where_that_cannot_be_recorded(tmp_path):
    """Who has the predictions and the targets knows the score; the next opening called itself the first."""
    columns = _table("classes")
    path = write_table(tmp_path / "t.csv", columns)
    study = _run(path, tmp_path / "s")
    (tmp_path / "s" / "ledger.jsonl").symlink_to(tmp_path / "no folder" / "ledger.jsonl")
    told = CliRunner().invoke(app, ["predict", str(tmp_path / "s"), str(path)])
    assert (told.exit_code, told.stdout) == (1, "")
    assert "the table holds 40 of the locked rows" in told.stderr
    assert "cannot be recorded" in told.stderr
    (tmp_path / "parts").mkdir()
    write_table(tmp_path / "parts" / "t.csv", columns)
    parts = CliRunner().invoke(app, ["predict", str(tmp_path / "s"), str(tmp_path / "parts")])
    assert (parts.exit_code, parts.stdout) == (1, "")
    new = write_table(tmp_path / "new.csv", {name: values[:FREE] for name, values in columns.items()})
    assert len(study.predict(new)) == FREE
    write_table(tmp_path / "parts" / "t.csv", {name: values[:FREE] for name, values in columns.items()})
    parts = CliRunner().invoke(app, ["predict", str(tmp_path / "s"), str(tmp_path / "parts")])
    assert len(parts.stdout.splitlines()) == FREE + 1
    (tmp_path / "s" / "ledger.jsonl").unlink()
    assert study.open()["independent"]


def test_locked_rows_are_known_in_a_table_without_a_column_that_was_left_out(tmp_path):
    """The lock is drawn from all columns; a table to predict need not have those that were left out."""
    columns = _table("classes")
    study = _run(write_table(tmp_path / "t.csv", columns), tmp_path / "s", drop=["level"])
    bare = write_table(tmp_path / "u.csv", {name: values for name, values in columns.items() if name != "level"})
    study.predict(bare)
    assert "of the locked rows" in study.note_


def test_a_table_that_shares_rows_by_chance_is_none_of_a_look(tmp_path):
    """Few categories come again in every table; a new one must not be taken for the old."""
    rng = np.random.default_rng(0)

    def draw(n):
        one, two = rng.choice(["a", "b", "c", "d"], n), rng.choice(["x", "y", "z"], n)
        y = np.where((one == "a") ^ (rng.random(n) < 0.2), "in", "out")
        return {"one": one.tolist(), "two": two.tolist(), "y": y.tolist()}

    columns = draw(241)
    quick = {**QUICK, "time": None}
    study = tamis.Study(
        write_table(tmp_path / "t.csv", columns), target="y", folder=tmp_path / "s", **quick, n_jobs=1
    ).run()
    study.predict(write_table(tmp_path / "new.csv", draw(241)))
    assert study.note_ == ""
    study.predict(tmp_path / "t.csv")
    assert "of the locked rows" in study.note_


def test_studies_of_one_table_in_one_place_are_counted(tmp_path):
    """A new seed or folder for each attempt cannot be prevented, but it can be seen."""
    path = write_table(tmp_path / "t.csv", _table())
    other = write_table(tmp_path / "u.csv", {**_table(), "same": ["8"] * N})
    for number, seed in enumerate([0, 1, 2], start=1):
        folder = tmp_path / "place" / f"seed {seed}"
        _run(path, folder, seed=seed)
        assert json.loads((folder / "plan.json").read_text())["studies_here"] == number
    _run(other, tmp_path / "place" / "other table")
    page = (tmp_path / "place" / "seed 2" / "report.html").read_text()
    assert "This is the 3rd study of this table in this place." in page
    assert "in this place" not in (tmp_path / "place" / "seed 0" / "report.html").read_text()
    assert "in this place" not in (tmp_path / "place" / "other table" / "report.html").read_text()
    _run(path, tmp_path / "place" / "seed 0", seed=0)  # resumed: the same study
    assert json.loads((tmp_path / "place" / "seed 0" / "plan.json").read_text())["studies_here"] == 1
    again = tamis.Study(path, target="y", folder=tmp_path / "place" / "seed 0", n_jobs=1, **{**QUICK, "seed": 9})
    again.run(fresh=True)
    assert "This is the 4th study" in (tmp_path / "place" / "seed 0" / "report.html").read_text()
    same = [(tmp_path / "place" / "seed 1" / name).read_bytes() for name in ("results.json", "lock.json")]
    _run(path, tmp_path / "elsewhere" / "s", seed=1)
    assert [(tmp_path / "elsewhere" / "s" / name).read_bytes() for name in ("results.json", "lock.json")] == same
