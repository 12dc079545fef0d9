"""Dataclasses that JSON holds: a record is dumped under the names of its fields, and read back from them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, Field, fields
from functools import cache
from types import UnionType
from typing import Any, ClassVar, Self, Union, get_args, get_origin, get_type_hints

from tamis.saved import mapping, read_entry

Reader = Callable[[Any], Any]


class Record:
    """Base of dataclasses whose dump is part of a journal or of results.json.

    Fields are plain values, records, or lists and dicts of records; their order is that of the dump. The fields of
    `omitted` are left out of it where they are None.

    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Point(Record):
    ...     omitted = ("note",)
    ...     x: float
    ...     note: str | None = None
    >>> Point(1.5).to_dict(), Point.from_dict({"x": 2.0, "note": "b"})
    ({'x': 1.5}, Point(x=2.0, note='b'))
    """

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]
    omitted: ClassVar[tuple[str, ...]] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        return {name: _plain(value) for name, value in values.items() if value is not None or name not in self.omitted}

    @classmethod
    def from_dict(cls, facts: Any) -> Self:
        """The record that `to_dict` described; names it does not have are ignored."""
        values, read = mapping(cls.__name__, facts), {}
        record: Any = cls
        for each, reader in _readers(record):
            if each.name in values or (each.default is MISSING and each.default_factory is MISSING):
                value = read_entry(values, each.name)
                read[each.name] = value if value is None or reader is None else reader(value)
        return cls(**read)


def _plain(value: Any) -> Any:
    if isinstance(value, Record):
        return value.to_dict()
    if isinstance(value, list) and value and isinstance(value[0], Record):
        return [record.to_dict() for record in value]
    if isinstance(value, dict) and any(isinstance(inner, Record) for inner in value.values()):
        return {name: _plain(inner) for name, inner in value.items()}
    return value


@cache
def _readers(cls: Any) -> list[tuple[Field[Any], Reader | None]]:
    """Fields, each with what makes records of plain values; None where plain values stay as they are."""
    hints = get_type_hints(cls)
    return [(each, _reader(hints[each.name])) for each in fields(cls)]


def _reader(hint: Any) -> Reader | None:
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return next((reader for reader in map(_reader, inner) if reader is not None), None)
    if isinstance(hint, type) and issubclass(hint, Record):
        return hint.from_dict
    if origin is list and (item := _reader(inner[0])) is not None:
        return _list_reader(item)
    if origin is dict and (item := _reader(inner[1])) is not None:
        return _dict_reader(item)
    return None


def _list_reader(item: Reader) -> Reader:
    return lambda values: [None if value is None else item(value) for value in values]


def _dict_reader(item: Reader) -> Reader:
    return lambda values: {name: None if value is None else item(value) for name, value in values.items()}
