"""Reading a table from any source; every column gets a kind, and every kind a reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from scipy import sparse

from tamis import check
from tamis.check import nearest
from tamis.errors import KindError, ParameterError, TableError
from tamis.table.arrow import from_array, from_frame, from_mapping, read_feather, read_json_lines, read_parquet
from tamis.table.column import Column
from tamis.table.decision import Decision
from tamis.table.dialect import refuse_duplicates
from tamis.table.excel import read_excel
from tamis.table.file import File
from tamis.table.frame import is_frame
from tamis.table.given import as_given
from tamis.table.kinds import Rules, decide
from tamis.table.matrix import of_matrix
from tamis.table.missing import missing_tokens
from tamis.table.sql import is_url, read_sql
from tamis.table.table import Table
from tamis.table.text import read_text
from tamis.table.types import Type, types_of

_LARGE = 100_000  # rows from which columns are judged in two threads


def read(
    source: Any,
    *,
    types: Any = None,
    target: str | None = None,
    query: str | None = None,
    sheet: str | int | None = None,
    missing: str | Sequence[str] | None = None,
    like: Any = None,
    delimiter: str | None = None,
    quote: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    header: bool | None = None,
) -> Table:
    """A table from a file, a database, a frame, an array or a sparse matrix.

    Parameters
    ----------
    source : a path (CSV, TSV, …, packed or not; Parquet, Feather, JSON lines, Excel), a database address, an open file,
        a pandas, polars or pyarrow frame, a dict of columns, a NumPy array, a SciPy sparse matrix, or a Table.
    types : what columns are, when that should not be inferred: `"zip=categorical,size=ordinal:small<large"`, a dict,
        or the path of a TOML file.
    target : the column to be learned; it is never left out.
    query : for a database, a SELECT or the name of a table.
    sheet : for Excel, the name or number (from 1) of the sheet.
    missing : texts that mean missing, besides the usual ones.
    like : a Table (or its `types`) whose reading this one should follow; columns it does not know are inferred.
    delimiter, quote, decimal, encoding, header : of a text file, when they should not be guessed.

    Returns
    -------
    A Table with `decisions`: what each column of the source was taken for, why, and whether it is used.

    >>> table = read({"size": [1.5, 2.5, 3.5], "colour": ["red", "blue", "red"], "unit": ["m", "m", "m"]})
    >>> [(d.name, d.kind, d.used) for d in table.decisions]
    [('size', 'numeric', True), ('colour', 'categorical', True), ('unit', 'constant', False)]
    """
    if decimal is not None:
        check.one_of("decimal", decimal, (".", ","))
    given, recipe = types_of(types), types_of(like.types if isinstance(like, Table) else like)
    tokens = missing_tokens(missing)
    if isinstance(source, Table):
        _known(source.names, target, given)
        return source
    if sparse.issparse(source) or (_is_numeric_array(source) and not given and not recipe):
        _known([f"x{j}" for j in range(np.shape(source)[1])], target, given)
        return of_matrix(source, given, target)
    as_text = {name for name, type in {**recipe, **given}.items() if type.kind not in ("numeric", "date")}
    options = {"delimiter": delimiter, "quote": quote, "encoding": encoding, "header": header}
    raw = _fetch(source, query, sheet, tokens, as_text, options)
    _known(raw.table.column_names, target, given)
    if raw.table.num_rows == 0:
        raise TableError(f"{raw.label} has names but no rows; give at least one row")
    rules = Rules(tokens, decimal, raw.doubt, raw.trusted)
    decided = _decide_all(raw, rules, given, recipe, target)
    return _assemble(decided, raw, target)


@dataclass
class _Raw:
    """Columns as they came, and whether their types are the source's own."""

    table: pa.Table
    trusted: bool
    label: str
    named: bool = True
    doubt: str = "."


def _fetch(
    source: Any,
    query: str | None,
    sheet: str | int | None,
    tokens: tuple[str, ...],
    as_text: set[str],
    options: dict[str, Any],
) -> _Raw:
    if is_url(source):
        return _Raw(read_sql(source, query), True, "the query's answer")
    if query is not None:
        raise ParameterError("query= is for a database; give its address as the source, for example sqlite:///file.db")
    if isinstance(source, (pa.RecordBatch, pa.RecordBatchReader)):
        source = pa.Table.from_batches([source]) if isinstance(source, pa.RecordBatch) else source.read_all()
    if is_frame(source):
        return _Raw(from_frame(source), True, "the frame")
    if isinstance(source, Mapping):
        return _Raw(from_mapping(source), True, "the mapping")
    if isinstance(source, (np.ndarray, list, tuple)):
        array = source if isinstance(source, np.ndarray) else np.asarray(source)
        return _Raw(from_array(_two_dimensional(array)), True, "the array", named=bool(array.dtype.names))
    if not isinstance(source, str) and not hasattr(source, "read") and not hasattr(source, "__fspath__"):
        raise KindError(f"a table cannot be read from {type(source).__name__}; give a path, a frame or an array")
    return _of_file(File(source), sheet, tokens, as_text, options)


def _of_file(
    file: File, sheet: str | int | None, tokens: tuple[str, ...], as_text: set[str], options: dict[str, Any]
) -> _Raw:
    if file.format == "parquet":
        return _Raw(read_parquet(file), True, file.label)
    if file.format == "feather":
        return _Raw(read_feather(file), True, file.label)
    if file.format == "excel":
        return _Raw(read_excel(file, sheet), True, file.label)
    if file.format == "old excel":
        raise TableError(f"{file.label} is an Excel file of the old kind (.xls); save it as .xlsx or CSV")
    if file.format == "old feather":
        raise TableError(f"{file.label} is a Feather file of version 1; write it again in version 2")
    if file.format == "sqlite":
        raise TableError(f"{file.label} is an SQLite database; give sqlite:///{file.path} as the source, and query=")
    if file.suffix.endswith((".jsonl", ".ndjson", ".json", ".jsonl.gz", ".ndjson.gz", ".json.gz")):
        return _Raw(read_json_lines(file), True, file.label)
    wanted = {".parquet": "a Parquet", ".feather": "a Feather", ".arrow": "an Arrow", ".xlsx": "an Excel"}
    for suffix, what in wanted.items():
        if file.suffix.endswith(suffix):
            raise TableError(f"{file.label} is not {what} file, whatever its name says; make or fetch it again")
    table, delimiter = read_text(file, tokens, as_text, **options)
    return _Raw(table, False, file.label, doubt="," if delimiter == ";" else ".")  # the two signs go together


def _decide_all(
    raw: _Raw, rules: Rules, given: dict[str, Type], recipe: dict[str, Type], target: str | None
) -> list[tuple[Decision, list[Column]]]:
    names = raw.table.column_names
    waiting = [_chunked(column) for column in raw.table.columns]
    n_rows = raw.table.num_rows
    raw.table = raw.table.select([])  # so that each column is freed as soon as it is judged

    def one(j: int) -> tuple[Decision, list[Column]]:
        name, array = names[j], waiting[j]
        waiting[j] = None
        type, said = (given[name], "given") if name in given else (recipe.get(name), "as in the earlier reading")
        if type is not None:
            found = as_given(name, array, type, rules, target=name == target, said=said)
        else:
            found = decide(name, array, rules, target=name == target)
        return found.decision, found.make() if found.decision.used else []

    if n_rows < _LARGE:
        return [one(j) for j in range(len(names))]
    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(one, range(len(names))))


def _assemble(decided: list[tuple[Decision, list[Column]]], raw: _Raw, target: str | None) -> Table:
    columns = [column for _, made in decided for column in made]
    if not any(column.name != target for column in columns):
        raise TableError(_nothing_left([decision for decision, _ in decided if not decision.used], target))
    refuse_duplicates([column.name for column in columns])
    table = Table(columns, decisions=[decision for decision, _ in decided])
    table.named = raw.named
    return table


def _nothing_left(left: list[Decision], target: str | None) -> str:
    if not left:
        return f"there is no column besides the target {target!r}; give a table with columns to learn from"
    besides = f" besides the target {target!r}" if target is not None else ""
    shown = f"{left[0].sentence}" + (f", and {len(left) - 1:,} more" if len(left) > 1 else "")
    return f"every column{besides} was left out ({shown}); give types= for those you want to use"


def _known(names: Sequence[str], target: str | None, given: dict[str, Type]) -> None:
    known = set(names)
    if target is not None and target not in known:
        raise TableError(f"there is no target column {target!r}{nearest(target, names)}; columns: {_some(names)}")
    for name in given:
        if name not in known:
            raise TableError(f"types: there is no column {name!r}{nearest(name, names)}; columns: {_some(names)}")


def _some(names: Sequence[str], most: int = 8) -> str:
    shown = ", ".join(repr(name) for name in names[:most])
    return shown + (f", … ({len(names):,} in all)" if len(names) > most else "")


def _chunked(column: Any) -> Any:
    array = column if isinstance(column, pa.ChunkedArray) else pa.chunked_array([column])
    return array.cast(pa.large_string()) if str(array.type) == "string_view" else array


def _is_numeric_array(source: Any) -> bool:
    return isinstance(source, np.ndarray) and source.ndim == 2 and source.dtype.kind in "fiub"


def _two_dimensional(array: np.ndarray) -> np.ndarray:
    if array.ndim != (1 if array.dtype.names else 2):
        raise TableError(f"the table has {array.ndim} dimension(s); give rows × columns (2D)")
    return array
