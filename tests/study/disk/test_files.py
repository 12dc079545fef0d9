"""The files of a study folder: what cannot be written is said in one sentence."""

from __future__ import annotations

import shutil

import pytest
from tests.study.tables import classes_table, write_table
from typer.testing import CliRunner

import tamis
from tamis.cli import app
from tamis.errors import StudyError

QUICK = {"folds": 2, "inner": 2, "repeats": 1, "procedures": ["stump"], "black_box": False, "n_jobs": 1}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    place = tmp_path_factory.mktemp("place")
    path = write_table(place / "t.csv", classes_table())
    tamis.Study(path, target="outcome", folder=place / "s", **QUICK).run()
    return place


@pytest.mark.parametrize("words", [["open"], ["choose", "--procedure", "baseline"]])
def test_a_folder_that_cannot_be_held_is_said(made, tmp_path, words):
    """A read-only folder was answered by the system's own words, with its error number."""
    folder = shutil.copytree(made / "s", tmp_path / "s")
    (folder / "running.lock").unlink()
    (folder / "running.lock").symlink_to(tmp_path / "none" / "lock")
    told = CliRunner().invoke(app, [words[0], str(folder), *words[1:]])
    assert told.exit_code == 1
    assert "running.lock' cannot be written (No such file or directory); allow writing there" in told.output
    assert "Errno" not in told.output


def test_a_folder_that_cannot_be_made_is_said(made, tmp_path):
    """A place below a file, or on a read-only disk, holds no folder."""
    (tmp_path / "file").write_text("mine")
    told = CliRunner().invoke(app, ["run", str(made / "t.csv"), "-t", "outcome", "-f", str(tmp_path / "file" / "s")])
    assert told.exit_code == 1
    assert "cannot be written (Not a directory); allow writing there" in told.output


@pytest.mark.parametrize(
    "name", ["results.json", "report.html", "model.json", "plan.json", "lock.json", "journal.jsonl"]
)
@pytest.mark.parametrize("fresh", [False, True])
def test_files_of_the_user_are_not_overwritten_by_a_run(made, tmp_path, name, fresh):
    """`run -f .` replaced results.json of another program, and --fresh deleted it."""
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / name).write_text('{"mine": 1}\n')
    study = tamis.Study(made / "t.csv", target="outcome", folder=tmp_path / "own", **QUICK)
    with pytest.raises(StudyError, match=f"holds '{name}', which no study wrote"):
        study.run(fresh=fresh)
    assert [file.name for file in (tmp_path / "own").iterdir()] == [name]
    assert (tmp_path / "own" / name).read_text() == '{"mine": 1}\n'


def test_a_damaged_or_torn_study_is_still_one(made, tmp_path):
    """The way out of damage is a fresh start: it must not be barred."""
    folder = shutil.copytree(made / "s", tmp_path / "s")
    (folder / "journal.jsonl").write_bytes(b"\x00" * 100)
    tamis.Study(made / "t.csv", target="outcome", folder=folder, **QUICK).run(fresh=True)
    for file in folder.iterdir():
        file.unlink()
    (folder / "journal.jsonl").write_bytes(b'{"stu')
    tamis.Study(made / "t.csv", target="outcome", folder=folder, **QUICK).run()
