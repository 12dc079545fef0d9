"""The files of a study folder: written whole or not at all."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any

from tamis.errors import DamagedError, StudyError
from tamis.results.results import ColumnStability
from tamis.results.upgrade import upgraded
from tamis.saved import checksum, indented, mapping, naming, reading, write_whole
from tamis.study.disk.csv_cell import safe_cell

#: Held by whoever works in a study folder; it is never deleted, for a file that is deleted can be held by two.
HOLD_FILE = "running.lock"

RESULTS_FILE, PLAN_FILE, SELECTED_FILE, REPORT_FILE = "results.json", "plan.json", "selected.csv", "report.html"
MODEL_FILE = "model.json"

#: The name under which results.json and model.json hold a checksum of all else.
CHECK = "check"

#: The way out of damage of a file that every run writes: what it is made of is in the journal.
REBUILT = "the same run() writes it again"

#: What `fresh` removes: the files a study writes, except the ledger, for what has been seen cannot be unseen.
OURS = ("journal.jsonl", "lock.json", MODEL_FILE, RESULTS_FILE, PLAN_FILE, SELECTED_FILE, REPORT_FILE)


def refuse_foreign(folder: Path) -> None:
    """Raise when a folder without a study holds files that a study would overwrite, or delete with `fresh`."""
    names = [name for name in OURS if (folder / name).exists()]
    if not names or _is_begun(folder):
        return
    raise StudyError(
        f"{str(folder)!r} holds {names[0]!r}, which no study wrote; give another folder, or move the file away"
    )


def _is_begun(folder: Path) -> bool:
    """Whether a study was begun in a folder: its journal, its plan or its lock is there, whole or damaged."""
    marks = {"journal.jsonl": b'{"study"', PLAN_FILE: b'"settings"', "lock.json": b'"keys"'}
    for name, mark in marks.items():
        try:
            with (folder / name).open("rb") as file:
                content = file.read(1 << 20)
        except OSError:
            continue
        if mark in content or (name == "journal.jsonl" and mark.startswith(content[: len(mark)])):
            return True
    return False


@contextmanager
def hold(folder: Path) -> Iterator[None]:
    """Make the folder and keep others out of it; the system frees the hold even after kill -9."""
    with naming(folder):
        folder.mkdir(parents=True, exist_ok=True)
    with naming(folder / HOLD_FILE):
        file = (folder / HOLD_FILE).open("ab")
    with file:
        _hold(file, folder)
        yield


def _hold(file: Any, folder: Path) -> None:
    try:
        import fcntl
    except ImportError:  # not on Windows, where a folder used twice is the user's care
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        raise StudyError(f"another run is working in {str(folder)!r}; wait for it, or give another folder") from error


def as_json(facts: Any) -> str:
    """Plain JSON, one fact a line, floats with every bit."""
    return indented(facts, allow_nan=False) + "\n"


def read_json(folder: Path, name: str, way_out: str) -> dict[str, Any]:
    """A JSON file of a study folder."""
    try:
        text = (folder / name).read_text(encoding="utf-8", errors="surrogatepass")
    except FileNotFoundError as error:
        raise StudyError(f"{str(folder)!r} holds no {name}; {way_out}") from error
    except OSError as error:
        raise StudyError(f"{name} of {str(folder)!r} cannot be read ({error.strerror}); {way_out}") from error
    except ValueError as error:
        raise StudyError(f"{name} of {str(folder)!r} is damaged: it is no text; {REBUILT}") from error
    with reading(f"{name} of {str(folder)!r}", REBUILT, StudyError):
        return mapping("it", _parsed(text))


def write_results(folder: Path, facts: dict[str, Any]) -> None:
    """Write results.json, with a checksum of its values in whatever order and spacing."""
    text = as_json(facts)
    write_whole(folder / RESULTS_FILE, as_json({**facts, CHECK: checksum(json.loads(text))}))


def read_results(folder: Path, way_out: str) -> tuple[dict[str, Any], bool]:
    """What results.json holds, under the names of this layout, and whether a checksum shows that it is as written."""
    facts = read_json(folder, RESULTS_FILE, way_out)
    check = facts.pop(CHECK, None)
    if check not in (None, checksum(facts)):
        raise StudyError(f"{RESULTS_FILE} of {str(folder)!r} is damaged: its checksum does not fit; {REBUILT}")
    return upgraded(facts), check is not None


def reading_results(folder: Path, is_whole: bool) -> AbstractContextManager[None]:
    """For code that needs more of results.json than `load` looked at: only a file without a checksum may lack it."""
    return nullcontext() if is_whole else reading(f"{RESULTS_FILE} of {str(folder)!r}", REBUILT, StudyError)


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise DamagedError(f"line {error.lineno:,} does not read as JSON") from error


def clear(folder: Path) -> None:
    """Remove a study's own files from its folder; nothing else is touched."""
    for name in OURS:
        with naming(folder / name):
            (folder / name).unlink(missing_ok=True)


def selected_csv(stability: list[ColumnStability]) -> str:
    """The columns any fold used, with the share of folds that did; names cannot be taken for formulas."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["column", "selected", "share of folds"])
    for row in stability:
        writer.writerow([safe_cell(row.name), "yes" if row.selected else "no", f"{row.fraction:.4f}"])
    return text.getvalue()
