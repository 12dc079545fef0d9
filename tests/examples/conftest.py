"""Runs an example as a reader would, and keeps the figures it shows."""

from __future__ import annotations

import runpy
from pathlib import Path

import bokeh.io
import bokeh.plotting
import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


def pytest_generate_tests(metafunc):
    if "example" in metafunc.fixturenames:
        stage = Path(metafunc.module.__file__).parent.name
        found = sorted((EXAMPLES / stage).glob("*.py"))
        metafunc.parametrize("example", found, ids=lambda path: path.stem)


@pytest.fixture
def figures_of(monkeypatch, tmp_path):
    """Runs a script in an empty folder; its own assertions are the test of the numbers it shows."""

    def run(script):
        shown = []
        for module in (bokeh.io, bokeh.plotting):
            monkeypatch.setattr(module, "show", shown.append)
        monkeypatch.chdir(tmp_path)
        runpy.run_path(str(script))
        return shown

    return run
