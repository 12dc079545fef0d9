"""A fingerprint of a table's content: the same for every source format that carries the same columns."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import numpy as np

from tamis.engine.hash import number_bits
from tamis.table.column import MISSING, Column

if TYPE_CHECKING:
    from tamis.table.table import Table

_SPARSE = 4  # a column with fewer than n / 4 non-zero values is hashed as places and values


def digest(table: Table) -> str:
    """SHA-256 (hexadecimal) of the columns in the order of their names; the order of rows counts.

    Neither the file format, chunking, column order, storage (dense or sparse, float32 or float64 of the same value),
    the bits of NaN, the sign of zero, nor levels that no row has make a difference.

    >>> from tamis.table import Table
    >>> digest(Table.of([[1.0], [2.0]])) == digest(Table.of([[1], [2]]))
    True
    """
    whole = hashlib.sha256(f"tamis table 1\n{table.n_rows}\n{table.n_columns}\n".encode())
    if table.is_sparse and table.matrix.format != "csc":
        table = type(table)(matrix=table.matrix.tocsc(), names=table.names)  # csr gives its columns slowly
    for j in sorted(range(table.n_columns), key=lambda j: table.names[j]):
        _add(whole, table, j)
    return whole.hexdigest()


def _add(whole: Any, table: Table, j: int) -> None:
    if table.is_sparse:
        start, stop = table.matrix.indptr[j : j + 2]
        places, values = table.matrix.indices[start:stop], table.matrix.data[start:stop]
        if table.matrix.has_canonical_format and len(values) * _SPARSE < table.n_rows:
            kind = "boolean" if values.dtype.kind == "b" else "numeric"
            _head(whole, table.names[j], kind, None)
            used = np.flatnonzero(values != 0)
            order = used[np.argsort(places[used], kind="stable")]
            _add_sparse(whole, places[order].astype(np.int64), values[order].astype(np.float64))
            return
    column = table.column(j)
    if column.is_categorical:
        _add_codes(whole, column)
        return
    _head(whole, column.name, column.kind, column.levels)
    values = np.ascontiguousarray(column.values, dtype=np.float64)
    places = np.flatnonzero(values)  # NaN counts as non-zero
    if len(places) * _SPARSE < len(values):
        _add_sparse(whole, places, values[places])
    else:
        whole.update(b"dense")
        whole.update(_bits(values))


def _add_sparse(whole: Any, places: np.ndarray, values: np.ndarray) -> None:
    whole.update(b"sparse%d" % len(places))
    whole.update(np.ascontiguousarray(places, dtype="<i8"))
    whole.update(_bits(values))


def _add_codes(whole: Any, column: Column) -> None:
    """Categories as codes into the sorted texts of the levels that occur."""
    levels = column.levels or ()
    counts = np.bincount(column.values[column.values >= 0], minlength=len(levels))
    used = sorted((str(level), code) for code, level in enumerate(levels) if counts[code])
    texts = sorted({text for text, _ in used})
    place = {text: new for new, text in enumerate(texts)}
    recode = np.full(len(levels) + 2, MISSING, dtype="<i4")
    recode[-2] = -2
    for text, code in used:
        recode[code] = place[text]
    _head(whole, column.name, column.kind, texts)
    whole.update(recode[column.values])


def _head(whole: Any, name: str, kind: str, levels: Any) -> None:
    parts = [name, kind, *(str(level) for level in levels or ())]
    for part in parts:
        coded = part.encode("utf-8", "surrogatepass")
        whole.update(b"%d:" % len(coded) + coded)
    whole.update(b";")


def _bits(values: np.ndarray) -> np.ndarray:
    return number_bits(values).astype("<u8", copy=False)
