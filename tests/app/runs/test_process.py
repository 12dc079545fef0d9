"""A study's process: found by what it is, never by a number alone."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

from tamis.app.folder import read_about, write_about
from tamis.app.runs import process
from tamis.app.runs.progress import state_of

SLEEP = "import signal, time; signal.signal(signal.SIGINT, {}); print('up', flush=True); time.sleep(60)"


def begun(place, how):
    """A process that answers Ctrl-C, or does not."""
    process.start(place, [sys.executable, "-c", SLEEP.format(how), f"--folder={place}"], 0)
    while "up" not in (place / process.LOG_FILE).read_text():
        time.sleep(0.02)


def test_it_is_found_again_by_another_server_and_stopped(tmp_path, monkeypatch):
    """After a restart a study would count as dead, be started twice, and could not be stopped."""
    write_about(tmp_path, {"made": "now"})
    begun(tmp_path, "signal.default_int_handler")
    pid = read_about(tmp_path)["run"]["pid"]
    child = process._children.pop(pid)  # as for a server that did not start it
    assert process.is_running(tmp_path)
    assert state_of(tmp_path) == "running"
    begun_again = read_about(tmp_path)["run"]
    process.start(tmp_path, ["false"], 0)
    assert read_about(tmp_path)["run"] == begun_again
    os.kill(pid, signal.SIGINT)
    child.wait(10)
    assert not process.is_running(tmp_path)


def test_one_that_does_not_listen_is_ended(tmp_path, monkeypatch):
    """Stop would wait for ever."""
    monkeypatch.setattr(process, "PATIENCE", 0.3)
    write_about(tmp_path, {"made": "now"})
    begun(tmp_path, "signal.SIG_IGN")
    process.stop(tmp_path)
    assert not process.is_running(tmp_path)
    assert state_of(tmp_path) == "stopped"


def test_a_number_that_went_to_another_process_is_not_taken(tmp_path):
    """Stop would end a process of somebody else."""
    write_about(tmp_path, {"made": "now", "run": {"pid": os.getpid(), "started": 0.0, "finished": 0}})
    assert not process.is_running(tmp_path)
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(30)"]) as other:
        write_about(tmp_path, {"made": "now", "run": {"pid": other.pid, "started": 0.0, "finished": 0}})
        process.stop(tmp_path)
        assert other.poll() is None
        other.kill()


def test_what_it_said_when_it_failed_is_kept(tmp_path):
    """A study that cannot be run would end without a word."""
    write_about(tmp_path, {"made": "now"})
    process.start(tmp_path, [sys.executable, "-c", "print('tamis: error: no column z; give another')"], 0)
    while process.is_running(tmp_path):
        time.sleep(0.02)
    assert state_of(tmp_path) == "failed"
    assert process.complaint(tmp_path) == "no column z; give another"
