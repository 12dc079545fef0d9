"""Files are overwritten only where Tamis wrote them, or where --overwrite says so."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

OverwriteOption = Annotated[bool, typer.Option("--overwrite", help="replace a file that Tamis did not write")]


def refuse_overwriting(
    path: Path | None, is_ours: Callable[[Path], bool], overwrite: bool, table: str | None = None
) -> None:
    """Refuse to replace a file that is somebody's own, above all the table that is read.

    Parameters
    ----------
    path : where the command will write; None for the screen.
    is_ours : whether a file that exists is one of those that the command writes.
    overwrite : replace it all the same.
    table : the source of the command.
    """
    from tamis.errors import ParameterError

    if path is None or overwrite or not path.is_file():
        return
    if table is not None and _is_same(path, table):
        raise ParameterError(f"-o {str(path)!r} is the table that is read; give another file, or --overwrite")
    try:
        ours = is_ours(path)
    except (OSError, ValueError, StopIteration, csv.Error):
        ours = False
    if not ours:
        raise ParameterError(
            f"-o {str(path)!r} exists, and this command did not write it; give another file, or --overwrite"
        )


def is_predictions(path: Path) -> bool:
    """Whether a file is one of `tamis predict`."""
    heads = _heads(path)
    return heads[0] == "row" and "note" in heads


def is_ranking(path: Path) -> bool:
    """Whether a file is one of `tamis rank`."""
    if path.suffix == ".json":
        return {"target", "by", "rows", "columns"} <= set(json.loads(path.read_text(encoding="utf-8")))
    return _heads(path)[:2] == ["rank", "column"]


def is_export(path: Path) -> bool:
    """Whether a file is one of `tamis export`."""
    content = path.read_bytes()
    return b"model of Tamis" in content or b"\x05tamis" in content[:64]


def is_report(path: Path) -> bool:
    """Whether a file is a report."""
    return b'<meta name="generator" content="Tamis">' in path.read_bytes()


def _heads(path: Path) -> list[str]:
    with path.open(encoding="utf-8", newline="") as file:
        return next(csv.reader(file))


def _is_same(path: Path, table: str) -> bool:
    try:
        return path.samefile(table)
    except (OSError, ValueError):
        return False
