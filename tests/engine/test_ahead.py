"""Kernels compiled by a second process: found where it leaves them, and never waited for in vain."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

from tamis.engine import ahead

#: A kernel, what it is given, and a program that has it compiled ahead; the second process knows that it is alone.
MODULE = """
import os, time
from tamis.engine import ahead
from tamis.engine.kernel import njit

@njit
def area(x):
    return x * x

def prototype(name):
    (before if os.environ.get(ahead.ALONE) else str)()
    return (3.0,)

def begin():
    ahead.compile_ahead("boxes", [area])
    while not ahead._helper._begun:
        time.sleep(0.01)
    return ahead._helper._process

def ask():
    return area(3.0), sum(area.stats.cache_hits.values())

def before():
    {before}
"""
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs signals and fork")


@pytest.fixture
def program(tmp_path):
    """Begins a program with the module at hand and an empty cache, where there are two processors at least."""

    def program(words, before="pass", **environment):
        (tmp_path / "boxes.py").write_text(MODULE.format(before=before))
        two = "import os; os.sched_getaffinity, os.getloadavg = lambda _: {0, 1}, lambda: (0.5, 0.5, 0.5)\n"
        surroundings = {name: value for name, value in os.environ.items() if name != ahead.ALONE}
        surroundings["PYTHONPATH"] = os.pathsep.join([str(tmp_path), *filter(None, sys.path)])
        surroundings |= {"NUMBA_CACHE_DIR": str(tmp_path / "kernels"), **environment}
        command = [sys.executable, "-c", f"{two}import boxes\nfrom tamis.engine import ahead\n{words}"]
        pipe = subprocess.PIPE
        return subprocess.Popen(command, env=surroundings, stdout=pipe, stderr=pipe, text=True, start_new_session=True)

    return program


def _said(process):
    out, error = process.communicate(timeout=60)
    assert process.returncode == 0, error
    return out.split()


def _ends(pid):
    """Whether a process ends within some seconds."""
    for _ in range(200):
        try:
            os.kill(pid, 0)
            with open(f"/proc/{pid}/stat") as about:
                if about.read().split()[2] == "Z":  # ended; nobody has asked how
                    return True
        except OSError:
            return True
        time.sleep(0.05)
    return False


ASK = "print(*boxes.ask())"


def test_what_the_other_compiles_is_found(program):
    """A second process whose work is done again here only slows the first fit down."""
    assert _said(program(f"boxes.begin(); {ASK}")) == ["9.0", "1"]


def test_the_other_ends_when_its_work_is_done(program):
    """A process that stays holds memory for as long as a notebook is open."""
    words = "process = boxes.begin(); boxes.ask(); print(process.wait(30))"
    assert _said(program(words)) == ["0"]


def test_one_that_was_killed_is_not_waited_for(program):
    """The kernel killed where memory is short must cost a compilation, not the fit."""
    words = f"process = boxes.begin(); process.kill(); {ASK}"
    assert _said(program(words, before="time.sleep(1000)")) == ["9.0", "0"]


def test_one_that_fails_is_not_waited_for(program):
    """An error there, whatever it is, is no error here."""
    assert _said(program(f"boxes.begin(); {ASK}", before="1 / 0")) == ["9.0", "0"]


def test_one_that_hangs_is_ended(program):
    """A fit would never end."""
    words = f"ahead.LONGEST = 0.5; process = boxes.begin(); {ASK}; print(process.wait(30))"
    assert _said(program(words, before="time.sleep(1000)")) == ["9.0", "0", str(-signal.SIGKILL)]


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT], ids=lambda how: how.name)
def test_nothing_is_left_behind(program, how):
    """Processes that nobody knows of, and that compile for nobody."""
    words = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    words += "print(boxes.begin().pid, flush=True); boxes.ask()"
    with program(words, before="time.sleep(1000)") as process:
        other = int(process.stdout.readline())
        time.sleep(0.5)
        if how == signal.SIGINT:
            os.killpg(process.pid, how)  # Ctrl-C goes to all that the terminal runs
        else:
            process.send_signal(how)
        _, error = process.communicate(timeout=30)
    assert (how == signal.SIGINT) == ("KeyboardInterrupt" in error)
    assert error.count("Traceback") <= 1
    assert _ends(other)


def test_two_programs_at_once(program, tmp_path):
    """The first runs of a job array begin together, on one empty cache."""
    both = [program(f"boxes.begin(); {ASK}") for _ in range(2)]
    assert [_said(one)[0] for one in both] == ["9.0", "9.0"]
    assert _said(program(ASK)) == ["9.0", "1"]
    assert not list(tmp_path.rglob("*.tmp.*"))


def test_a_fork_waits_for_nobody(program):
    """The process belongs to another, whose thread tells when it is done."""
    words = "boxes.begin()\npid = os.fork()\nif pid == 0:\n    print(*boxes.ask(), flush=True)\n    os._exit(0)\n"
    words += "os.waitpid(pid, 0); ahead._helper._process.kill()"
    assert _said(program(f"import os\n{words}", before="time.sleep(1000)")) == ["9.0", "0"]


@pytest.mark.parametrize("reason", ["asked", "one processor", "busy", "no folder", "kept", "part of a job"])
def test_where_it_is_of_no_use_nothing_is_begun(program, reason):
    """A process for every fit, for every worker of a pool, or for a folder that keeps nothing."""
    words = {
        "asked": "",
        "one processor": "import os; os.sched_getaffinity = lambda _: {0}",
        "busy": "import os; os.getloadavg = lambda: (1.5, 1.0, 1.0)",
        "no folder": "import os; os.access = lambda *_: False",
        "kept": "boxes.ask()",
        "part of a job": "job = ahead.alone(); job.__enter__()",
    }[reason]
    environment = {ahead.ALONE: "1"} if reason == "asked" else {}
    words += "\nahead.compile_ahead('boxes', [boxes.area]); print(ahead._helper)"
    assert _said(program(words, **environment)) == ["None"]
