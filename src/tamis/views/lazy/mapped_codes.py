"""The rows of a lazy table as codes of one byte in a file that is mapped, not read: trees and forests grow on it.

One pass over the rows writes them, cell by cell, each at its own place: whoever writes, in whatever order, the file is
the same. Pages of a mapped file are the system's to drop; they are no anonymous memory.
"""

from __future__ import annotations

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
from tamis.table import Column, LazyTable
from tamis.table.lazy.grid import Cell
from tamis.table.lazy.lazy_table import CellTable
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
        """uint8 (rows, columns), mapped."""
        return np.memmap(Path(self.folder) / _CODES, np.uint8, "r", shape=(self.n_rows, self.n_columns))

    @property
    def target(self) -> np.ndarray:
        """int32 classes or float64 numbers (rows), mapped."""
        return np.memmap(Path(self.folder) / _TARGET, self._target_type, "r", shape=(self.n_rows,))

    @property
    def _target_type(self) -> type:
        return np.int32 if self.n_classes else np.float64

    def present(self, rows: np.ndarray) -> np.ndarray:
        """Which of some rows are to be learned from."""
        target = self.target[rows]
        return np.asarray(target >= 0 if self.n_classes else ~np.isnan(target))

    def digest(self) -> str:
        """SHA-256 of codes and targets."""
        found = hashlib.sha256()
        for name in (_CODES, _TARGET):
            with (Path(self.folder) / name).open("rb") as file:
                while part := file.read(1 << 20):
                    found.update(part)
        return found.hexdigest()


@dataclass(frozen=True, eq=False)
class Written:
    """What was written: rows of each class (one number for a numeric target); range and sum of numeric targets."""

    counts: np.ndarray
    low: float = 0.0
    high: float = 0.0
    total: float = 0.0

    @property
    def n_rows(self) -> int:
        return int(self.counts.sum())


def merge(a: Written, b: Written) -> Written:
    """What both wrote."""
    return Written(a.counts + b.counts, min(a.low, b.low), max(a.high, b.high), a.total + b.total)


@dataclass(frozen=True, eq=False)
class WriteCell:
    """Writes the codes and targets of a cell to their place.

    Parameters
    ----------
    read : turns a cell into a table of the columns and the target.
    mapped : the files.
    answer : what is to be learned.
    held_out : folds, the first of which is not to be learned from; None to learn from all rows.
    """

    read: CellTable
    mapped: MappedCodes
    answer: LazyTarget
    held_out: RowFolds | None = None

    def warm(self) -> None:
        """Compile what a cell needs."""
        column = Column("x", "numeric", np.array([0.0, 1.0]))
        Coding.learn(column, 2)[0].encode(column)
        words = Column("w", "categorical", np.array([0, 1], dtype=np.int32), ("a", "b"))
        Coding.learn(words, 2)[0].encode(words)

    def __call__(self, cell: Cell) -> Written:
        table = self.read(cell)
        codes = np.empty((cell.n_rows, self.mapped.n_columns), dtype=np.uint8)
        for j, coding in enumerate(self.mapped.codings):
            codes[:, j] = coding.encode(table.column(coding.name))
        answer = table.column(self.answer.name)
        held = np.zeros(cell.n_rows, dtype=bool)
        if self.held_out is not None:
            held = self.held_out.of(np.arange(cell.first, cell.first + cell.n_rows)) == 0
        if self.answer.is_classes:
            target = np.where(held, -1, self.answer.codes(answer)).astype(np.int32)
            found = Written(np.bincount(target[target >= 0], minlength=len(self.answer.labels)))
        else:
            target = np.where(held, np.nan, answer.values)
            there = target[~np.isnan(target)]
            ends = (float(there.min()), float(there.max())) if len(there) else (np.inf, -np.inf)
            found = Written(np.array([len(there)]), *ends, float(there.sum()))
        write_at(Path(self.mapped.folder) / _CODES, codes, cell.first * codes.shape[1])
        write_at(Path(self.mapped.folder) / _TARGET, target, cell.first * target.itemsize)
        return found


def map_codes(
    table: LazyTable, names: Sequence[str], answer: LazyTarget, held_out: RowFolds | None = None
) -> tuple[MappedCodes, Written]:
    """The codes of some columns, in their order; and what was written. Two passes over the rows.

    Edges are midway between neighbouring quantiles of `EDGE_ROWS` rows that are to be learned from; every value of a
    column with few of them has its own code. Beyond 255 levels the rarer ones of these rows share a code.
    """
    wanted = table.select([*names, answer.name])
    sample, rows = wanted.drawn(EDGE_ROWS)
    if held_out is not None:
        sample = sample.take(np.flatnonzero(held_out.of(rows) != 0))
    codings = tuple(Coding.learn(sample.column(name), MOST_CODES)[0] for name in names)
    kept = TemporaryFolder()
    mapped = MappedCodes(str(kept.path), table.n_rows, codings, len(answer.labels), kept)
    _make_room(mapped)
    written = wanted.reduce(WriteCell(wanted.cell_table(), mapped, answer, held_out), merge)
    return mapped, written


class TemporaryFolder:
    """A folder of its own in the system's temporary one (TMPDIR), cleared away with the last that refers to it."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="tamis-codes-"))
        weakref.finalize(self, shutil.rmtree, self.path, True)


def _make_room(mapped: MappedCodes) -> None:
    """Files of their full length; with the bytes set aside where the file system can, so that a full disk is told."""
    sizes = {_CODES: mapped.n_rows * mapped.n_columns, _TARGET: mapped.n_rows * np.dtype(mapped._target_type).itemsize}
    for name, size in sizes.items():
        with (Path(mapped.folder) / name).open("wb") as file, _room(mapped.folder):
            file.truncate(size)
            with suppress(AttributeError):
                os.posix_fallocate(file.fileno(), 0, max(1, size))


def write_at(path: Path, values: np.ndarray, offset: int) -> None:
    """Write an array to a place of a file; a failed disk is an error here, where writing to a map would end Python."""
    with _room(str(path.parent)), path.open("r+b") as file:
        file.seek(offset)
        file.write(np.ascontiguousarray(values).data)


class _room:
    """No room left on the disk, in a sentence."""

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
