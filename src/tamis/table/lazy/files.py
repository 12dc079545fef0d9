"""Which files a source means, in a stated order, and whether they hold the same columns."""

import glob
import os
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from tamis.errors import TableError
from tamis.table.lazy.formats import Footer, footer, format_of, sound

_GLOB = re.compile(r"[*?\[]")


def is_several(source: Any) -> bool:
    """Whether a source is a glob or a folder rather than one file."""
    if not isinstance(source, (str, os.PathLike)):
        return False
    name = os.fspath(source)
    if not isinstance(name, str) or "://" in name:  # an address: its ? is no pattern
        return os.path.isdir(name)
    return os.path.isdir(name) or (bool(_GLOB.search(name)) and not os.path.exists(name))


def is_file(source: Any) -> bool:
    """Whether a source is the path of one file."""
    return isinstance(source, (str, os.PathLike)) and os.path.isfile(source)


def files_of(source: Any) -> list[Path]:
    """The files of a folder or a glob, by name; numbers within names count as numbers.

    Names that begin with a dot or an underscore are left out: engines leave such files beside their parts.
    """
    name = os.fspath(source)
    if os.path.isdir(name):
        paths = [path for path in Path(name).rglob("*") if path.is_file()]
        base = Path(name)
        paths = [path for path in paths if not any(_hidden(component) for component in path.relative_to(base).parts)]
    else:
        paths = [Path(path) for path in glob.glob(name, recursive=True) if os.path.isfile(path)]
        paths = [path for path in paths if not _hidden(path.name)]
    if not paths:
        what = "the folder has no file" if os.path.isdir(name) else "no file has such a name"
        raise TableError(f"{name!r}: {what}; check the path")
    return sorted(paths, key=natural)


def natural(path: Path) -> list[Any]:
    """A key by which part-2 comes before part-10.

    >>> sorted(map(Path, ["p10.csv", "p2.csv"]), key=natural)[0].name
    'p2.csv'
    """
    pieces = re.split(r"(\d+)", path.as_posix())
    return [(int(piece), "") if k % 2 else (-1, piece) for k, piece in enumerate(pieces)]


def footers_of(files: Sequence[Path], written_from: Sequence[Path] = ()) -> list[Footer]:
    """What each file says of itself; files without rows are left out, and files of other columns refused.

    `written_from` are the files that the user knows, where these were written from them.
    """
    footers = [footer(str(path), format_of(path) or "parquet") for path in files]
    if written_from:
        footers = [replace(item, written_from=str(path)) for item, path in zip(footers, written_from, strict=True)]
    for item in footers:
        _refuse_twice(item)
    first = footers[0]
    for later in footers[1:]:
        refuse_other_schema(first, later)
    nonempty = [item for item in footers if item.n_rows]
    if not nonempty:
        raise TableError(f"{first.name!r} has names but no rows, and so have the files beside it; give some rows")
    return nonempty


def refuse_other_schema(first: Footer, later: Footer) -> None:
    """Refuse a file whose columns are not those of the first."""
    first_names, names = set(first.schema.names), set(later.schema.names)
    for name in first.schema.names:
        if name not in names:
            raise TableError(
                f"the file {later.name!r} has no column {name!r}, which {first.name!r} has; give files of the same "
                "columns"
            )
    for name in later.schema.names:
        if name not in first_names:
            raise TableError(
                f"the file {later.name!r} has a column {name!r}, which {first.name!r} has not; give files of the same "
                "columns"
            )
        first_type, two = first.schema.field(name).type, later.schema.field(name).type
        if _kind(first_type) != _kind(two) and "nothing" not in (_kind(first_type), _kind(two)):
            raise TableError(
                f"column {name!r} holds {_kind(two)} ({two}) in {later.name!r}, but {_kind(first_type)} "
                f"({first_type}) in "
                f"{first.name!r}; write the files with one type"
            )


def _refuse_twice(file: Footer) -> None:
    """Refuse a file in which two columns have one name."""
    distinct: set[str] = set()
    with sound(file.name):
        names = file.schema.names
    for name in names:
        if name in distinct:
            raise TableError(
                f"the column name {name!r} appears more than once in {file.name!r}; give every column a name of its own"
            )
        distinct.add(name)


def _kind(type: pa.DataType) -> str:
    """What values of a type are, as far as different types can stand for the same."""
    if pa.types.is_null(type):
        return "nothing"
    if pa.types.is_dictionary(type):
        return f"categories of {_kind(type.value_type)}"
    if pa.types.is_integer(type) or pa.types.is_floating(type) or pa.types.is_decimal(type):
        return "numbers"
    if pa.types.is_string(type) or pa.types.is_large_string(type):
        return "texts"
    if pa.types.is_timestamp(type) and type.tz is not None:
        return f"moments of the time zone {type.tz}"
    if pa.types.is_timestamp(type) or pa.types.is_date(type):
        return "dates"
    return str(type)


def _hidden(name: str) -> bool:
    return name.startswith((".", "_"))
