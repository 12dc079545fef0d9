"""The built site in Chromium: nothing is fetched from elsewhere, the search box works from files, figures are drawn."""

from __future__ import annotations

import importlib.util
import time
from pathlib import Path

import pytest

pytestmark = [pytest.mark.site, pytest.mark.browser]

ROOT = Path(__file__).parents[1]
#: `make docs` and `make docs-check` build here; the newest is looked at.
BUILT = sorted((ROOT / "docs" / "_build").glob("*/index.html"), key=lambda page: page.stat().st_mtime)
PAGES = (
    "index",
    "tutorial/index",
    "tutorial/app",
    "how-to/which-selector",
    "how-to/scale",
    "how-to/app",
    "concepts/honesty",
    "gallery/index",
    "gallery/linear/path",
    "gallery/report/boundaries",
    "reference/names",
    "reference/api/tamis.LinearRegressor",
    "coming-from/index",
    "measured/index",
)
#: What the theme and the browser remark on, and is no fault of a page.
USUAL = ("Got invalid theme mode", "NavigationEntryMarkedSkippable")

_found = importlib.util.spec_from_file_location(
    "chromium_of_the_site", Path(__file__).parent / "report" / "browser" / "conftest.py"
)
driver = importlib.util.module_from_spec(_found)
_found.loader.exec_module(driver)
chromium = driver.chromium


@pytest.fixture
def opened(chromium):
    """Opens a page of the site; where it was not built, that is said."""
    if not BUILT:
        pytest.fail("the site is not built; run make docs, or make docs-check")
    pages = []

    def open_(name):
        pages.append(driver.Page(chromium, (BUILT[-1].parent / f"{name}.html").as_uri()))
        return pages[-1]

    yield open_
    for page in pages:
        page.close()


def _elsewhere(page):
    return [address for address in page.requests() if not address.startswith("file:")]


@pytest.mark.parametrize("name", PAGES)
def test_a_page_fetches_nothing_from_elsewhere_and_draws_its_figures(opened, name):
    """A reader without a network would miss scripts, fonts or figures, or somebody would learn what is read."""
    page = opened(name)
    figures = page.run("document.querySelectorAll('script.bokeh-item').length")  # none where the gallery was not run
    page.until(f"everywhere(document, 'canvas').filter((c) => ink(c) > 50).length >= {figures}")
    time.sleep(0.5)  # a script may fetch when all is drawn
    assert _elsewhere(page) == []
    assert not [said for said in page.complaints() if not any(usual in said for usual in USUAL)]


def test_the_search_box_finds_pages_without_a_server(opened):
    """Opened from a folder, a site whose search needs a server finds nothing."""
    page = opened("index")
    page.run("document.querySelector('button.search-button__button').click()")
    page.until("[...document.querySelectorAll('input[type=search]')].some((field) => field.checkVisibility())")
    page.run(
        "(() => { const field = [...document.querySelectorAll('input[type=search]')].find((f) => f.checkVisibility());"
        " field.value = 'lasso'; field.form.submit(); })()"
    )
    page.until("location.pathname.endsWith('/search.html')")
    page.until("document.querySelector('#search-results')?.innerText.includes('Search finished')")
    found = page.run("[...document.querySelectorAll('#search-results li a')].map((link) => link.href)")
    assert any("reference/linear.html" in address for address in found)
    assert all(
        (Path(address.removeprefix("file://").partition("#")[0].partition("?")[0])).exists() for address in found
    )
    assert _elsewhere(page) == []


def test_a_word_that_is_nowhere_is_not_found(opened):
    """A search that finds everything would pass the other test."""
    page = opened("search")
    page.run("location.search = '?q=xyzzy'")
    page.until("document.querySelector('#search-results')?.innerText.includes('did not match any documents')")
    assert page.run("document.querySelectorAll('#search-results li').length") == 0
