"""Ctrl-C: the command ends soon, whatever it is doing, with one sentence."""

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

state: dict[str, Any] = {"stopped": False, "said": False, "finished": 0}
_saying = threading.Lock()


def unraisable(hook_args: Any) -> None:
    """Ctrl-C in a callback of a library cannot be raised there; `watch` answers it."""
    if not issubclass(hook_args.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(hook_args)


def watch() -> None:
    """Note Ctrl-C, and interrupt again every `GRACE` seconds until the command has ended.

    The interpreter raises KeyboardInterrupt when the main thread next runs Python code: not while a file is read or a
    kernel runs, and libraries may lose it. The system's signal reaches a thread that does nothing else but wait for it.
    Files are written whole and the journal line by line, so a study can be ended at any moment.
    """
    ends = socket.socketpair()
    ends[1].setblocking(False)
    signal.set_wakeup_fd(ends[1].fileno(), warn_on_full_buffer=False)
    threading.Thread(target=_await_signal, args=ends, daemon=True).start()


def _await_signal(end: socket.socket, peer: socket.socket) -> None:
    while end.recv(1)[0] != signal.SIGINT:
        pass
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        return  # somebody else answers it
    state["stopped"] = True
    while True:
        time.sleep(GRACE)
        say_stopped()
        _interrupt()


def _interrupt() -> None:
    """Raise KeyboardInterrupt in the main thread, whatever it is waiting for."""
    main = threading.main_thread().ident
    if os.name == "nt" or main is None:
        signal.raise_signal(signal.SIGINT)
    else:
        signal.pthread_kill(main, signal.SIGINT)


def leave() -> None:
    """End the process as Ctrl-C ends a process, after the one sentence that says so: a shell sees exit code 130.

    An orderly end would wait for threads that are still inside compiled code.
    """
    while signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        with suppress(KeyboardInterrupt):  # one that came meanwhile
            signal.signal(signal.SIGINT, signal.SIG_IGN)
    say_stopped()
    for stream in (sys.stdout, sys.stderr):
        with suppress(Exception):
            stream.flush()
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.raise_signal(signal.SIGINT)


def say_stopped() -> None:
    with _saying:
        if not state["said"]:
            state["said"] = True
            if sys.stderr.isatty():
                typer.echo("\x1b[?25h", err=True)  # a progress bar hides the cursor
            if state["finished"]:
                say("stopped; the same command goes on from the finished steps")
            else:
                say("stopped; the same command goes on from the start, as no step was finished")


def say(sentence: str) -> None:
    typer.echo(f"tamis: {sentence}", err=True)
