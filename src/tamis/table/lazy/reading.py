"""A cell as typed columns, read as a sample of the rows decided; a value that does not fit is named with its row."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tamis.errors import TableError
from tamis.table.column import MISSING, Column
from tamis.table.inference.decided_rows import read_as_decided
from tamis.table.inference.declared_types import is_number
from tamis.table.inference.kinds import Rules, is_text
from tamis.table.inference.missing import without_values
from tamis.table.lazy.grid import Cell
from tamis.table.table import Table
from tamis.table.types import Type

_OF_WORDS = ("categorical", "boolean", "ordinal")


@dataclass(frozen=True, eq=False)
class Reading:
    """How the columns of the source become columns of a table.

    Attributes
    ----------
    types : the column of the source and what it is, in the order of the table.
    rules : what holds for all of them.
    dictionaries : columns that are categories in the source itself.
    levels : of categorical columns, where they are known; else a cell has the levels that occur in it.
    target : the column to be learned, a date of which is a number of days.
    sample : how many rows decided.
    """

    types: tuple[tuple[str, Type], ...]
    rules: Rules
    dictionaries: frozenset[str] = frozenset()
    levels: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    target: str | None = None
    sample: int = 0

    @property
    def sources(self) -> tuple[str, ...]:
        """The columns of the source."""
        return tuple(name for name, _ in self.types)

    def texts(self, schema: pa.Schema) -> tuple[str, ...]:
        """Columns of words that are stored as texts: read as dictionaries, each word is looked at once a cell."""
        return tuple(n for n, type in self.types if type.kind in _OF_WORDS and is_text(schema.field(n).type))

    def only(self, names: Iterable[str]) -> "Reading":
        """The reading of some columns of the source."""
        chosen = set(names)
        return replace(self, types=tuple(pair for pair in self.types if pair[0] in chosen))

    def with_levels(self, levels: Mapping[str, tuple[Any, ...]]) -> "Reading":
        """The same reading, with the levels of categories."""
        return replace(self, levels=dict(levels))

    def columns(self, cell: Cell) -> list[Column]:
        """The typed columns of a cell's rows."""
        return [column for name, type in self.types for column in self._read(name, cell, type)]

    def table(self, cell: Cell) -> Table:
        """A cell as a table in memory."""
        return Table(self.columns(cell), n_rows=cell.n_rows)

    def _read(self, name: str, cell: Cell, type: Type) -> list[Column]:
        array = without_values(cell.arrow.column(name), type.missing)
        if type.kind == "numeric" and is_number(array.type) and type.unit is None:
            values = numbers_of(array)
            if not np.isfinite(values.sum()) and np.isinf(values).any():
                self._refuse(name, type, cell, int(np.isinf(values).argmax()))
            return [Column(name, "numeric", values)]
        if pa.types.is_dictionary(array.type):
            columns, strange = self._of_dictionary(name, array, type)
        else:
            columns, strange = read_as_decided(name, array, type, self.rules, target=name == self.target)
        if strange.any():
            self._refuse(name, type, cell, int(strange.argmax()))
        if name in self.levels:
            columns = [column.recode(self.levels[name]) for column in columns]
        return columns

    def _of_dictionary(self, name: str, array: pa.ChunkedArray, type: Type) -> tuple[list[Column], np.ndarray]:
        """Each word is read once, whatever the number of rows that hold it."""
        words, codes = coded(array)
        words_array: Any = pa.chunked_array([words])
        if name in self.dictionaries:
            words_array = pa.chunked_array([pa.DictionaryArray.from_arrays(pa.array(np.arange(len(words))), words)])
        columns, strange = read_as_decided(name, words_array, type, self.rules, target=name == self.target)
        gap = 0.0 if type.kind == "text" else np.nan  # a missing text has no words
        absent = [MISSING if column.is_categorical else gap for column in columns]
        read = [
            replace(column, values=np.append(column.values, np.array([none], dtype=column.values.dtype))[codes])
            for column, none in zip(columns, absent)
        ]
        return read, np.append(strange, False)[codes]

    def _refuse(self, name: str, type: Type, cell: Cell, row: int) -> NoReturn:
        value = cell.arrow.column(name)[row].as_py()
        raise TableError(
            f"column {name!r} is {type.kind} by a sample of {self.sample:,} rows, but {cell.location(row)} holds "
            f"{value!r}; change the value, name it in missing=, or give types= another kind"
        )


def numbers_of(array: pa.ChunkedArray) -> np.ndarray:
    """A column of numbers as float64, NaN for missing."""
    if not pa.types.is_floating(array.type) and not pa.types.is_integer(array.type):
        array = pc.cast(array, pa.float64(), safe=False)
    values, start = np.empty(len(array)), 0
    for chunk in array.chunks:
        values[start : start + len(chunk)] = chunk.to_numpy(zero_copy_only=False)
        start += len(chunk)
    return values


def coded(array: pa.ChunkedArray) -> tuple[pa.Array, np.ndarray]:
    """The words of a dictionary column and the place of each row's among them, −1 for none."""
    if array.num_chunks > 1:
        array = array.unify_dictionaries()
    words = array.chunk(0).dictionary if array.num_chunks else pa.array([], pa.string())
    chunks = [pc.fill_null(chunk.indices, -1).to_numpy(zero_copy_only=False) for chunk in array.chunks]
    codes = np.concatenate([np.empty(0, dtype=np.int64), *chunks]).astype(np.int64)
    is_null = np.asarray(pc.is_null(words).to_numpy(zero_copy_only=False))
    if is_null.any():
        codes = np.where(np.append(is_null, False)[codes], -1, codes)
    return words, codes
