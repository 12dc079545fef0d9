"""Kernels compiled apart from those that call them: found from memory, from the disk, and after an interrupt."""

from __future__ import annotations

import importlib
import sys

import numba
import numpy as np
import pytest

from tamis.engine import internals

pytestmark = pytest.mark.skipif(internals.part("apart") is None, reason="by private parts of Numba alone")

MODULE = """
from typing import NamedTuple
import numpy as np
from tamis.engine.kernel import apart, inner, njit

class Line(NamedTuple):
    values: np.ndarray
    by: float

@inner
def times(x, y):
    return x * y

@apart
def scale(line, shift):
    for i in range(len(line.values)):
        line.values[i] = times(line.values[i], line.by) + shift

@inner
def twice(line):
    scale(line, 1)
    scale(line, 0)

@njit
def scaled(values, by):
    line = Line(values, by)
    twice(line)
    return line.values.sum()
"""


@pytest.fixture
def load(tmp_path, monkeypatch):
    """Imports the module as a new process would."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    (tmp_path / "lines.py").write_text(MODULE)

    def load():
        importlib.invalidate_caches()
        sys.modules.pop("lines", None)
        return importlib.import_module("lines")

    yield load
    sys.modules.pop("lines", None)


def _hits(*kernels):
    return [sum(kernel.stats.cache_hits.values()) for kernel in kernels]


def test_it_writes_where_its_caller_reads(load):
    """Arrays are handed over by the address of a group: (2 × 3 + 1) × 3."""
    lines = load()
    assert lines.scaled(np.array([2.0, 0.0]), 3.0) == 24.0
    assert lines.scaled(np.array([1.0, 0.0]), 3.0) == 15.0


def test_both_are_kept_and_found(load, tmp_path):
    """A caller that is loaded without the other would jump to nowhere."""
    load().scaled(np.ones(2), 3.0)
    assert {path.name.split("-")[0] for path in tmp_path.rglob("*.nbc")} == {"lines.scaled", "lines.scale"}
    again = load()
    assert again.scaled(np.ones(2), 3.0) == 24.0
    assert _hits(again.scaled, again.scale) == [1, 1]


def test_the_other_is_compiled_where_it_is_gone(load, tmp_path):
    """A cache of which a file is missing costs a compilation."""
    load().scaled(np.ones(2), 3.0)
    for path in tmp_path.rglob("*scale-*"):
        path.unlink()
    again = load()
    assert again.scaled(np.ones(2), 3.0) == 24.0
    assert _hits(again.scaled, again.scale) == [1, 0]


def test_an_interrupt_leaves_no_cell_empty(load, monkeypatch):
    """What was compiled before Ctrl-C is used by the next fit, and would call nothing."""
    lines = load()
    with monkeypatch.context() as patch:
        patch.setattr(type(lines.scale), "address", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            lines.scaled(np.ones(2), 3.0)
    assert lines.scaled(np.ones(2), 3.0) == 24.0


def test_a_function_of_somebody_else_may_call_the_caller(load):
    """Numba links such a function its own way."""
    scaled = load().scaled
    assert numba.njit(lambda values: scaled(values, 3.0) + 1.0)(np.ones(2)) == 25.0
