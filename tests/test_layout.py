"""Folders tell the architecture, and what is written about files is true of the files there are."""

from __future__ import annotations

import ast
import re
import warnings
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "tamis"
#: Folders of benchmarks that measure several folders of the package at once.
ACROSS = {"scale", "fuzz"}
#: Folders of tests that stand for no folder of the package.
APART = ("contract", "golden", "examples", "report/browser", "walks")
#: Files of a folder above which a hint is given.
MANY_FILES = 20
#: Where the site is built: not there in a fresh clone.
BUILT = "docs/_build"
TEXTS = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "benchmarks/README.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]
FOLDERS = [PACKAGE, *sorted(path.parent for path in PACKAGE.glob("*/**/__init__.py"))]


def _doc(file: Path) -> str:
    return ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("folder", sorted({path.parent for path in (ROOT / "tests").rglob("test_*.py")}), ids=_name)
def test_a_folder_of_tests_stands_for_one_of_the_package(folder):
    """Whoever changes a file could not guess where its tests are; a folder that moved would leave its tests behind."""
    place = folder.relative_to(ROOT / "tests").as_posix()
    assert place.startswith(APART) or (PACKAGE / place).is_dir()


@pytest.mark.parametrize("room", ["benchmarks", "examples"])
def test_folders_of_benchmarks_and_examples_are_those_of_the_package(room):
    """What is measured and shown would have to be searched for."""
    there = {path.parent.name for path in (ROOT / room).glob("*/*.py")} - ACROSS
    assert there
    assert all((PACKAGE / name).is_dir() for name in there)


@pytest.mark.filterwarnings("default:.*maybe one of its concepts wants a folder")
@pytest.mark.parametrize("folder", FOLDERS, ids=_name)
def test_a_folder_says_what_its_files_are(folder):
    """A newcomer finds no way into thirty files without an order; many files are a hint, not an error."""
    modules = {path.stem for path in folder.glob("*.py")} - {"__init__", "__main__"}
    if len(modules) > MANY_FILES:
        warnings.warn(f"{_name(folder)}: {len(modules)} files; maybe one of its concepts wants a folder", stacklevel=1)
    assert folder == PACKAGE or len(modules) <= 2 or len(re.findall(r"\w+", _doc(folder / "__init__.py"))) >= 12


@pytest.mark.parametrize("file", [*TEXTS, *(path / "__init__.py" for path in FOLDERS)], ids=_name)
def test_files_and_folders_named_in_texts_exist(file):
    """A path that moved and a text that did not send the reader astray."""
    text = file.read_text(encoding="utf-8") if file.suffix == ".md" else _doc(file)
    text = re.sub(r"```diff.*?```", "", text, flags=re.S)
    for path in re.findall(r"(?<![\w/.])((?:src|tests|benchmarks|docs|examples|tools|tamis)/[\w./-]*\w)", text):
        assert path.startswith(BUILT) or (ROOT / path).exists() or (ROOT / "src" / path).exists(), path
    for folder in re.findall(r"`(\w+)/`", text) if file.name == "__init__.py" else ():
        assert (file.parent / folder).is_dir(), folder
    for file_named in re.findall(r"\b(\w+\.py)\b", text) if file.name == "__init__.py" else ():
        assert (file.parent / file_named).exists(), file_named


@pytest.mark.parametrize("file", TEXTS, ids=_name)
def test_names_of_the_package_in_texts_exist(file):
    """A name that cannot be imported as it is written is no name."""
    for name in sorted(set(re.findall(r"`(tamis(?:\.\w+)+)", file.read_text(encoding="utf-8")))):
        first, *rest = name.split(".")
        found = import_module(first)
        for k, word in enumerate(rest, 2):
            found = getattr(found, word, None) or import_module(".".join(name.split(".")[:k]))
