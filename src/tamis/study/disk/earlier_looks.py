"""Looks at the rows of a table in other ledgers: of the folders beside, and of tables that were changed since."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from tamis.errors import StudyError
from tamis.lock import DAMAGED, Ledger, Lock, RowHashes
from tamis.lock.ledger import times
from tamis.study.disk.sibling_studies import folders_beside
from tamis.table import Raw
from tamis.wording import first_few

#: Folders that are named in a note.
MAX_NAMED = 3


@dataclass(frozen=True)
class EarlierLooks:
    """How often rows of a table were looked at, by folder; in the own folder, under other data."""

    counts: dict[str, int]

    @property
    def total(self) -> int:
        """How many looks are known."""
        return sum(self.counts.values())

    @property
    def note(self) -> str:
        """One sentence, or nothing."""
        if not self.counts:
            return ""
        names = [repr(name) for name in self.counts]
        where = first_few(names, MAX_NAMED)
        return f"rows of this table were looked at {times(self.total)} before (ledger of {where})"


def earlier_looks(folder: Path, lock: Lock, read: Callable[[], Raw]) -> EarlierLooks:
    """Looks at rows of the locked table in this folder's ledger and in those beside it.

    The same table is known by the digest of its cells. A table that was changed (a cell, some rows, a column) is known
    by the hashes of the rows that were looked at. Lines of the own ledger under the same data are not counted here.

    Parameters
    ----------
    folder : of the study.
    lock : its lock.
    read : reads the table again; called only where there are hashes to compare with.
    """
    table = _LockedTable(lock, read)
    counts: dict[str, int] = {}
    for study_folder in (folder.resolve(), *folders_beside(folder)):
        try:
            n_looks = _count(study_folder, table, is_own=study_folder == folder.resolve())
        except StudyError:  # no ledger of a study
            if study_folder == folder.resolve():
                raise
            continue
        if n_looks:
            counts[study_folder.name] = n_looks
    return EarlierLooks(counts)


@dataclass(frozen=True, eq=False)
class _LockedTable:
    """The table at hand: its lock, and its cells, read when they are first asked for."""

    lock: Lock
    read: Callable[[], Raw]
    held_by_digest: dict[str, bool] = field(default_factory=dict)

    @cached_property
    def raw(self) -> Raw:
        return self.read()

    def holds(self, digest: str, data: str, hashes: RowHashes | None) -> bool:
        """Whether some locked rows are rows of this table."""
        if data == self.lock.data:
            return True
        if hashes is None:
            return False
        if digest not in self.held_by_digest:
            self.held_by_digest[digest] = hashes.holds(self.raw)
        return self.held_by_digest[digest]


def _count(study_folder: Path, table: _LockedTable, *, is_own: bool) -> int:
    """How many looks of a folder's ledger were at rows of this table.

    A line that cannot be read counts in the own ledger already; elsewhere, where another line or the lock of the folder
    is of this table.
    """
    ledger = Ledger(study_folder)
    looks = ledger.looks()
    if not looks:
        return 0
    hashes = ledger.hashes()
    damaged = sum(look["kind"] == DAMAGED for look in looks)
    recorded = [
        look
        for look in looks
        if look["kind"] != DAMAGED
        and not (is_own and look["data"] == table.lock.data)
        and table.holds(look["digest"], look["data"], hashes.get(look["digest"]))
    ]
    if is_own or not damaged:
        return len(recorded)
    return len(recorded) + damaged if recorded or _is_locked_from(study_folder, table) else 0


def _is_locked_from(study_folder: Path, table: _LockedTable) -> bool:
    """Whether the lock of a folder is of this table."""
    other_lock = Lock.read(study_folder)
    return table.holds(other_lock.digest, other_lock.data, other_lock.hashes)
