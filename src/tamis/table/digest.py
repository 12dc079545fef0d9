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
    hasher = hashlib.sha256(f"tamis table 1\n{table.n_rows}\n{table.n_columns}\n".encode())
    if table.is_sparse and table.matrix.format != "csc":
        table = type(table)(matrix=table.matrix.tocsc(), names=table.names)  # csr gives its columns slowly
    for j in sorted(range(table.n_columns), key=lambda j: table.names[j]):
        _add(hasher, table, j)
    return hasher.hexdigest()


def _add(hasher: Any, table: Table, j: int) -> None:
    if table.is_sparse:
        start, stop = table.matrix.indptr[j : j + 2]
        rows, values = table.matrix.indices[start:stop], table.matrix.data[start:stop]
        if table.matrix.has_canonical_format and len(values) * _SPARSE < table.n_rows:
            kind = "boolean" if values.dtype.kind == "b" else "numeric"
            _head(hasher, table.names[j], kind, None)
            used = np.flatnonzero(values != 0)
            order = used[np.argsort(rows[used], kind="stable")]
            _add_sparse(hasher, rows[order].astype(np.int64), values[order].astype(np.float64))
            return
    column = table.column(j)
    if column.is_categorical:
        _add_codes(hasher, column)
        return
    _head(hasher, column.name, column.kind, column.levels)
    values = np.ascontiguousarray(column.values, dtype=np.float64)
    rows = np.flatnonzero(values)  # NaN counts as non-zero
    if len(rows) * _SPARSE < len(values):
        _add_sparse(hasher, rows, values[rows])
    else:
        hasher.update(b"dense")
        hasher.update(_bits(values))


def _add_sparse(hasher: Any, rows: np.ndarray, values: np.ndarray) -> None:
    hasher.update(b"sparse%d" % len(rows))
    hasher.update(np.ascontiguousarray(rows, dtype="<i8"))
    hasher.update(_bits(values))


def _add_codes(hasher: Any, column: Column) -> None:
    """Categories as codes into the sorted texts of the levels that occur."""
    levels = column.levels or ()
    counts = np.bincount(column.values[column.values >= 0], minlength=len(levels))
    used = sorted((str(level), code) for code, level in enumerate(levels) if counts[code])
    texts = sorted({text for text, _ in used})
    code_of = {text: new for new, text in enumerate(texts)}
    recode = np.full(len(levels) + 2, MISSING, dtype="<i4")
    recode[-2] = -2
    for text, code in used:
        recode[code] = code_of[text]
    _head(hasher, column.name, column.kind, texts)
    hasher.update(recode[column.values])


def _head(hasher: Any, name: str, kind: str, levels: Any) -> None:
    texts = [name, kind, *(str(level) for level in levels or ())]
    for text in texts:
        coded = text.encode("utf-8", "surrogatepass")
        hasher.update(b"%d:" % len(coded) + coded)
    hasher.update(b";")


def _bits(values: np.ndarray) -> np.ndarray:
    return number_bits(values).astype("<u8", copy=False)
