"""Ctrl-C, at any moment: one sentence, the exit code of an interrupt, and a folder from which the study goes on."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest
from tests.study.tables import classes_table, write_table

RUN = "from signal import *; signal(SIGINT, default_int_handler); from tamis.cli import main; main()"

FIT = """
import collections, random, signal
import numpy as np
from tamis.{home} import {kind}

armed = False  # an alarm that comes late, between two fits, is nobody's

def interrupt(*_):
    global armed
    if armed:
        armed = False
        raise KeyboardInterrupt

signal.signal(signal.SIGALRM, interrupt)
X = np.random.default_rng(0).normal(size=(300, 6))
model = {kind}({settings})
model.fit(X, X[:, 0])
found = collections.Counter()
random.seed(0)
for _ in range(60):
    try:
        armed = True
        signal.setitimer(signal.ITIMER_REAL, random.uniform(1e-4, 0.03))
        model.fit(X, X[:, 0])
        armed = False
    except BaseException as error:
        found[type(error).__name__] += 1
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
print(sorted(found))
"""

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs signals")


def stopped(folder: Path, table: Path, pause: float, jobs: int, await_file: str | None) -> tuple[int, str]:
    """Exit code and words of a run that gets a SIGINT some seconds after it wrote a file (or began)."""
    words = ["run", str(table), "--target", "outcome", "--folder", str(folder), "-j", str(jobs), "--repeats", "30"]
    with subprocess.Popen([sys.executable, "-c", RUN, *words], stdout=-1, stderr=-1, text=True) as child:
        try:
            while await_file and not (folder / await_file).exists() and child.poll() is None:
                time.sleep(0.02)
            time.sleep(pause)
            child.send_signal(signal.SIGINT)
            _, said = child.communicate(timeout=120)  # a guard against hanging only
        finally:
            child.kill()
    return child.returncode, said


def check(code: int, said: str) -> None:
    assert "Traceback" not in said, said
    assert "SystemError" not in said, said
    assert code == -signal.SIGINT, said  # a shell calls it 130
    assert said.count("tamis: stopped; the same command goes on") == 1, said


@pytest.mark.parametrize(("pause", "jobs"), [(0.0, 1), (0.7, 1), (1.9, 1), (1.3, 2)])
def test_ctrl_c_is_one_sentence(tmp_path, pause, jobs):
    """If this fails, Ctrl-C ends in a traceback, is lost, or waits for what is running."""
    table = write_table(tmp_path / "t.csv", classes_table(400))
    check(*stopped(tmp_path / "s", table, pause, jobs, "plan.json"))


@pytest.mark.nightly
@pytest.mark.parametrize("jobs", [1, 2])
def test_ctrl_c_at_any_moment_is_one_sentence(tmp_path, jobs):
    """If this fails, there is a moment at which Ctrl-C ends in a traceback or is lost."""
    table = write_table(tmp_path / "t.csv", classes_table(400))
    draw = random.Random(jobs)
    for i in range(20):
        check(*stopped(tmp_path / f"s{i}", table, draw.uniform(0.0, 4.0), jobs, "plan.json"))


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs Linux")
def test_the_command_begins_no_process(tmp_path):
    """A process that was begun could go on computing where nobody sees it; a forked one has locks that nobody frees."""
    table = write_table(tmp_path / "t.csv", classes_table(200))
    words = ["run", str(table), "--target", "outcome", "-j", "2", "--folder", str(tmp_path / "s"), "--folds", "2"]
    with subprocess.Popen([sys.executable, "-c", RUN, *words], stdout=-1, stderr=-1, text=True) as child:
        children, begun = Path(f"/proc/{child.pid}/task/{child.pid}/children"), ""
        while child.poll() is None:
            with suppress(OSError):
                begun += children.read_text()
            time.sleep(0.02)
    assert child.returncode == 0
    assert not begun


@pytest.mark.parametrize(
    ("home", "kind", "settings"),
    [
        ("tree", "TreeRegressor", "prune='cv', cv=3"),
        ("forest", "ForestRegressor", "5, progress=False"),
        ("boosting", "BoostingRegressor", "200"),
        ("additive", "AdditiveRegressor", "max_pairs=2"),
    ],
)
def test_a_fit_that_is_interrupted_raises_nothing_else(home, kind, settings):
    """If this fails, Ctrl-C in a notebook is an error of the compiled core."""
    code = FIT.format(home=home, kind=kind, settings=settings)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=False)
    assert done.stdout in ("['KeyboardInterrupt']\n", "[]\n"), done.stdout + done.stderr


def test_ctrl_c_in_a_callback_of_a_library_is_not_shown():
    """If this fails, Ctrl-C in a callback from compiled code prints a traceback beside the sentence."""
    code = (
        "import ctypes, sys; from tamis.cli.stop import unraisable; sys.unraisablehook = unraisable\n"
        "def raising(error):\n    def call():\n        raise error\n    return ctypes.CFUNCTYPE(None)(call)\n"
        "raising(KeyboardInterrupt)(); raising(ValueError('shown'))()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=True)
    assert "KeyboardInterrupt" not in done.stderr
    assert "ValueError: shown" in done.stderr
