"""Kernels: what is kept on the disk is used again, and never stands in the way."""

from __future__ import annotations

import importlib
import os
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from types import FunctionType

import numba
import pytest

SOURCE = """
from typing import NamedTuple
from tamis.engine.kernel import inner, njit

class {name}(NamedTuple):
    side: float

@inner
def double(box):
    return 2.0 * box.side

@njit(error_model="numpy")
def area(box):
    return double(box) * box.side / 2.0

def ask():
    return area({name}(3.0))
"""


@pytest.fixture
def load(tmp_path, monkeypatch):
    """Writes the module with its class under a name and imports it as a new process would."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")  # beside the source, as for a user

    def load(name):
        (tmp_path / "boxes.py").write_text(SOURCE.format(name=name))
        importlib.invalidate_caches()
        sys.modules.pop("boxes", None)
        return importlib.import_module("boxes")

    yield load
    sys.modules.pop("boxes", None)


def _kept(tmp_path, ending):
    found = sorted(tmp_path.rglob(f"*.{ending}"))
    assert found
    return found


def _hits(kernel):
    return sum(kernel.stats.cache_hits.values())


def test_a_kernel_is_compiled_once_for_all_runs(load):
    """A cache that is not found again makes every run of a study wait for the compiler."""
    assert load("Square").ask() == 9.0
    again = load("Square")
    assert again.ask() == 9.0
    assert _hits(again.area) == 1


def test_a_class_that_was_renamed_is_compiled_anew(load):
    """An upgrade leaves the old version's cache behind: the new one must compile, not crash."""
    assert load("Square").ask() == 9.0
    renamed = load("Rectangle")
    assert renamed.ask() == 9.0
    assert _hits(renamed.area) == 0
    again = load("Rectangle")  # and what was compiled is kept in the place of the old
    assert again.ask() == 9.0
    assert _hits(again.area) == 1


@pytest.mark.parametrize("after", ["2.0 * x", "1.0 * (x + OFF)"], ids=["code", "constant"])
def test_a_change_in_a_file_below_is_compiled_anew(tmp_path, monkeypatch, after):
    """An upgrade that changes only a file below a kernel's own must not leave the old kernel in use."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    (tmp_path / "above.py").write_text(
        "from tamis.engine.kernel import njit\nfrom below import side\n\n@njit\ndef area(x):\n    return side(x) * x\n"
    )

    def ask(code, off):
        inside = f"from tamis.engine.kernel import inner\nOFF = {off}\n\n@inner\ndef side(x):\n    return {code}\n"
        (tmp_path / "below.py").write_text(inside)
        importlib.invalidate_caches()
        for name in ("above", "below"):
            sys.modules.pop(name, None)
        return importlib.import_module("above").area(3.0)

    assert ask("1.0 * (x + OFF)", 0.0) == 9.0
    assert ask(after, 3.0) == 18.0
    assert ask("1.0 * (x + OFF)", 0.0) == 9.0


@pytest.mark.parametrize("ending", ["nbi", "nbc"])
@pytest.mark.parametrize("rubbish", [b"", b"rubbish", bytes(range(255, 0, -1))], ids=["empty", "text", "numbers"])
def test_rubbish_on_the_disk_is_compiled_anew(load, tmp_path, ending, rubbish):
    """A cache cut short by a full disk or a crash must cost a compilation, not an error."""
    load("Square").ask()
    for path in _kept(tmp_path, ending):
        path.write_bytes(rubbish)
    spoilt = load("Square")
    assert spoilt.ask() == 9.0
    assert _hits(spoilt.area) == 0
    again = load("Square")
    assert again.ask() == 9.0
    assert _hits(again.area) == 1


def test_threads_share_a_spoilt_cache(load, tmp_path):
    """The trees of a forest call a kernel from several threads at once, also the first time."""
    load("Square").ask()
    for path in _kept(tmp_path, "nbi"):
        path.write_bytes(b"rubbish")
    spoilt = load("Square")
    with ThreadPoolExecutor(4) as threads:
        assert [answer.result() for answer in [threads.submit(spoilt.ask) for _ in range(8)]] == [9.0] * 8
    assert sum(spoilt.area.stats.cache_misses.values()) == 1


def test_without_the_compiler_a_kernel_is_the_function(tmp_path):
    """A debugger steps through kernels only where Numba is switched off."""
    (tmp_path / "boxes.py").write_text(SOURCE.format(name="Square"))
    ask = "import boxes; print(boxes.ask(), type(boxes.double).__name__, type(boxes.area).__name__)"
    surroundings = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(tmp_path)}
    command = [sys.executable, "-c", ask]
    answer = subprocess.run(command, env=surroundings, capture_output=True, text=True, check=True)
    assert answer.stdout.split() == ["9.0", FunctionType.__name__, FunctionType.__name__]


NUMBERS = """
from tamis.engine.kernel import inner, njit

@inner
def times(x, n):
    return x * n

@njit
def twice(x):
    return times(x, 2)

@njit
def thrice(x):
    return twice(x) + times(x, 1) + times(0, x)
"""


@pytest.fixture
def numbers(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    (tmp_path / "numbers_written_out.py").write_text(NUMBERS)
    importlib.invalidate_caches()
    yield importlib.import_module("numbers_written_out")
    sys.modules.pop("numbers_written_out", None)


def test_a_number_written_out_is_no_new_form(numbers):
    """A form for every number in a call made a tree compile a quarter more kernels."""
    assert numbers.thrice(5) == 15
    assert len(numbers.times.signatures) == 1


def test_a_kernel_serves_python_and_kernels(numbers):
    """A kernel that became part of another must still be there for Python, and the other way round."""
    assert (numbers.thrice(5), numbers.twice(5), numbers.thrice(7)) == (15, 10, 21)
    assert (numbers.twice(2.5), numbers.thrice(2.5)) == (5.0, 7.5)


def test_only_what_python_calls_is_kept(numbers, tmp_path):
    """A part that went to the disk, too, would be optimised and written at every level of calls."""
    numbers.thrice(5)
    assert {path.name.split("-")[0] for path in _kept(tmp_path, "nbc")} == {"numbers_written_out.thrice"}


def test_a_function_of_somebody_else_may_call_a_kernel(numbers):
    """Numba links such a function its own way, and knows nothing of parts."""
    thrice = numbers.thrice
    assert numba.njit(lambda x: thrice(x) + 1)(5) == 16


def test_a_pickled_kernel_is_compiled_as_before(numbers):
    """Workers of a cluster get kernels as pickles."""
    code = "import pickle, sys; print(pickle.load(sys.stdin.buffer)(5))"
    surroundings = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    kernel = pickle.dumps(numbers.thrice)
    done = subprocess.run([sys.executable, "-c", code], input=kernel, env=surroundings, capture_output=True, check=True)
    assert done.stdout.strip() == b"15"


def test_compiling_is_said_once_without_a_terminal(tmp_path):
    """Half a minute of silence in a log looks like a hang; a second line for every kernel would fill it."""
    (tmp_path / "numbers_written_out.py").write_text(NUMBERS)
    ask = "import numbers_written_out as n; n.thrice(1); n.twice(1)"
    surroundings = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *filter(None, sys.path)])}
    surroundings.pop("NUMBA_CACHE_DIR", None)
    said = [
        subprocess.run([sys.executable, "-c", ask], env=surroundings, capture_output=True, text=True, check=True).stderr
        for _ in range(2)
    ]
    assert [text.count("compiling kernels") for text in said] == [1, 0]
