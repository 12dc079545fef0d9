"""The files of a study folder: written whole or not at all."""

from __future__ import annotations

import csv
import io
import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tamis.errors import StudyError
from tamis.study.model import safe_cell

#: Held by whoever works in a study folder; it is never deleted, for a file that is deleted can be held by two.
HOLD_FILE = "running.lock"

RESULTS_FILE, PLAN_FILE, SELECTED_FILE, REPORT_FILE = "results.json", "plan.json", "selected.csv", "report.html"

#: What `fresh` removes: the files a study writes, except the ledger, for what has been seen cannot be unseen.
OURS = ("journal.jsonl", "lock.json", "model.json", RESULTS_FILE, PLAN_FILE, SELECTED_FILE, REPORT_FILE)


@contextmanager
def hold(folder: Path) -> Iterator[None]:
    """Make the folder and keep others out of it; the system frees the hold even after kill -9."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / HOLD_FILE).open("ab") as file:
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
        raise StudyError(f"another run is working in {str(folder)!r}; wait for it, or give another --folder") from error


def write_whole(path: Path, text: str) -> None:
    """Replace a file in one step, so that a kill leaves the old or the new one, never half of it."""
    half = path.with_name(path.name + ".part")
    with half.open("w", encoding="utf-8", errors="surrogatepass") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(half, path)


def as_json(facts: Any) -> str:
    """Plain JSON, one fact a line, floats with every bit."""
    return json.dumps(facts, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def read_json(folder: Path, name: str, way_out: str) -> dict[str, Any]:
    """A JSON file of a study folder."""
    try:
        found: dict[str, Any] = json.loads((folder / name).read_text(encoding="utf-8", errors="surrogatepass"))
    except FileNotFoundError as error:
        raise StudyError(f"{str(folder)!r} holds no {name}; {way_out}") from error
    except (OSError, ValueError) as error:
        raise StudyError(f"{name} of {str(folder)!r} cannot be read ({error}); {way_out}") from error
    return found


def clear(folder: Path) -> None:
    """Remove a study's own files from its folder; nothing else is touched."""
    for name in OURS:
        (folder / name).unlink(missing_ok=True)


def selected_csv(stability: list[dict[str, Any]]) -> str:
    """The columns any fold used, with the share of folds that did; names cannot be taken for formulas."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["column", "selected", "share of folds"])
    for row in stability:
        writer.writerow([safe_cell(row["name"]), "yes" if row["selected"] else "no", f"{row['share']:.4f}"])
    return text.getvalue()


def without_password(source: str) -> str:
    """A database URL as it may be written down.

    >>> without_password("postgresql://ann:secret@host/db")
    'postgresql://ann:***@host/db'
    """
    return re.sub(r"(://[^:/@]+):[^@]*@", r"\1:***@", source)
