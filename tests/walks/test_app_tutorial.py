"""The tutorial of the page, followed in a browser: every sentence that it quotes, and its pictures."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path

import pytest
from tests.app import test_browser as steps

chromium, server, tabs = steps.shared.driver.chromium, steps.server, steps.tabs
pytestmark = pytest.mark.browser

TUTORIAL = Path(__file__).parents[2] / "docs" / "tutorial"
#: Sentences that the tutorial says the page shows, by the heading they stand under.
QUOTES = [re.findall(r"^> (.+)$", part, flags=re.M) for part in (TUTORIAL / "app.md").read_text("utf-8").split("\n## ")]

#: `TAMIS_ALBUM=docs/pictures` renews the pictures of the tutorial.
ALBUM = os.environ.get("TAMIS_ALBUM")


def plain(text: str) -> str:
    return " ".join(text.split())


def quoted(page, step: int) -> None:
    """Everything that the step quotes stands on the page."""
    assert QUOTES[step], step
    for quote in QUOTES[step]:
        page.until(f"document.querySelector('main').innerText.replace(/\\s+/g, ' ').includes({plain(quote)!r})")


def look(page, name: str, top: str = "body") -> None:
    """A picture of what stands on the screen, from an element on."""
    page.run(f"document.querySelector({top!r}).scrollIntoView({{ block: 'start', behavior: 'instant' }})")
    if ALBUM:
        time.sleep(1.5)  # bars have moved
        page.picture(Path(ALBUM) / f"{name}.png", whole=False)


def test_the_tutorial_of_the_page(tabs):
    """A newcomer would be told of sentences and buttons that the page does not have."""
    page = tabs(width=1100)
    look(page, "app-start")
    quoted(page, 1)
    steps.give(page, "#file", TUTORIAL / "heart.xlsx")
    page.until("!document.querySelector('#sheets').hidden")
    steps.select(page, "#sheet", "Patients")
    steps.click(page, "#sheets button")
    page.until(f"!!document.querySelector({steps.column('Age')!r})")
    quoted(page, 2)
    look(page, "app-columns")
    steps.click(page, f"{steps.column('Blood pressure')} .sentinel .main")
    steps.select(page, "#target", "Diagnosis")
    page.until("!!document.querySelector('.leaks .stop')")
    quoted(page, 3)
    look(page, "app-leak")
    steps.select(page, f"{steps.column('Discharge')} .role", "drop")
    page.until("!document.querySelector('.leaks .stop') && !document.querySelector('#run').disabled")
    steps.click(page, "#run")
    page.until("location.pathname.startsWith('/study/') && !!document.querySelector('#to-answer')")
    page.until("document.querySelector('#run').dataset.state === 'finished'")
    quoted(page, 4)
    look(page, "app-run")
    study = steps.read_answer(page, "Diagnosis")
    quoted(page, 5)
    look(page, "app-answer")
    steps.click(page, "#open")
    page.until("!!document.querySelector('dialog[open]')")
    asked = plain(page.run("document.querySelector('dialog[open]').innerText"))
    assert all(plain(quote) in asked for quote in QUOTES[6])
    assert "Not now" in asked
    page.run("document.querySelector('dialog[open]').close()")
    form = tabs(f"/study/{study}/predict", width=1100)
    form.until("!!document.querySelector('#form-title')")
    for name, value in {"Heart rate": "120", "ST depression": "2.1"}.items():
        labels = "[...document.querySelectorAll('label')]"
        form.run(f"{labels}.find((label) => label.innerText.startsWith({name!r})).control.value = '{value}'")
    steps.click(form, "#row button.main")
    form.until("!document.querySelector('#row-answer').hidden")
    quoted(form, 7)
    look(form, "app-predict")
    steps.silent(form)
