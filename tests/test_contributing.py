"""CONTRIBUTING.md: its paths exist, and each of its recipes adds one file, changes none, and works."""

from __future__ import annotations

import importlib
import inspect
import re
import runpy
import sys
from pathlib import Path

import pytest

import tamis

ROOT = Path(__file__).parents[1]
GUIDE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
RECIPES = {
    part.splitlines()[0].removeprefix("Add a "): part for part in GUIDE.split("\n### ")[1:] if part.startswith("Add a ")
}
_NEW_FILE = re.compile(r"```diff\n--- (\S+)\n\+\+\+ b/(\S+)\n@@ -0,0 \+1,(\d+) @@\n(.*?)\n```", re.S)


def _files(recipe: str) -> dict[str, str]:
    """The files a recipe adds, by path."""
    found = _NEW_FILE.findall(RECIPES[recipe])
    assert len(found) == RECIPES[recipe].count("```diff")
    assert {before for before, *_ in found} == {"/dev/null"}  # a new file, and no other
    texts = {}
    for _, path, length, body in found:
        lines = body.split("\n")
        assert len(lines) == int(length)
        assert all(line.startswith("+") for line in lines)
        texts[path] = "\n".join(line[1:] for line in lines) + "\n"
    return texts


#: Functions of the packages that list their modules.
LISTS = ("criterion_names", "strategy_names", "loss_names")


@pytest.fixture
def added(tmp_path, monkeypatch):
    """Adds a recipe's files in a folder of their own, as if they stood in the package; gives its tests."""
    before = set(sys.modules)
    caches = []

    def add(recipe: str) -> list:
        for path, text in _files(recipe).items():
            file = tmp_path / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
            if path.startswith("src/"):
                package = importlib.import_module(".".join(Path(path).parent.parts[1:]))
                monkeypatch.setattr(package, "__path__", [*package.__path__, str(file.parent)])
                (names,) = (vars(package)[name] for name in LISTS if name in vars(package))
                names.cache_clear()
                caches.append(names)
        monkeypatch.syspath_prepend(tmp_path)
        (tests,) = (path for path in _files(recipe) if Path(path).name.startswith("test_"))
        return [one for name, one in runpy.run_path(str(tmp_path / tests)).items() if name.startswith("test_")]

    yield add
    for cache in caches:
        cache.cache_clear()
    for name in set(sys.modules) - before:
        if str(tmp_path) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


def test_there_are_four_recipes_of_one_file_each():
    """A recipe that touches a second file is no recipe but a search through the code."""
    assert list(RECIPES) == ["score", "search strategy", "loss", "procedure"]
    for recipe in RECIPES:
        paths = _files(recipe)
        assert len(paths) == 2
        assert sum(Path(path).name.startswith("test_") for path in paths) == 1
        assert not any((ROOT / path).exists() for path in paths)


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_recipe_works_as_it_stands(recipe, added, tmp_path):
    """A newcomer who follows the guide must end with a thing that works."""
    tests = added(recipe)
    assert tests
    for one in tests:
        takes_folder = "tmp_path" in inspect.signature(one).parameters
        one(tmp_path / "study") if takes_folder else one()


def test_what_a_recipe_added_is_gone_again():
    """The words of the package are those of its own files."""
    with pytest.raises(AttributeError, match="spearman"):
        _ = tamis.score.spearman


@pytest.mark.parametrize(
    "path", sorted(set(re.findall(r"`((?:src|tests|benchmarks|docs|examples|tools)/[\w./]*)`", GUIDE)))
)
def test_a_path_named_in_the_guide_exists(path):
    """A walk through files that are not there leads nowhere."""
    assert (ROOT / path).exists()
    assert (ROOT / path).is_dir() == path.endswith("/")
