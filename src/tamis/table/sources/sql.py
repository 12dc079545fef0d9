"""Reading the answer of a query to any database that SQLAlchemy reaches (the `[sql]` extra)."""

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote, unquote_plus

import pyarrow as pa

from tamis.check import nearest
from tamis.errors import TableError
from tamis.table.sources.arrow import array_of
from tamis.table.sources.dialect import refuse_duplicates

_URL = re.compile(r"^[A-Za-z][A-Za-z0-9+_.-]*://")
_HOST = re.compile(r"[A-Za-z0-9_.:-]*")
_BATCH = 10_000

#: What may follow the ? of an address and is no secret; all else is one, whatever it is called.
_HARMLESS = {"cache", "charset", "driver", "immutable", "mode", "sslmode", "timeout", "uri"}
#: How a statement begins that reads and changes nothing, after comments and brackets.
_READS = re.compile(
    r"(?:\s|\(|--[^\n]*(?:\n|$)|/\*.*?\*/)*(select|with|values|table|from|show|describe|explain)\b", re.I | re.S
)
#: Quoted texts and names, and comments, in which a semicolon ends no statement.
_QUOTED = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|`[^`]*`|--[^\n]*|/\*.*?\*/", re.S)

#: How a database is told that this connection reads only; where none is known, nothing is committed all the same.
_READ_ONLY = {
    "sqlite": "PRAGMA query_only = ON",
    "mysql": "SET SESSION TRANSACTION READ ONLY",
    "mariadb": "SET SESSION TRANSACTION READ ONLY",
    "oracle": "SET TRANSACTION READ ONLY",
}
_UNSAID = "its message holds what must not be shown"


def is_url(source: Any) -> bool:
    """True for a text like sqlite:///file.db."""
    return isinstance(source, str) and _URL.match(source) is not None


def without_credentials(url: str) -> str:
    """A database address as it may be shown and written down: no user, no password, no option that may be a secret.

    The address is taken apart by SQLAlchemy. One that it reads differently from what was meant (a password with an @ in
    it) gives its dialect alone.

    >>> without_credentials("postgresql://ann:secret@host/db?sslmode=require&token=123")
    'postgresql://host/db?sslmode=require'
    """
    scheme, _, after_scheme = url.partition("://")
    unknown = f"{scheme}://…"
    before = after_scheme.partition("@")[0]
    if after_scheme.count("@") > 1 or ("@" in after_scheme and "?" in before):
        return unknown
    try:
        from sqlalchemy.engine import URL, make_url

        parsed = make_url(url)
    except Exception:  # not installed, or not an address: ImportError, ArgumentError, ValueError of a port
        return unknown
    harmless = {name: value for name, value in parsed.query.items() if name.lower() in _HARMLESS}
    is_file = parsed.get_backend_name() == "sqlite" and not parsed.host
    plain = parsed.username is None and parsed.password is None and len(harmless) == len(parsed.query)
    if plain and (is_file or "@" not in after_scheme):
        return url
    named = is_file or not set(parsed.database or "") & set("@;=&?")
    if not named or not _HOST.fullmatch(parsed.host or ""):
        return unknown
    bare = URL.create(parsed.drivername, host=parsed.host, port=parsed.port, database=parsed.database, query=harmless)
    return bare.render_as_string(hide_password=False)


#: Beginnings of addresses of files on the network and in the cloud, which are not fetched.
NETWORK = ("http://", "https://", "ftp://", "s3://", "gs://", "gcs://", "abfs://", "abfss://", "az://", "hdfs://")


def read_sql(url: str, query: str | None) -> pa.Table:
    """The rows that a query (or a table's name) gives."""
    (table,) = sql_batches(url, query, None)
    return table


def sql_batches(url: str, query: str | None, rows: int | None = 100_000) -> Iterator[pa.Table]:
    """The rows that a query (or a table's name) gives, so many at a time; None for all at once."""
    address = without_credentials(url)
    if url.lower().startswith(NETWORK):
        raise TableError(
            f"{address!r} is a network address, which Tamis does not fetch; download the file and give its path"
        )
    try:
        import sqlalchemy
    except ImportError as error:
        raise TableError(f"{address!r} is a database; install tamis[sql] to read it") from error
    try:
        engine = sqlalchemy.create_engine(url)
    except (sqlalchemy.exc.ArgumentError, sqlalchemy.exc.NoSuchModuleError, ImportError) as error:
        raise TableError(f"the database address {address!r} cannot be used: {_cause_text(error, url)}") from _cause(
            error, url
        )
    except Exception:  # what a dialect makes of an address: a port that is no number, an unknown option
        raise TableError(f"the database address {address!r} cannot be used; check it") from None
    _refuse_absent(engine, address)
    _refuse_change(query, address)
    try:
        with engine.connect() as connection:
            _read_only(sqlalchemy, connection)
            yield from _rows(connection, _statement(sqlalchemy, connection, query, address), address, rows)
    except sqlalchemy.exc.SQLAlchemyError as error:
        request = f"query={query!r} on {address!r}" if query else repr(address)
        raise TableError(f"{request} failed: {_cause_text(error, url)}") from _cause(error, url)
    except UnicodeDecodeError as error:
        raise TableError(f"{address!r} holds text that is no UTF-8; mend the database, or fetch it again") from error
    finally:
        engine.dispose()


def _refuse_change(query: str | None, address: str) -> None:
    """Refuse what is more than one statement, or another one than a SELECT."""
    if query is None or re.fullmatch(r"\s*\S+\s*", query):  # nothing, or the name of a table
        return
    bare = _QUOTED.sub(" ", query).strip().rstrip(";")
    if ";" in bare or not _READS.match(query):
        raise TableError(
            f"query={query!r} on {address!r} is no SELECT; Tamis only reads databases: give one SELECT, or a "
            "table's name"
        )


def _read_only(sqlalchemy: Any, connection: Any) -> None:
    """Let the database itself refuse every change: a SELECT can call what changes rows, a WITH can delete."""
    name = connection.engine.url.get_backend_name()
    if name == "postgresql":
        connection.execution_options(postgresql_readonly=True)
    elif name in _READ_ONLY:
        connection.execute(sqlalchemy.text(_READ_ONLY[name]))


def _statement(sqlalchemy: Any, connection: Any, query: str | None, address: str) -> Any:
    tables = sqlalchemy.inspect(connection).get_table_names() if query is None or " " not in query.strip() else []
    if query is None:
        listed = ", ".join(tables) or "none"
        raise TableError(f"{address!r} is a database; give query= with a SELECT or a table's name (tables: {listed})")
    if query.strip() in tables:
        return sqlalchemy.select(sqlalchemy.text("*")).select_from(sqlalchemy.table(query.strip()))
    if tables and re.fullmatch(r"\w+", query.strip()):
        raise TableError(f"{address!r} has no table {query!r}{nearest(query, tables)}; tables: {', '.join(tables)}")
    return sqlalchemy.text(query)


def _rows(connection: Any, statement: Any, address: str, rows: int | None) -> Iterator[pa.Table]:
    answer = connection.execution_options(stream_results=True).execute(statement)
    if not answer.returns_rows:
        connection.rollback()
        raise TableError(f"the query to {address!r} gives no rows; give a SELECT")
    names = list(map(str, answer.keys()))
    refuse_duplicates(names)
    columns: list[list[Any]] = [[] for _ in names]
    while batch := answer.fetchmany(_BATCH):
        for column, values in zip(columns, zip(*batch)):
            column.extend(values)
        if rows is not None and len(columns[0]) >= rows:
            yield pa.table({name: array_of(values) for name, values in zip(names, columns)})
            columns = [[] for _ in names]
    if rows is None or columns[0]:
        yield pa.table({name: array_of(values) for name, values in zip(names, columns)})


def _refuse_absent(engine: Any, address: str) -> None:
    """SQLite makes an empty database of a path that does not exist; say so instead."""
    from pathlib import Path

    path = (engine.url.database or "").removeprefix("file:")
    if engine.url.get_backend_name() == "sqlite" and path and path != ":memory:" and not Path(path).exists():
        raise TableError(f"there is no database file {path!r} ({address}); check the path")


def _cause_text(error: BaseException, url: str) -> str:
    """The first line of what a database says, unless it repeats a secret."""
    cause = getattr(error, "orig", None) or error
    message = (str(cause).strip().splitlines() or [type(cause).__name__])[0].rstrip(".")
    return _UNSAID if _tells(message, url) else message


def _cause(error: BaseException, url: str) -> BaseException | None:
    """The error as the cause of another, unless a traceback would show a secret."""
    return None if _tells(f"{error} {getattr(error, 'orig', '')}", url) else error


def _tells(message: str, url: str) -> bool:
    return any(secret in message for secret in _secrets(url))


def _secrets(url: str) -> set[str]:
    """Every text of an address that must not be shown, as it is written and as it is meant."""
    after_scheme = url.partition("://")[2]
    account, at, _ = after_scheme.rpartition("@")
    secrets = {account.partition(":")[2], account} if at else set()
    for option in after_scheme.partition("?")[2].split("&"):
        name, _, value = option.partition("=")
        if name.lower() not in _HARMLESS:
            secrets |= {value, *(piece.partition("=")[2] for piece in unquote_plus(value).split(";"))}
    secrets |= {unquote_plus(secret) for secret in secrets} | {unquote(secret) for secret in secrets}
    return {secret for secret in secrets if secret}
