"""The app in a real browser, from a dropped table to predictions; a server that is killed, two tabs, a telephone."""

from __future__ import annotations

import csv
import importlib.util
import json
import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tamis.app.runs.process import is_running

pytestmark = pytest.mark.browser

_found = importlib.util.spec_from_file_location("app_conftest", Path(__file__).with_name("conftest.py"))
shared = importlib.util.module_from_spec(_found)
_found.loader.exec_module(shared)

SOURCE = str(Path(__file__).parents[2] / "src")

#: What Chromium remarks on, and is no fault of a page: that it leads on to another without a click, as the way in does.
USUAL = "NavigationEntryMarkedSkippable"


#: Fields and buttons without a name for a screen reader.
UNNAMED = """
[...document.querySelectorAll("input, select, button, progress, iframe")].filter((e) => e.checkVisibility()
  && !e.labels?.length && !e.getAttribute("aria-label") && !e.innerText?.trim() && !e.title).map((e) => e.outerHTML)
"""


class Server:
    """A server as `tamis app` starts it, in a process that can be killed."""

    def __init__(self, folder: Path, port: int) -> None:
        self.folder, self.port = folder, port
        self.start()

    def start(self) -> None:
        code = "import sys; from tamis.app import serve; serve(int(sys.argv[1]), sys.argv[2], browser=False)"
        there = {**os.environ, "PYTHONPATH": SOURCE, "PYTHONUNBUFFERED": "1"}
        command = [sys.executable, "-c", code, str(self.port), str(self.folder)]
        self.process = subprocess.Popen(command, env=there, stdout=subprocess.PIPE, text=True)
        said = self.process.stdout.readline()
        self.invitation = Path(re.search(r"on this machine: (.+\.html)", said)[1])

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.process.stdout.close()


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    made = Server(tmp_path_factory.mktemp("browser") / "app", free_port())
    yield made
    made.kill()


@pytest.fixture(scope="module")
def tabs(chromium, server):
    """Opens an address of the app; the first tab is let in by the file."""
    opened = []
    first = shared.driver.Page(chromium, server.invitation.as_uri())
    first.until("location.pathname === '/' && !!document.getElementById('demo')")

    def tab(path="/", **how):
        page = shared.driver.Page(chromium, f"http://127.0.0.1:{server.port}{path}", **how)
        opened.append(page)
        return page

    yield tab
    for page in (first, *opened):
        page.close()


def click(page, selector):
    page.until(f"!!document.querySelector({selector!r})")
    page.run(f"document.querySelector({selector!r}).click()")


def give(page, selector, file):
    """Choose a file, as its dialog would."""
    root = page.send("DOM.getDocument")["root"]["nodeId"]
    node = page.send("DOM.querySelector", nodeId=root, selector=selector)["nodeId"]
    page.send("DOM.setFileInputFiles", nodeId=node, files=[str(file)])


def drop(page, selector, file):
    """Drop a small text file on a place, as a hand would."""
    text = Path(file).read_text(encoding="utf-8")
    page.run(
        f"(() => {{ const data = new DataTransfer(); data.items.add(new File([{text!r}], {file.name!r}));"
        "const drop = new DragEvent('drop', { dataTransfer: data, bubbles: true });"
        f"document.querySelector({selector!r}).dispatchEvent(drop) }})()"
    )


def select(page, selector, value):
    page.until(f"!!document.querySelector({selector!r})")
    page.run(
        f"(() => {{ const field = document.querySelector({selector!r}); field.value = {value!r};"
        "field.dispatchEvent(new Event('change')) })()"
    )


def column(name):
    return f".column[data-name={name!r}]"


def silent(page):
    assert [said for said in page.complaints() if USUAL not in said] == []
    assert page.dialogs() == []
    assert all(url.startswith(("http://127.0.0.1:", "file://")) for url in page.requests())


def run_quickly(page, target):
    """Two folds, once: enough to see the whole way."""
    select(page, "#target", target)
    select(page, "#folds", "2")
    page.until("document.querySelector('#folds').value === '2' && !document.querySelector('#run').disabled")
    select(page, "#repeats", "1")
    page.until(
        "document.querySelector('#plan').innerText.includes('in 2 folds') && !document.querySelector('#run').disabled"
    )
    click(page, "#run")
    page.until("location.pathname.startsWith('/study/') && !!document.querySelector('#to-answer')")
    page.until("document.querySelector('#run').dataset.state === 'finished'")


def read_answer(page, words):
    click(page, "#to-answer")
    page.until("location.pathname.endsWith('/answer') && !!document.querySelector('#report')")
    study = page.run("location.pathname.split('/')[2]")
    page.until("performance.getEntriesByType('resource').some((one) => one.name.endsWith('/report'))")
    assert (
        page.run(
            "(() => { try { return !!document.querySelector('#report').contentDocument } catch { return false } })()"
        )
        is False
    )
    return study


def test_patients_in_csv(tabs, server, patients, tmp_path):
    """Somebody with a CSV could not get from the file to predictions, or a cell that does not fit would stop them."""
    page = tabs()
    drop(page, "#drop", patients)
    page.until(f"!!document.querySelector({column('ward')!r})")
    assert "whole numbers" in page.run(f"document.querySelector({column('ward')!r}).innerText")
    click(page, f"{column('ward')} [data-kind=categorical]")
    page.until(
        f"document.querySelector(`{column('ward')} [data-kind=categorical]`).getAttribute('aria-pressed') === 'true'"
    )
    assert "as you said" in page.run(f"document.querySelector({column('ward')!r}).innerText")
    click(page, f"{column('age')} [data-kind=numeric]")
    page.until("!!document.querySelector('.misfit')")
    said = page.run("document.querySelector('.misfit').innerText")
    assert "2 cells do not fit number" in said
    assert "row 5: unknown" in said
    assert "row 71: about 60" in said
    click(page, ".misfit button")
    page.until(f"document.querySelector(`{column('age')} [data-kind=numeric]`).getAttribute('aria-pressed') === 'true'")
    assert "2 of 120 missing" in page.run(f"document.querySelector({column('age')!r}).innerText")
    run_quickly(page, "ill")
    assert "best mean" in page.run("document.querySelector('#procedures').innerText")
    study = read_answer(page, "ill")
    click(page, "#open")
    page.until("document.querySelector('#ask').open")
    assert "only this first opening is independent" in page.run("document.querySelector('#ask').innerText")
    click(page, "#ask [value=yes]")
    page.until("document.querySelector('#opened').innerText.includes('first opening known here')")
    page.run(f"location.href = '/study/{study}/predict'")
    page.until("!!document.querySelector('#predict #file') && !!window.takeFiles")
    rows = list(csv.reader(patients.read_text(encoding="utf-8").splitlines()))
    new = tmp_path / "new.csv"
    new.write_text("\n".join(",".join(row[:-1]) for row in [rows[0], *rows[1:13]]).replace("P0003,", "P0003,9") + "\n")
    give(page, "#file", new)
    page.until("!document.querySelector('#found').hidden")
    assert page.run("document.querySelectorAll('#rows tbody tr').length") == 12
    assert "1 cell does not fit its kind; read as missing" in page.run("document.querySelector('#notes').innerText")
    assert "its most in training" in page.run("document.querySelector('#rows').innerText")
    select(page, "#keep", "patient")
    page.until("document.querySelector('#rows').innerText.includes('P0003')")
    fields = page.run("[...document.querySelectorAll('#row [name]')].map((field) => field.name)")
    assert "dose" in fields
    page.run("document.querySelector('#row [name=dose]').value = '12'")
    click(page, "#row button")
    page.until("!document.querySelector('#row-answer').hidden")
    assert page.run("document.querySelector('#row-said').textContent") == "yes"
    assert "dose" in page.run("document.querySelector('#row-reasons').innerText")
    assert page.run("document.querySelector('#judge').hidden")  # the table had no target
    give(page, "#file", patients)
    page.until("!document.querySelector('#judge').hidden")
    click(page, "#validate")
    page.until("document.querySelector('#validated').innerText.includes('calibra')")
    assert "On 120 rows of this table" in page.run("document.querySelector('#validated').innerText")
    silent(page)


def test_houses_in_a_workbook(tabs, tmp_path):
    """A sheet that is not the first, words with an order, or a target of numbers would be out of reach."""
    openpyxl = pytest.importorskip("openpyxl")
    rng = np.random.default_rng(1)
    book = openpyxl.Workbook()
    book.active.title = "read me"
    book.active["A1"] = "nothing here"
    sheet = book.create_sheet("houses")
    sheet.append(["area", "state", "rooms", "price"])
    words = ["poor", "fair", "good"]
    for _ in range(110):
        area, state, rooms = rng.uniform(40, 200), int(rng.integers(3)), int(rng.integers(1, 7))
        sheet.append([round(area, 1), words[state], rooms, round(2 * area + 60 * state + rng.normal(0, 10), 1)])
    book.save(tmp_path / "houses.xlsx")
    page = tabs()
    give(page, "#file", tmp_path / "houses.xlsx")
    page.until("!document.querySelector('#sheets').hidden")
    select(page, "#sheet", "houses")
    click(page, "#sheets button")
    page.until(f"!!document.querySelector({column('state')!r})")
    click(page, f"{column('state')} [data-kind=ordinal]")
    page.until("!!document.querySelector('.misfit input')")
    page.run("document.querySelector('.misfit input').value = 'poor < fair < good'")
    click(page, ".misfit button.main")
    page.until(
        f"document.querySelector(`{column('state')} [data-kind=ordinal]`).getAttribute('aria-pressed') === 'true'"
    )
    run_quickly(page, "price")
    study = read_answer(page, "price")
    page.run(f"location.href = '/study/{study}/predict'")
    page.until("!!document.querySelector('#row')")
    page.run("document.querySelector('#row [name=area]').value = '100'")
    select(page, "#row [name=state]", "good")
    click(page, "#row button")
    page.until("!document.querySelector('#row-answer').hidden")
    assert 250 < float(page.run("document.querySelector('#row-said').textContent")) < 390
    assert "95% interval" in page.run("document.querySelector('#row-sure').textContent")
    silent(page)


def test_rates_with_a_direction_and_a_subgroup(tabs, server, tmp_path):
    """Counts of different exposures, a known direction or a subgroup could only be given on the command line."""
    rng = np.random.default_rng(4)
    years, smoke, dose = rng.uniform(0.5, 3, 120).round(2), rng.integers(2, size=120), rng.uniform(0, 4, 120).round(1)
    falls = rng.poisson(years * np.exp(0.2 + 0.5 * dose - 0.4 * smoke))
    rows = [f"{d},{'yes' if s else 'no'},{t},{n}" for d, s, t, n in zip(dose, smoke, years, falls)]
    (tmp_path / "falls.csv").write_text("\n".join(["dose,smokes,years,falls", *rows]) + "\n", encoding="utf-8")
    page = tabs()
    drop(page, "#drop", tmp_path / "falls.csv")
    page.until(f"!!document.querySelector({column('dose')!r})")
    assert page.run("document.querySelector('#exposure-field').hidden")
    select(page, "#target", "falls")
    select(page, "#task", "count")
    page.until("!document.querySelector('#run').disabled && !document.querySelector('#exposure-field').hidden")
    select(page, "#exposure", "years")
    page.until(f"document.querySelector(`{column('years')} .tag`).textContent === 'exposure'")
    assert page.run(f"document.querySelector(`{column('smokes')} .direction`).hidden")
    select(page, f"{column('dose')} .direction", "1")
    click(page, f"{column('smokes')} .subgroup")
    page.until("choices.subgroups?.includes('smokes') && choices.monotone?.dose === 1")
    run_quickly(page, "falls")
    study = read_answer(page, "falls")
    results = json.loads((server.folder / "studies" / study / "results.json").read_text())
    assert results["answer"]["exposure"] == "years"
    assert results["settings"]["monotone"] == {"dose": 1}
    assert results["settings"]["subgroups"] == ["smokes"]
    assert {group["column"] for group in results["validity"]["subgroups"]["records"]} == {"smokes"}
    silent(page)


def test_hostile_flowers_in_parquet(tabs, tmp_path):
    """Scripts in names of columns, levels and files would run, or a Parquet file would not be read."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(2)
    bad = "<img src=x onerror=alert(1)>"
    kind = rng.integers(3, size=105)
    labels = np.array(["</script><script>alert(2)</script>", "rosa", "iris"])[kind]
    table = {
        bad: kind + rng.normal(0, 0.3, 105),
        "wet": (rng.integers(2, size=105)),
        "noise": rng.normal(size=105),
        "kind": labels,
    }
    file = tmp_path / "<b onclick=alert(3)>flowers.parquet"
    pq.write_table(pa.table(table), file)
    page = tabs()
    give(page, "#file", file)
    page.until(f"!!document.querySelector({column('wet')!r})")
    assert bad in page.run("document.querySelector('#columns').innerText")
    click(page, f"{column('wet')} [data-kind=boolean]")
    page.until(f"document.querySelector(`{column('wet')} [data-kind=boolean]`).getAttribute('aria-pressed') === 'true'")
    run_quickly(page, "kind")
    study = read_answer(page, "kind")
    page.run(f"location.href = '/study/{study}/predict'")
    page.until("!!document.querySelector('#row')")
    page.run("document.querySelector('#row input').value = '0.01'")
    click(page, "#row button")
    page.until("!document.querySelector('#row-answer').hidden")
    assert page.run("document.querySelector('#row-said').textContent").startswith("</script>")
    give(page, "#file", file)
    page.until("!document.querySelector('#found').hidden")
    page.run("location.href = '/'")
    page.until("!!document.querySelector('.study')")
    assert page.run("document.querySelectorAll('main img, main b, main script').length") == 0
    silent(page)


def test_a_killed_server_loses_nothing(tabs, server):
    """A study would end with its server, or the page that shows it would not find it again."""
    page = tabs()
    click(page, "#demo")
    page.until("!!document.querySelector('.column')")
    select(page, "#target", "diagnosis")
    page.until("!document.querySelector('#run').disabled")
    click(page, "#run")
    page.until("location.pathname.startsWith('/study/') && document.querySelector('#whole')?.value >= 3")
    place = server.folder / "studies" / page.run("location.pathname.split('/')[2]")
    server.kill()
    before = len((place / "journal.jsonl").read_bytes())
    assert is_running(place)
    server.start()
    page.until("['finished', 'running'].includes(document.querySelector('#run').dataset.state)")
    other = tabs("/")
    assert "diagnosis" in other.run("document.querySelector('.recent').innerText")
    page.until("document.querySelector('#run').dataset.state === 'finished'")
    assert not is_running(place)
    assert len((place / "journal.jsonl").read_bytes()) > before
    assert (place / "results.json").exists()


def test_two_tabs_do_not_undo_each_other(tabs, server, patients):
    """The choices of one tab would overwrite those of another unseen, or two runs would start in one folder."""
    one = tabs()
    give(one, "#file", patients)
    one.until(f"!!document.querySelector({column('ward')!r})")
    address = one.run("location.pathname")
    two = tabs(address)
    two.until(f"!!document.querySelector({column('ward')!r})")
    select(one, "#target", "ill")
    one.until("!document.querySelector('#run').disabled")
    select(two, "#target", "dose")
    two.until("!document.querySelector('#stale').hidden && document.querySelector('#target').value === 'ill'")
    two.until("!document.querySelector('#run').disabled")
    for page in (one, two):
        click(page, "#run")
    for page in (one, two):
        page.until("location.pathname.startsWith('/study/') && !!document.querySelector('#stop')")
    assert one.run("location.pathname") == two.run("location.pathname")
    two.until("['running', 'finished'].includes(document.querySelector('#run').dataset.state)")
    click(two, "#stop")
    for page in (one, two):
        page.until("['stopped', 'finished'].includes(document.querySelector('#run').dataset.state)")
    if one.run("document.querySelector('#run').dataset.state") == "stopped":
        click(one, "#resume")
        one.until("['running', 'finished'].includes(document.querySelector('#run').dataset.state)")
        click(one, "#stop")
    silent(one)


def test_a_leak_is_said_and_asked_about_before_a_run(tabs, tmp_path):
    """Somebody would wait for a score that means nothing, and believe it."""
    lines = ["x,told,y", *(f"{k * 37 % 101},{k % 2 * 7},{'ab'[k % 2]}" for k in range(60))]
    (tmp_path / "told.csv").write_text("\n".join(lines) + "\n")
    page = tabs()
    give(page, "#file", tmp_path / "told.csv")
    page.until(f"!!document.querySelector({column('told')!r})")
    select(page, "#target", "y")
    page.until("!document.querySelector('#run').disabled")
    assert "Column 'told' alone gives the target" in page.run("document.querySelector('.leaks .stop').innerText")
    click(page, "#run")
    page.until("document.querySelector('#ask').open")
    click(page, "#ask [value=no]")
    page.until("!document.querySelector('#ask').open")
    assert page.run("location.pathname").startswith("/table/")
    select(page, f"{column('told')} .role", "drop")
    page.until("!document.querySelector('.leaks .stop') && !document.querySelector('#run').disabled")
    silent(page)


def test_every_page_fits_a_telephone(tabs, server):
    """At 390 px somebody would have to scroll sideways, in light or dark."""
    study = next(place.name for place in (server.folder / "studies").iterdir() if (place / "results.json").exists())
    table = next((server.folder / "tables").iterdir()).name
    pages = {
        "/": ".recent",
        f"/table/{table}": ".column",
        f"/study/{study}": "#run",
        f"/study/{study}/answer": "#report",
    }
    pages |= {f"/study/{study}/predict": "#form-title", f"/compare?first={study}&second={study}": ".sides"}
    for path, there in pages.items():
        page = tabs(path, width=390, dark=True)
        page.until(f"!!document.querySelector({there!r})")
        assert page.run("document.documentElement.scrollWidth") <= 390, path
        assert page.run(UNNAMED) == [], path
        assert page.run("document.querySelectorAll('h1').length") == 1
        silent(page)


def test_a_word_is_explained_from_the_keyboard(tabs):
    """Somebody without a mouse, or without statistics, would not learn what a word means."""
    page = tabs(
        "/table/"
        + tabs().run("document.querySelector('.recent a[href^=\"/table/\"]').getAttribute('href').split('/')[2]")
    )
    page.until("!!document.querySelector('[data-explains=kind]')")
    page.run("document.querySelector('[data-explains=kind]').focus()")
    page.press("Enter", 13)
    page.until("!!document.querySelector('.meaning:popover-open')")
    assert "What the values of a column are" in page.run("document.querySelector('.meaning:popover-open').innerText")
    page.press("Escape", 27)
    page.until("!document.querySelector('.meaning:popover-open')")


def test_a_deleted_table_is_gone_with_its_studies(tabs, server):
    """Patients' data would stay on the disk after they were deleted."""
    page = tabs()
    n = len(list((server.folder / "tables").iterdir()))
    address = page.run("document.querySelector('[data-delete^=\"/api/table/\"]').dataset.delete")
    click(page, f"[data-delete='{address}']")
    page.until("document.querySelector('#ask').open")
    click(page, "#ask [value=yes]")
    page.until(f"document.readyState === 'complete' && !document.querySelector(\"[data-delete='{address}']\")")
    assert len(list((server.folder / "tables").iterdir())) == n - 1
    assert not (server.folder / "tables" / address.split("/")[-1]).exists()
