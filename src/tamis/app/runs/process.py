"""The process of a study: started apart from the server, found again by what it is, stopped as Ctrl-C would."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from tamis.app.folder import read_about, write_about

#: What the process says, kept beside the study.
LOG_FILE = "run.log"

#: Seconds after which a process that was asked to stop is ended.
PATIENCE = 5.0

_starting = threading.Lock()
_children: dict[int, subprocess.Popen[bytes]] = {}


def start(folder: Path, command: list[str], finished: int) -> None:
    """Run a study's command, unless it runs; `finished` tasks are in its journal already."""
    with _starting:
        if not is_running(folder):
            _start(folder, command, finished)


def _start(folder: Path, command: list[str], finished: int) -> None:
    with (folder / LOG_FILE).open("wb") as log:
        detached: dict[str, Any] = {"start_new_session": True} if os.name != "nt" else {"creationflags": 0x00000200}
        child = subprocess.Popen(
            command, cwd=folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=_surroundings(), **detached
        )
    _children[child.pid] = child
    run = {"pid": child.pid, "started": time.time(), "finished": finished, "stopped": False}
    write_about(folder, read_about(folder) | {"run": run, "command": command})


def _surroundings() -> dict[str, str]:
    """The environment, with this very Tamis."""
    source = str(Path(__file__).parents[3])
    before = os.environ.get("PYTHONPATH")
    python_path = f"{source}{os.pathsep}{before}" if before else source
    return {**os.environ, "PYTHONPATH": python_path, "COLUMNS": "200", "PYTHONUNBUFFERED": "1"}


def is_running(folder: Path) -> bool:
    """Whether a study's process is alive: a number that went to another process is not taken for it."""
    run = read_about(folder).get("run") or {}
    pid = run.get("pid")
    if not isinstance(pid, int):
        return False
    child = _children.get(pid)
    if child is not None:
        if child.poll() is None:
            return True
        del _children[pid]
        return False
    return f"--folder={folder}" in _words(pid)


def stop(folder: Path) -> None:
    """Ask a study's process to stop, and end it where it does not; what was finished is in the journal."""
    about = read_about(folder)
    if not is_running(folder):
        return
    write_about(folder, about | {"run": about["run"] | {"stopped": True}})
    pid = about["run"]["pid"]
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGINT if os.name != "nt" else signal.SIGTERM)
    end = time.monotonic() + PATIENCE
    while is_running(folder) and time.monotonic() < end:
        time.sleep(0.05)
    if is_running(folder):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM if os.name == "nt" else signal.SIGKILL)
        while is_running(folder) and time.monotonic() < end + PATIENCE:
            time.sleep(0.05)


def complaint(folder: Path) -> str:
    """What the process said when it could not go on; empty where it said nothing."""
    try:
        lines = (folder / LOG_FILE).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    messages = [line.removeprefix("tamis: error: ") for line in lines if line.startswith("tamis: error: ")]
    if messages:
        return messages[-1]
    return lines[-1][:400] if any(line.startswith("Traceback") for line in lines) and lines else ""


def _words(pid: int) -> list[str]:
    """The command line of a process, word by word; none where it is gone."""
    if sys.platform.startswith("linux"):
        try:
            return Path(f"/proc/{pid}/cmdline").read_bytes().decode("utf-8", "replace").split("\0")
        except OSError:
            return []
    if os.name == "nt":
        return []
    try:
        listing = subprocess.run(["ps", "-p", str(pid), "-o", "command="], capture_output=True, timeout=5, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return []
    text = listing.stdout.decode("utf-8", "replace")
    return [f"--folder={piece.split(' --')[0].strip()}" for piece in text.split("--folder=")[1:]]
