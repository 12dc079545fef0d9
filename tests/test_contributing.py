"""CONTRIBUTING.md: its paths exist, and each of its recipes adds one file, changes none, and works."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
GUIDE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
RECIPES = {
    part.splitlines()[0].removeprefix("Add a").removeprefix("n").strip(): part
    for part in GUIDE.split("\n### ")[1:]
    if part.startswith("Add a")
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


#: Of each recipe, the tests of the folder that its file joins.
FOLDER_TESTS = {
    "score": "tests/score",
    "search strategy": "tests/search/test_strategy.py",
    "loss": "tests/linear/losses",
    "procedure": "tests/study/test_by_name.py",
    "metric": "tests/metrics",
    "transform": "tests/transform",
    "export": "tests/study/export/test_export.py",
    "chart": "tests/report/charts",
}


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A copy of the repository in which all recipes were followed."""
    root = tmp_path_factory.mktemp("copy")
    for name in ("src", "tests"):
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("docs", "benchmarks", "examples", "CHANGELOG.md", "CONTRIBUTING.md", "README.md", "pyproject.toml"):
        (root / name).symlink_to(ROOT / name)
    for recipe in RECIPES:
        for path, text in _files(recipe).items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, encoding="utf-8")
    return root


def _run(root: Path, *words: str) -> None:
    """Runs a module of Python in a copy; its output is the message of a failure."""
    environment = {**os.environ, "PYTHONPATH": str(root / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    environment.pop("PYTEST_ADDOPTS", None)
    done = subprocess.run([sys.executable, *words], cwd=root, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-3_000:] + done.stderr[-3_000:]


def test_a_recipe_adds_one_file_and_its_test():
    """A recipe that touches a second file is no recipe but a search through the code."""
    assert set(RECIPES) == set(FOLDER_TESTS)
    for recipe in RECIPES:
        paths = _files(recipe)
        assert len(paths) == 2
        assert sum(Path(path).name.startswith("test_") for path in paths) == 1
        assert not any((ROOT / path).exists() for path in paths)


def test_recipes_work_as_they_stand(copy):
    """A newcomer who follows the guide must end with things that work, in a suite that stays green."""
    tests = [path for recipe in RECIPES for path in _files(recipe) if Path(path).name.startswith("test_")]
    assert len(tests) == len(RECIPES)
    whole = ["tests/test_layout.py", "tests/test_public_names.py", "tests/test_design_names.py"]
    _run(copy, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", *tests, *whole)


def test_recipes_pass_the_linters(copy):
    """A file that the linters refuse is not finished."""
    sources = [path for recipe in RECIPES for path in _files(recipe)]
    _run(copy, "-m", "ruff", "check", "--no-cache", *sources)
    _run(copy, "-m", "ruff", "format", "--check", "--no-cache", *sources)
    _run(copy, "-c", "from importlinter.cli import lint_imports_command; lint_imports_command()")


@pytest.mark.nightly
@pytest.mark.parametrize("recipe", RECIPES)
def test_the_folder_of_a_recipe_stays_green(recipe, copy):
    """A test that counts files or lists names would turn red for every newcomer."""
    _run(copy, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", FOLDER_TESTS[recipe])


@pytest.mark.parametrize(
    "path", sorted(set(re.findall(r"`((?:src|tests|benchmarks|docs|examples|tools)/[\w./]*)`", GUIDE)))
)
def test_a_path_named_in_the_guide_exists(path):
    """A walk through files that are not there leads nowhere."""
    assert (ROOT / path).exists()
    assert (ROOT / path).is_dir() == path.endswith("/")
