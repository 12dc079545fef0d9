"""A table larger than memory: names, kinds and rows as of a Table, read part by part."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tamis import check
from tamis.check import nearest
from tamis.engine import reduce
from tamis.errors import TableError
from tamis.table.column import Column
from tamis.table.decision import Decision
from tamis.table.inference.kinds import Rules
from tamis.table.lazy.deciding import changed, decide, type_beyond_sample
from tamis.table.lazy.grid import Cell, GridSource, RowPartition
from tamis.table.lazy.reading import Reading
from tamis.table.lazy.sampled import draw
from tamis.table.raw import EARLIER, GIVEN
from tamis.table.table import Table
from tamis.table.types import Type

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


T = TypeVar("T")


class LazyTable:
    """Columns with names and kinds, of rows that stay in their files.

    Kinds are decided on a sample: all rows of a short table, else 65,536 of cells spread evenly over it. Every pass
    over the rows checks them: a value that does not fit is an error that names its row. One pass over the columns of
    words, made when `heads` is first asked for, finds every level of the categories, and columns that are constant in
    the sample alone.

    Attributes
    ----------
    n_rows, n_columns, shape, names : as of a Table.
    decisions : what each column of the source was taken for, and why.
    source : the files and their grid of rows.
    kind_sample, sample_rows : the rows that decided kinds, in memory, and how many they are.
    """

    is_lazy = True
    named = True
    is_sparse = False
    matrix = None

    def __init__(
        self,
        source: GridSource,
        rules: Rules,
        *,
        declared: Mapping[str, Type] | None = None,
        recipe: Mapping[str, Type] | None = None,
        target: str | None = None,
    ) -> None:
        self.source, self.target = source, target
        sample, schema, self.sample_rows = decide(source, rules, declared or {}, recipe or {}, target)
        self.kind_sample = sample
        self._sample_heads = tuple(replace(c, values=c.values[:0]) for c in sample.columns)
        self._decided = sample.decisions
        self._constants = _constants_of(sample.decisions, source)
        types = tuple((d.name, d.type) for d in sample.decisions if d.used and d.type is not None)
        dictionary_names = frozenset(name for name in schema.names if pa.types.is_dictionary(schema.field(name).type))
        self._reading = Reading(types, rules, dictionary_names, target=target, sample=self.sample_rows)
        self._wanted: tuple[str, ...] | None = None  # names of the table's columns, where some were selected

    # -- the face of a Table -----------------------------------------------------------------------------------------
    @property
    def n_rows(self) -> int:
        return self.source.n_rows

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.heads)

    @property
    def n_columns(self) -> int:
        return len(self.names)

    @property
    def shape(self) -> tuple[int, int]:
        return self.n_rows, self.n_columns

    @property
    def is_numeric(self) -> bool:
        """True when no column is categorical."""
        return not any(column.is_categorical for column in self.heads)

    @property
    def decisions(self) -> tuple[Decision, ...]:
        return self._checked[1]

    @property
    def types(self) -> dict[str, dict[str, Any]]:
        """What each column of the source was taken for, in plain words (JSON): `read(other, like=…)` takes them."""
        return {d.name: d.type.as_dict() for d in self.decisions if d.type is not None}

    @property
    def heads(self) -> tuple[Column, ...]:
        """The columns for their names, kinds and levels; without values."""
        columns = self._checked[0]
        if self._wanted is None:
            return columns
        column_of = {column.name: column for column in columns}
        return tuple(column_of[name] for name in self._wanted)

    def index(self, name: str) -> int:
        """The position of a named column."""
        if name not in self.names:
            raise TableError(f"there is no column {name!r}{nearest(name, self.names)} in {self.source.label}")
        return self.names.index(name)

    def order(self) -> np.ndarray:
        """Positions of the columns in the order that breaks ties: by name."""
        names = self.names
        return np.array(sorted(range(len(names)), key=names.__getitem__), dtype=np.int64)

    def select(self, which: Sequence[int | str]) -> "LazyTable":
        """The table of some columns, by position or name, in the order given; no row is read."""
        names = self.names
        chosen = tuple(names[self.index(w)] if isinstance(w, str) else names[int(w)] for w in which)
        out = LazyTable.__new__(LazyTable)
        out.__dict__.update(self.__dict__)
        out._wanted = chosen
        return out

    def drop(self, which: Sequence[int | str]) -> "LazyTable":
        """The table without some columns, given by position or name."""
        dropped = {self.index(w) if isinstance(w, str) else int(w) for w in which}
        return self.select([j for j in range(self.n_columns) if j not in dropped])

    def __len__(self) -> int:
        return self.n_rows

    def __repr__(self) -> str:
        return f"LazyTable({self.n_rows:,} rows in {len(self.source.footers):,} file(s))"

    # -- rows --------------------------------------------------------------------------------------------------------
    @property
    def reading(self) -> Reading:
        """How cells become columns, levels included."""
        return self._checked[2].only(self._sources())

    def partitions(self) -> list[RowPartition]:
        """Descriptions of all rows for the engine in use, of the columns of this table alone."""
        return self._partitions(self.reading)

    def batches(self) -> Iterator[Table]:
        """The rows as tables in memory, one a cell of the grid, in order."""
        cell_table = CellTable(self.reading, self.names)
        for cell in self.source.span(0, self.n_rows, self.reading.sources, self._texts(self.reading)).cells():
            yield cell_table(cell)

    def reduce(self, make: Callable[[Cell], T], merge: Callable[[T, T], T]) -> T:
        """One value from all cells, worked out by the engine in use; see `tamis.engine.reduce`."""
        result = reduce(self.partitions(), make, merge)
        assert result is not None
        return result

    def prototype(self) -> Table:
        """A few rows in the columns of this table, every level among them: for what looks at names and kinds alone."""
        n = max([2, *(len(column.levels or ()) for column in self.heads if column.is_categorical)])
        codes = np.arange(n, dtype=np.int32)
        columns = [
            replace(column, values=codes % max(1, len(column.levels or ())) if column.is_categorical else np.zeros(n))
            for column in self.heads
        ]
        return Table(columns, n_rows=n, decisions=self.decisions)

    def sample(self, n: int, seed: int = 0) -> Table:
        """A table in memory of n rows (all, where there are fewer), drawn by a keyed hash of their numbers.

        The kinds and levels are those of this table; one pass over the rows.
        """
        return self.drawn(n, seed)[0]

    def drawn(self, n: int, seed: int = 0) -> tuple[Table, np.ndarray]:
        """As `sample`, and the numbers of the rows, from 0, in their order."""
        check.count("n", n)
        reading = self.reading
        arrow, rows = draw(self.source, n, seed, reading.sources)
        column_of = {column.name: column for column in reading.columns(Cell(0, arrow, (), rows))}
        table = Table([column_of[name] for name in self.names], n_rows=len(rows), decisions=self.decisions)
        return table, rows

    def cell_table(self) -> "CellTable":
        """What turns a cell into a table in memory of this one's columns; it can be sent to workers."""
        return CellTable(self.reading, self.names)

    # -- what one pass over the columns of words finds ---------------------------------------------------------------
    @cached_property
    def _passed(self) -> dict[str, Any]:
        return {}

    @property
    def _checked(self) -> tuple[tuple[Column, ...], tuple[Decision, ...], Reading]:
        """Columns, decisions and reading, after the pass; shared by tables of some of the columns."""
        if "found" not in self._passed:
            self._passed["found"] = self._check()
        checked: tuple[tuple[Column, ...], tuple[Decision, ...], Reading] = self._passed["found"]
        return checked

    def _check(self) -> tuple[tuple[Column, ...], tuple[Decision, ...], Reading]:
        words = self._reading.only(name for name, type in self._reading.types if type.kind == "categorical")
        heads, decisions, reading = self._sample_heads, list(self._decided), self._reading
        if self.sample_rows < self.n_rows and (words.types or self._constants):
            levels_seen = self._look(words, self._constants)
            for k, decision in enumerate(decisions):
                if decision.name in levels_seen.differs:
                    type = type_beyond_sample(self.source.schema.field(decision.name))
                    decisions[k] = changed(decision, type, levels_seen.differs[decision.name])
            varied = [d for d in decisions if d.name in levels_seen.differs and d.type is not None]
            reading = replace(reading, types=(*reading.types, *((d.name, d.type) for d in varied if d.type)))
            fresh = [d.name for d in varied if d.kind == "categorical"]
            if fresh:
                levels_seen = levels_seen + self._look(reading.only(fresh), ())
            new = [Column(d.name, d.kind, np.empty(0)) for d in varied]
            heads = tuple(_with_levels(column, levels_seen) for column in (*heads, *new))
        levels = {c.name: c.levels or () for c in heads if c.is_categorical}
        return heads, tuple(decisions), reading.with_levels(levels)

    def _look(self, words: Reading, constants: tuple[tuple[str, Any], ...]) -> Seen:
        names = (*words.sources, *(name for name, _ in constants))
        partitions = self.source.partitions(names, self._texts(words))
        return reduce(partitions, LookAtCell(words, constants), merge) or Seen()

    def _texts(self, reading: Reading) -> tuple[str, ...]:
        return reading.texts(self.source.schema)

    def _partitions(self, reading: Reading) -> list[RowPartition]:
        return self.source.partitions(reading.sources, self._texts(reading))

    def _sources(self) -> set[str]:
        return {column.origin for column in self.heads}


class CellTable:
    """Turns a cell into a table in memory of some columns, in their order."""

    def __init__(self, reading: Reading, names: Sequence[str]) -> None:
        self.reading, self.names = reading, tuple(names)

    def __call__(self, cell: Cell) -> Table:
        column_of = {column.name: column for column in self.reading.columns(cell)}
        return Table([column_of[name] for name in self.names], n_rows=cell.n_rows)


def _with_levels(column: Column, levels_seen: Seen) -> Column:
    return replace(column, levels=levels_seen.sorted(column.name)) if column.is_categorical else column


def _constants_of(decisions: Sequence[Decision], source: GridSource) -> tuple[tuple[str, Any], ...]:
    """Columns that the sample left out as constant, and the value they have there."""
    names = [d.name for d in decisions if d.kind == "constant" and not d.used and d.reason not in (GIVEN, EARLIER)]
    if not names:
        return ()
    first = next(source.span(0, 1, names).cells()).arrow
    return tuple((name, _plain(first.column(name)[0].as_py())) for name in names)


def _plain(value: object) -> Any:
    return None if isinstance(value, float) and value != value else value
