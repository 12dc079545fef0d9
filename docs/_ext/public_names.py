"""Writes the list of public names, from the package itself: a name that is added is documented by being added."""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from pathlib import Path
from types import GenericAlias, ModuleType
from typing import Any

#: What users call, in the order in which data flow; then what these are built of.
STAGES = {
    "tamis": "The names that are used most; each also has its place in one of the modules below.",
    "tamis.transform": "Better columns: each is learned from the rows of `fit` alone.",
    "tamis.project": "Fewer columns.",
    "tamis.score": "How good a column is, without a model.",
    "tamis.search": "Sets of columns, and how sure a choice is.",
    "tamis.linear": "Linear models.",
    "tamis.tree": "Trees people can read.",
    "tamis.forest": "Forests.",
    "tamis.boosting": "Gradient boosting.",
    "tamis.additive": "Additive models: curves and pair maps.",
    "tamis.evaluate": "Honest evaluation.",
    "tamis.study": "The main job.",
    "tamis.report": "Results as people read them.",
    "tamis.report.charts": "Pictures of the results of a study.",
    "tamis.errors": "Every exception and warning.",
}
BUILT_OF = {
    "tamis.table": "Any source as named, typed columns.",
    "tamis.split": "Rows for training and for judging.",
    "tamis.metrics": "What `scoring` means everywhere.",
    "tamis.views": "Three views of a table, each computed once.",
    "tamis.engine": "Tasks on threads, each with a seed of its own.",
}


def names_of(module: str) -> list[str]:
    """Public names of a module, modules and names of types left out."""
    found = import_module(module)
    names = getattr(found, "__all__", None) or [
        name for name, value in vars(found).items() if getattr(value, "__module__", "") == module and name[0] != "_"
    ]
    return [
        name for name in names if name[0] != "_" and not isinstance(getattr(found, name), (ModuleType, GenericAlias))
    ]


def listed() -> dict[str, dict[str, list[str]]]:
    """Page -> module -> full names; a name that several modules have is listed in the first of them alone."""
    pages: dict[str, dict[str, list[str]]] = {}
    seen = set()
    for page, modules in (("names", STAGES), ("building-blocks", BUILT_OF)):
        pages[page] = {}
        for module in modules:
            own = {name: getattr(import_module(module), name) for name in names_of(module)}
            first = sorted((name for name, value in own.items() if id(value) not in seen), key=str.lower)
            pages[page][module] = [f"{module}.{name}" for name in first]
            seen |= {id(own[name]) for name in first}
    return pages


def _write(app: Any, config: Any) -> None:
    words = {**STAGES, **BUILT_OF}
    titles = {"names": "Every public name", "building-blocks": "Building blocks"}
    where: dict[int, str] = {}
    for page, modules in listed().items():
        lines = [titles[page], "=" * len(titles[page]), ""]
        for module, full in modules.items():
            own = import_module(module)
            where |= {id(getattr(own, name.rpartition(".")[2])): name for name in full}
            also = [name for name in names_of(module) if f"{module}.{name}" not in full]
            lines += [module, "-" * len(module), "", words[module], ""]
            if also:
                links = ", ".join(f":obj:`{name} <{where[id(getattr(own, name))]}>`" for name in also)
                lines += [f"Also here: {links}.", ""]
            if full:
                lines += [".. autosummary::", "   :toctree: api", "", *(f"   {name}" for name in full), ""]
        text = "\n".join(lines)
        place = Path(app.srcdir) / "reference" / f"{page}.rst"
        if not place.exists() or place.read_text(encoding="utf-8") != text:
            place.write_text(text, encoding="utf-8")
    current = {name for modules in listed().values() for full in modules.values() for name in full}
    for old in (Path(app.srcdir) / "reference" / "api").glob("*.rst"):
        if old.stem not in current:
            old.unlink()


def _own_members(app: Any, what: str, name: str, value: Any, skip: bool, options: Any) -> bool | None:
    """Leave out members that come from other packages: their texts refer to pages that are not here."""
    home = getattr(value, "__module__", None) or getattr(getattr(value, "fget", None), "__module__", None)
    if what == "class" and home is not None and not str(home).startswith("tamis"):
        return True
    return None


def _describe(app: Any, what: str, name: str, value: Any, options: Any, lines: list[str]) -> None:
    """In our docstrings `name : words` says what a parameter is; its type and default stand in the signature."""
    made: list[str] = []
    inside, kinds = "", _kinds(value)
    for k, line in enumerate(lines):
        if k + 1 < len(lines) and set(lines[k + 1].strip()) == {"-"} and len(lines[k + 1].strip()) >= 4:
            inside = line.strip()
        if inside in ("Parameters", "Attributes", "Returns", "Yields") and not line.startswith((" ", "-")):
            head, colon, words = line.partition(" : ")
            if colon and inside in ("Parameters", "Attributes"):
                kind = kinds.get(head.split(",")[0].strip("* ")) if inside == "Parameters" else None
                made += [f"{head} : {kind}" if kind else head, f"    {words}"]
                continue
        made.append(line)
    lines[:] = made


def _kinds(value: Any) -> dict[str, str]:
    """Of every parameter its type and its default, as numpydoc writes them."""
    try:
        parameters = inspect.signature(value).parameters.values()
    except (TypeError, ValueError):
        return {}
    kinds = {}
    for one in parameters:
        if one.kind in (one.VAR_KEYWORD, one.VAR_POSITIONAL):
            continue
        parts = [] if one.annotation is one.empty else [_type_words(one.annotation)]
        parts += [] if one.default is one.empty else [f"default={one.default!r}"]
        kinds[one.name] = ", ".join(part for part in parts if part and len(part) < 60 and "\n" not in part)
    return kinds


def _type_words(annotation: Any) -> str:
    """A type as a reader writes it; nothing of one that says nothing."""
    words = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    words = re.sub(r"\b(?:[a-z_]+\.)+(?=\w)", "", words)
    return "" if words in ("Any", "object") or "*" in words else words


def setup(app: Any) -> dict[str, Any]:
    app.connect("config-inited", _write)  # before Sphinx looks for sources: autosummary reads what it found then
    app.connect("autodoc-skip-member", _own_members)
    app.connect("autodoc-process-docstring", _describe, priority=100)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
