"""The page's choices as the command line that anybody could type: the same study, byte for byte."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib

from tamis.app.runs.command import command_of, toml_of
from tamis.study.disk import files, journal
from tamis.table.types import types_of


def test_names_of_any_spelling_survive():
    """A column's name could become an option, or break the file of types."""
    names = ["plain", 'quo"te', "back\\slash", "new\nline", "del\x7f", "types", "kind", "é 😀", "[x]", "a.b", "--drop"]
    types = {name: {"kind": "ordinal", "levels": ["a", name]} for name in names}
    types["yes"] = {"kind": "date", "day_first": True}
    read = tomllib.loads(toml_of(types))
    assert read == types
    assert set(types_of(read)) == set(types)


def test_no_choice_becomes_another_word(tmp_path):
    """A name that begins with a dash would be read as an option."""
    command = command_of(
        tmp_path / "t.csv", tmp_path, {"target": "--fresh", "types": {}, "drop": ("-a",), "groups": "-j"}
    )
    assert command[4:] == [
        str(tmp_path / "t.csv"),
        "--target=--fresh",
        f"--folder={tmp_path}",
        "--drop=-a",
        "--groups=-j",
    ]


def test_directions_subgroups_and_exposure_are_options(tmp_path):
    """A direction, a subgroup or an exposure chosen on the page would be lost on the way."""
    settings = {"target": "y", "types": {}, "drop": (), "exposure": "years"}
    settings |= {"monotone": {"age": 1, "bmi": -1}, "subgroups": ("sex", "ward")}
    words = command_of(tmp_path / "t.csv", tmp_path, settings)[7:]
    assert words == ["--subgroups=sex,ward", "--monotone=age=+,bmi=-", "--exposure=years"]


def test_the_names_of_files_are_those_of_a_study():
    """Progress would look for files that are called otherwise."""
    from tamis.app.runs import progress

    assert (progress.RESULTS_FILE, progress.REPORT_FILE) == (files.RESULTS_FILE, files.REPORT_FILE)
    assert progress.JOURNAL_FILE == journal.JOURNAL_FILE


def test_results_are_those_of_the_command_line(finished, patients, tmp_path):
    """The page would find another answer than the command line, from the same table and settings."""
    lines = patients.read_text(encoding="utf-8").replace("unknown", "").replace("about 60", "")
    (tmp_path / "patients.csv").write_text(lines, encoding="utf-8")
    words = ["--target", "ill", "--types", "ward=categorical,age=numeric", "--folds", "2", "--repeats", "1"]
    command = [sys.executable, "-m", "tamis", "run", "patients.csv", *words, "--folder", "s", "-j", "1"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    assert (tmp_path / "s" / "results.json").read_bytes() == (finished.place / "results.json").read_bytes()
    assert (tmp_path / "s" / "model.json").read_bytes() == (finished.place / "model.json").read_bytes()
    about = json.loads((finished.place / "about.json").read_text())
    assert about["command"][1:4] == ["-m", "tamis", "run"]
