"""The site: its examples run, its links lead somewhere, every public name has its place in it."""

from __future__ import annotations

import ast
import doctest
import re
import sys
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = [path for path in sorted(DOCS.rglob("*.md")) if "_build" not in path.parts]
EXAMPLES = sorted((ROOT / "examples").glob("*/*.py"))


def _name(path):
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", [page for page in PAGES if ">>>" in page.read_text(encoding="utf-8")], ids=_name)
def test_examples_of_a_page_run_as_they_stand(page):
    """A reader who copies an example would get another answer than the page shows."""
    found = doctest.testfile(str(page), module_relative=False, optionflags=doctest.ELLIPSIS, encoding="utf-8")
    assert found.attempted
    assert not found.failed


@pytest.mark.parametrize("page", [*PAGES, ROOT / "README.md", ROOT / "CONTRIBUTING.md"], ids=_name)
def test_links_lead_somewhere(page):
    """A link to a page, a heading or a picture that is not there leaves the reader in the dark."""
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.S)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        assert not target.startswith("http"), f"{target}: the site must stand without a network"
        path, _, anchor = target.partition("#")
        place = (page.parent / path).resolve() if path else page
        assert place.exists(), target
        if anchor:
            heads = re.findall(r"^#+ (.*)$", place.read_text(encoding="utf-8"), flags=re.M)
            assert anchor in {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}, target


@pytest.mark.parametrize("folder", [path.parent for path in PAGES if path.name == "index.md"], ids=_name)
def test_every_page_is_in_a_table_of_contents(folder):
    """A page that no list names cannot be found."""
    listed = (folder / "index.md").read_text(encoding="utf-8")
    for page in folder.glob("*.md"):
        listed_by_conf = folder == DOCS  # pages beside docs/conf.py are put among the methods by it
        assert page.name == "index.md" or listed_by_conf or re.search(rf"^{page.stem}$", listed, flags=re.M), page.name


def test_every_public_name_is_in_the_reference(monkeypatch):
    """A public name without a page is one that nobody can look up."""
    monkeypatch.syspath_prepend(str(DOCS / "_ext"))
    monkeypatch.delitem(sys.modules, "public_names", raising=False)
    pages = import_module("public_names").listed()
    there = {name for modules in pages.values() for full in modules.values() for name in full}
    objects = {id(_found(name)) for name in there}
    tamis = import_module("tamis")
    for name in tamis.__all__:
        value = getattr(tamis, name)
        if type(value).__name__ == "module":
            names = getattr(value, "__all__", [])
            assert not [n for n in names if id(getattr(value, n)) not in objects and n != "Folds"], value
        elif name != "__version__":
            assert f"tamis.{name}" in there


def _found(name):
    home, _, last = name.rpartition(".")
    return getattr(import_module(home), last)


@pytest.mark.parametrize("example", EXAMPLES, ids=_name)
def test_an_example_has_a_title_asserts_a_number_and_shows_a_figure(example):
    """The gallery would have a page without a name, a number that nothing holds, or no picture."""
    tree = ast.parse(example.read_text(encoding="utf-8"))
    title, line, *_ = (ast.get_docstring(tree) or "").split("\n")
    assert len(title) == len(line)
    assert set(line) == {"="}
    assert any(isinstance(node, ast.Assert) for node in ast.walk(tree))
    last = tree.body[-1]
    assert isinstance(last, ast.Expr)
    assert isinstance(last.value, ast.Call)
    assert last.value.func.id == "show"


def test_a_page_that_fetches_something_is_found(tmp_path, monkeypatch):
    """The check that the site needs no network would pass anything."""
    monkeypatch.syspath_prepend(str(DOCS / "_ext"))
    external = import_module("offline").external
    tag = '<script src="{}//host/x.js"></script><a href="https://host">a link</a><pre>&lt;img src="https://no"</pre>'
    (tmp_path / "good.html").write_text('<img src="_static/x.png"><link rel="canonical" href="https://host/">')
    assert external(tmp_path) == []
    (tmp_path / "bad.html").write_text(tag.format("https:"))
    (tmp_path / "bad.css").write_text("@font-face { src: url(//host/font.woff2) }")
    assert [address for _, address in external(tmp_path)] == ["https://host/x.js", "//host/font.woff2"]


def test_examples_stand_in_folders_with_a_head():
    """The gallery leaves out a folder without a head."""
    assert all((folder / "GALLERY_HEADER.rst").exists() for folder in {path.parent for path in EXAMPLES})


def test_see_also_leads_to_names_that_are_there_and_from_every_name_that_users_call(monkeypatch):
    """A link of the reference would lead nowhere, or a reader would not learn what else there is."""
    monkeypatch.syspath_prepend(str(DOCS / "_ext"))
    listed = import_module("public_names").listed()
    see_also = import_module("see_also")
    names = {name for modules in listed.values() for full in modules.values() for name in full}
    grouped = {f"tamis.{name}" for group in see_also.GROUPS for name in group.split()}
    assert grouped <= names
    assert all((DOCS / f"{page[1:]}.md").exists() for page in see_also.GUIDES.values())
    called = {
        name for name in names if name.startswith(tuple(f"tamis.{stage}." for stage in STAGES)) or name.count(".") == 1
    }
    assert not called - grouped


#: Modules whose names users call.
STAGES = ("transform", "project", "score", "search", "linear", "tree", "forest", "evaluate", "study")


def _calls(column):
    """Calls that a column of the tables of coming-from names in full, and the names of classes."""
    page = (DOCS / "coming-from" / "index.md").read_text(encoding="utf-8")
    part = page if column == 2 else page.partition("## caret")[0]  # other tables' first column is no Python
    cells = [line.split("|")[column] for line in part.splitlines() if line.startswith("| ") and "there |" not in line]
    return sorted({code for cell in cells for code in re.findall(r"`([A-Z]\w+(?:\([^`…]*\))?)`", cell)})


@pytest.mark.parametrize("call", _calls(2))
def test_what_coming_from_offers_can_be_called_so(call):
    """A newcomer would copy a name or a parameter that is not there."""
    tamis = import_module("tamis")
    ours = {name: getattr(home, name) for home in (tamis, tamis.transform) for name in home.__all__}
    known = vars(import_module("sklearn.feature_selection")) | ours
    made = eval(call, known, {"model": tamis.LinearRegressor(), "selector": tamis.RankSelector(k=1)})
    assert made is not None


@pytest.mark.parametrize("call", _calls(1))
def test_what_coming_from_says_of_scikit_learn_is_there(call):
    """A word that scikit-learn no longer has would lead nobody here."""
    known = {}
    for part in ("feature_selection", "linear_model", "tree", "ensemble", "decomposition", "preprocessing", "impute"):
        known |= vars(import_module(f"sklearn.{part}"))
    assert eval(call, known, {"model": known["LinearRegression"]()}) is not None
