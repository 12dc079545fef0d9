"""Errors in the words of where the user is: options on the command line, parameters in Python."""

from __future__ import annotations

import errno
import os

import pytest
from tests.study.tables import classes_table, numbers_table, write_table
from typer.testing import CliRunner

import tamis
from tamis import Study
from tamis.cli import app
from tamis.cli.errors import as_options

QUICK = ["--procedures", "stump", "--repeats", "1"]


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A finished study of classes and one of numbers, whose target is called like a formula."""
    place = tmp_path_factory.mktemp("advice")
    write_table(place / "t.csv", classes_table())
    columns = numbers_table()
    write_table(place / "n.csv", {("=1+1" if name == "y" else name): values for name, values in columns.items()})
    for table, target, folder in (("t.csv", "outcome", "s"), ("n.csv", "=1+1", "n")):
        Study(place / table, target=target, folder=place / folder, procedures=["stump"], repeats=1).run()
    return place


def said(*words) -> str:
    result = CliRunner().invoke(app, [str(word) for word in words])
    assert result.exit_code == 1, result.output
    return result.stderr.strip()


def test_another_seed_is_called_another_seed(place):
    """If this fails, a changed seed is said to be another table."""
    words = said("run", place / "t.csv", "--target", "outcome", "--folder", place / "s", "--seed", 1, *QUICK)
    assert "other settings (seed was 0, now 1); give another folder, or start over with --fresh" in words
    with pytest.raises(ValueError, match=r"seed was 0, now 1.*start over with run\(fresh=True\)"):
        Study(place / "t.csv", target="outcome", folder=place / "s", seed=1, procedures=["stump"], repeats=1).run()


def test_no_threads_are_refused_before_anything_is_read(place):
    """If this fails, joblib's words come after minutes of reading."""
    words = said("run", place / "absent.csv", "--target", "outcome", "-j", 0)
    assert words == "tamis: error: --jobs 0 is no number of threads; give 1 or more, or -1 for every core"
    with pytest.raises(ValueError, match="n_jobs=0 is no number of threads"):
        Study(place / "t.csv", target="outcome", n_jobs=0).run()


@pytest.mark.parametrize("name", ["groups", "time"])
def test_the_target_is_not_its_own_group(place, name):
    """If this fails, all rows of a class stay together and no fold can be learned from, in whatever words."""
    words = said("run", place / "t.csv", "--target", "outcome", f"--{name}", "outcome", "--folder", place / "g")
    assert words == f"tamis: error: --{name} outcome is the target itself; give another column, or none"
    with pytest.raises(ValueError, match=f"{name}='outcome' is the target itself"):
        Study(place / "t.csv", target="outcome", **{name: "outcome"}).run()


def test_the_target_is_not_dropped(place):
    """If this fails, leaving out the target is an error about something else."""
    assert "drop holds the target 'outcome'" in said(
        "run", place / "t.csv", "--target", "outcome", "--drop", "outcome", "--folder", place / "g"
    )


def test_an_unclosed_quote_is_called_that(tmp_path):
    """If this fails, the line where a file ends is blamed for a quote far above it."""
    path = tmp_path / "t.csv"
    path.write_text('a,b,y\n1,2,x\n2,"3,y\n3,4,x\n4,5,y\n')
    with pytest.raises(ValueError, match=r"a quote opened in line 3 of .* is never closed; close it"):
        tamis.read(path)


def test_no_advice_is_given_that_cannot_be_followed(tmp_path):
    """If this fails, the command line tells users of a parameter for which it has no option."""
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,2\n1,2,3\n")
    assert "delimiter=" not in said("columns", path)
    with pytest.raises(ValueError, match="or give delimiter="):
        tamis.read(path)


def test_parameters_that_are_no_options_are_not_named(tmp_path):
    """missing= and encoding= are for Python: on the command line they cannot be given."""
    path = tmp_path / "t.csv"
    rows = [
        f"{i},{-999 if i % 9 == 0 else 90 + i % 40},{'x' if i == 5 else f'2021-03-{i % 27 + 1:02d}'}"
        for i in range(200)
    ]
    path.write_text("a,b,day\n" + "\n".join(rows) + "\n")
    words = CliRunner().invoke(app, ["columns", str(path)]).output
    assert "leave it empty" in words
    assert "missing=" not in words
    assert "missing=" not in said("columns", path, "--types", "day=date")
    path.write_bytes(b"a,b\n" + b"1,\xc3\x28\n" * 3 + b"1,caf\xe9 \x81\n")
    assert "encoding=" not in CliRunner().invoke(app, ["columns", str(path)]).output
    assert as_options("it is not utf-8 text; give its encoding=, for example encoding='latin-1'").endswith(
        "save it as UTF-8"
    )


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a full disk")
def test_a_full_disk_names_the_file(place):
    """If this fails, a user reads of a full device and does not learn which."""
    words = said("predict", place / "s", place / "t.csv", "-o", "/dev/full")
    assert words.startswith("tamis: error: '/dev/full' cannot be written (No space left on device)")


@pytest.mark.parametrize("name", ["journal.jsonl", "report.html"])
def test_a_full_disk_names_the_file_of_a_study(place, tmp_path, monkeypatch, name):
    """If this fails, a study ends in errno 28."""

    def full(_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    study = Study(place / "t.csv", target="outcome", folder=tmp_path / "s", procedures=["stump"], repeats=1)
    if name == "report.html":
        study.run()
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ValueError, match=rf"{name}' cannot be written \(No space left on device\)"):
        study.run() if name == "journal.jsonl" else study.open()
    assert not (tmp_path / "s" / "ledger.jsonl").exists()  # an opening that cannot be shown is not recorded


def test_the_header_of_predicted_numbers_is_no_formula(place):
    """If this fails, a target called =cmd|… runs when predictions are opened in a spreadsheet."""
    result = CliRunner().invoke(app, ["predict", str(place / "n"), str(place / "n.csv")])
    assert result.stdout.splitlines()[0] == "row,'=1+1,note,low,high,unlike"


@pytest.mark.parametrize(
    ("python", "command"),
    [
        ("folds=1 is too small; give 2", "--folds 1 is too small; give 2"),
        ("groups='a b' and time='c' were both given", "--groups 'a b' and --time c were both given"),
        ("query= is for a database", "--query is for a database"),
        ("types: time=ordinal needs its levels", "types: time=ordinal needs its levels"),
        ("there is no file 'seed=3.csv'", "there is no file 'seed=3.csv'"),
        ("finish the study with run() first", "finish the study with `tamis run` first"),
    ],
)
def test_parameters_become_options(python, command):
    """If this fails, the command line speaks of parameters, or changes what is no parameter."""
    assert as_options(python) == command
