"""Reading the answer of a query to any database that SQLAlchemy reaches (the `[sql]` extra)."""

from __future__ import annotations

import re
from typing import Any

import pyarrow as pa

from tamis.check import nearest
from tamis.errors import TableError
from tamis.table.arrow import array_of
from tamis.table.dialect import refuse_duplicates

_URL = re.compile(r"^[A-Za-z][A-Za-z0-9+_.-]*://")
_PASSWORD = re.compile(r"(//[^:/@]*):[^@]*@")
_BATCH = 10_000


def is_url(source: Any) -> bool:
    """True for a text like sqlite:///file.db."""
    return isinstance(source, str) and _URL.match(source) is not None


def read_sql(url: str, query: str | None) -> pa.Table:
    """The rows that a query (or a table's name) gives, in batches."""
    shown = _PASSWORD.sub(r"\1:…@", url)
    if url.lower().startswith(("http://", "https://", "ftp://", "s3://")):
        raise TableError(
            f"{shown!r} is a network address, which Tamis does not fetch; download the file and give its path"
        )
    try:
        import sqlalchemy
    except ImportError as error:
        raise TableError(f"{shown!r} is a database; install tamis[sql] to read it") from error
    try:
        engine = sqlalchemy.create_engine(url)
    except (sqlalchemy.exc.ArgumentError, sqlalchemy.exc.NoSuchModuleError, ImportError) as error:
        raise TableError(f"the database address {shown!r} cannot be used: {_said(error)}") from error
    _refuse_absent(engine, shown)
    try:
        with engine.connect() as connection:
            return _rows(sqlalchemy, connection, _statement(sqlalchemy, connection, query, shown), shown)
    except sqlalchemy.exc.SQLAlchemyError as error:
        asked = f"query={query!r} on {shown!r}" if query else repr(shown)
        raise TableError(f"{asked} failed: {_said(error)}") from error
    finally:
        engine.dispose()


def _statement(sqlalchemy: Any, connection: Any, query: str | None, shown: str) -> Any:
    tables = sqlalchemy.inspect(connection).get_table_names() if query is None or " " not in query.strip() else []
    if query is None:
        listed = ", ".join(tables) or "none"
        raise TableError(f"{shown!r} is a database; give query= with a SELECT or a table's name (tables: {listed})")
    if query.strip() in tables:
        return sqlalchemy.select(sqlalchemy.text("*")).select_from(sqlalchemy.table(query.strip()))
    if tables and re.fullmatch(r"\w+", query.strip()):
        raise TableError(f"{shown!r} has no table {query!r}{nearest(query, tables)}; tables: {', '.join(tables)}")
    return sqlalchemy.text(query)


def _rows(sqlalchemy: Any, connection: Any, statement: Any, shown: str) -> pa.Table:
    answer = connection.execution_options(stream_results=True).execute(statement)
    if not answer.returns_rows:
        connection.rollback()
        raise TableError(f"the query to {shown!r} gives no rows; give a SELECT")
    names = list(map(str, answer.keys()))
    refuse_duplicates(names)
    columns: list[list[Any]] = [[] for _ in names]
    while batch := answer.fetchmany(_BATCH):
        for column, values in zip(columns, zip(*batch)):
            column.extend(values)
    return pa.table({name: array_of(values) for name, values in zip(names, columns)})


def _refuse_absent(engine: Any, shown: str) -> None:
    """SQLite makes an empty database of a path that does not exist; say so instead."""
    from pathlib import Path

    path = engine.url.database
    if engine.url.get_backend_name() == "sqlite" and path and path != ":memory:" and not Path(path).exists():
        raise TableError(f"there is no database file {path!r} ({shown}); check the path")


def _said(error: BaseException) -> str:
    cause = getattr(error, "orig", None) or error
    return (str(cause).strip().splitlines() or [type(cause).__name__])[0].rstrip(".")
