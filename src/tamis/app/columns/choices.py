"""What the user said about the columns of a table and about the study: checked, and kept beside the upload."""

from __future__ import annotations

import math
from typing import Any

from numpy.typing import ArrayLike

from tamis.errors import ParameterError, TableError
from tamis.table.types import types_of
from tamis.task import TASKS

#: Entries that are one column, or none.
COLUMNS = ("target", "groups", "time", "exposure")

#: Entries that are a word, with the words there are.
WORDS = {"prefer": ("simplest", "balanced", "best"), "task": (*TASKS, None)}

#: Entries that are whole numbers, with their bounds; None leaves them to the study.
NUMBERS = {"folds": (2, 20), "repeats": (1, 20), "seed": (0, 2**31)}

#: Entries that are settings of a study by the same name.
GIVEN = ("groups", "time", "prefer", "task", "folds", "repeats", "seed", "positive", "missing", "exposure", "monotone")

#: Metrics that can be quoted, by task; None is the task's usual one.
SCORING = (None, "accuracy", "balanced_accuracy", "roc_auc", "log_loss", "brier", "r2", "rmse", "mae")

#: Classes that costs can be given for, for each pair is a field of the page.
MOST_CLASSES = 8


def changed(choices: dict[str, Any], patch: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    """The choices after a change: each entry of the patch replaces its own; types and lists of columns are added to.

    `drop` lists columns to leave out, `blank` those whose cells that do not fit their type are read as missing,
    `missing` the values that mean "not measured" by column, `subgroups` columns whose levels are judged each by itself,
    `monotone` directions of columns (1 up, -1 down); `positive` is the class that is looked for.

    >>> changed({"target": "y", "drop": ["a"]}, {"drop": {"a": False, "b": True}}, ("a", "b", "y"))
    {'target': 'y', 'drop': ['b']}
    """
    new = dict(choices)
    for entry, value in patch.items():
        if entry in COLUMNS:
            new[entry] = None if value is None else _column_of(value, names)
        elif entry in WORDS:
            new[entry] = _one_of(entry, value, WORDS[entry])
        elif entry in NUMBERS:
            new[entry] = None if value is None else _integer(entry, value)
        elif entry == "scoring":
            new[entry] = _one_of(entry, value, SCORING)
        elif entry == "costs":
            new[entry] = None if value is None else _costs(value)
        elif entry == "types":
            new[entry] = _types(choices.get("types", {}), value, names)
        elif entry == "missing":
            new[entry] = _missing(choices.get("missing", {}), value, names)
        elif entry in ("positive", "called"):
            new[entry] = _word(entry, value)
        elif entry == "monotone":
            new[entry] = _directions(choices.get("monotone", {}), value, names)
        elif entry == "subgroups":
            new[entry] = _listed(choices.get(entry, []), _listable(entry, value), names)
        elif entry in ("drop", "blank"):
            new[entry] = _listed(choices.get(entry, []), value, names)
        else:
            raise ParameterError(f"{entry!r} is nothing that can be chosen")
    return _consistent(new, patch, choices.get("target"))


def _consistent(new: dict[str, Any], patch: dict[str, Any], former_target: str | None) -> dict[str, Any]:
    """A column has one part: the latest choice takes it from the others; what belongs to a target goes with it."""
    for entry in COLUMNS:
        name = patch.get(entry)
        if name is not None:
            new |= {
                other_entry: None for other_entry in COLUMNS if other_entry != entry and new.get(other_entry) == name
            }
            if name in new.get("drop", []):
                new["drop"] = [dropped for dropped in new["drop"] if dropped != name]
    if patch.get("groups") is not None:
        new["time"] = None
    elif patch.get("time") is not None:
        new["groups"] = None
    for name in new.get("drop", []) if "drop" in patch else ():
        new |= {entry: None for entry in COLUMNS if new.get(entry) == name}
    if "blank" in new:
        new["blank"] = [name for name in new["blank"] if name in new.get("types", {})]
    if "target" in patch and patch["target"] != former_target:
        for entry in ("costs", "positive", *(() if "exposure" in patch else ("exposure",))):
            new.pop(entry, None)
    return new


def settings_of(choices: dict[str, Any]) -> dict[str, Any]:
    """The choices as settings of a study; a name that the command line could not list is left out by its type.

    >>> settings_of({"target": "y", "drop": ["a", "b, or c"], "seed": None})
    {'target': 'y', 'types': {'b, or c': {'kind': 'identifier'}}, 'drop': ('a',)}
    """
    if not choices.get("target"):
        raise ParameterError("choose the column to predict first")
    types = dict(choices.get("types", {}))
    listed = [name for name in choices.get("drop", []) if "," not in name and name == name.strip()]
    types |= {name: {"kind": "identifier"} for name in choices.get("drop", []) if name not in listed}
    settings = {entry: choices[entry] for entry in GIVEN if choices.get(entry) not in (None, {})}
    if choices.get("costs"):
        settings["loss"] = choices["costs"]
    elif choices.get("scoring"):
        settings["scoring"] = choices["scoring"]
    if choices.get("subgroups"):
        settings["subgroups"] = tuple(choices["subgroups"])
    return {"target": choices["target"], "types": types, "drop": tuple(listed), **settings}


def _column_of(name: Any, names: tuple[str, ...]) -> str:
    if not isinstance(name, str) or name not in names:
        raise TableError(f"there is no column {name!r}; choose one of the table")
    return name


def _one_of(entry: str, value: object, allowed: tuple[str | None, ...]) -> str | None:
    if (value is not None and not isinstance(value, str)) or value not in allowed:
        raise ParameterError(f"{entry} cannot be {value!r}")
    chosen: str | None = value
    return chosen


def _integer(entry: str, value: object) -> int:
    low, high = NUMBERS[entry]
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise ParameterError(f"{entry} must be a whole number from {low} to {high:,}")
    return value


def _types(before: dict[str, Any], types: Any, names: tuple[str, ...]) -> dict[str, Any]:
    if not isinstance(types, dict):
        raise ParameterError("the kinds of columns must be given by name")
    new = dict(before)
    for name, type in types.items():
        _column_of(name, names)
        if type is None:
            new.pop(name, None)
        else:
            new[name] = types_of({name: type})[name].as_dict()
    return new


def _missing(before: dict[str, Any], given: Any, names: tuple[str, ...]) -> dict[str, list[str]]:
    """Values that mean "not measured", by column; None takes them back."""
    if not isinstance(given, dict):
        raise ParameterError("missing values must be given by column")
    new = dict(before)
    for name, values in given.items():
        _column_of(name, names)
        if values is None:
            new.pop(name, None)
        elif isinstance(values, list) and all(isinstance(v, str) and v.strip() for v in values) and ";" not in name:
            new[name] = list(dict.fromkeys([*new.get(name, []), *values]))
        else:
            raise ParameterError(f"the missing values of {name!r} must be texts")
    return new


def _directions(before: dict[str, int], given: Any, names: tuple[str, ...]) -> dict[str, int]:
    """Directions of columns, 1 or -1; None and 0 take them back."""
    new = dict(before)
    for name, direction in _listable("monotone", given).items():
        _column_of(name, names)
        if direction not in (1, -1, 0, None) or isinstance(direction, bool):
            raise ParameterError(f"the direction of {name!r} must be 1 or -1, or 0 for none")
        new.pop(name, None)
        if direction:
            new[name] = int(direction)
    return new


def _listable(entry: str, given: Any) -> dict[str, Any]:
    """What is given by column, where the command line can list the columns."""
    if not isinstance(given, dict):
        raise ParameterError("columns must be given by name")
    for name in given:
        if isinstance(name, str) and ("," in name or name != name.strip()):
            raise ParameterError(
                f"{name!r} has a comma or a space at its end, so {entry} cannot name it; rename it in the file"
            )
    return given


def _word(entry: str, value: object) -> str | None:
    if value is not None and (not isinstance(value, str) or not value.strip() or len(value) > 200):
        raise ParameterError(f"{entry} cannot be {value!r}")
    return value


def _listed(before: list[str], changes: Any, names: tuple[str, ...]) -> list[str]:
    if not isinstance(changes, dict):
        raise ParameterError("columns must be given by name")
    for name in changes:
        _column_of(name, names)
    return [
        *(name for name in before if changes.get(name, True)),
        *(n for n in changes if changes[n] and n not in before),
    ]


def _costs(costs: ArrayLike) -> dict[str, dict[str, float]]:
    if not isinstance(costs, dict) or not all(isinstance(row, dict) for row in costs.values()):
        raise ParameterError("costs must be given for each truth and each answer")
    for truth, row in costs.items():
        for answer, cost in row.items():
            if isinstance(cost, bool) or not isinstance(cost, (int, float)) or not math.isfinite(cost) or cost < 0:
                raise ParameterError(f"the cost of {truth} answered as {answer} must be a number, 0 or more")
    return {str(truth): {str(answer): float(cost) for answer, cost in row.items()} for truth, row in costs.items()}
