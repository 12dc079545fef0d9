"""The rows of a lazy table as codes of one byte in a file that is mapped, not read: trees and forests grow on it.

One pass over the rows writes them, cell by cell, each at its own place: whoever writes, in whatever order, the file is
the same. Pages of a mapped file are the system's to drop; they are no anonymous memory.
"""

import errno
import hashlib
import os
import shutil
import tempfile
import weakref
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tamis.errors import TableError
from tamis.table import LazyTable
from tamis.table.lazy.grid import Cell
from tamis.table.lazy.lazy_table import CellTable
from tamis.views.binned import BinnedTable
from tamis.views.coding import Coding
from tamis.views.lazy.fold_moments import RowFolds
from tamis.views.lazy.target import LazyTarget

#: Training rows, drawn by a hash of their numbers, whose quantiles are the edges of the codes.
EDGE_ROWS = 100_000
#: Codes of a column, besides that of missing: as many as one byte holds.
MOST_CODES = 255

_CODES, _TARGET = "codes.u8", "target"


@dataclass(frozen=True, eq=False)
class MappedCodes:
    """Codes and targets of all rows of a lazy table, in two files of a folder.

    Attributes
    ----------
    folder : of the files; every worker must see it.
    n_rows : of the table; rows that are not to be learned from have the class −1, or NaN.
    codings : how each column is coded, in the order of the codes.
    n_classes : 0 for numbers.
    kept : what must not be cleared away while the files are read.
    """

    folder: str
    n_rows: int
    codings: tuple[Coding, ...]
    n_classes: int
    kept: Any = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "kept": None}  # whoever made the files clears them away

    @property
    def n_columns(self) -> int:
        return len(self.codings)

    @property
    def codes(self) -> np.ndarray:
        """uint8 (columns, rows), mapped."""
        return np.memmap(Path(self.folder) / _CODES, np.uint8, "r", shape=(self.n_columns, self.n_rows))

    @property
    def target(self) -> np.ndarray:
        """int32 classes or float64 numbers (rows), mapped."""
        return np.memmap(Path(self.folder) / _TARGET, self._target_type, "r", shape=(self.n_rows,))

    @property
    def _target_type(self) -> type:
        return np.int32 if self.n_classes else np.float64

    def binned(self, rows: np.ndarray | None = None) -> BinnedTable:
        """The binned table: of all rows, mapped, or of some, in memory. A code's values end at its edges."""
        codes = self.codes if rows is None else np.take(self.codes, rows, axis=1).astype(np.uint16, order="C")
        by_row = np.empty((0, self.n_columns), dtype=codes.dtype) if rows is None else np.ascontiguousarray(codes.T)
        n_values = np.array([coding.n_values for coding in self.codings], dtype=np.int32)
        low, high = [np.empty(0)], [np.empty(0)]
        for coding in self.codings:
            if coding.edges is not None and coding.low is not None and coding.high is not None:
                low.append(np.append(coding.low[:1], coding.edges))
                high.append(np.append(coding.edges, coding.high[-1:]))
        sizes = [0 if coding.is_categorical else coding.n_values for coding in self.codings]
        return BinnedTable(
            codes=codes,
            by_row=by_row,
            n_values=n_values,
            missing=np.array([(line == k).any() for line, k in zip(codes, n_values)], dtype=bool),
            category=np.array([coding.is_categorical for coding in self.codings], dtype=bool),
            first=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
            low=np.concatenate(low),
            high=np.concatenate(high),
        )

    def present(self, rows: np.ndarray) -> np.ndarray:
        """Which of some rows are to be learned from."""
        return self.has_target(self.target[rows])

    def has_target(self, target: np.ndarray) -> np.ndarray:
        """Which of some targets are there."""
        return np.asarray(target >= 0 if self.n_classes else ~np.isnan(target))

    def digest(self) -> str:
        """SHA-256 of codes and targets."""
        digest = hashlib.sha256()
        for name in (_CODES, _TARGET):
            with (Path(self.folder) / name).open("rb") as file:
                while block := file.read(1 << 20):
                    digest.update(block)
        return digest.hexdigest()


@dataclass(frozen=True, eq=False)
class WriteCell:
    """Writes the codes and targets of a cell to their place.

    Parameters
    ----------
    read : turns a cell into a table of the columns and the target.
    mapped : the files.
    answer : what is to be learned.
    """

    read: CellTable
    mapped: MappedCodes
    answer: LazyTarget

    def __call__(self, cell: Cell) -> np.ndarray:
        """Rows of each class that were written; one number for a numeric target."""
        table, mapped = self.read(cell), self.mapped
        for j, coding in enumerate(mapped.codings):
            codes = coding.encode(table.column(coding.name)).astype(np.uint8, copy=False)
            write_at(Path(mapped.folder) / _CODES, codes, j * mapped.n_rows + cell.first)
        answer = table.column(self.answer.name)
        target = self.answer.codes(answer) if self.answer.is_classes else np.array(answer.values)
        write_at(Path(mapped.folder) / _TARGET, target, cell.first * target.itemsize)
        present = target[mapped.has_target(target)]
        return np.bincount(present, minlength=mapped.n_classes) if mapped.n_classes else np.array([len(present)])


def map_codes(
    table: LazyTable, names: Sequence[str], answer: LazyTarget, folds: RowFolds | None = None, n_judged: int = 0
) -> tuple[MappedCodes, np.ndarray]:
    """The codes of some columns, in their order; and the rows of each class (one number for a numeric target).

    Two passes over the rows.

    Edges are midway between neighbouring quantiles of `EDGE_ROWS` rows, those of the first `n_judged` folds left out:
    these are to judge what is learned from the others. Every value of a column with few of them has its own code.
    Beyond 255 levels the rarer ones of these rows share a code.
    """
    columns = table.select([*names, answer.name])
    sample, rows = columns.drawn(EDGE_ROWS)
    if folds is not None:
        sample = sample.take(np.flatnonzero(folds.of(rows) >= n_judged))
    codings = tuple(Coding.learn(sample.column(name), MOST_CODES)[0] for name in names)
    folder = TemporaryFolder()
    mapped = MappedCodes(str(folder.path), table.n_rows, codings, len(answer.labels), folder)
    _make_room(mapped)
    return mapped, columns.reduce(WriteCell(columns.cell_table(), mapped, answer), np.add)


class TemporaryFolder:
    """A folder of its own in the system's temporary one (TMPDIR), cleared away with the last that refers to it."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="tamis-codes-"))
        weakref.finalize(self, shutil.rmtree, self.path, True)


def _make_room(mapped: MappedCodes) -> None:
    """Files of their full length; with the bytes set aside where the file system can, so that a full disk is told."""
    sizes = {_CODES: mapped.n_rows * mapped.n_columns, _TARGET: mapped.n_rows * np.dtype(mapped._target_type).itemsize}
    for name, size in sizes.items():
        with (Path(mapped.folder) / name).open("wb") as file, room(mapped.folder):
            file.truncate(size)
            with suppress(AttributeError):
                os.posix_fallocate(file.fileno(), 0, max(1, size))


def write_at(path: Path, values: np.ndarray, offset: int) -> None:
    """Write an array to a place of a file; a failed disk is an error here, where writing to a map would end Python."""
    with room(str(path.parent)), path.open("r+b") as file:
        file.seek(offset)
        file.write(np.ascontiguousarray(values).data)


class room:
    """A context in which no room left on the disk is said in a sentence."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if isinstance(error, OSError) and error.errno == errno.ENOSPC:
            raise TableError(
                f"there is no room left on the disk of {self.folder!r} for the codes of the rows; free some, or let "
                "TMPDIR name another folder"
            ) from error
