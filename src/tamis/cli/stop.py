"""Ctrl-C: the command ends soon, whatever it is doing, with one sentence."""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
import time
from contextlib import suppress
from typing import Any

import typer

#: Exit code of a command that was stopped.
STOPPED = 130

#: Seconds that a stopped command has to leave a report of what is finished.
GRACE = 0.7

state = {"stopped": False, "said": False}
#: How the command ended; an error that nobody caught is 1.
ended = {"code": 1}
_saying = threading.Lock()


def unraisable(found: Any) -> None:
    """Ctrl-C in a callback of a library (the compiler's cache has one) cannot be raised there; `watch` answers it."""
    if not issubclass(found.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(found)


def watch() -> None:
    """End the process `GRACE` seconds after Ctrl-C, whatever it is doing then.

    The interpreter raises KeyboardInterrupt when the main thread next runs Python code: not while a file is read or a
    kernel runs, and libraries may lose it. The system's signal reaches a thread that does nothing else but wait for it.
    Files are written whole and the journal line by line, so a study can be ended at any moment.
    """
    ends = socket.socketpair()
    ends[1].setblocking(False)
    signal.set_wakeup_fd(ends[1].fileno(), warn_on_full_buffer=False)
    threading.Thread(target=_await_signal, args=ends, daemon=True).start()


def _await_signal(end: socket.socket, other: socket.socket) -> None:
    while end.recv(1)[0] != signal.SIGINT:
        pass
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        return  # somebody else answers it
    state["stopped"] = True
    time.sleep(GRACE)
    leave()


def leave() -> None:
    """End the process, after the one sentence that says so."""
    say_stopped()
    _exit(STOPPED)


def at_once() -> None:
    """End the process when all else is done: taking thousands of imported modules apart took 0.4 s of each command."""
    _exit(ended["code"])


def _exit(code: int) -> None:
    for stream in (sys.stdout, sys.stderr):
        with suppress(Exception):
            stream.flush()
    os._exit(code)


def say_stopped() -> None:
    with _saying:
        if not state["said"]:
            state["said"] = True
            if sys.stderr.isatty():
                typer.echo("\x1b[?25h", err=True)  # a progress bar hides the cursor
            say("stopped; what was finished is kept, and the same command goes on from there")


def say(sentence: str) -> None:
    typer.echo(f"tamis: {sentence}", err=True)
