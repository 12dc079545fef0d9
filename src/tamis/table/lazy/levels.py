"""What one pass over all rows adds to a sample: every level of the categories, and columns that are not constant."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tamis.errors import TableError
from tamis.table.lazy.grid import Cell
from tamis.table.lazy.reading import Reading

MOST_LEVELS = 65_535  # of a column: as many as two bytes tell apart


@dataclass(frozen=True, eq=False)
class Seen:
    """What some cells hold: rows of each level of each column, and where a constant column first differs."""

    levels: Mapping[str, Mapping[Any, int]] = field(default_factory=dict)
    differs: Mapping[str, str] = field(default_factory=dict)

    def __add__(self, other: "Seen") -> "Seen":
        """What both hold; the earlier cells come first."""
        levels: dict[str, dict[Any, int]] = {}
        for name in {**self.levels, **other.levels}:
            counts = dict(self.levels.get(name, {}))
            for level, n in other.levels.get(name, {}).items():
                counts[level] = counts.get(level, 0) + n
            if len(counts) > MOST_LEVELS:
                raise TableError(
                    f"column {name!r} has more than {MOST_LEVELS:,} levels; give types='{name}=identifier' to leave "
                    "it out, or merge levels in the source"
                )
            levels[name] = counts
        return Seen(levels, {**other.differs, **self.differs})

    def sorted(self, name: str) -> tuple[Any, ...]:
        """The levels of a column in the order of a table in memory: by their text."""
        return tuple(sorted(self.levels.get(name, {}), key=lambda level: (str(level), str(type(level)))))


def merge(a: Seen, b: Seen) -> Seen:
    """What two runs of cells hold."""
    return a + b


@dataclass(frozen=True, eq=False)
class LookAtCell:
    """Makes the `Seen` of a cell.

    Parameters
    ----------
    reading : of the columns that hold words.
    constants : columns that are constant in the sample, with the value they have there.
    """

    reading: Reading
    constants: tuple[tuple[str, Any], ...] = ()

    def __call__(self, cell: Cell) -> Seen:
        levels: dict[str, dict[Any, int]] = {}
        for column in self.reading.columns(cell):
            if column.is_categorical and column.levels is not None:
                counts = np.bincount(column.values[column.values >= 0], minlength=len(column.levels)).tolist()
                levels[column.name] = {level: n for level, n in zip(column.levels, counts) if n}
        return Seen(levels, self._differs(cell))

    def _differs(self, cell: Cell) -> dict[str, str]:
        differing = {}
        for name, value in self.constants:
            array = cell.arrow.column(name)
            array = array.cast(array.type.value_type) if pa.types.is_dictionary(array.type) else array
            if pa.types.is_floating(array.type):
                array = pc.if_else(pc.is_nan(array), None, array)
            if value is None:
                differs = pc.is_valid(array)
            else:
                differs = pc.fill_null(pc.not_equal(array, pa.scalar(value).cast(array.type)), True)
            if pc.any(differs).as_py():
                differing[name] = cell.location(int(np.argmax(differs.to_numpy())))
        return differing
