"""A file that Tamis did not write is not overwritten unless --overwrite says so."""

from __future__ import annotations

import shutil

import pytest
from tests.study.tables import classes_table, write_table
from typer.testing import CliRunner

import tamis
from tamis.cli import app

QUICK = {"folds": 2, "inner": 2, "repeats": 1, "procedures": ["stump"], "black_box": False, "n_jobs": 1}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    place = tmp_path_factory.mktemp("place")
    path = write_table(place / "t.csv", classes_table())
    tamis.Study(path, target="outcome", folder=place / "s", **QUICK).run()
    return place


COMMANDS = {
    "predict.csv": ["predict", "s", "new.csv"],
    "rank.csv": ["rank", "t.csv", "-t", "outcome"],
    "rank.json": ["rank", "t.csv", "-t", "outcome"],
    "model.py": ["export", "s", "--to", "python"],
    "model.sql": ["export", "s", "--to", "sql"],
    "model.html": ["export", "s", "--to", "html"],
    "model.onnx": ["export", "s", "--to", "onnx"],
    "report.html": ["report", "s"],
}


def _told(*words):
    return CliRunner().invoke(app, [str(word) for word in words])


@pytest.mark.parametrize("name", COMMANDS)
def test_own_files_are_replaced_and_others_are_not(made, tmp_path, monkeypatch, name):
    """A table, a page or a script of the user would be gone without a word."""
    if name.endswith(".onnx"):
        pytest.importorskip("onnx")
    monkeypatch.chdir(made)
    write_table(made / "new.csv", classes_table(n=20, seed=5))
    output, words = tmp_path / name, COMMANDS[name]
    output.write_text("mine\n")
    refused = _told(*words, "-o", output)
    assert refused.exit_code == 1
    assert "exists, and this command did not write it; give another file, or --overwrite" in refused.output
    assert output.read_text() == "mine\n"
    assert _told(*words, "-o", output, "--overwrite").exit_code == 0
    assert output.read_bytes() != b"mine\n"
    again = _told(*words, "-o", output)
    assert again.exit_code == 0, again.output


def test_the_table_that_is_read_is_not_overwritten(made, tmp_path):
    """`predict study in.csv -o in.csv` replaced the table by its predictions."""
    table = shutil.copy(made / "t.csv", tmp_path / "in.csv")
    before = table.read_bytes()
    for words in (["predict", made / "s", table], ["rank", table, "-t", "outcome"]):
        told = _told(*words, "-o", table)
        assert told.exit_code == 1
        assert "is the table that is read" in told.output
    assert table.read_bytes() == before


def test_the_files_of_a_study_are_not_overwritten_by_an_export(made, tmp_path):
    """`export -o study/model.json` made the study unreadable."""
    folder = shutil.copytree(made / "s", tmp_path / "s")
    told = _told("export", folder, "--to", "python", "-o", folder / "model.json")
    assert told.exit_code == 1
    assert tamis.load(folder).selected_
