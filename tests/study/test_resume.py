"""Killed runs: whatever moment they die at, they go on to the same answer and repeat nothing."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from tests.study.tables import classes_table, write_table

import tamis
from tamis.errors import StudyError

QUICK = {"folds": 3, "inner": 2, "repeats": 1, "procedures": ["stump", "tree"]}
COMMAND = [sys.executable, "-m", "tamis", "run"]


def _study(path, folder, **options):
    return tamis.Study(path, target="outcome", folder=folder, **{**QUICK, **options})


@pytest.fixture
def finished(classes_csv, tmp_path):
    _study(classes_csv, tmp_path / "whole").run()
    return tmp_path / "whole"


def test_a_journal_cut_anywhere_resumes_to_the_same_bytes(classes_csv, finished, tmp_path):
    """Every prefix of the journal is a moment a kill can happen at."""
    text = (finished / "journal.jsonl").read_bytes()
    cuts = np.random.default_rng(0).integers(0, len(text), size=6)
    for number, cut in enumerate([0, *cuts.tolist(), len(text)]):
        folder = tmp_path / f"cut {number}"
        folder.mkdir()
        (folder / "journal.jsonl").write_bytes(text[:cut])
        _study(classes_csv, folder).run()
        for name in ("results.json", "model.json", "selected.csv"):
            assert (folder / name).read_bytes() == (finished / name).read_bytes()


def test_kill_at_random_moments_and_resume(classes_csv, finished, tmp_path):
    """kill -9 leaves no time to tidy up; the next run must cope with whatever it left."""
    folder = tmp_path / "killed"
    options = ["--folds", "3", "--repeats", "1", "--procedures", "stump,tree"]
    command = [*COMMAND, str(classes_csv), "--target", "outcome", "--folder", str(folder), *options]
    rng = np.random.default_rng(1)
    journal = folder / "journal.jsonl"
    for _ in range(3):
        before = journal.stat().st_size if journal.exists() else 0
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 120
        while process.poll() is None and time.monotonic() < deadline:
            if journal.exists() and journal.stat().st_size > before:  # some work was done: now it may die
                time.sleep(float(rng.uniform(0, 0.3)))
                break
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.wait()
    subprocess.run(command, check=True, capture_output=True)
    _study(classes_csv, tmp_path / "straight", inner=None).run()
    assert (folder / "results.json").read_bytes() == (tmp_path / "straight" / "results.json").read_bytes()


def test_finished_work_is_never_repeated(classes_csv, finished, monkeypatch):
    """Resuming a finished study must fit nothing at all."""

    def refuse(*args, **kwargs):
        raise AssertionError("a finished task was computed again")

    monkeypatch.setattr("tamis.evaluate.cross_validate.train", refuse)
    monkeypatch.setattr("tamis.study.fold.train", refuse)
    before = (finished / "results.json").read_bytes()
    _study(classes_csv, finished).run()
    assert (finished / "results.json").read_bytes() == before


def test_another_table_is_refused(finished, tmp_path):
    """Mixing the results of two tables would be nonsense."""
    other = write_table(tmp_path / "other.csv", classes_table(seed=9))
    with pytest.raises(StudyError, match=r"belongs to another table .*fresh=True"):
        _study(other, finished).run()


def test_other_settings_are_refused_and_named(classes_csv, finished):
    """The sentence must say which setting changed."""
    with pytest.raises(StudyError, match=r"other settings \(folds was 3, now 4\)"):
        _study(classes_csv, finished, folds=4).run()


def test_another_version_is_refused(classes_csv, finished, monkeypatch):
    """Another version may compute another number for the same task."""
    monkeypatch.setattr(tamis, "__version__", "99")
    with pytest.raises(StudyError, match="another version of Tamis"):
        _study(classes_csv, finished).run()


def test_fresh_starts_over_but_keeps_the_ledger(classes_csv, finished):
    """What has been seen cannot be unseen: starting over does not make the locked rows independent again."""
    tamis.load(finished).open()
    study = _study(classes_csv, finished, folds=4).run(fresh=True)
    assert study.results_["settings"]["folds"] == 4
    assert study.open()["independent"] is False


def test_two_runs_do_not_share_a_folder(classes_csv, finished):
    """Two processes appending to one journal would ruin it; the second must not even clear the folder."""
    from tamis.study.disk.files import hold

    before = {path.name: path.read_bytes() for path in finished.iterdir()}
    with hold(finished):
        for work in (
            lambda: _study(classes_csv, finished).run(),
            lambda: _study(classes_csv, finished, folds=4).run(fresh=True),
            lambda: tamis.load(finished).open(),
        ):
            with pytest.raises(StudyError, match=r"another run is working in .*; wait for it"):
                work()
    assert {path.name: path.read_bytes() for path in finished.iterdir()} == before


def test_fresh_keeps_the_file_that_is_held(classes_csv, finished):
    """A hold on a file that is deleted keeps nobody out: the next one would hold another file of that name."""
    inode = (finished / "running.lock").stat().st_ino
    _study(classes_csv, finished, folds=4).run(fresh=True)
    assert (finished / "running.lock").stat().st_ino == inode


def test_a_study_that_was_replaced_is_not_opened(classes_csv, finished):
    """The lock and plan of one study and the model of another would score training rows as independent."""
    old = tamis.load(finished)
    _study(classes_csv, finished, seed=1).run(fresh=True)
    with pytest.raises(StudyError, match="holds another study by now"):
        old.open()
    assert not (finished / "ledger.jsonl").exists()


def test_a_damaged_line_is_named(classes_csv, finished):
    """Silently skipping a damaged line could hide a disk that is failing."""
    path = finished / "journal.jsonl"
    lines = path.read_text().splitlines()
    lines[2] = lines[2][:20]
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(StudyError, match=r"line 3 .* damaged"):
        _study(classes_csv, finished).run()


def test_ctrl_c_leaves_a_labelled_partial_report(classes_csv, tmp_path):
    """Hours of work must not vanish because somebody pressed Ctrl-C."""
    folder = tmp_path / "stopped"
    done = []

    def interrupt(finished, total, name):
        done.append(name)
        if finished == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        _study(classes_csv, folder).run(progress=interrupt)
    page = (folder / "report.html").read_text()
    assert "PARTIAL" in page
    assert not (folder / "results.json").exists()
    _study(classes_csv, folder).run()
    assert "PARTIAL" not in (folder / "report.html").read_text()


def test_every_line_of_the_journal_says_what_it_is(finished):
    """A journal without seeds and digests cannot be checked afterwards."""
    first, *rest = [json.loads(line) for line in (finished / "journal.jsonl").read_text().splitlines()]
    assert set(first["study"]) == {"data", "settings", "version"}
    assert all(set(line) == {"task", "seed", "result", "check"} for line in rest)


def test_a_budget_gives_a_partial_answer_and_the_next_run_goes_on(classes_csv, tmp_path, monkeypatch):
    """If this fails, who has one minute gets nothing, or a partial answer passes for a whole one."""
    ticks = iter(range(10_000))
    for name in ("study", "running"):  # a tick for the start and for each task
        monkeypatch.setattr(f"tamis.study.{name}.monotonic", lambda: next(ticks))
    given = {"procedures": ["stump", "lasso"], "repeats": 2}
    partial = _study(classes_csv, tmp_path / "s", **given).run(budget=3 * 3)
    assert partial.results_["partial"]
    assert partial.results_["answer"]["finished"] == {"folds": 3, "of": 6}
    assert partial.answer_.startswith("Partial, from 3 of 6 folds: ")
    assert "Partial, from 3 of 6 folds" in (tmp_path / "s" / "report.html").read_text()
    nothing = _study(classes_csv, tmp_path / "n", **given).run(budget=0)
    assert nothing.results_ == {}
    assert "PARTIAL" in (tmp_path / "n" / "report.html").read_text()
    for folder in ("s", "n", "straight"):
        whole = _study(classes_csv, tmp_path / folder, **given).run()
        assert not whole.results_["partial"]
    results = [(tmp_path / folder / "results.json").read_bytes() for folder in ("s", "n", "straight")]
    assert results[0] == results[1] == results[2]


EDITED = """
import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression


class Mine(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        self.model_ = LogisticRegression().fit(np.asarray(X[["a"]]), y)
        self.classes_ = self.model_.classes_
        return self

    def predict(self, X):
        return self.model_.predict(np.asarray(X[["a"]]))

    def predict_proba(self, X):
        return self.model_.predict_proba(np.asarray(X[["a"]]))


M = Mine()
"""


def test_an_edited_procedure_is_another_study(tmp_path, monkeypatch):
    """The old answer would be given for the new code, without a word."""
    from typer.testing import CliRunner

    from tamis.cli import app

    rng = np.random.default_rng(0)
    a, f = rng.normal(size=(2, 60))
    rows = [f"{x},{z},{'p' if x + rng.normal() / 2 > 0 else 'q'}" for x, z in zip(a, f)]
    (tmp_path / "t.csv").write_text("\n".join(["a,f,y", *rows]))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # a file edited within the second is read from there
    quick = ["--no-black-box", "--folds", "3", "--repeats", "1"]
    command = ["run", "t.csv", "-t", "y", "-f", "kept", "--procedures", "ed.py:M", *quick]
    for script in (EDITED, "# only moved down\n" + EDITED):
        (tmp_path / "ed.py").write_text(script)
        assert CliRunner().invoke(app, command).exit_code == 0
    (tmp_path / "ed.py").write_text(EDITED.replace('"a"', '"f"'))
    refused = CliRunner().invoke(app, command)
    assert refused.exit_code != 0
    assert "belongs to other settings" in f"{refused.output} {refused.exception}"


def test_a_closure_inside_a_pipeline_is_part_of_it(classes_csv, tmp_path):
    """A transformer that takes another column than before is another procedure; the same one resumes."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer

    def taking(place):
        first = FunctionTransformer(lambda X: np.nan_to_num(X.select_dtypes("number").to_numpy())[:, place : place + 1])
        return {"mine": make_pipeline(first, LogisticRegression())}

    _study(classes_csv, tmp_path / "s", procedures=taking(0), black_box=False).run()
    _study(classes_csv, tmp_path / "s", procedures=taking(0), black_box=False).run()
    with pytest.raises(StudyError, match=r"other settings \(the code or state behind procedures was changed: <lambda>"):
        _study(classes_csv, tmp_path / "s", procedures=taking(1), black_box=False).run()
    with pytest.raises(StudyError, match="compared other procedures"):
        tamis.load(tmp_path / "s", procedures=taking(1))


def test_another_version_of_a_package_is_refused(classes_csv, tmp_path, monkeypatch):
    """A newer scikit-learn may fit another model of the same name."""
    import sklearn
    from sklearn.dummy import DummyClassifier

    given = {"procedures": {"mine": DummyClassifier()}, "black_box": False}
    _study(classes_csv, tmp_path / "s", **given).run()
    monkeypatch.setattr(sklearn, "__version__", "99")
    with pytest.raises(StudyError, match=r"other settings \(packages was .*sklearn.*99"):
        _study(classes_csv, tmp_path / "s", **given).run()
