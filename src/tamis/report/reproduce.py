"""How to get the same study again: the command, or the lines of Python where a command cannot say it."""

from __future__ import annotations

import platform
import shlex
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import PurePath
from typing import Any

from tamis.report import show

#: What the command takes when nothing is said; options at their default are not written.
DEFAULTS: dict[str, Any] = {
    "task": None,
    "scoring": None,
    "loss": None,
    "prefer": "balanced",
    "rare": "keep",
    "lock": 0.2,
    "folds": None,
    "repeats": None,
    "groups": None,
    "time": None,
    "exposure": None,
    "types": {},
    "drop": [],
    "procedures": None,
    "columns": None,
    "subgroups": None,
    "monotone": None,
    "transform": None,
    "rows": None,
    "missing": None,
    "sheet": None,
    "header": None,
    "black_box": True,
    "positive": None,
}

#: Settings that only Python can give.
ONLY_PYTHON = {"inner": None}

#: Packages whose version may matter.
PACKAGES = ("numpy", "scipy", "scikit-learn", "pyarrow", "bokeh")


def command(plan: dict[str, Any]) -> str:
    """The `tamis run` command of a plan, ready for a shell; lines of Python where the plan needs them.

    Of a file its name is given, and not the folders above it: they are nobody else's business.

    >>> command({"source": "/data/my table.csv", "query": None, "settings": {"target": "outcome", "seed": 3}})
    "tamis run 'my table.csv' --target outcome --seed 3"
    """
    settings, source = plan["settings"], plan.get("source")
    if source is not None and "://" not in source:
        plan = {**plan, "source": PurePath(source).name}
    if plan.get("source") is None or not _sayable(plan):
        return _python(plan)
    words = [shlex.quote(plan["source"]), _option("target", settings["target"]), f"--seed {settings.get('seed', 0)}"]
    if plan.get("query"):
        words.append(_option("query", plan["query"]))
    words += [_option(name, _SPECIAL.get(name, _written)(value)) for name, value in _changed(settings).items()]
    return " ".join(["tamis run", *words])


def versions() -> dict[str, str]:
    """Python and the packages Tamis stands on, as installed here."""
    version_of = {"Python": platform.python_version()}
    for package in PACKAGES:
        try:
            version_of[package] = version(package)
        except PackageNotFoundError:  # pragma: no cover - all are dependencies
            continue
    return version_of


def _changed(settings: dict[str, Any]) -> dict[str, Any]:
    """The settings that are not at their default."""
    return {name: settings[name] for name, usual in DEFAULTS.items() if name in settings and settings[name] != usual}


def _sayable(plan: dict[str, Any]) -> bool:
    """False when a setting has no option, or a name holds what a command separates names by, or what cannot be seen."""
    settings = plan["settings"]
    listed = [*(settings.get("drop") or ()), *(settings.get("types") or {}), *(settings.get("monotone") or {})]
    single = [plan["source"], plan.get("query"), settings["target"], settings.get("groups"), settings.get("time")]
    loss = settings.get("loss")
    if isinstance(loss, dict):
        listed += [*loss, *(answer for answers in loss.values() for answer in answers)]
    elif loss is not None:
        return False
    if isinstance(settings.get("procedures"), dict):  # pipelines, which no command can write
        return False
    plain = all(name and name == name.strip() and not set(name) & set(",=>") for name in listed)
    is_printable = all(word is None or word == show.name(word) for word in [*listed, *single])
    return plain and is_printable and all(settings.get(name, usual) == usual for name, usual in ONLY_PYTHON.items())


def _option(name: str, value: object) -> str:
    if name == "black_box":  # written only where it was left out
        return "--no-black-box"
    quoted = shlex.quote(str(value))
    return f"--{name}={quoted}" if str(value).startswith("-") else f"--{name} {quoted}"


def _written(value: Any) -> str:
    if isinstance(value, dict):
        return ",".join(f"{name}={kind}" for name, kind in value.items())
    return ",".join(value) if isinstance(value, (list, tuple)) else str(value)


def _costs(loss: dict[str, dict[str, float]]) -> str:
    return ", ".join(f"{truth}>{answer}={cost:g}" for truth, row in loss.items() for answer, cost in row.items())


def _missing(values: Any) -> str:
    """Values that mean missing as the option takes them.

    >>> _missing(["999"]), _missing({"*": ["999"], "age": ["-1", "0"]})
    ('999', '999; age=-1,0')
    """
    if not isinstance(values, dict):
        return ",".join(values)
    return "; ".join(",".join(v) if name == "*" else f"{name}={','.join(v)}" for name, v in values.items())


def _header(rows: Any) -> str:
    return ",".join(map(str, rows)) if rows else "no"


#: Settings that are not written as they are.
_SPECIAL: dict[str, Callable[[Any], str]] = {"loss": _costs, "missing": _missing, "header": _header}


def _python(plan: dict[str, Any]) -> str:
    settings = plan["settings"]
    source = "frame" if plan.get("source") is None else repr(plan["source"])
    changed = {
        **_changed(settings),
        **{n: settings[n] for n, usual in ONLY_PYTHON.items() if settings.get(n, usual) != usual},
    }
    arguments = {"target": settings["target"], "seed": settings.get("seed", 0), "query": plan.get("query"), **changed}
    words = [f"{name}={_code(name, value)}" for name, value in arguments.items() if value is not None]
    return f"import tamis\n\ntamis.Study({', '.join([source, *words])}).run()"


def _code(name: str, value: Any) -> str:
    """A setting as Python; a pipeline, of which only the recipe is known, stands for itself. `repr` escapes the unseen.

    >>> _code("procedures", {"tree": None, "mine": {"type": "Pipeline"}})
    "{'tree': None, 'mine': ...}"
    """
    if name == "procedures" and isinstance(value, dict):
        entries = [f"{key!r}: {'...' if isinstance(entry, dict) else repr(entry)}" for key, entry in value.items()]
        return "{" + ", ".join(entries) + "}"
    return repr(value)
