"""A table in memory: named, typed columns of equal length, or one numeric matrix that is not copied."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from tamis.check import nearest
from tamis.errors import KindError, TableError
from tamis.table import export
from tamis.table.canonical import digest
from tamis.table.column import Column
from tamis.table.decision import Decision
from tamis.table.like import TableLike
from tamis.table.sources.frame import columns_of_frame, is_frame
from tamis.wording import MAX_LINES, html_table

SEVERAL = 8  # so many columns of numbers are kept in one matrix, too, from which rows are taken at once,
SMALL = 200_000  # where there are no more values than these,
WIDE = 64  # or so many columns,
TALL = 10  # unless there are so many times more rows, whose values cost more than the columns


class Origin(NamedTuple):
    """Where a table was cut from: positions of its rows and columns in a table that keeps its views."""

    table: "Table"
    rows: np.ndarray
    columns: np.ndarray


class Table:
    """Columns of equal length with names and kinds.

    A table made from a numeric array keeps that array (`matrix`) and makes columns only when asked for them.

    Parameters
    ----------
    columns : the columns, in order.
    matrix : instead of columns, a dense or SciPy sparse matrix of numbers.
    names : the names of the matrix' columns; without them columns are called x0, x1, …
    decisions : what `tamis.table.read` decided about each column of the source, left-out columns included.
    """

    def __init__(
        self,
        columns: Sequence[Column] = (),
        *,
        matrix: Any = None,
        names: Sequence[str] | None = None,
        n_rows: int | None = None,
        decisions: Sequence[Decision] = (),
    ) -> None:
        self.decisions = tuple(decisions)
        self.matrix = matrix
        self._made: tuple[Column, ...] | None = None if matrix is not None else tuple(columns)
        self._heads = self._made  # names, kinds and levels of columns whose values may be in a block
        self._block: np.ndarray | None = None
        self._found: dict[str, np.ndarray] = {}  # what depends on the heads alone, shared by the tables of some rows
        self.views: dict[str, Any] | None = None  # what was worked out of all rows and is cut for some: see `share`
        self.origin: Origin | None = None
        if matrix is not None:
            self.n_rows = int(matrix.shape[0])
            self.named = names is not None
            self.names = tuple(names) if names is not None else tuple(f"x{j}" for j in range(matrix.shape[1]))
        else:
            self.n_rows = len(columns[0].values) if columns else int(n_rows or 0)
            self.named = True
            self.names = tuple(column.name for column in columns)

    @classmethod
    def of(cls, X: Any, names: Sequence[str] | None = None) -> "Table":
        """A table from a Table, an array, a sparse matrix or a frame (pandas, polars, pyarrow, …).

        >>> Table.of([[1.0, 2.0], [3.0, 4.0]]).names
        ('x0', 'x1')
        """
        if isinstance(X, Table):
            return X
        refuse_lazy(X)
        if is_frame(X):
            return cls(columns_of_frame(X))
        if sparse.issparse(X):
            return cls(matrix=X.tocsc(), names=names)
        array = np.asarray(X)
        if array.ndim != 2:
            raise TableError(
                f"the table has {array.ndim} dimension(s); give rows × columns (2D). Reshape your data: "
                "X.reshape(-1, 1) makes one column of it"
            )
        if array.dtype.kind not in "fiub":
            labels = names if names is not None else [f"x{j}" for j in range(array.shape[1])]
            table = cls(columns_of_frame(array, labels), n_rows=len(array))
            table.named = names is not None
            return table
        return cls(matrix=array, names=names)

    @property
    def types(self) -> dict[str, dict[str, Any]]:
        """What each column of the source was taken for, in plain words (JSON): `read(other, like=…)` takes them."""
        return {d.name: d.type.as_dict() for d in self.decisions if d.type is not None}

    @property
    def shape(self) -> tuple[int, int]:
        return self.n_rows, self.n_columns

    @property
    def n_columns(self) -> int:
        return len(self.names)

    @property
    def is_sparse(self) -> bool:
        return sparse.issparse(self.matrix)

    @property
    def is_numeric(self) -> bool:
        """True when no column is categorical."""
        return self._heads is None or self._block is not None or not any(c.is_categorical for c in self._heads)

    @property
    def columns(self) -> tuple[Column, ...]:
        if self._made is not None:
            return self._made
        columns = tuple(self.column(j) for j in range(self.n_columns))
        if self._block is not None:  # some rows of a wide table: its columns are made when asked for
            self._made = columns
        return columns

    @property
    def heads(self) -> tuple[Column, ...]:
        """The columns for their names, kinds, levels and sources alone; their values may be those of other rows."""
        return self.columns if self._heads is None else self._heads

    @property
    def dense(self) -> np.ndarray | None:
        """All values in one dense matrix, where there is one: of a matrix, or of many columns without categories."""
        if self.matrix is not None:
            return None if self.is_sparse else np.asarray(self.matrix)
        if self._block is None and self._is_blockwise and self.is_numeric:
            self._block = np.ascontiguousarray(self.numbers())
        return self._block

    @property
    def _is_blockwise(self) -> bool:
        n, d = self.shape
        return d >= max(WIDE, n / TALL) or (d >= SEVERAL and n * d <= SMALL)

    def column(self, which: int | str) -> Column:
        """A column by position or name."""
        j = self.index(which) if isinstance(which, str) else which
        if self._made is not None:
            return self._made[j]
        if self._block is not None and self._heads is not None:
            return replace(self._heads[j], values=np.ascontiguousarray(self._block[:, j]))
        values = self.matrix[:, [j]].toarray().ravel() if self.is_sparse else self.matrix[:, j]
        kind = "boolean" if self.matrix.dtype.kind == "b" else "numeric"
        return Column(self.names[j], kind, np.ascontiguousarray(values, dtype=np.float64))

    def index(self, name: str) -> int:
        """The position of a named column."""
        if name not in self.names:
            raise TableError(f"there is no column {name!r}{nearest(name, self.names)}; columns: {_some(self.names)}")
        return self.names.index(name)

    def order(self) -> np.ndarray:
        """Positions of the columns in the order that breaks ties: by name, or by position when unnamed."""
        if not self.named:
            return np.arange(self.n_columns)
        if "order" not in self._found:
            ordered = sorted(range(self.n_columns), key=self.names.__getitem__)
            self._found["order"] = np.array(ordered, dtype=np.int64)
        return self._found["order"]

    def special(self) -> np.ndarray:
        """Positions of the columns that are neither plain numbers nor categories: booleans, ordinals, dates, times."""
        if "special" not in self._found:
            plain = ("numeric", "categorical")
            heads = enumerate(self.heads)
            positions = [j for j, c in heads if c.source is not None or c.unit is not None or c.kind not in plain]
            self._found["special"] = np.array(positions, dtype=np.int64)
        return self._found["special"]

    def numbers(self) -> np.ndarray:
        """Every column as float64, rows × columns; a categorical column is refused by name."""
        if self.is_sparse:
            return np.asarray(self.matrix.toarray(), dtype=np.float64)
        if self.matrix is not None:
            return np.asarray(self.matrix, dtype=np.float64)
        if self._block is not None:
            return np.array(self._block, order="F")
        columns = self.columns
        for column in columns:
            if column.is_categorical:
                raise KindError(f"column {column.name!r} holds categories; this method takes numbers only")
        out = np.empty((self.n_rows, len(columns)), order="F")
        for j, column in enumerate(columns):
            out[:, j] = column.values
        return out

    def share(self) -> "Table":
        """Keep what is worked out of this table, so that it is cut, not worked out anew, for tables of its rows.

        Only what loses nothing may be kept: ranks of values, never edges, means or levels that a model learns.
        """
        self.views = {} if self.views is None else self.views
        return self

    def take(self, rows: Any) -> "Table":
        """The table of some rows (positions or a mask); levels of categories and decisions stay as they are."""
        table = self._rows_at(rows)
        table.views, table.origin = None, self._cut(rows=np.asarray(rows))
        return table

    def _cut(self, rows: np.ndarray | None = None, columns: Sequence[int] | None = None) -> Origin | None:
        """Where a table of some rows, or columns, of this one comes from; None where nothing is kept."""
        if self.views is None and self.origin is None:
            return None
        origin = self.origin or Origin(self, np.arange(self.n_rows), np.arange(self.n_columns))
        return origin._replace(
            rows=origin.rows if rows is None else origin.rows[rows],
            columns=origin.columns if columns is None else origin.columns[np.asarray(columns, dtype=np.int64)],
        )

    def _rows_at(self, rows: Any) -> "Table":
        if self.matrix is not None:
            matrix = self.matrix.tocsr()[rows] if self.is_sparse else self.matrix[rows]
            return Table(matrix=matrix, names=self.names if self.named else None, decisions=self.decisions)
        rows = np.asarray(rows)
        if self.dense is not None:
            return self._of_block(self.dense[rows])
        n = int(rows.sum()) if rows.dtype == bool else len(rows)
        table = Table([column.take(rows) for column in self.columns], n_rows=n, decisions=self.decisions)
        table.named = self.named
        return table

    def _of_block(self, block: np.ndarray) -> "Table":
        """The same columns with other values: no column is made before it is asked for."""
        table = Table.__new__(Table)
        table.__dict__.update(self.__dict__)
        table._made, table._block, table.n_rows = None, block, len(block)
        return table

    def select(self, which: Sequence[int | str]) -> "Table":
        """The table of some columns, by position or name, in the order given.

        Decisions about columns that are no longer there go with them; those about left-out columns stay.
        """
        positions = self._positions(which)
        if self.matrix is not None:
            matrix = self.matrix.tocsc()[:, positions] if self.is_sparse else self.matrix[:, positions]
            table = Table(matrix=matrix, names=[self.names[j] for j in positions])
            origins = set(table.names)
        else:
            table = Table([self.column(j) for j in positions], n_rows=self.n_rows)
            origins = {self.heads[j].origin for j in positions}
        table.named = self.named
        table.decisions = tuple(d for d in self.decisions if not d.used or d.name in origins)
        table.origin = self._cut(columns=positions)
        return table

    def drop(self, which: Sequence[int | str]) -> "Table":
        """The table without some columns, given by position or name.

        >>> Table.of([[1.0, 2.0, 3.0]]).drop(["x1"]).names
        ('x0', 'x2')
        """
        dropped = set(self._positions(which))
        return self.select([j for j in range(self.n_columns) if j not in dropped])

    def digest(self) -> str:
        """SHA-256 of the content: the same for every source and column order, different for another order of rows."""
        return digest(self)

    def to_arrow(self) -> Any:
        """The table as a pyarrow Table: categories and ordinals as words, booleans as booleans, else numbers."""
        return export.to_arrow(self)

    def to_pandas(self) -> Any:
        """The table as a pandas DataFrame; categories and ordinals as words."""
        return export.to_pandas(self)

    def to_polars(self) -> Any:
        """The table as a polars DataFrame; categories and ordinals as words."""
        return export.to_polars(self)

    def _positions(self, which: Sequence[int | str]) -> list[int]:
        named = [w for w in which if isinstance(w, str)]
        position_of = {name: j for j, name in enumerate(self.names)} if len(named) > 8 else {}
        return [position_of[w] if w in position_of else self.index(w) if isinstance(w, str) else int(w) for w in which]

    def __len__(self) -> int:
        return self.n_rows

    def __repr__(self) -> str:
        return f"Table({self.n_rows:,} rows × {self.n_columns:,} columns)"

    def _repr_html_(self) -> str:
        """The columns for a notebook: kind, missing values, range or levels of each."""
        few = self.names[: MAX_LINES + 1]
        lines = [{"column": name, **self.column(name).facts()} for name in few]
        left = self.n_columns - MAX_LINES
        caption = f"{self.n_rows:,} rows × {self.n_columns:,} columns"
        return html_table(caption + (f", the first {MAX_LINES} of them" if left > 0 else ""), lines[:MAX_LINES])


def refuse_lazy(X: TableLike) -> None:
    """One sentence for a table that stays in its files, where one in memory is needed."""
    if getattr(X, "is_lazy", False):
        raise KindError(
            f"this takes a table in memory, but {X!r} stays in its files; give some of its rows: .sample(100_000)"
        )


def _some(names: Sequence[str], max_names: int = 8) -> str:
    listed = ", ".join(repr(name) for name in names[:max_names])
    return listed + (f", … ({len(names):,} in all)" if len(names) > max_names else "")
