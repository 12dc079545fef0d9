"""Which columns form a signal, and in which order: named blocks of a table's columns."""

import re
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from tamis.errors import KindError, ParameterError
from tamis.table import Table, position

_NUMBER = re.compile(r"(\d+(?:\.\d+)?)")

#: The name of a block that was given without one and whose columns do not share one.
SIGNAL = "signal"


def blocks_of(table: Table, selection: Any, numeric: np.ndarray) -> dict[str, np.ndarray]:
    """Positions of the columns of each block, in the order of the signal.

    selection : None (all numeric columns), a name or pattern such as "spectrum_*", a list of names, patterns or
        positions, or a dict of these by the names of blocks.

    A list is taken in its own order. All columns, and those that a pattern fits, are ordered by the numbers in their
    names where these differ in nothing else (s_2 before s_10, in a table of any order), else as the table has them.

    >>> blocks_of(Table.of([[1.0, 2.0, 3.0]]), {"a": ["x2", "x0"]}, np.arange(3))
    {'a': array([2, 0])}
    """
    if isinstance(selection, Mapping):
        blocks = {str(name): _positions(table, columns_of_block) for name, columns_of_block in selection.items()}
    else:
        columns = _by_number(table, numeric) if selection is None else _positions(table, selection)
        blocks = {_stem(selection) if isinstance(selection, str) else _shared_stem(table, columns): columns}
    _refuse(table, blocks)
    return blocks


def _positions(table: Table, selection: Any) -> np.ndarray:
    listed = [selection] if isinstance(selection, (str, int)) else selection
    if not isinstance(listed, Iterable):
        raise KindError(
            f"columns={selection!r} must be names; give a list of names, a pattern such as 'x*' or a dict of them"
        )
    indices: list[int] = []
    for item in listed:
        indices += _matches(table, str(item)) if _is_pattern(table, item) else [position(table, "columns", item)]
    return np.array(indices, dtype=np.int64)


def _is_pattern(table: Table, item: Any) -> bool:
    return isinstance(item, str) and any(sign in item for sign in "*?[") and item not in table.names


def _by_number(table: Table, indices: np.ndarray) -> np.ndarray:
    """Positions ordered by the numbers in the names, where the names are alike in all else and no two are the same.

    >>> _by_number(Table.of([[1.0, 2.0, 3.0]], names=["s_10", "s_2", "s_1"]), np.arange(3))
    array([2, 1, 0])
    """
    if not table.named or not len(indices):
        return indices
    pieces = [_NUMBER.split(table.names[j]) for j in indices]  # text, number, text, …
    numbers = [tuple(float(piece) for piece in pieces_of_name[1::2]) for pieces_of_name in pieces]
    if len({tuple(pieces_of_name[::2]) for pieces_of_name in pieces}) > 1 or len(set(numbers)) < len(numbers):
        return indices
    return indices[np.array(sorted(range(len(indices)), key=numbers.__getitem__), dtype=np.int64)]


def _matches(table: Table, pattern: str) -> list[int]:
    indices = [j for j, name in enumerate(table.names) if fnmatchcase(name, pattern)]
    if not indices:
        listed = ", ".join(repr(name) for name in table.names[:5])
        raise ParameterError(f"columns={pattern!r} fits no column; the names are {listed}, …")
    return _by_number(table, np.array(indices)).tolist()


def _stem(pattern: str) -> str:
    """The name of a block given by one pattern or column: what stands before the first sign of a pattern."""
    first = min((pattern.index(sign) for sign in "*?[" if sign in pattern), default=len(pattern))
    return pattern[:first].rstrip("_-. ") or SIGNAL


def _shared_stem(table: Table, indices: np.ndarray) -> str:
    """The name of a block given by its columns: what stands before the number in the names of all of them."""
    if not table.named:
        return SIGNAL
    stems = {_NUMBER.split(table.names[j])[0].rstrip("_-. ([") for j in indices}
    return next(iter(stems)) or SIGNAL if len(stems) == 1 and len(indices) > 1 else SIGNAL


def _refuse(table: Table, blocks: dict[str, np.ndarray]) -> None:
    """Raise for a block without columns, a column that is not a number, and one that is used twice."""
    if not blocks:
        raise ParameterError("columns={} names no block; give a dict of names and columns, or leave it out")
    used: set[int] = set()
    for name, columns in blocks.items():
        if not len(columns):
            raise ParameterError(f"block {name!r} has no numeric columns; name at least one")
        for j in columns.tolist():
            if table.matrix is None and table.heads[j].kind in ("categorical", "date"):
                kind = "categories" if table.heads[j].is_categorical else "dates"
                raise KindError(
                    f"column {table.names[j]!r} holds {kind}, but a signal consists of numbers; leave it out"
                )
            if j in used:
                raise ParameterError(f"columns names {table.names[j]!r} twice; give each column one place in one block")
            used.add(j)
