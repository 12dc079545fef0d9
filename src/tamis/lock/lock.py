"""Which rows are locked: drawn before anything is decided, without the target."""

import hashlib
import json
import re
import threading
from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from tamis import saved
from tamis.check import number
from tamis.engine.hash import mix, text_hash
from tamis.errors import DamagedError, StudyError
from tamis.lock.row_hashes import RowHashes
from tamis.table import Column, Raw, Table, raw_of
from tamis.table.canonical import canonical_column, sparse_sums

#: A locked part smaller than this cannot tell much: the 95% interval of an accuracy of 0.8 on 20 rows is ±0.18.
FEWEST = 20

NO_ROWS = "no rows were set aside as a test set"

#: Locked rows that come again are no chance beyond so many standard errors of what chance brings.
SURELY = 4.0

_KEY = re.compile("[0-9a-f]{16}")

LOCK_FILE = "lock.json"


@dataclass(frozen=True, eq=False)
class Held:
    """What some rows hold of the locked ones.

    Attributes
    ----------
    by_digest : which of the different locked rows, by their digests in order.
    matches : how many rows agree with each hashed row.
    """

    by_digest: np.ndarray
    matches: np.ndarray

    def __add__(self, other: "Held") -> "Held":
        return Held(self.by_digest | other.by_digest, self.matches + other.matches)


@dataclass(frozen=True, eq=False)
class Lock:
    """Which rows are locked, and why.

    The target is never looked at: rows (or whole groups) with the smallest keyed digests of their features are
    locked, so equal rows fall on the same side and neither the order of rows nor that of columns matters. Where fewer
    than half of the rows are different, there are too few sets of equal rows to draw from, and the row's number joins
    its digest. With a time column the latest rows are locked.

    The digest of a row is that of all its cells but the target, in canonical form, before kinds are decided: studies
    that leave out, transform or add columns lock the same rows. Columns that number or name the rows take no part: two
    rows that differ in nothing else are the same case.

    Attributes
    ----------
    rows : positions of the locked rows, ascending.
    keys : the 64-bit digest of each locked row, in hexadecimal.
    share : the share asked for.
    how : "features", "groups", "time" or "none".
    reason : one sentence that says what was done.
    n_rows : how many rows the table has.
    columns : names of the columns whose cells make the digest.
    numbered : True when the row's number is part of it.
    seed : the key of the digest.
    data : a digest of all cells but the target's, whatever the seed and the order of rows and columns.
    target : a digest of the locked rows' target cells: it tells whether they are the same, and nothing else.
    hashes : of cells of some locked rows, by which they are known again in a table that was changed.
    """

    rows: np.ndarray
    keys: tuple[str, ...]
    share: float
    how: str
    reason: str
    n_rows: int
    columns: tuple[str, ...] = ()
    numbered: bool = False
    seed: int = 0
    data: str = ""
    target: str = ""
    hashes: RowHashes | None = None

    @classmethod
    def of(
        cls,
        table: Table | Raw,
        *,
        share: float = 0.2,
        seed: int = 0,
        groups: Column | None = None,
        time: Column | None = None,
        target: str | None = None,
    ) -> "Lock":
        """Choose the rows to lock.

        Parameters
        ----------
        table : the cells of all rows.
        share : the share of rows to lock.
        seed : the key of the digests.
        groups, time : the column whose equal rows stay together, or whose latest rows are locked.
        target : the column to be learned, which takes no part in anything but its own digest.

        >>> table = Table.of(np.arange(500.0).reshape(250, 2))
        >>> len(Lock.of(table).rows)
        50
        """
        number("lock", share, low=0, high=0.9)
        raw = raw_of(table)
        sums = _sums(raw, target)
        n, n_wanted = raw.n_rows, round(share * raw.n_rows)
        digests = _keyed(sums.features, seed, False)
        numbered = 2 * _distinct(digests) < n
        if numbered:
            digests = _keyed(sums.features, seed, True)
        facts: dict[str, Any] = {
            "n_rows": n,
            "columns": sums.columns,
            "numbered": numbered,
            "seed": seed,
            "data": _joint(sums.cells),
        }
        none = np.empty(0, dtype=np.int64)
        if n_wanted < FEWEST:
            return cls(none, (), share, "none", _too_small(share, n_wanted, n), **facts)
        if time is not None:
            rows, how = _latest(time.values, n_wanted), "time"
        elif groups is not None:
            rows, how = _smallest(_keyed(canonical_column(groups).bits, seed, False), n_wanted), "groups"
        else:
            rows, how = _smallest(digests, n_wanted), "features"
        if not FEWEST <= len(rows) <= n - FEWEST:
            reason = f"{NO_ROWS}: {_units(how)} leave no way to take about {n_wanted:,} of {n:,} rows"
            return cls(none, (), share, "none", reason, **facts)
        keys, hashes = _hexadecimal(digests[rows]), RowHashes.of(raw, rows, digests[rows], target)
        lock = cls(rows, keys, share, how, _locked(len(rows), n, how, numbered), **facts, hashes=hashes)
        return lock if target is None else replace(lock, target=_of_target(raw, target, rows, digests[rows]))

    @cached_property
    def digest(self) -> str:
        """One digest of all locked rows' keys, whatever their order."""
        return hashlib.sha256("\n".join(sorted(self.keys)).encode()).hexdigest()

    @property
    def all_columns(self) -> tuple[str, ...]:
        """The columns by which rows are known again."""
        return self.columns if self.hashes is None else tuple(dict.fromkeys((*self.columns, *self.hashes.columns)))

    def mask(self, n_rows: int) -> np.ndarray:
        """True for the locked rows."""
        out = np.zeros(n_rows, dtype=bool)
        out[self.rows] = True
        return out

    def again(self, table: Table | Raw) -> int:
        """How many different locked rows a table holds; 0 for fewer than half of them, or for what chance explains.

        Rows are looked for by their digests; a table that was changed, or lacks a column, by hashes of cells
        (`RowHashes`), and then about how many of the rows it holds is given.
        """
        raw = raw_of(table)
        return self.recognised(self.held_by(raw), raw.names, raw.n_rows)

    def held_by(self, raw: Raw, first: int = 0) -> Held:
        """What some rows hold of the locked ones; `first` numbers the first."""
        digests_locked = self._distinct_digests[0]
        by_digest = np.zeros(len(digests_locked), dtype=bool)
        if len(digests_locked) and set(self.columns) <= set(raw.names):
            digests = _keyed(_sums(raw, None, self.columns).features, self.seed, self.numbered, first)
            by_digest = np.isin(digests_locked, digests)
        return Held(by_digest, np.zeros(0, dtype=np.int64) if self.hashes is None else self.hashes.matches(raw))

    def recognised(self, held: Held, names: Collection[str], n_rows: int) -> int:
        """How many of the different locked rows a table of such columns and rows holds; 0 where `again` says so.

        A row that the locked rows hold c times among n would turn up in m fresh rows with probability
        1 - (1 - (c - 1) / (n - 1))^m; a row found once is taken for one that does not come again by chance.
        """
        locked_digests, times = self._distinct_digests
        if 2 * n_rows < len(locked_digests) or not len(locked_digests):
            return 0
        again = int(np.count_nonzero(held.by_digest))
        chance = 1 - (1 - (times - 1) / max(1, self.n_rows - 1)) ** n_rows
        spread = np.sqrt(np.sum(chance * (1 - chance)))
        if 2 * again >= len(locked_digests) and again > chance.sum() + SURELY * spread:
            return again
        if self.hashes is not None and self.hashes.recognised(held.matches, names, n_rows):
            return max(1, round(np.count_nonzero(held.matches) / len(held.matches) * len(locked_digests)))
        return 0

    @cached_property
    def _distinct_digests(self) -> tuple[np.ndarray, np.ndarray]:
        """The different digests of the locked rows, and how often each occurs."""
        keys = np.array([int(key, 16) for key in self.keys], dtype=np.uint64)
        return np.unique(keys, return_counts=True)

    def write(self, folder: Path) -> None:
        """Put the row keys and the digests into the study folder."""
        facts = {
            "how": self.how,
            "share": self.share,
            "reason": self.reason,
            "digest": self.digest,
            "data": self.data,
            "target": self.target,
            "seed": self.seed,
            "n_rows": self.n_rows,
            "numbered": self.numbered,
            "columns": list(self.columns),
        }
        facts |= {"rows": self.rows.tolist(), "keys": list(self.keys)}
        facts["hashes"] = None if self.hashes is None else self.hashes.to_dict()
        text = saved.indented(facts, ensure_ascii=True)
        saved.write_whole(folder / LOCK_FILE, text + "\n")

    @classmethod
    def read(cls, folder: Path) -> "Lock":
        """The lock of a study folder."""
        try:
            content = (folder / LOCK_FILE).read_bytes()
        except OSError as error:
            why = error.strerror or type(error).__name__
            raise StudyError(
                f"{LOCK_FILE} of {str(folder)!r} cannot be read ({why}); the same run() writes it again"
            ) from error
        with saved.reading(f"{LOCK_FILE} of {str(folder)!r}", "the same run() writes it again", StudyError):
            facts = saved.mapping("it", json.loads(content))
            digest = facts.pop("digest")
            lock = cls(**_checked(facts))
            if lock.digest != digest:
                raise DamagedError("it was altered, for its digest does not fit")
            return lock


def _checked(facts: dict[str, Any]) -> dict[str, Any]:
    """The facts of a lock file, of the kinds they must be."""
    n = saved.read_integer("n_rows", facts["n_rows"])
    rows = saved.numbers("rows", facts["rows"], np.int64)
    saved.refuse_outside("rows", rows, 0, n - 1)
    if np.any(np.diff(rows) <= 0):
        raise DamagedError("its rows are not in order")
    if not isinstance(facts["keys"], list) or len(facts["keys"]) != len(rows):
        raise DamagedError("it has not one key for each row")
    for key in facts["keys"]:
        if not _KEY.fullmatch(saved.text("a key", key)):
            raise DamagedError("a key is no digest")
    for name in ("reason", "data", "target"):
        saved.text(name, facts[name])
    if facts["how"] not in ("features", "groups", "time", "none") or not isinstance(facts["numbered"], bool):
        raise DamagedError("it does not say how rows were locked")
    saved.read_integer("seed", facts["seed"])
    saved.numbers("share", facts["share"], shape=())
    hashes = facts.get("hashes")
    return {
        **facts,
        "rows": rows,
        "keys": tuple(facts["keys"]),
        "columns": saved.texts("columns", facts["columns"]),
        "hashes": None if hashes is None else RowHashes.from_dict(hashes),
    }


@dataclass(frozen=True, eq=False)
class _Sums:
    """Of every row, the sum of mix(cell, column) over its features and over all its cells but the target's.

    A sum does not depend on the order of columns, and zeros of a sparse matrix need not be visited.
    """

    features: np.ndarray
    cells: np.ndarray
    columns: tuple[str, ...]


def _sums(raw: Raw, target: str | None, only: Collection[str] | None = None) -> _Sums:
    """The sums of all rows; `only` names the features when they are known, and nothing else is summed then."""
    indices = [j for j, name in enumerate(raw.names) if name != target]
    if only is not None:
        names = set(only)
        indices = [j for j in indices if raw.names[j] in names]
    if raw.sparse is not None:
        sums = sparse_sums(raw.sparse, raw.names, indices)
        return _Sums(sums, sums, tuple(sorted(raw.names[j] for j in indices)))
    features, remaining = np.zeros(raw.n_rows, dtype=np.uint64), np.zeros(raw.n_rows, dtype=np.uint64)
    columns: list[str] = []
    one_at_a_time = threading.Lock()

    def add(j: int) -> None:
        cells, name = raw.canonical(j), raw.names[j]
        mixed = mix(cells.bits + text_hash(name))
        is_feature = only is not None or not cells.names_rows
        with one_at_a_time:
            into = features if is_feature else remaining
            into += mixed
            if is_feature:
                columns.append(name)

    raw.each(add, indices)
    return _Sums(features, features + remaining, tuple(sorted(columns)))


def _keyed(sums: np.ndarray, seed: int, numbered: bool, first: int = 0) -> np.ndarray:
    """A 64-bit digest of every row, keyed by the seed; equal rows have equal digests unless rows are numbered."""
    digests = mix(sums ^ text_hash(f"lock {seed}"))
    if numbered:
        digests = mix(digests + mix(np.arange(first, first + len(sums), dtype=np.uint64) + text_hash(f"row {seed}")))
    return digests


def _joint(sums: np.ndarray) -> str:
    """One digest of all rows, whatever their order."""
    return hashlib.sha256(np.sort(mix(sums)).astype("<u8").tobytes()).hexdigest()


def _of_target(raw: Raw, target: str, rows: np.ndarray, digests: np.ndarray) -> str:
    """One digest of the locked rows' target cells, each with the key of its row; no value is read."""
    cells = raw.canonical(raw.names.index(target)).bits[rows]
    return _joint(digests + mix(cells + text_hash("target")))


def _hexadecimal(digests: np.ndarray) -> tuple[str, ...]:
    """Each digest as 16 digits."""
    digits = digests.astype(">u8").tobytes().hex()
    return tuple(digits[k : k + 16] for k in range(0, len(digits), 16))


def _distinct(digests: np.ndarray) -> int:
    """How many different digests there are; a sort is 3 times faster than `np.unique` on a million of them."""
    ordered = np.sort(digests)
    return int(np.count_nonzero(ordered[1:] != ordered[:-1])) + (len(ordered) > 0)


def _smallest(digests: np.ndarray, n_wanted: int) -> np.ndarray:
    """Rows with the smallest digests: whole sets of equal digests, as many as come nearest to `n_wanted`."""
    ordered = np.sort(digests)
    last = np.append(np.flatnonzero(ordered[1:] != ordered[:-1]), len(ordered) - 1)  # where each set ends
    nearest = last[int(np.argmin(np.abs(last + 1 - n_wanted)))]
    return np.flatnonzero(digests <= ordered[nearest])


def _latest(times: np.ndarray, n_wanted: int) -> np.ndarray:
    """The latest rows, equal times together; rows without a time stay unlocked."""
    finite_times = np.where(np.isnan(times), -np.inf, times)
    edge = np.sort(finite_times)[-n_wanted]
    return np.flatnonzero(finite_times >= edge)


def _too_small(share: float, n_wanted: int, n: int) -> str:
    if share == 0:
        return f"{NO_ROWS}, as asked"
    return (
        f"{NO_ROWS}: {share:.0%} of {n:,} rows is {n_wanted}, and a test set needs at least "
        f"{FEWEST}. Quote the nested score"
    )


def _units(how: str) -> str:
    return {"time": "equal times", "groups": "the sizes of the groups"}.get(how, "repeated rows")


def _locked(locked: int, n: int, how: str, numbered: bool) -> str:
    chosen = {"time": ", the latest by time", "groups": ", in whole groups", "features": ""}[how]
    repeated = (
        ". Most rows repeat another, so equal rows can be on both sides" if numbered and how == "features" else ""
    )
    return f"{locked:,} of {n:,} rows were set aside as a test set{chosen}{repeated}"
