"""The server of a folder: one at a time, on 127.0.0.1 alone, and nothing heavy before the first page."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tamis.app.folder import AppFolder
from tamis.app.serve import HOLD_FILE, PORT, SERVER_FILE, _is_held, _sockets, serve
from tamis.errors import ParameterError


def test_a_second_one_leads_to_the_first(tmp_path):
    """Two servers would write into one folder, or a lost tab could not be opened again."""
    folder, said = AppFolder(tmp_path), []
    with (tmp_path / HOLD_FILE).open("ab") as hold:
        assert _is_held(hold)
        with pytest.raises(ParameterError, match="is starting"):
            serve(None, tmp_path, browser=False, say=said.append)
        (tmp_path / SERVER_FILE).write_text(json.dumps({"port": 4321, "pid": 1}))
        serve(None, tmp_path, browser=False, say=said.append)
    assert said[0] == "`tamis app` is running already"
    assert "http://127.0.0.1:4321;" in said[1]
    (invitation,) = (tmp_path / "entry").iterdir()
    assert "http://127.0.0.1:4321/enter?token=" in invitation.read_text()
    assert folder.admits(invitation.stem)


def test_it_listens_to_this_machine_alone():
    """The page could be reached from the network."""
    sockets = _sockets(None)
    assert {one.getsockname()[0] for one in sockets} == {"127.0.0.1"}
    others = _sockets(None)
    assert others[0].getsockname()[1] not in (sockets[0].getsockname()[1], PORT)
    with pytest.raises(ParameterError, match="cannot be used"):
        _sockets(sockets[0].getsockname()[1])
    for one in (*sockets, *others):
        one.close()


def test_the_first_page_needs_nothing_heavy():
    """The first page would wait seconds for what only later pages need."""
    code = (
        "import sys, tamis.app, tamis.app.pages.start as s;"
        "heavy = {'sklearn', 'scipy', 'pyarrow', 'bokeh', 'pandas', 'tamis.study', 'tamis.table'};"
        "print(sorted(heavy & set(sys.modules)))"
    )
    there = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2] / "src")}
    found = subprocess.run([sys.executable, "-c", code], env=there, capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_pages_without_the_report_are_light(app, finished):
    """The page would be slow to come, even from this machine: 150 KB is the most."""
    script = sum(len(file.read_bytes()) for file in (Path(__file__).parents[2] / "src/tamis/app/static").iterdir())
    paths = ["/", f"/table/{finished.table}", f"/study/{finished.study}", f"/study/{finished.study}/answer"]
    for path in (*paths, f"/study/{finished.study}/predict", "/compare"):
        status, _, text = app.client.ask("GET", path)
        assert status == 200
        assert len(text) + script < 150_000
    assert len(app.client.ask("GET", f"/api/table/{finished.table}/columns")[2]) < 60_000


def test_two_studies_are_compared(app, finished):
    """The page of comparisons would be empty."""
    text = app.client.ask("GET", f"/compare?first={finished.study}&second={finished.study}")[2].decode()
    assert "no more than chance explains" in text
    assert "In both" in text
