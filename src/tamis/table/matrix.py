"""Numeric matrices, dense or sparse: judged column by column, never copied into columns."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from tamis.errors import ParameterError, TableError
from tamis.table.decision import Decision
from tamis.table.kinds import LEFT_OUT, infinite
from tamis.table.quantity import Finding, judge_numbers
from tamis.table.table import Table
from tamis.table.types import Type


def of_matrix(matrix: Any, given: dict[str, Type], target: str | None) -> Table:
    """A table that keeps the matrix; constant columns and row numbers are left out, with the reason.

    >>> import numpy as np
    >>> of_matrix(np.array([[1.5, 7.0], [2.5, 7.0]]), {}, None).names
    ('x0',)
    """
    for name, type in given.items():
        if type.kind != "numeric":
            raise ParameterError(f"types: {name}={type.kind}, but a sparse matrix holds numbers only; give a frame")
    table = Table.of(matrix)
    if table.n_rows == 0 or table.n_columns == 0:
        raise TableError(f"the matrix has shape {table.shape}; give at least one row and one column")
    decisions = [_decide(table, j, given, target) for j in range(table.n_columns)]
    kept = [j for j, decision in enumerate(decisions) if decision.used]
    if not any(table.names[j] != target for j in kept):
        raise TableError(f"every column was left out ({decisions[0].sentence}); give columns that differ between rows")
    out = table if len(kept) == table.n_columns else table.select(kept)
    out.named = False
    out.decisions = tuple(decisions)
    return out


def _decide(table: Table, j: int, given: dict[str, Type], target: str | None) -> Decision:
    name = table.names[j]
    found = _of_sparse(table, j) if table.is_sparse else _of_dense(table, j)
    if name in given:
        return Decision(name, "numeric", "given", type=Type("numeric"))
    if found.kind in LEFT_OUT and name == target:
        note = f"the target is kept; another column like it would be left out as {found.kind}"
        return Decision(name, "numeric", found.reason, True, note, Type("numeric"))
    return Decision(name, found.kind, found.reason, found.kind not in LEFT_OUT, found.note, Type(found.kind))


def _of_dense(table: Table, j: int) -> Finding:
    column = table.column(j)
    infinite(column.name, column.values)
    found = judge_numbers(column.name, column.values)
    if column.kind == "boolean" and found.kind == "numeric":
        return Finding("boolean", "the source says so")
    return found


def _of_sparse(table: Table, j: int) -> Finding:
    """From the stored values alone; where they fill a tenth of the rows or more, as a dense column."""
    matrix = table.matrix
    stored = matrix.data[matrix.indptr[j] : matrix.indptr[j + 1]]
    if len(stored) * 10 > table.n_rows:
        return _of_dense(table, j)
    if stored.dtype.kind == "f" and np.isinf(stored).any():
        row = int(matrix.indices[matrix.indptr[j] + int(np.flatnonzero(np.isinf(stored))[0])])
        raise TableError(f"column {table.names[j]!r} holds an infinite value in row {row + 1}; replace it first")
    if not stored.any():
        return Finding("constant", f"every one of {table.n_rows:,} values is 0")
    kind = "boolean" if sparse.issparse(matrix) and matrix.dtype.kind == "b" else "numeric"
    return Finding(kind, f"numbers, {len(stored) / table.n_rows:.2%} of them not zero")
