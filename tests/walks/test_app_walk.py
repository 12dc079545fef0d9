"""A clinician with a spreadsheet in the app, from the drop to the predictions."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from tests.app import test_browser as steps
from tests.walks.files import heart

chromium, server, tabs = steps.shared.driver.chromium, steps.server, steps.tabs
pytestmark = pytest.mark.browser

#: A folder for pictures of every page, to be looked at.
ALBUM = os.environ.get("TAMIS_ALBUM")


def look(tabs, path: str, there: str, name: str) -> None:
    """The page at 1,400 and 400 pixels, light and dark: nothing sticks out, nothing complains."""
    for width, dark in ((1400, False), (400, True)):
        page = tabs(path, width=width, dark=dark)
        page.until(f"!!document.querySelector({there!r})")
        assert page.run("document.documentElement.scrollWidth") <= width, name
        steps.silent(page)
        if there != ".column":  # the pages of a study keep their head as wide as the others
            head, wide = page.run("[document.querySelector('header').getBoundingClientRect().width, innerWidth]")
            assert head >= min(wide, 1200) - 20, name
        if ALBUM:
            time.sleep(1.5)  # bars have moved
            page.picture(Path(ALBUM) / f"app-{name}-{width}.png", whole=width > 500)


def test_a_clinician_in_the_app(tabs, tmp_path):
    """Titles, sheets, 999, the class that is meant and the leak are each one click; nothing speaks of commands."""
    path = heart(tmp_path / "heart.xlsx", n=160)
    page = tabs()
    steps.give(page, "#file", path)
    page.until("!document.querySelector('#sheets').hidden")
    steps.select(page, "#sheet", "Patients")
    steps.click(page, "#sheets button")
    page.until(f"!!document.querySelector({steps.column('Age')!r})")
    assert "row 4" in page.run("document.querySelector('main').innerText")
    pressure = steps.column("Blood pressure")
    assert "Does 999 mean" in page.run(f"document.querySelector({pressure!r}).innerText")
    steps.click(page, f"{pressure} .sentinel .main")
    page.until(f"!document.querySelector({pressure!r}).innerText.includes('Does 999 mean')")
    number = f"document.querySelector(`{steps.column('Pat.-Nr.')} .role`)"
    assert page.run(f"{number}.selectedOptions[0].textContent") == "Left out by Tamis"  # an identifier
    assert "Number" in page.run(
        f"document.querySelector(`{steps.column('ST depression')} [aria-pressed=true]`).innerText"
    )
    steps.select(page, "#target", "Diagnosis")
    page.until("!!document.querySelector('.leaks .stop')")
    assert "Column 'Discharge' alone gives the target" in page.run("document.querySelector('.leaks .stop').innerText")
    steps.select(page, f"{steps.column('Discharge')} .role", "drop")
    page.until("!document.querySelector('.leaks .stop') && !document.querySelector('#run').disabled")
    page.run("document.querySelector('#more').open = true")
    page.until("!document.querySelector('#positive-field').hidden")
    assert page.run("document.querySelector('#positive').value") == "disease"
    offered = page.run("[...document.querySelector('#scoring').options].filter((o) => !o.hidden).map((o) => o.value)")
    assert "roc_auc" in offered
    assert not {"r2", "rmse", "mae"} & set(offered)  # those are of numbers
    table = page.run("location.pathname")
    steps.run_quickly(page, "Diagnosis")
    finished = page.run("document.querySelector('main').innerText")
    assert "They can still change" not in finished
    assert "best mean" in finished
    assert "\u2013" not in page.run("document.querySelector('#procedures').innerText")  # every procedure has a score
    assert "--" not in finished  # no words of commands
    study = steps.read_answer(page, "Diagnosis")
    said = page.run("document.querySelector('main').innerText")
    assert "--" not in said
    for name, address, there in (
        ("start", "/", ".recent"),
        ("columns", table, ".column"),
        ("run", f"/study/{study}", "#run"),
        ("answer", f"/study/{study}/answer", "#report"),
        ("predict", f"/study/{study}/predict", "#form-title"),
        ("compare", f"/compare?first={study}&second={study}", ".sides"),
    ):
        look(tabs, address, there, name)
