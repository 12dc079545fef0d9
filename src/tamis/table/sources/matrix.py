"""Numeric matrices, dense or sparse: judged column by column, never copied into columns."""

from collections.abc import Mapping

import numpy as np
from scipy import sparse

from tamis.errors import ParameterError, TableError
from tamis.table.decision import Decision
from tamis.table.inference.kinds import LEFT_OUT, Rules, infinite
from tamis.table.inference.quantity import Finding, judge_numbers
from tamis.table.table import Table
from tamis.table.types import Type


def decisions_of(
    table: Table, declared: Mapping[str, Type], target: str | None, rows: np.ndarray | None = None
) -> list[Decision]:
    """What each column of a matrix is, from some rows or from all: constant columns and row numbers are left out.

    >>> import numpy as np
    >>> [decision.used for decision in decisions_of(Table.of(np.array([[1.5, 7.0], [2.5, 7.0]])), {}, None)]
    [True, False]
    """
    for name, type in declared.items():
        if type.kind != "numeric":
            raise ParameterError(f"types: {name}={type.kind}, but a sparse matrix holds numbers only; give a frame")
    if table.n_rows == 0 or table.n_columns == 0:
        raise TableError(f"the matrix has shape {table.shape}; give at least one row and one column")
    return [_decide(table, j, declared, target, rows) for j in range(table.n_columns)]


def finite_rows(table: Table, rows: np.ndarray) -> tuple[Table, dict[str, int]]:
    """The matrix with the infinite values of some rows missing, and how many a column had; copied only if any had."""
    matrix = table.matrix
    if matrix.dtype.kind != "f":
        return table, {}
    block = matrix.tocsr()[rows].tocoo() if table.is_sparse else matrix[rows]
    infinite = np.isinf(block.data if table.is_sparse else block)
    if not infinite.any():
        return table, {}
    infinite_cells = (block.row[infinite], block.col[infinite]) if table.is_sparse else np.nonzero(infinite)
    matrix = matrix.tolil(copy=True) if table.is_sparse else matrix.copy()
    matrix[rows[infinite_cells[0]], infinite_cells[1]] = np.nan
    matrix = matrix.tocsc() if table.is_sparse else matrix
    counts = np.bincount(infinite_cells[1], minlength=table.n_columns)
    misfits = {table.names[j]: int(counts[j]) for j in np.flatnonzero(counts)}
    return Table(matrix=matrix, names=table.names if table.named else None), misfits


def _decide(
    table: Table, j: int, declared: Mapping[str, Type], target: str | None, rows: np.ndarray | None
) -> Decision:
    name = table.names[j]
    finding = _of_sparse(table, j, rows) if table.is_sparse else _of_dense(table, j, rows)
    if name in declared:
        return Decision(name, "numeric", "given", type=Type("numeric"))
    if finding.kind in LEFT_OUT and name == target:
        note = f"the target is kept; another column like it would be left out as {finding.kind}"
        return Decision(name, "numeric", finding.reason, True, note, Type("numeric"))
    return Decision(
        name,
        finding.kind,
        finding.reason,
        finding.kind not in LEFT_OUT,
        finding.note,
        Type(finding.kind),
        finding.sentinel,
    )


def _of_dense(table: Table, j: int, rows: np.ndarray | None) -> Finding:
    column = table.column(j)
    values = column.values if rows is None else column.values[rows]
    infinite(column.name, values, Rules(rows=rows))
    finding = judge_numbers(column.name, values)
    if column.kind == "boolean" and finding.kind == "numeric":
        return Finding("boolean", "the source says so")
    return finding


def _of_sparse(table: Table, j: int, rows: np.ndarray | None) -> Finding:
    """From the stored values alone; where they fill a tenth of the rows or more, as a dense column."""
    matrix = table.matrix
    column_slice = slice(matrix.indptr[j], matrix.indptr[j + 1])
    stored, stored_rows = matrix.data[column_slice], matrix.indices[column_slice]
    n_rows = table.n_rows if rows is None else len(rows)
    if rows is not None:
        is_chosen = np.isin(stored_rows, rows)
        stored, stored_rows = stored[is_chosen], stored_rows[is_chosen]
    if len(stored) * 10 > n_rows:
        return _of_dense(table, j, rows)
    if stored.dtype.kind == "f" and np.isinf(stored).any():
        row = int(stored_rows[int(np.flatnonzero(np.isinf(stored))[0])])
        raise TableError(f"column {table.names[j]!r} holds an infinite value in row {row + 1}; replace it first")
    if not stored.any():
        return Finding("constant", f"every one of {n_rows:,} values is 0")
    kind = "boolean" if sparse.issparse(matrix) and matrix.dtype.kind == "b" else "numeric"
    return Finding(kind, f"numbers, {len(stored) / n_rows:.2%} of them not zero")
