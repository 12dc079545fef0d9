"""What has been finished, on disk: one JSON line a task, so a killed run goes on where it stopped."""

from __future__ import annotations

import json
import os
import re
import zlib
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import Any

from tamis.errors import DamagedError, StudyError, shortened
from tamis.fingerprint import CODE, PACKAGES
from tamis.results.record import Record
from tamis.saved import mapping, naming, reading

JOURNAL_FILE = "journal.jsonl"

#: Seconds between two waits for the disk. A killed process loses nothing that was written; only a power cut does, and
#: then no more than this. A wait takes 7 ms: after every task, a tenth of a small study.
SYNCED_EVERY = 1.0

#: What must be the same for a journal to be resumed, and what to call it when it is not.
#: Settings come first: another seed locks other rows, so that the data that are learned from are others, too.
IDENTITY = {"settings": "other settings", "data": "another table", "version": "another version of Tamis"}


_CODE = re.compile(rf" {CODE}[0-9a-f]+")


class Journal:
    """The append-only journal of one study folder.

    The first line says what the study is (digest of the data, settings with the seed, version); every other line is
    a finished task with its seed and result. A last line cut short by a kill is dropped; nothing else ever is. Every
    line ends in a checksum of itself: a result that the disk changed must not become part of an answer.
    Floats are written with their shortest exact text, so what is read back is what was computed, bit for bit. Whoever
    opens the journal holds the folder (`files.hold`).
    """

    def __init__(self, folder: Path, identity: dict[str, Any]) -> None:
        self.folder, self.path, self.identity = folder, folder / JOURNAL_FILE, identity
        self.done: dict[str, Any] = {}
        self._file: Any = None
        self._synced = -SYNCED_EVERY

    def __enter__(self) -> Journal:
        with naming(self.path):
            self.folder.mkdir(parents=True, exist_ok=True)
            self._file = self.path.open("a+b")
        try:
            self._resume()
        except BaseException:
            self._file.close()
            raise
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        with naming(self.path), self._file:  # closed, whatever the disk says
            os.fsync(self._file.fileno())

    def add(self, task: str, seed: int, result: Any) -> None:
        """Append one finished task; a kill after this loses nothing, a power cut at most the last second."""
        self.done[task] = facts = result.to_dict() if isinstance(result, Record) else result
        self._write({"task": task, "seed": seed, "result": facts})

    def _resume(self) -> None:
        lines = _complete_lines(self._file)
        if not lines:
            self._write({"study": self.identity})
            return
        refuse_other(self.folder, lines[0].get("study", {}), self.identity)
        self.done = {line["task"]: line["result"] for line in lines[1:]}

    def _write(self, line: dict[str, Any]) -> None:
        with naming(self.path):
            self._file.write(_with_check(line) + b"\n")
            self._file.flush()
            if monotonic() - self._synced >= SYNCED_EVERY:
                os.fsync(self._file.fileno())
                self._synced = monotonic()


def identity_of(folder: Path) -> dict[str, Any]:
    """What the first line of a folder's journal says the study is; nothing where there is no journal."""
    try:
        with (folder / JOURNAL_FILE).open("rb") as file:
            line = file.readline()
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise StudyError(f"{JOURNAL_FILE} of {str(folder)!r} cannot be read ({error.strerror})") from error
    return mapping("study", _checked(line.rstrip(b"\n"), 1, JOURNAL_FILE)["study"]) if line else {}


def refuse_other(folder: Path, stored: dict[str, Any], expected: dict[str, Any]) -> None:
    """Raise when a folder's study is not the one that is to be run.

    Of procedures of which only the recipe is known nobody knows the packages: then these are not compared.
    """
    stored = dict(stored)
    if PACKAGES not in expected["settings"] and isinstance(stored.get("settings"), dict):
        stored["settings"] = {name: value for name, value in stored["settings"].items() if name != PACKAGES}
    for key, words in IDENTITY.items():
        if stored.get(key) != expected[key]:
            raise StudyError(
                f"the folder {str(folder)!r} belongs to {words}{_difference(stored.get(key), expected[key])}; "
                "give another folder, or start over with run(fresh=True)"
            )


def _difference(stored: Any, expected: Any) -> str:
    if isinstance(stored, dict) and isinstance(expected, dict):
        changed_keys = [key for key in expected if stored.get(key) != expected[key]]
        key = changed_keys[0] if changed_keys else "?"
        before, now = repr(stored.get(key)), repr(expected.get(key))
        if _CODE.sub("", before) == _CODE.sub("", now):
            return f" (the code or state behind {key} was changed: {_changed(stored[key], expected[key])})"
        return f" ({key} was {shortened(before, 80)}, now {shortened(now, 80)})"
    return f" (it was {str(stored)[:12]}, now {str(expected)[:12]})"


def _changed(before: Any, now: Any) -> str:
    """The first name whose digest is another, in recipes that are alike but for digests."""
    if isinstance(now, str):
        return _CODE.sub("", now) if before != now else ""
    pairs = [(before[key], now[key]) for key in now] if isinstance(now, dict) else zip(before, now)
    return next((name for name in (_changed(*pair) for pair in pairs if pair[0] != pair[1]) if name), "")


def _complete_lines(file: Any) -> list[dict[str, Any]]:
    """All whole lines; what a kill left half-written at the end is cut off."""
    file.seek(0)
    text = file.read()
    complete = text[: text.rfind(b"\n") + 1]
    if len(complete) < len(text):
        file.truncate(len(complete))
    return [_checked(line, number, file.name) for number, line in enumerate(complete.split(b"\n")[:-1], start=1)]


def _with_check(line: dict[str, Any]) -> bytes:
    """One line, with a checksum of all that stands before it."""
    text = json.dumps(line, ensure_ascii=False).encode("utf-8", "surrogatepass")
    return text[:-1] + b', "check": "%08x"}' % zlib.crc32(text[:-1])


def _checked(line: bytes, number: int, name: str) -> dict[str, Any]:
    """What a line says, when it is as it was written."""
    text, _, check = line.rpartition(b', "check": "')
    with reading(f"line {number:,} of {name!r}", "start over with run(fresh=True)", StudyError):
        if check != b'%08x"}' % zlib.crc32(text):
            raise DamagedError("its checksum does not fit")
        record = mapping("it", json.loads(line.decode("utf-8", "surrogatepass")))
        for key in ("study",) if number == 1 else ("task", "result"):
            if key not in record:
                raise DamagedError(f"it has no {key!r}")
        return record
