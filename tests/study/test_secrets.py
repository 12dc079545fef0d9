"""Credentials of a database: in no file, in no error."""

from __future__ import annotations

import json
import sqlite3
import traceback

import pytest
from tests.study.tables import classes_table

import tamis
from tamis import Study
from tamis.cli import app
from tamis.errors import StudyError, TableError
from tamis.table.sources.sql import without_credentials

SECRET = "hunter2"


@pytest.fixture
def database(tmp_path):
    """A small database; SQLite does not mind options that it does not know."""
    columns = classes_table()
    path = tmp_path / "base.db"
    with sqlite3.connect(path) as base:
        names = ", ".join(f"[{name}]" for name in columns)
        base.execute(f"create table patients ({names})")
        base.executemany(f"insert into patients values ({', '.join('?' * len(columns))})", zip(*columns.values()))
    base.close()
    return path


@pytest.fixture
def url(database):
    return f"sqlite:///file:{database}?uri=true&password={SECRET}&api_token={SECRET}"


@pytest.fixture
def run(url, tmp_path):
    study = Study(url, query="patients", target="outcome", folder=tmp_path / "s", procedures=["stump"], repeats=1)
    return study.run()


def test_no_file_of_a_study_holds_a_credential(run, url, tmp_path):
    """If this fails, whoever gets a report or a study folder gets into the database."""
    run.open()
    tamis.load(tmp_path / "s").report(tmp_path / "again.html")
    files = [path for path in tmp_path.rglob("*") if path.is_file() and path.suffix != ".db"]
    assert len(files) > 6
    for path in files:
        assert SECRET.encode() not in path.read_bytes(), path


def test_opening_a_loaded_study_asks_for_the_address_again(run, url, tmp_path):
    """If this fails, opening tries to get into a database without its password."""
    study = tamis.load(tmp_path / "s")
    with pytest.raises(StudyError, match="are not kept; give the whole address again"):
        study.open()
    assert study.open(url)["independent"]


def test_the_command_takes_the_address_again(run, url, tmp_path):
    """If this fails, such a study cannot be opened from the command line."""
    from typer.testing import CliRunner

    refused = CliRunner().invoke(app, ["open", str(tmp_path / "s")])
    assert (refused.exit_code, "give the whole address again" in refused.stderr) == (1, True)
    opened = CliRunner().invoke(app, ["open", str(tmp_path / "s"), url, "--json"])
    assert json.loads(opened.stdout)["openings"] == 1


def test_an_address_without_secrets_is_kept_as_it_is(database, tmp_path):
    """If this fails, a study of a plain file of a database cannot be opened without naming it again."""
    url = f"sqlite:///{database}"
    Study(url, query="patients", target="outcome", folder=tmp_path / "s", procedures=["stump"], repeats=1).run()
    assert json.loads((tmp_path / "s" / "plan.json").read_text())["source"] == url
    assert tamis.load(tmp_path / "s").open()["independent"]


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://ann:hunter2@host/db", "postgresql://host/db"),
        ("postgresql://:hunter2@host:5432/db", "postgresql://host:5432/db"),
        ("postgresql://hunter2@host/db", "postgresql://host/db"),
        ("postgresql://ann:hun%74er2@host/db", "postgresql://host/db"),
        ("postgresql://ann:a/hunter2@host/db", "postgresql://host/db"),
        ("postgresql://ann:hunter2?@host/db", "postgresql://…"),
        ("postgresql://ann:x@hunter2@host/db", "postgresql://…"),
        ("postgresql://ann:x@hunter2/@host/db", "postgresql://…"),
        ("postgresql://ann:x@hunter2:x@host/db", "postgresql://…"),
        ("postgresql://host?password=x@hunter2", "postgresql://…"),
        ("postgresql://host/db?password=hunter2&sslmode=require", "postgresql://host/db?sslmode=require"),
        ("postgresql://host/db?user=ann&PASSWORD=hunter2&token=hunter2", "postgresql://host/db"),
        ("mssql+pyodbc:///?odbc_connect=DRIVER%3DX%3BUID%3Dann%3BPWD%3Dhunter2", "mssql+pyodbc://"),
        ("mssql+pyodbc://?odbc_connect=DRIVER=X;UID=ann;PWD=hunter2", "mssql+pyodbc://"),
        ("mssql+pyodbc://DSN=x;PWD=hunter2/?a=b", "mssql+pyodbc://…"),
        ("duckdb:///base?motherduck_token=hunter2", "duckdb:///base"),
        ("https://ann:hunter2@example.org/t.csv?token=hunter2", "https://example.org/t.csv"),
        ("postgresql://ann:hunter2@host:port/db", "postgresql://…"),
        ("sqlite:///a@b.db", "sqlite:///a@b.db"),
        ("sqlite:////data/base.db?mode=ro", "sqlite:////data/base.db?mode=ro"),
    ],
)
def test_nothing_of_an_address_that_may_be_a_secret_is_shown(url, shown):
    """If this fails, a password is written down in one of the forms that people use."""
    assert without_credentials(url).rstrip("/") == shown.rstrip("/")
    assert SECRET not in without_credentials(url)


@pytest.mark.parametrize(
    "url",
    [
        "nosuchbase://ann:hunter2@host/base",
        "nosuchbase://host/base?token=hunter2",
        "sqlite://:hunter2@/base.db",
        "sqlite://ann:hunter2@host/base.db",
        "postgresql://ann:x@y:hunter2@host/base",
        "postgresql://ann:pw@host:hunter2/base",
        "mssql+pyodbc:///?odbc_connect=DRIVER%3DX%3BPWD%3Dhunter2",
        "https://example.org/t.csv?sig=hunter2",
        "sqlite:///file:/nowhere/base.db?uri=true&key=hunter2",
    ],
)
def test_no_error_tells_a_credential(url):
    """If this fails, a password stands on the screen, in a log, or in a question to colleagues."""
    with pytest.raises(TableError) as found:
        tamis.read(url, query="select 1")
    assert SECRET not in "".join(traceback.format_exception(found.value))
