"""The target of a lazy table: classes or numbers, decided on the sample; every class, found in a pass of its own."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tamis.errors import KindError, ParameterError, TableError
from tamis.table import Column, LazyTable, Table, is_class_target
from tamis.table.lazy.grid import Cell
from tamis.table.lazy.lazy_table import CellTable

MOST_CLASSES = 1_000


@dataclass(frozen=True, eq=False)
class LazyTarget:
    """A column of a lazy table that is to be learned.

    Attributes
    ----------
    name : of the column.
    labels : the classes, sorted as of a table in memory; empty for numbers.
    values : of a column of numbers, the value of each class.
    n_present : how many rows have one.
    """

    name: str
    labels: tuple[Any, ...] = ()
    values: np.ndarray | None = None
    n_present: int = 0

    @property
    def is_classes(self) -> bool:
        return bool(self.labels)

    def codes(self, column: Column) -> np.ndarray:
        """The class of each row, −1 without one."""
        if self.values is None:
            return np.maximum(column.values, -1).astype(np.int32)
        index = np.searchsorted(self.values, column.values)
        index = np.minimum(index, len(self.values) - 1)
        return np.where(np.isnan(column.values), -1, index).astype(np.int32)


@dataclass(frozen=True, eq=False)
class CountTarget:
    """Counts the values of a target in a cell: of its levels, or of its distinct numbers while these are few."""

    read: CellTable
    name: str

    def __call__(self, cell: Cell) -> dict[float, int]:
        column = self.read(cell).column(self.name)
        present = column.values[~column.missing]
        values, counts = np.unique(present, return_counts=True)
        return limited_counts(dict(zip(values.tolist(), counts.tolist())))


def merge(a: dict[float, int], b: dict[float, int]) -> dict[float, int]:
    """The counts of both."""
    out = dict(a)
    for value, n in b.items():
        out[value] = out.get(value, 0) + n
    return limited_counts(out)


def limited_counts(counts: dict[float, int]) -> dict[float, int]:
    """The counts, or, of too many values, how many there are under NaN, and the smallest and largest."""
    if len(counts) <= MOST_CLASSES:
        return counts
    distinct = [value for value in counts if value == value]
    out = {min(distinct): 1, max(distinct): 1, float("nan"): sum(counts.values()) - 2}
    return out


def target_of(table: LazyTable, name: str, *, numbers: bool | None = None) -> LazyTarget:
    """What is to be learned.

    Parameters
    ----------
    numbers : True to learn numbers, False to learn classes; None decides as for a table in memory.
    """
    head = table.heads[table.index(name)]
    column = table.select([name])
    counts = column.reduce(CountTarget(column.cell_table(), name), merge)
    n = sum(counts.values())
    if not n:
        raise TableError(f"the target {name!r} has no value in any row; give another column as the target")
    if len(counts) == 1:
        raise TableError(f"the target {name!r} is constant; no column can say anything about it, so give another")
    if _is_words(head):
        if numbers:
            refuse_words(head)
        levels = head.levels or ()
        return LazyTarget(name, tuple(map(str, levels)), None if head.is_categorical else np.array([0.0, 1.0]), n)
    distinct = sorted(value for value in counts if value == value)
    has_missing = any(value != value for value in counts)
    of_classes = not has_missing and is_class_target(np.repeat(distinct, 2)) if numbers is None else not numbers
    if not of_classes:
        return LazyTarget(name, n_present=n)
    if has_missing:
        raise TableError(f"the target {name!r} has more than {MOST_CLASSES:,} values, too many for classes")
    return LazyTarget(name, tuple(distinct), np.array(distinct), n)


def refuse_words(head: Column) -> None:
    """Refuse a target of words where numbers are learned."""
    if _is_words(head):
        raise TableError(f"the target {head.name!r} holds words, which are no numbers; give a column of numbers")


def _is_words(head: Column) -> bool:
    return head.is_categorical or (head.kind == "boolean" and head.levels is not None)


def rows_in_memory(table: LazyTable, answer: LazyTarget) -> tuple[Table, np.ndarray]:
    """All rows that have a target as a table in memory, without it; and the targets, classes as their labels."""
    sample = table.sample(table.n_rows)
    column = sample.column(answer.name)
    rows = np.flatnonzero(~column.missing)
    labels = np.array(answer.labels)[answer.codes(column)[rows]] if answer.is_classes else column.values[rows]
    return sample.drop([answer.name]).take(rows), labels


def refuse_rows(**arguments: Any) -> None:
    """Refuse what has one value a row, which a table in its files has not."""
    for name, value in arguments.items():
        if value is not None:
            raise ParameterError(f"{name} has one value a row, which a lazy table cannot take; leave it out")


def target_named(table: LazyTable, y: ArrayLike) -> str:
    """The name of the target, which is a column of the table."""
    if not isinstance(y, str):
        raise KindError(f"y is {type(y).__name__}, but the target of a lazy table is one of its columns; give its name")
    return table.names[table.index(y)]
