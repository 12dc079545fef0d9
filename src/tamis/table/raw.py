"""A source before anything is decided about it: cells by column, and the reading of some rows by what others decide."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from tamis.check import nearest
from tamis.errors import TableError
from tamis.table.canonical import Canonical, canonical, canonical_column
from tamis.table.column import Column
from tamis.table.decision import Decision
from tamis.table.inference.decided_rows import joined, read_as_decided
from tamis.table.inference.declared_types import as_declared
from tamis.table.inference.kinds import Inferred, Rules, decide, floats_of
from tamis.table.inference.missing import without_values
from tamis.table.sources.dialect import refuse_duplicates
from tamis.table.sources.matrix import decisions_of, finite_rows
from tamis.table.table import Table
from tamis.table.types import Type

LARGE = 100_000  # rows from which columns are worked on in two threads

GIVEN, EARLIER = "given", "as in the earlier reading"  # reasons of a type that need not be decided

Said = Mapping[str, tuple[Type, str]]


@dataclass(frozen=True, eq=False)
class Held:
    """The target's cells of rows that decide nothing, unread until `column` is called."""

    name: str
    cells: Any
    type: Type | None = None
    rules: Rules | None = None

    def column(self) -> tuple[Column, np.ndarray]:
        """The cells read as the other rows decided, and a mask of those that do not fit; categories keep all levels."""
        if isinstance(self.cells, Column):
            strange = np.isinf(self.cells.values)
            if not strange.any():
                return self.cells, strange
            return replace(self.cells, values=np.where(strange, np.nan, self.cells.values)), strange
        if self.type is None or self.rules is None:
            raise TableError(f"the target {self.name!r} was not read yet; decide its kind first")
        columns, strange = read_as_decided(self.name, self.cells, self.type, self.rules, target=True)
        return columns[0], strange


@dataclass(frozen=True, eq=False)
class Parted:
    """A table whose kinds were decided by some rows.

    Attributes
    ----------
    table : all rows of every used column but the target; its decisions come from the rows that decide.
    target : the target of the rows that decide.
    locked : the target of the others, not read yet.
    misfits : column -> how many values of the other rows did not fit the decision and are missing (or, for a category,
        of a level that no deciding row has).
    """

    table: Table
    target: Column
    locked: Held
    misfits: dict[str, int]


class Raw(ABC):
    """Named columns of cells, as they came from their source."""

    label: str
    names: tuple[str, ...]
    n_rows: int
    drawn_from: int = 0  # rows of the table that these were drawn from; 0 where they are all there are
    remarks: tuple[str, ...] = ()  # what to know about the reading of the file as a whole, a sentence each

    @property
    def sparse(self) -> Any:
        """The sparse matrix that the cells are, or None."""
        return None

    @property
    def origins(self) -> tuple[str, ...]:
        """The column of the source that each comes from; its own name, but for the parts of a date."""
        return self.names

    @abstractmethod
    def canonical(self, index: int) -> Canonical:
        """The canonical form of the column at a place."""

    @abstractmethod
    def full_column(self, name: str, type: Type | None) -> tuple[Decision, list[Column]]:
        """One column with all its rows; read as the type says where one is given."""

    @abstractmethod
    def table(self, types: Said, target: str | None) -> Table:
        """The table in which every row decides; types that are said come with the reason to give."""

    @abstractmethod
    def parted(
        self, rows: np.ndarray, declared: Mapping[str, Type], target: str, decisions: Sequence[Decision]
    ) -> Parted:
        """All rows, read as some of them decide; the cells are given up as they are read.

        Parameters
        ----------
        rows : positions of the rows that decide, ascending.
        declared : types that need not be decided.
        target : the column to be learned.
        decisions : decisions that were made already, about columns to be left out of the table.
        """

    def held_rows(self, rows: np.ndarray) -> np.ndarray:
        """Positions of all other rows."""
        out = np.ones(self.n_rows, dtype=bool)
        out[rows] = False
        return np.flatnonzero(out)

    def each(self, work: Callable[[int], Any], indices: Iterable[int]) -> list[Any]:
        """What the work gives for each column, in two threads where columns are long."""
        if self.n_rows < LARGE:
            return [work(j) for j in indices]
        with ThreadPoolExecutor(2) as pool:
            return list(pool.map(work, indices))


class RawColumns(Raw):
    """Arrow columns.

    Parameters
    ----------
    table : the columns as the source gave them.
    rules : what holds for all of them.
    texts : reads some columns of a text file once more, as texts.
    """

    def __init__(
        self,
        table: pa.Table,
        rules: Rules,
        label: str,
        *,
        named: bool = True,
        texts: Callable[[list[str]], pa.Table] | None = None,
    ) -> None:
        self.rules, self.label, self.named, self.texts = rules, label, named, texts
        self.names, self.n_rows = tuple(table.column_names), table.num_rows
        _refuse_unknown(rules, self.names)
        self._columns: list[Any] = [self._cells(*pair) for pair in zip(table.column_names, table.columns)]

    def _cells(self, name: str, column: Any) -> Any:
        """A column without the values that the user says are missing."""
        return without_values(_chunked(column), self.rules.missing.of_column(name))

    def canonical(self, index: int) -> Canonical:
        return canonical(self.names[index], self._columns[index], self.rules)

    def full_column(self, name: str, type: Type | None) -> tuple[Decision, list[Column]]:
        inferred = self._decided(name, self._columns[self.names.index(name)], type, self.rules, None)
        return inferred.decision, inferred.make() if inferred.decision.used else []

    def table(self, types: Said, target: str | None) -> Table:
        """Columns are given up as they are read: a source is read once."""

        def decide_column(j: int) -> tuple[Decision, list[Column]]:
            name, array = self.names[j], self._columns[j]
            self._columns[j] = None
            type, words = types.get(name, (None, ""))
            inferred = self._decided(name, array, type, self.rules, target, words)
            return inferred.decision, inferred.make() if inferred.decision.used else []

        decided = self.each(decide_column, range(len(self.names)))
        return self._assembled(
            [column for _, columns in decided for column in columns], [d for d, _ in decided], target
        )

    def parted(
        self, rows: np.ndarray, declared: Mapping[str, Type], target: str, decisions: Sequence[Decision]
    ) -> Parted:
        held_indices = self.held_rows(rows)
        rules = replace(self.rules, rows=rows) if len(held_indices) else self.rules
        self._settle(rows, held_indices)
        before = {decision.name: decision for decision in decisions}
        target_parts: dict[str, Any] = {}

        def decide_column(j: int) -> tuple[Decision, list[Column], dict[str, int]]:
            name, array = self.names[j], self._columns[j]
            self._columns[j] = None
            if name in before:
                return before[name], [], {}
            inferred = self._decided(name, _take(array, rows, self.n_rows), declared.get(name), rules, target)
            decision, columns_made = inferred.decision, inferred.make() if inferred.decision.used else []
            if name == target:
                target_parts["target"] = columns_made[0]
                target_parts["held"] = Held(name, _take(array, held_indices, self.n_rows), decision.type, self.rules)
                return decision, [], {}
            if not columns_made or not len(held_indices) or decision.type is None:
                return decision, columns_made, {}
            return decision, *self._joined(
                name, _take(array, held_indices, self.n_rows), decision.type, columns_made, rows, held_indices
            )

        decided = self.each(decide_column, range(len(self.names)))
        columns = [column for _, columns_made, _ in decided for column in columns_made]
        table = self._assembled(columns, [decision for decision, _, _ in decided], target)
        misfits = {name: n for _, _, column_misfits in decided for name, n in column_misfits.items() if n}
        return Parted(table, target_parts["target"], target_parts["held"], misfits)

    def _joined(
        self, name: str, array: Any, type: Type, decided: list[Column], rows: np.ndarray, held_indices: np.ndarray
    ) -> tuple[list[Column], dict[str, int]]:
        held_columns, strange = read_as_decided(name, array, type, self.rules)
        pairs = [joined(column, held_column, rows, held_indices) for column, held_column in zip(decided, held_columns)]
        for _, unknown in pairs:
            strange = strange | unknown
        return [column for column, _ in pairs], {name: int(np.count_nonzero(strange))}

    def _settle(self, rows: np.ndarray, held_indices: np.ndarray) -> None:
        """Read columns of a text file again as texts where the rows that decide could have been written otherwise.

        A text file's column was read as numbers or dates because all of its rows allow it. Whole numbers may be codes
        (007) among the rows that decide, and no value at all may have been a word; the fractions or dates that the
        other rows hold must not hide that.
        """
        if self.texts is None or not len(held_indices):
            return
        doubtful = [j for j in range(len(self.names)) if _in_doubt(self._columns[j], rows, self.n_rows)]
        if doubtful:
            again = self.texts([self.names[j] for j in doubtful])
            for j in doubtful:
                self._columns[j] = self._cells(self.names[j], again.column(self.names[j]))

    def _decided(
        self, name: str, array: Any, type: Type | None, rules: Rules, target: str | None, reason: str = GIVEN
    ) -> Inferred:
        if type is not None:
            inferred = as_declared(name, array, type, rules, target=name == target, reason=reason)
        else:
            inferred = decide(name, array, rules, target=name == target)
        type, missing = inferred.decision.type, rules.missing.of_column(name)
        if type is None or not missing:
            return inferred
        type = replace(type, missing=tuple(dict.fromkeys([*type.missing, *missing])))
        return replace(inferred, decision=replace(inferred.decision, type=type))

    def _assembled(self, columns: list[Column], decisions: list[Decision], target: str | None) -> Table:
        if not any(column.name != target for column in columns):
            raise TableError(_nothing_left([decision for decision in decisions if not decision.used], target))
        refuse_duplicates([column.name for column in columns])
        table = Table(columns, decisions=decisions)
        table.named = self.named
        return table


class RawMatrix(Raw):
    """A numeric matrix, dense or sparse; it is never copied into columns."""

    label = "the matrix"

    def __init__(self, matrix: Any) -> None:
        self.matrix = Table.of(matrix)
        self.names, self.n_rows = self.matrix.names, self.matrix.n_rows

    @property
    def sparse(self) -> Any:
        return self.matrix.matrix if self.matrix.is_sparse else None

    def canonical(self, index: int) -> Canonical:
        return canonical_column(self.matrix.column(index))

    def full_column(self, name: str, type: Type | None) -> tuple[Decision, list[Column]]:
        j = self.matrix.index(name)
        decision = decisions_of(self.matrix.select([j]), {} if type is None else {name: type}, None)[0]
        return decision, [self.matrix.column(j)] if decision.used else []

    def table(self, types: Said, target: str | None) -> Table:
        declared = {name: type for name, (type, reason) in types.items() if reason == GIVEN}
        return self._used_columns(self.matrix, decisions_of(self.matrix, declared, target), (), target)

    def parted(
        self, rows: np.ndarray, declared: Mapping[str, Type], target: str, earlier_decisions: Sequence[Decision]
    ) -> Parted:
        held_indices = self.held_rows(rows)
        before = {decision.name: decision for decision in earlier_decisions}
        decisions = decisions_of(self.matrix, declared, target, rows if len(held_indices) else None)
        decisions = [before.get(decision.name, decision) for decision in decisions]
        column = self.matrix.column(self.matrix.index(target))
        finite, misfits = finite_rows(self.matrix, held_indices) if len(held_indices) else (self.matrix, {})
        table = self._used_columns(finite, decisions, (target, *before), target)
        used = {name: n for name, n in misfits.items() if name in table.names}
        return Parted(table, column.take(rows), Held(target, column.take(held_indices)), used)

    def _used_columns(
        self, matrix: Table, decisions: list[Decision], aside: Sequence[str], target: str | None
    ) -> Table:
        used = [j for j, decision in enumerate(decisions) if decision.used and decision.name not in aside]
        if not any(matrix.names[j] != target for j in used):
            raise TableError(
                f"every column was left out ({decisions[0].sentence}); give columns that differ between rows"
            )
        out = matrix if len(used) == matrix.n_columns else matrix.select(used)
        out.named = False
        out.decisions = tuple(decisions)
        return out


class RawTable(Raw):
    """A table whose kinds somebody decided before; only the levels of its categories are still to be found."""

    label = "the table"

    def __init__(self, table: Table) -> None:
        self.source = table
        self.names, self.n_rows = table.names, table.n_rows

    @property
    def sparse(self) -> Any:
        return self.source.matrix if self.source.is_sparse else None

    @property
    def origins(self) -> tuple[str, ...]:
        if self.source.matrix is not None:
            return self.names
        return tuple(column.origin for column in self.source.columns)

    def canonical(self, index: int) -> Canonical:
        return canonical_column(self.source.column(index))

    def full_column(self, name: str, type: Type | None) -> tuple[Decision, list[Column]]:
        columns = [self.source.column(j) for j, origin in enumerate(self.origins) if origin == name]
        return _as_it_is(columns[0]), columns

    def table(self, types: Said, target: str | None) -> Table:
        return self.source

    def parted(
        self, rows: np.ndarray, declared: Mapping[str, Type], target: str, earlier_decisions: Sequence[Decision]
    ) -> Parted:
        held_indices = self.held_rows(rows)
        column = self.source.column(target)
        aside = {target, *(decision.name for decision in earlier_decisions)}
        table = self.source.drop([j for j, origin in enumerate(self.origins) if origin in aside])
        table.decisions = self.source.decisions or tuple(_as_it_is(c) for c in self.source.columns)
        misfits: dict[str, int] = {}
        if not table.is_numeric and len(held_indices):
            pairs = [_without_others(c, rows, held_indices) for c in table.columns]
            misfits = {c.name: n for c, n in pairs if n}
            decisions, named = table.decisions, table.named
            table = Table([c for c, _ in pairs], n_rows=self.n_rows, decisions=decisions)
            table.named = named
        return Parted(table, column.take(rows), Held(target, column.take(held_indices)), misfits)


def raw_of(source: Any) -> Raw:
    """A Raw as it is, or of a Table."""
    return source if isinstance(source, Raw) else RawTable(Table.of(source))


def _as_it_is(column: Column) -> Decision:
    return Decision(column.origin, column.kind, "as it was given", type=None)


def _without_others(column: Column, rows: np.ndarray, held_indices: np.ndarray) -> tuple[Column, int]:
    """A column with the levels that some rows have; how many of the others had another."""
    if not column.is_categorical:
        return column, 0
    recoded = column.recode(column.take(rows).trimmed().levels or ())
    return recoded, int(np.count_nonzero((recoded.values[held_indices] < -1) & (column.values[held_indices] >= 0)))


def _in_doubt(array: Any, rows: np.ndarray, n_rows: int) -> bool:
    type = array.type
    if pa.types.is_floating(type):
        values = floats_of(_take(array, rows, n_rows))
        present = values[~np.isnan(values)]
        return bool(np.all(present == np.rint(present)))
    return pa.types.is_temporal(type) and (rows_read := _take(array, rows, n_rows)).null_count == len(rows_read)


def _take(array: Any, rows: np.ndarray, n_rows: int) -> Any:
    if len(rows) == n_rows:
        return array
    mask = np.zeros(n_rows, dtype=bool)
    mask[rows] = True
    return array.filter(pa.array(mask))


def _chunked(column: Any) -> Any:
    array = column if isinstance(column, pa.ChunkedArray) else pa.chunked_array([column])
    return array.cast(pa.large_string()) if str(array.type) == "string_view" else array


def _refuse_unknown(rules: Rules, names: Sequence[str]) -> None:
    """Refuse missing values of a column that is not there."""
    for name in rules.missing.by_column:
        if name not in names:
            raise TableError(f"missing: there is no column {name!r}{nearest(name, names)}; give the name of a column")


def _nothing_left(left: list[Decision], target: str | None) -> str:
    if not left:
        return f"there is no column besides the target {target!r}; give a table with columns to learn from"
    besides = f" besides the target {target!r}" if target is not None else ""
    reasons = f"{left[0].sentence}" + (f", and {len(left) - 1:,} more" if len(left) > 1 else "")
    return f"every column{besides} was left out ({reasons}); give types= for those you want to use"
