"""Which study of its table a study is, among the folders beside its own: a new try for each seed cannot be hidden."""

from __future__ import annotations

import itertools
import json
import os
import re
from pathlib import Path
from typing import Any

from tamis.lock import LOCK_FILE
from tamis.study.disk.files import PLAN_FILE

#: Folders beside a study that are looked into, and bytes of the lock file that hold the digest of its data.
MOST_FOLDERS, MOST_BYTES = 1_000, 4_096

_COUNTS = ("attempts", "studies_here")
_DATA = re.compile(r'"data": "([0-9a-f]{64})"')


def place_of(folder: Path, data: str, settings: dict[str, Any]) -> dict[str, int]:
    """How often this folder was begun again on the same data, and the number of this study among those in its place.

    The study of a folder that is run again with the settings it had keeps its number. Nothing is written.
    """
    settings = json.loads(json.dumps(settings))  # as they are read back
    before = _plan(folder) if _data(folder) == data else None
    if before is not None and before.get("settings") == settings and "studies_here" in before:
        return {"attempts": before.get("attempts", 1), "studies_here": before["studies_here"]}
    attempts = 1 if before is None else before.get("attempts", 1) + 1
    other_plans = [_plan(sibling) or {} for sibling in folders_beside(folder) if _data(sibling) == data]
    return {"attempts": attempts, "studies_here": attempts + sum(plan.get("attempts", 1) for plan in other_plans)}


def folders_beside(folder: Path) -> list[Path]:
    """The folders beside a folder, as many as can be looked into quickly."""
    folder_path = folder.resolve()
    try:
        with os.scandir(folder_path.parent) as entries:
            names = [entry.name for entry in itertools.islice(entries, MOST_FOLDERS) if entry.is_dir()]
    except OSError:
        return []
    return [folder_path.parent / name for name in names if name != folder_path.name]


def _data(folder: Path) -> str | None:
    """The digest of the data in the lock file of a study folder, from its first lines."""
    try:
        with (folder / LOCK_FILE).open("rb") as file:
            match = _DATA.search(file.read(MOST_BYTES).decode("utf-8", "replace"))
    except OSError:
        return None
    return match.group(1) if match else None


def _plan(folder: Path) -> dict[str, Any] | None:
    try:
        plan = json.loads((folder / PLAN_FILE).read_text(encoding="utf-8", errors="surrogatepass"))
    except (OSError, ValueError, RecursionError):
        return None
    return plan if isinstance(plan, dict) and all(_is_count(plan.get(name, 1)) for name in _COUNTS) else None


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1
