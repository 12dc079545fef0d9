"""The table of a study: its target, groups and time are never left out, whatever they look like."""

from __future__ import annotations

from typing import Any

from tamis.check import nearest
from tamis.errors import TableError
from tamis.study.settings import Settings
from tamis.table import Column, Table, read
from tamis.table.dates import PARTS
from tamis.table.types import types_of


def read_source(source: Any, settings: Settings, query: str | None) -> Table:
    """The source as a table in which the target, the groups and the time of the settings are found."""
    types: dict[str, Any] = dict(settings.types)
    if settings.groups is not None:
        types.setdefault(settings.groups, "categorical")
    table = read(source, types=types or None, target=settings.target, query=query)
    left_out = {decision.name for decision in table.decisions if not decision.used}
    if settings.time in left_out:  # a plain count of hours or rows reads as an identifier
        table = read(source, types={**types, settings.time: "numeric"}, target=settings.target, query=query)
    return table


def plain_types(types: Any) -> dict[str, Any]:
    """Types given by the user as plain values."""
    return {name: found.as_dict() for name, found in types_of(types).items()}


def time_of(table: Table, name: str) -> Column:
    """The column that orders rows: a number, or the days of a date."""
    days = f"{name} ({PARTS[-1]})"
    column = table.column(days if days in table.names else name)
    if column.is_categorical:
        raise TableError(f"time={name!r} holds categories, which have no order; give a date or a number")
    if column.missing.any():
        row = int(column.missing.argmax())
        raise TableError(f"time={name!r} has no value in row {row}; fill it, or drop the row")
    return column


def made_from(table: Table, names: tuple[str, ...]) -> set[str]:
    """Names of the table's columns that come from these columns of the source."""
    known = {column.origin for column in table.columns} | {decision.name for decision in table.decisions}
    for name in names:
        if name not in known:
            raise TableError(f"there is no column {name!r}{nearest(name, known)}; give the name of a column")
    return {column.name for column in table.columns if column.origin in names}
