"""The locked test set: rows put away before anything is learned, and the ledger of every time they were looked at."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from tamis.check import number
from tamis.errors import StudyError
from tamis.table import MISSING, Column, Table

#: A locked part smaller than this cannot tell much: the 95% interval of an accuracy of 0.8 on 20 rows is ±0.18.
FEWEST = 20

LOCK_FILE = "lock.json"
LEDGER_FILE = "ledger.jsonl"


@dataclass(frozen=True, eq=False)
class Lock:
    """Which rows are locked, and why.

    The target is never looked at: rows (or whole groups) with the smallest keyed digests of their features are
    locked, so equal rows fall on the same side and neither the order of rows nor that of columns matters. With a
    time column the latest rows are locked.

    Attributes
    ----------
    rows : positions of the locked rows, ascending.
    keys : the 64-bit digest of each locked row, in hexadecimal.
    share : the share asked for.
    how : "features", "groups", "time" or "none".
    reason : one sentence that says what was done.
    """

    rows: np.ndarray
    keys: tuple[str, ...]
    share: float
    how: str
    reason: str

    @classmethod
    def of(
        cls,
        table: Table,
        *,
        share: float = 0.2,
        seed: int = 0,
        groups: Column | None = None,
        time: Column | None = None,
    ) -> Lock:
        """Choose the rows to lock of a table of features (the target must not be among its columns).

        >>> table = Table.of(np.arange(500.0).reshape(250, 2))
        >>> len(Lock.of(table).rows)
        50
        """
        number("lock", share, low=0, high=0.9)
        digests = row_digests(table.columns, seed)
        n = table.n_rows
        wanted = round(share * n)
        if wanted < FEWEST:
            return cls(np.empty(0, dtype=np.int64), (), share, "none", _too_small(share, wanted, n))
        if time is not None:
            rows, how = _latest(time.values, wanted), "time"
        elif groups is not None:
            rows, how = _smallest(row_digests([groups], seed), wanted), "groups"
        else:
            rows, how = _smallest(digests, wanted), "features"
        if not FEWEST <= len(rows) <= n - FEWEST:
            reason = f"no rows are locked: {_parts(how)} make it impossible to lock about {wanted:,} of {n:,} rows"
            return cls(np.empty(0, dtype=np.int64), (), share, "none", reason)
        keys = tuple(f"{int(key):016x}" for key in digests[rows])
        return cls(rows, keys, share, how, _locked(len(rows), n, how))

    @property
    def digest(self) -> str:
        """One digest of all locked rows' keys, whatever their order."""
        return hashlib.sha256("\n".join(sorted(self.keys)).encode()).hexdigest()

    def mask(self, n_rows: int) -> np.ndarray:
        """True for the locked rows."""
        out = np.zeros(n_rows, dtype=bool)
        out[self.rows] = True
        return out

    def write(self, folder: Path) -> None:
        """Put the row keys and their digest into the study folder."""
        facts = {"how": self.how, "share": self.share, "reason": self.reason, "digest": self.digest}
        text = json.dumps({**facts, "rows": self.rows.tolist(), "keys": list(self.keys)}, indent=1)
        (folder / LOCK_FILE).write_text(text + "\n", encoding="utf-8")

    @classmethod
    def read(cls, folder: Path) -> Lock:
        """The lock of a study folder."""
        try:
            facts = json.loads((folder / LOCK_FILE).read_text(encoding="utf-8"))
            rows = np.array(facts["rows"], dtype=np.int64)
            lock = cls(rows, tuple(facts["keys"]), facts["share"], facts["how"], facts["reason"])
            whole = lock.digest == facts["digest"]
        except (OSError, ValueError, KeyError) as error:
            raise StudyError(
                f"the lock of the study {str(folder)!r} cannot be read ({error}); run it afresh"
            ) from error
        if not whole:
            raise StudyError(f"the lock file of {str(folder)!r} was altered: its digest does not fit; run it afresh")
        return lock


@dataclass(frozen=True)
class Opening:
    """One line of the ledger: the locked rows were scored."""

    when: str
    version: str
    digest: str
    metric: str
    score: float
    interval: tuple[float, float]
    rows: int
    independent: bool
    note: str = ""


class Ledger:
    """Every opening of the locked rows, one JSON line each, only ever appended to."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / LEDGER_FILE

    def openings(self) -> list[dict[str, Any]]:
        """All openings so far, oldest first."""
        if not self.path.exists():
            return []
        found = []
        for place, line in enumerate(self.path.read_text(encoding="utf-8").splitlines(), start=1):
            try:
                found.append(json.loads(line))
            except ValueError as error:
                raise StudyError(f"line {place} of {str(self.path)!r} is damaged; restore it from a copy") from error
        return found

    def append(self, **facts: Any) -> Opening:
        """Write one more opening to disk before anybody sees its score."""
        independent = not self.openings()
        opening = Opening(when=datetime.now(UTC).isoformat(timespec="seconds"), independent=independent, **facts)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(opening)) + "\n")
            file.flush()
            os.fsync(file.fileno())
        return opening


def row_digests(columns: Sequence[Column], seed: int) -> np.ndarray:
    """A 64-bit digest of every row, keyed by the seed, the same for any order of columns.

    Column after column (in the order of names) is mixed into the digest; numbers by their bits, categories by a
    digest of their text. Equal rows get equal digests.
    """
    n = len(columns[0].values) if columns else 0
    digest = np.full(n, _word(str(seed)), dtype=np.uint64)
    for column in sorted(columns, key=lambda c: c.name):
        digest = _mix(digest ^ _mix(_bits(column) + _word(f"{seed}\x1f{column.name}")))
    return digest


def _bits(column: Column) -> np.ndarray:
    if column.is_categorical:
        levels = [_word(str(level)) for level in column.levels or ()]
        lookup = np.array([*levels, _word("\x00missing")], dtype=np.uint64)
        return lookup[np.where(column.values == MISSING, len(levels), column.values)]
    values = np.ascontiguousarray(column.values, dtype=np.float64) + 0.0  # -0.0 and 0.0 are the same number
    bits = values.view(np.uint64).copy()
    bits[np.isnan(values)] = _word("\x00missing")
    return bits


def _word(text: str) -> np.uint64:
    return np.uint64(
        int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")
    )


def _mix(bits: np.ndarray) -> np.ndarray:
    """The finaliser of SplitMix64: every input bit flips every output bit with probability near one half."""
    with np.errstate(over="ignore"):
        bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))


def _smallest(digests: np.ndarray, wanted: int) -> np.ndarray:
    """Rows with the smallest digests: whole sets of equal digests, as many as come nearest to `wanted`."""
    _, place, counts = np.unique(digests, return_inverse=True, return_counts=True)
    reached = np.cumsum(counts)
    last = int(np.argmin(np.abs(reached - wanted)))
    return np.flatnonzero(place <= last)


def _latest(times: np.ndarray, wanted: int) -> np.ndarray:
    """The latest rows, equal times together; rows without a time stay unlocked."""
    known = np.where(np.isnan(times), -np.inf, times)
    edge = np.sort(known)[-wanted]
    return np.flatnonzero(known >= edge)


def _too_small(share: float, wanted: int, n: int) -> str:
    if share == 0:
        return "no rows are locked, as asked"
    return (
        f"no rows are locked: {share:.0%} of {n:,} rows is {wanted}, and fewer than {FEWEST} locked rows would "
        "say little; the nested score is the estimate to quote"
    )


def _parts(how: str) -> str:
    return {"time": "equal times", "groups": "the sizes of the groups"}.get(how, "repeated rows")


def _locked(locked: int, n: int, how: str) -> str:
    chosen = {
        "time": "the latest by time",
        "groups": "whole groups, by a keyed digest of the group",
        "features": "by a keyed digest of their features, without looking at the target",
    }[how]
    return f"{locked:,} of {n:,} rows are locked ({chosen}); they are scored once, by `tamis open`"
