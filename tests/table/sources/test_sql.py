"""Databases are read, and never changed."""

from __future__ import annotations

import sqlite3

import pytest
from typer.testing import CliRunner

import tamis
from tamis.cli import app
from tamis.errors import TableError


@pytest.fixture
def url(tmp_path):
    with sqlite3.connect(tmp_path / "x.db") as base:
        base.execute("create table t (a real, b text)")
        base.executemany("insert into t values (?, ?)", [(i / 7, "u;v" if i % 2 else "w") for i in range(40)])
    base.close()
    return f"sqlite:///{tmp_path / 'x.db'}"


def _rows(url):
    with sqlite3.connect(url.removeprefix("sqlite:///")) as base:
        return base.execute("select count(*), sum(a) from t").fetchone()


@pytest.mark.parametrize(
    "query",
    [
        "drop table t",
        "delete from t",
        "update t set a = 0",
        "insert into t values (1, 'x') returning a",
        "select a from t; drop table t",
        "/* select */ drop table t",
        "-- select\ndelete from t",
        "pragma query_only = off",
        "with one as (select 1) delete from t",
        "with one as (select 1) insert into t select 1, 'x' returning *",
        "vacuum",
        "create table u as select * from t",
    ],
)
def test_a_query_that_changes_something_is_refused_and_changes_nothing(url, query):
    """`tamis columns --query "drop table t"` dropped it."""
    before = _rows(url)
    told = CliRunner().invoke(app, ["columns", url, "--query", query])
    assert told.exit_code == 1
    assert "error: " in told.output
    assert _rows(url) == before
    with pytest.raises(TableError):
        tamis.read(url, query=query)


@pytest.mark.parametrize(
    "query",
    [
        "t",
        "select * from t",
        " SELECT a, b FROM t ;",
        "-- all; rows\nselect * from t where b <> 'x;y'",
        "/* a */ select * from t",
        "with one as (select * from t) select * from one",
    ],
)
def test_a_query_that_reads_is_answered(url, query):
    """A comment, a semicolon at the end or in a text, a WITH are no change."""
    assert tamis.read(url, query=query).n_rows == 40


@pytest.mark.parametrize(
    "address", ["gs://bucket/a.csv", "abfs://box@account/a.csv", "s3://bucket/a.csv", "az://a.csv"]
)
def test_files_in_the_cloud_are_no_databases(address):
    """The user would be told about a missing database driver."""
    with pytest.raises(TableError, match="is a network address, which Tamis does not fetch; download the file"):
        tamis.read(address)
