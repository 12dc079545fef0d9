"""Compiling kernels before they are needed, several at a time: `tamis warm`, and the first study on a machine.

A compiler works in one thread, so jobs run in processes, each of which takes the next one when it is done; what it
compiles it leaves in the cache that all later runs read. A job fits small models of one kind: the kernels it needs, for
the types they will be called with.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from pathlib import Path
from queue import SimpleQueue

from tamis.engine.announce import announce

_ROWS = 120


def _study() -> None:
    """A study of the demonstration's first rows: what the kinds of models above leave over."""
    from importlib.resources import files

    from tamis.study import Study

    with tempfile.TemporaryDirectory() as folder:
        lines = (files("tamis") / "demo" / "breast_cancer.csv").read_text(encoding="utf-8").splitlines()[: _ROWS + 1]
        table = Path(folder) / "table.csv"
        table.write_text("\n".join(lines) + "\n", encoding="utf-8")
        Study(str(table), target="diagnosis", folder=Path(folder) / "study", folds=2).run()


#: The longest first. None is left: models are compiled when Tamis is installed.
JOBS: dict[str, Callable[[], None]] = {}
#: After those that they consist of.
LAST: dict[str, Callable[[], None]] = {"studies": _study}
#: Parts of jobs, for processors to share.
PARTS: dict[str, Callable[[], None]] = {}

#: A kernel of each job that a study may need; it tells whether the job has been done.
_KERNEL: dict[str, tuple[str, str]] = {}


def warm(names: Iterable[str] | None = None, processes: int | None = None) -> Iterator[str]:
    """Compile the kernels of some jobs, or of all and a study; gives the name of each when it is done."""
    waiting = deque(JOBS if names is None else names)
    n = len(waiting)
    done = _start(waiting, processes or os.cpu_count() or 1)
    for _ in range(n):
        yield _result(done.get())
    if names is None:
        yield from warm(LAST, 1)


def lacking() -> list[str]:
    """The jobs of studies of any kind whose kernels this machine has not compiled yet."""
    from tamis.engine.kernel import is_kept

    return [
        name
        for name, (module, kernel) in _KERNEL.items()
        if name in JOBS and not is_kept(getattr(import_module(module), kernel))
    ]


def _next(waiting: deque[str]) -> str:
    """The next job that waits, or an empty name."""
    try:
        return waiting.popleft()
    except IndexError:
        return ""


def _do(name: str) -> None:
    """A job, here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # small tables give reasons to warn
        {**JOBS, **LAST, **PARTS}[name]()


def _start(waiting: deque[str], processes: int) -> SimpleQueue[str | RuntimeError]:
    """Processes that do the jobs that wait; the names of those that are done, and errors."""
    done: SimpleQueue[str | RuntimeError] = SimpleQueue()
    for _ in range(min(processes, len(waiting))):
        threading.Thread(target=_hand_out, args=(waiting, done), daemon=True).start()
    return done


def _result(found: str | RuntimeError) -> str:
    if isinstance(found, RuntimeError):
        raise found
    return found


def _hand_out(waiting: deque[str], done: SimpleQueue[str | RuntimeError]) -> None:
    """Give one process job after job; it ends when none waits any more, or this process ends."""
    command = [sys.executable, "-c", "from tamis.warm import _serve; _serve()"]
    surroundings = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    pipe, name = subprocess.PIPE, ""
    try:
        with subprocess.Popen(command, env=surroundings, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            assert process.stderr is not None
            while name := _next(waiting):
                print(name, file=process.stdin, flush=True)
                if process.stdout.readline().strip() != name:
                    words = process.stderr.read().strip().splitlines()
                    raise OSError(words[-1] if words else "it was ended")
                done.put(name)
    except OSError as error:
        done.put(RuntimeError(f"the kernels of {name} could not be compiled: {error}"))


def _serve() -> None:
    """Such a process: a job for every line it reads, which it writes when the job is done."""
    announce("")  # the process that asked has said it
    names: SimpleQueue[str] = SimpleQueue()
    threading.Thread(target=_listen, args=(names,), daemon=True).start()
    while True:
        name = names.get()
        _do(name)
        print(name, flush=True)


def _listen(names: SimpleQueue[str]) -> None:
    """The names that arrive; the process ends when nobody holds the other end any more."""
    for line in sys.stdin:
        names.put(line.strip())
    os._exit(0)
