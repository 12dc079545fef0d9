"""The source of a study: its groups and time are read from all rows, everything else from unlocked rows alone."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tamis.check import nearest
from tamis.errors import ParameterError, TableError
from tamis.lock import Lock
from tamis.study.settings import Settings
from tamis.table import Column, Decision, LazyTable, Raw, fetch, fetch_some, is_lazy_source, known_names, read, table_of
from tamis.table.inference.dates import PARTS
from tamis.table.sources.sql import is_url, without_credentials
from tamis.table.types import Type, types_of

#: Rows that a study draws from a table larger than memory, unless it is told how many: 40,000 to learn from put the
#: standard error of an accuracy below a quarter of a percent.
LAZY_ROWS = 50_000


def fetch_source(source: Any, settings: Settings, query: str | None) -> Raw:
    """The cells of a study's source, before anything is decided about them; of a lazy one those of some rows."""
    lazy = isinstance(source, LazyTable) or is_lazy_source(source)
    if settings.rows is not None and not lazy and not isinstance(source, (str, os.PathLike)):
        raise ParameterError(
            f"rows={settings.rows:,} draws rows from files or a database, but the source is {type(source).__name__}; "
            "give some of its rows, and leave rows out"
        )
    missing, header = settings.missing, settings.header
    if lazy or settings.rows is not None:
        rows = settings.rows or LAZY_ROWS
        return fetch_some(source, rows, seed=settings.seed, missing=missing, query=query, header=header)
    types = settings.types or None
    return fetch(source, types=types, query=query, sheet=settings.sheet, missing=missing, header=header)


def written_source(source: Any) -> str | None:
    """A source as it is written down: a whole path, a database address without credentials.

    Nothing for a table, or for a pipe, which cannot be read a second time.
    """
    if not isinstance(source, (str, os.PathLike)):
        return None
    name = os.fspath(source)
    if os.path.exists(name) and not os.path.isfile(name) and not os.path.isdir(name):
        return None
    return without_credentials(name) if is_url(name) else str(Path(name).resolve())


def is_cut(source: Any) -> bool:
    """Whether credentials are left out where a source is written down."""
    return is_url(source) and without_credentials(source) != source


@dataclass(frozen=True)
class SourceReading:
    """How a source is read: a decision about every column, and remarks on its names and sheets."""

    decisions: tuple[Decision, ...]
    remarks: tuple[str, ...] = ()


def read_columns(
    source: Any, *, types: Any = None, query: str | None = None, target: str | None = None, **reading: Any
) -> SourceReading:
    """How the columns of a source are read; with a target, by the rows that a study at its defaults would not lock.

    `reading` is what else says how: missing, sheet, header, as in `tamis.read`.
    """
    if target is None and (isinstance(source, LazyTable) or is_lazy_source(source)):
        reading.pop("sheet", None)
        return SourceReading(read(source, types=types, query=query, **reading).decisions)
    if target is None:
        raw = fetch(source, types=types, query=query, **reading)
        remarks = raw.remarks
        return SourceReading(table_of(raw, types=types).decisions, remarks)
    settings = Settings(target=target, types=plain_types(types), **reading)
    raw = fetch_source(source, settings, query)
    lock = draw_lock(raw, settings)[0]
    rows = np.flatnonzero(~lock.mask(raw.n_rows))
    return SourceReading(raw.parted(rows, given_types(raw, settings), target, ()).table.decisions, raw.remarks)


def plain_types(types: Any) -> dict[str, Any]:
    """Types given by the user as plain values."""
    return {name: declared.as_dict() for name, declared in types_of(types).items()}


def given_types(raw: Raw, settings: Settings) -> dict[str, Type]:
    """The types that need not be decided, of columns that are there."""
    declared = types_of(settings.types)
    known_names(raw.names, settings.target, declared)
    return declared


def draw_lock(raw: Raw, settings: Settings) -> tuple[Lock, Column | None, Column | None, list[Decision]]:
    """The lock, drawn before anything is decided; the groups, the time, and what was decided about these two."""
    declared, decided = given_types(raw, settings), []
    refuse_unknown(raw, [name for name in (settings.groups, settings.time, settings.exposure, *settings.drop) if name])
    groups = time = None
    if settings.groups:
        decision, groups = groups_of(raw, settings.groups, declared)
        decided.append(decision)
    if settings.time:
        decision, time = time_of(raw, settings.time, declared)
        decided.append(decision)
    lock = Lock.of(raw, share=settings.lock, seed=settings.seed, groups=groups, time=time, target=settings.target)
    return lock, groups, time, decided


def groups_of(raw: Raw, name: str, declared: Mapping[str, Type]) -> tuple[Decision, Column]:
    """The column whose equal rows stay together: each value a group of its own, unless a type was given."""
    decision, columns = raw.full_column(name, declared.get(name, Type("categorical")))
    if not columns:
        raise TableError(f"groups={name!r} was given as {decision.kind}, which is left out; give categorical")
    return decision, columns[-1]


def time_of(raw: Raw, name: str, declared: Mapping[str, Type]) -> tuple[Decision, Column]:
    """The column that orders rows: a number, or the days of a date."""
    decision, columns = raw.full_column(name, declared.get(name))
    if not columns:  # a plain count of hours or rows reads as an identifier
        decision, columns = raw.full_column(name, Type("numeric"))
    days = [column for column in columns if column.name == f"{name} ({PARTS[-1]})"]
    column = days[0] if days else columns[0]
    if column.is_categorical:
        raise TableError(f"time={name!r} holds categories, which have no order; give a date or a number")
    if column.missing.any():
        row = int(column.missing.argmax())
        raise TableError(f"time={name!r} has no value in row {row + 1:,}; fill it, or drop the row")
    return decision, column


def exposure_of(raw: Raw, name: str, declared: Mapping[str, Type]) -> np.ndarray:
    """How long or how much each row was observed: numbers above 0, in every row."""
    _, columns = raw.full_column(name, Type("numeric"))
    given = declared.get(name)
    if not columns or columns[-1].is_categorical or (given is not None and given.kind != "numeric"):
        raise TableError(f"exposure={name!r} holds no numbers; give a column of times, areas or numbers of persons")
    values = np.asarray(columns[-1].values, dtype=np.float64)
    for fault, what in ((np.isnan(values), "no value"), (~(values > 0) | np.isinf(values), None)):
        if fault.any():
            row = int(fault.argmax())
            found = what or f"{values[row]:g}"
            raise TableError(
                f"exposure={name!r} has {found} in row {row + 1:,}, but every row needs a number above 0; drop the row"
            )
    return values


def refuse_unknown(raw: Raw, names: Collection[str]) -> None:
    """Refuse the name of a column that is not there."""
    origins = set(raw.origins)
    for name in names:
        if not isinstance(name, str) or name not in origins:
            raise TableError(f"there is no column {name!r}{nearest(str(name), origins)}; give the name of a column")


def texts_of(raw: Raw, name: str) -> list[str]:
    """A column of a source as it is written, empty where missing."""
    refuse_unknown(raw, [name])
    column = raw.full_column(name, Type("categorical"))[1][-1]
    if column.levels is None:
        return ["" if np.isnan(value) else f"{value:.17g}" for value in column.values]
    words = [str(level) for level in column.levels]
    return ["" if is_missing else words[int(code)] for code, is_missing in zip(column.values, column.missing)]
