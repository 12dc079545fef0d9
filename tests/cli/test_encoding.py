"""Output never fails for its encoding, and an opening is recorded only when nothing else can fail."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys

import numpy as np
import pytest

import tamis
from tamis.errors import StudyError

ENCODINGS = [
    "cp437",
    *(pytest.param(name, marks=pytest.mark.nightly) for name in ("latin-1", "cp850", "cp1252", "ascii")),
]

#: Runs commands one after the other, each as the command would be; the last line of the errors has exit codes.
SCRIPT = """
import atexit, json, sys
from tamis.cli import main
atexit.register = lambda *args: None
codes = []
for words in json.loads(sys.argv[1]):
    sys.argv = ["tamis", *words]
    try:
        main()
        codes.append(0)
    except SystemExit as end:
        codes.append(end.code or 0)
    sys.stdout.flush()
print(json.dumps(codes), file=sys.stderr)
"""


def _commands(encoding, *commands):
    """Exit codes, standard output as bytes, standard error of commands in a process of this encoding."""
    made = subprocess.run(
        [sys.executable, "-c", SCRIPT, json.dumps([[str(word) for word in words] for words in commands])],
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": encoding},
        check=False,
    )
    assert made.returncode == 0, made.stderr
    return json.loads(made.stderr.splitlines()[-1]), made.stdout, made.stderr


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """Names and levels that most screens lack."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(150, 2)).round(4)
    path = tmp_path_factory.mktemp("tables") / "t.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["größe é", "中 ≥ 3", "état"])
        writer.writerows(zip(x[:, 0], x[:, 1], np.where(x[:, 0] > 0, "guéri", "病")))
    return path


QUICK = {"folds": 2, "inner": 2, "repeats": 1, "procedures": ["stump"], "black_box": False, "n_jobs": 1}


@pytest.fixture
def folder(path, tmp_path):
    tamis.Study(path, target="état", folder=tmp_path / "s", **QUICK).run()
    return tmp_path / "s"


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_every_command_speaks_on_every_screen(path, folder, encoding):
    """`open` spent the independent opening unseen, and a name with é ended a run before its results were written."""
    codes, out, errors = _commands(
        encoding,
        ["run", "--help"],
        ["columns", path],
        ["rank", path, "-t", "état"],
        ["choose", folder],
        ["cite", folder],
        ["compare", folder, folder],
        ["open", folder],
        ["predict", folder, path],
    )
    assert codes == [0] * 8, errors
    words = out.decode(encoding, "replace")
    assert "first opening known here" in words
    assert "guéri" in out.decode("utf-8", "replace")  # data are UTF-8
    assert len((folder / "ledger.jsonl").read_text().splitlines()) == 2


def test_a_run_ends_and_prints_json_on_a_screen_of_ascii(path, tmp_path):
    """JSON has escapes of its own for what a screen lacks."""
    quick = ["--procedures", "stump", "--folds", "2", "--repeats", "1", "--no-black-box", "-j", "1"]
    run = ["run", path, "-t", "état", "-f", tmp_path / "s", *quick]
    codes, out, errors = _commands("ascii", ["columns", path], run, [*run, "--json"])
    assert codes == [0, 0, 0], errors
    told, _, found = out.decode("ascii").partition("\n{")
    assert "grosse e" in told
    assert "\\u4e2d" in told
    assert json.loads("{" + found)["data"]["target"] == "état"


@pytest.mark.parametrize("fault", ["rendering", "disk", "ledger"])
def test_what_fails_fails_before_the_opening_is_recorded(folder, monkeypatch, fault):
    """An opening that nobody could see would be spent all the same."""
    study = tamis.load(folder)
    if fault == "rendering":
        monkeypatch.setattr(sys.modules["tamis.report.page"], "page", lambda *args: {}["nothing"])
    elif fault == "disk":
        (folder / "report.html.part").mkdir()
    else:
        (folder / "ledger.jsonl").symlink_to(folder / "none" / "ledger.jsonl")
    with pytest.raises(KeyError if fault == "rendering" else StudyError):  # a fault of the page is no damaged file
        study.open()
    monkeypatch.undo()
    if fault == "disk":
        (folder / "report.html.part").rmdir()
    elif fault == "ledger":
        (folder / "ledger.jsonl").unlink()
    assert not (folder / "ledger.jsonl").exists()
    assert "Opened 0 times." in (folder / "report.html").read_text(encoding="utf-8")
    assert study.open()["independent"]


def test_the_opening_is_recorded_before_it_is_shown(folder, monkeypatch):
    """A score that was seen and not recorded would be the first one once more."""
    study = tamis.load(folder)
    monkeypatch.setattr("os.replace", lambda *paths: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(StudyError):
        study.open()
    monkeypatch.undo()
    assert len((folder / "ledger.jsonl").read_text().splitlines()) == 1
    assert not study.open()["independent"]


def test_parts_of_data_are_utf_8_on_any_screen(monkeypatch):
    """A label that lost its accent is another label."""
    from tamis.cli.encoding import data_stream

    raw = io.BytesIO()
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(raw, encoding="cp437"))
    with data_stream() as stream:
        stream.write("guéri,病\n")
    assert raw.getvalue().decode("utf-8") == "guéri,病\n"
