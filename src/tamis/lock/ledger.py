"""The ledger: every look at locked rows, on disk before anybody sees what it shows."""

import json
import os
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tamis import saved
from tamis.errors import StudyError
from tamis.lock.lock import Lock
from tamis.lock.row_hashes import RowHashes

LEDGER_FILE = "ledger.jsonl"

#: What a line can be: the locked rows were scored; they were predicted, so that anybody can score them; the model was
#: validated on another table; or the line cannot be read, which counts as an opening, for it was one.
OPENED, PREDICTED, VALIDATED, DAMAGED = "opened", "predicted", "validated", "damaged"


@dataclass(frozen=True)
class Look:
    """One line of the ledger.

    Attributes
    ----------
    kind : "opened", "predicted", "validated" or "damaged".
    when, version : the moment, and the version of Tamis.
    digest, data : of the locked rows, and of all cells but the target's.
    metric, score, interval : what was found, of an opening.
    rows : how many rows were scored or recognised.
    independent : True when no earlier look is known.
    note : what to know besides.
    hashes : those of the lock, in the first line about its rows.
    """

    kind: str = OPENED
    when: str = ""
    version: str = ""
    digest: str = ""
    data: str = ""
    metric: str | None = None
    score: float | None = None
    interval: tuple[float, float] | None = None
    rows: int | None = None
    independent: bool = False
    note: str = ""
    hashes: dict[str, Any] | None = None

    def as_record(self) -> dict[str, Any]:
        """Its parts, without the hashes."""
        return {name: value for name, value in asdict(self).items() if name != "hashes"}


#: A line of before there were hashes has none.
_PARTS = {field.name for field in fields(Look)}


class Ledger:
    """Every look at the locked rows of a folder, whichever study was in it."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / LEDGER_FILE

    def looks(self, digest: str | None = None, data: str | None = None) -> list[dict[str, Any]]:
        """All lines, oldest first; of certain locked rows, or of any of a certain table, when a digest is given.

        A damaged line may have been a look at any rows, so it is always among them.
        """
        return [look.as_record() for look in self._lines() if _is_of(look, digest, data)]

    def hashes(self) -> dict[str, RowHashes]:
        """Digest of locked rows -> hashes of their cells, as far as lines hold them."""
        return {look.digest: RowHashes.from_dict(look.hashes) for look in self._lines() if look.hashes is not None}

    def _lines(self) -> list[Look]:
        try:
            content = self.path.read_bytes()
        except FileNotFoundError:
            return []
        except OSError as error:
            raise StudyError(
                f"{str(self.path)!r} cannot be read ({error.strerror}); give yourself the right to read it"
            ) from error
        looks = [_look(line, number) for number, line in enumerate(content.split(b"\n"), start=1) if line.strip()]
        return looks or [Look(kind=DAMAGED, note="the ledger is empty, which counts as an opening")]

    def openings(self, digest: str | None = None, data: str | None = None) -> list[dict[str, Any]]:
        """The looks that scored the locked rows."""
        return [look for look in self.looks(digest, data) if look["kind"] not in (PREDICTED, VALIDATED)]

    def append(self, lock: Lock, kind: str = OPENED, **facts: Any) -> Look:
        """Write one more look, as `draft` makes it, to disk before anybody sees what it shows."""
        look = self.draft(lock, kind, **facts)
        self.write(look)
        return look

    def draft(self, lock: Lock, kind: str = OPENED, *, elsewhere: int = 0, note: str = "", **facts: Any) -> Look:
        """One more look, not written yet.

        Parameters
        ----------
        lock : the rows that are looked at.
        kind : "opened" or "predicted".
        elsewhere : how many looks at rows of this table are known that this ledger does not hold under the same data.
        note, facts : the other parts of a `Look`.
        """
        before = self.looks(data=lock.data)
        n_other_looks = len(before) - len(self.looks(lock.digest, lock.data))
        if n_other_looks:
            note = (
                f"{note}; " * bool(note)
                + f"other locked rows of this table were looked at {times(n_other_looks)} before"
            )
        is_first = lock.hashes is not None and lock.digest not in self.hashes()
        return Look(
            kind=kind,
            when=datetime.now(UTC).isoformat(timespec="seconds"),
            digest=lock.digest,
            data=lock.data,
            independent=not before and not elsewhere,
            note=note,
            hashes=lock.hashes.to_dict() if lock.hashes is not None and is_first else None,
            **facts,
        )

    def write(self, look: Look) -> None:
        """Append a look to the file."""
        with saved.naming(self.path), self.path.open("a+b") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - 1))
            torn = file.read() not in (b"", b"\n")
            file.write((b"\n" if torn else b"") + json.dumps(asdict(look)).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())

    def refuse_unwritable(self) -> None:
        """Raise when no line could be added; nothing is changed."""
        exists = self.path.exists()
        with saved.naming(self.path), self.path.open("ab"):
            pass
        if not exists:
            self.path.unlink()


def times(n: int) -> str:
    """How often, in words."""
    return "once" if n == 1 else f"{n:,} times"


def _look(line: bytes, number: int) -> Look:
    try:
        record = json.loads(line)
        if isinstance(record, dict) and {"hashes", *record} == _PARTS and _fits(record):
            return Look(**record)
    except (ValueError, TypeError, RecursionError):
        pass
    return Look(kind=DAMAGED, note=f"line {number:,} of the ledger is damaged and counts as an opening")


def _fits(record: dict[str, Any]) -> bool:
    """Whether the parts of a line are of the kinds they must be."""
    plain = all(isinstance(record[name], str) for name in ("when", "version", "digest", "data", "note"))
    bounds, rows = record["interval"], record["rows"]
    if record.get("hashes") is not None:
        RowHashes.from_dict(record["hashes"])
    return (
        plain
        and record["kind"] in (OPENED, PREDICTED, VALIDATED)
        and isinstance(record["independent"], bool)
        and (record["metric"] is None or isinstance(record["metric"], str))
        and (rows is None or (isinstance(rows, int) and not isinstance(rows, bool)))
        and (record["score"] is None or _is_number(record["score"]))
        and (bounds is None or (isinstance(bounds, list) and len(bounds) == 2 and all(map(_is_number, bounds))))
        and (record["score"] is None or None not in (record["metric"], rows))
        and (record["kind"] in (PREDICTED, VALIDATED) or record["score"] is not None)
    )


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_of(look: Look, digest: str | None, data: str | None) -> bool:
    return look.kind == DAMAGED or (digest in (None, look.digest) and data in (None, look.data))
