"""The choices of a page as the command line that anybody could type."""

from __future__ import annotations

import csv
import io
import json
import sys
from pathlib import Path
from typing import Any

from tamis.saved import write_whole

#: Kinds and costs by hand, beside the study: names of any spelling fit into these files.
TYPES_FILE, COSTS_FILE = "types.toml", "costs.csv"

#: Settings that are options of the same name, with one word after them.
OPTIONS = (
    "groups", "time", "exposure", "prefer", "task", "scoring", "folds", "repeats", "seed", "positive", "header"
)  # fmt: skip


def command_of(table: Path, folder: Path, settings: dict[str, Any]) -> list[str]:
    """The words of `tamis run` for these settings; to be run in the study's folder.

    >>> command_of(Path("/t/table.csv"), Path("/s"), {"target": "-y", "types": {}, "drop": ("a", "b"), "seed": 3})[3:]
    ['run', '/t/table.csv', '--target=-y', '--folder=/s', '--drop=a,b', '--seed=3']
    """
    words = [sys.executable, "-m", "tamis", "run", str(table), f"--target={settings['target']}", f"--folder={folder}"]
    if settings["types"]:
        words.append(f"--types={TYPES_FILE}")
    if settings["drop"]:
        words.append("--drop=" + ",".join(settings["drop"]))
    if "loss" in settings:
        words.append(f"--loss={COSTS_FILE}")
    if settings.get("missing"):
        words.append("--missing=" + "; ".join(f"{name}={','.join(v)}" for name, v in settings["missing"].items()))
    if settings.get("subgroups"):
        words.append("--subgroups=" + ",".join(settings["subgroups"]))
    if settings.get("monotone"):
        directions = (f"{name}={'+' if sign > 0 else '-'}" for name, sign in settings["monotone"].items())
        words.append("--monotone=" + ",".join(directions))
    for option in OPTIONS:
        if settings.get(option) is not None:
            words.append(f"--{option}={settings[option]}")
    return words


def write_files(folder: Path, settings: dict[str, Any]) -> None:
    """The files that the command refers to."""
    if settings["types"]:
        write_whole(folder / TYPES_FILE, toml_of(settings["types"]))
    if "loss" in settings:
        write_whole(folder / COSTS_FILE, costs_csv(settings["loss"]))


def toml_of(types: dict[str, dict[str, Any]]) -> str:
    """Types by column as TOML.

    >>> print(toml_of({"size": {"kind": "ordinal", "levels": ["s", "l"]}}), end="")
    ["size"]
    kind = "ordinal"
    levels = ["s", "l"]
    """
    sections = []
    for name, type in types.items():
        sections.append(f"[{_quoted(name)}]\n" + "".join(f"{key} = {_value(value)}\n" for key, value in type.items()))
    return "\n".join(sections)


def costs_csv(costs: dict[str, dict[str, float]]) -> str:
    """Costs as CSV: the first column names the truth, the header the answers.

    >>> print(costs_csv({"ham": {"ham": 0, "spam": 10}, "spam": {"ham": 1, "spam": 0}}), end="")
    truth,ham,spam
    ham,0,10
    spam,1,0
    """
    answers = list(dict.fromkeys(answer for row in costs.values() for answer in row))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["truth", *answers])
    for truth, row in costs.items():
        writer.writerow([truth, *(row.get(answer, 0) for answer in answers)])
    return text.getvalue()


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_quoted(str(item)) for item in value) + "]"
    return _quoted(str(value))


def _quoted(text: str) -> str:
    """A TOML string: JSON's, but for one character that TOML wants escaped."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
