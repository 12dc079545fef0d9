"""What the columns of a large table are: decided on a stated sample of its rows."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from tamis.errors import TableError
from tamis.table.decision import Decision
from tamis.table.inference.kinds import Rules, is_text
from tamis.table.lazy.grid import GridSource
from tamis.table.raw import EARLIER, GIVEN, RawColumns
from tamis.table.table import Table
from tamis.table.types import Type

#: Rows that decide kinds, and in how many cells they lie: the first rows of cells spread evenly over the table.
SAMPLE_ROWS, SAMPLE_CELLS = 1 << 16, 4


def sample_for_kinds(source: GridSource) -> tuple[pa.Table, np.ndarray]:
    """The rows that decide kinds, and their numbers: all of a short table, else some of cells spread over it."""
    if source.n_rows <= SAMPLE_ROWS:
        spans = [(0, source.n_rows)]
    else:
        cells = np.unique(np.linspace(0, source.n_cells - 1, SAMPLE_CELLS).astype(np.int64)).tolist()
        each = min(source.cell, SAMPLE_ROWS // len(cells))
        spans = [(cell * source.cell, min(each, source.n_rows - cell * source.cell)) for cell in cells]
    texts = [field.name for field in source.schema if is_text(field.type)]  # as dictionaries: skipping rows is quicker
    tables = [cell.arrow for first, n in spans for cell in source.span(first, n, texts=texts).cells()]
    if not tables:
        raise TableError("the table has no rows that can be read; give a table with rows, or mend the file")
    rows = np.concatenate([np.arange(first, first + n) for first, n in spans])
    return pa.concat_tables([_as_stored(table, texts) for table in tables], promote_options="permissive"), rows


def _as_stored(table: pa.Table, texts: Sequence[str]) -> pa.Table:
    for name in texts:
        column = table.column(name)
        if pa.types.is_dictionary(column.type):
            table = table.set_column(table.schema.get_field_index(name), name, column.cast(column.type.value_type))
    return table


def decide(
    source: GridSource, rules: Rules, declared: Mapping[str, Type], recipe: Mapping[str, Type], target: str | None
) -> tuple[Table, pa.Schema, int]:
    """The sample as a table, with decisions about every column; the types it came in; and how many rows it has."""
    arrow, rows = sample_for_kinds(source)
    n = arrow.num_rows
    raw = RawColumns(arrow, replace(rules, rows=rows), source.label)
    earlier = {name: (type, EARLIER) for name, type in recipe.items() if name in raw.names}
    table = raw.table({**earlier, **{name: (type, GIVEN) for name, type in declared.items()}}, target)
    if n < source.n_rows:
        table.decisions = tuple(_stated(decision, n) for decision in table.decisions)
    return table, arrow.schema, n


def _stated(decision: Decision, n: int) -> Decision:
    """The decision with the number of rows that made it."""
    if decision.reason in (GIVEN, EARLIER):
        return decision
    return replace(decision, reason=f"{decision.reason}, in a sample of {n:,} rows")


def changed(decision: Decision, type: Type, location: str) -> Decision:
    """A column that is constant in the sample and not in all rows, and where it first differs."""
    note = f"it is constant in the sample, but not in {location}"
    return Decision(decision.name, type.kind, f"{note}", True, "", type)


def type_beyond_sample(column: Any) -> Type:
    """What a column that is constant in the sample can be, by how the source stores it."""
    kind = column.type
    numeric = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    if numeric:
        return Type("numeric")
    return Type("boolean") if pa.types.is_boolean(kind) else Type("categorical")
