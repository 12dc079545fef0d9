"""Kernels that a second process compiles while this one compiles others: for the first fit on a machine.

A fit that finds nothing on the disk begins the process and says which kernels it will need. The process compiles one
after another and leaves them on the disk, where this one finds them when it gets there; it waits for one that is being
compiled, and takes one that is not begun itself. The process ends when nothing is left to do, and with this one.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from multiprocessing import parent_process
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from tamis.engine.announce import announce

#: Set to anything, every process compiles all it needs by itself.
ALONE = "TAMIS_COMPILE_ALONE"
LONGEST = 60.0  # seconds that a kernel is waited for
_COMMAND = "from tamis.engine.ahead import _serve; _serve()"

_helper: _Helper | None = None
_alone = 0


class _Helper:
    """The process, and what it has done."""

    def __init__(self, home: str, names: list[str]) -> None:
        pipe, path = subprocess.PIPE, os.pathsep.join(path for path in sys.path if path)
        self._process = subprocess.Popen(
            [sys.executable, "-c", _COMMAND], env={**os.environ, "PYTHONPATH": path, ALONE: "1"},
            stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )  # fmt: skip
        self._home, self._owner = home, os.getpid()
        self._waiting, self._begun, self._at = deque(names), set[str](), ""
        self._changed = threading.Condition()
        threading.Thread(target=self._hand_out, name="tamis-ahead", daemon=True).start()

    def _hand_out(self) -> None:
        """Name one kernel after another; at the end the process finds nobody at the other end, and ends."""
        with suppress(OSError), self._process as process:
            assert process.stdin is not None
            assert process.stdout is not None
            while name := self._next():
                print(self._home, name, file=process.stdin, flush=True)
                if process.stdout.readline().strip() != name:
                    break
        with self._changed:
            self._waiting.clear()
        self._next()

    @property
    def is_ours(self) -> bool:
        """Whether this process began it, and not the one of which this is a fork."""
        return self._owner == os.getpid()

    @property
    def is_at_work(self) -> bool:
        """Whether it is ours, and not done."""
        return self.is_ours and bool(self._at or self._waiting)

    def _next(self) -> str:
        with self._changed:
            self._at = self._waiting.popleft() if self._waiting else ""
            self._begun.add(self._at)
            self._changed.notify_all()
            return self._at

    def has_tried(self, name: str) -> bool:
        """Whether the process has tried to compile a kernel, waited for; one that it has not begun it will not."""
        if not self.is_ours:
            return False
        with self._changed:
            if name in self._waiting:
                self._waiting.remove(name)
            if not self._changed.wait_for(lambda: self._at != name, LONGEST):
                self._process.kill()
            return name in self._begun


def compile_ahead(home: str, kernels: list[Any]) -> None:
    """Have kernels compiled, in this order, where the first is not on the disk and there is a processor to spare.

    home : a module with a function `prototype`; from a kernel's name it makes arguments of the types of the fit's.
    """
    global _helper
    from tamis.engine.kernel import is_kept

    if getattr(kernels[0], "overloads", True):  # loaded; or a plain function, with NUMBA_DISABLE_JIT
        return
    if _is_alone() or is_compiling() or is_kept(kernels[0]):
        return
    if not all(map(_can_be_kept, kernels)):
        return
    announce()
    with suppress(OSError):
        _helper = _Helper(home, [_name(kernel.py_func) for kernel in kernels])


def has_been_tried(function: Callable[..., Any]) -> bool:
    """Whether another process may have left the kernel of a function on the disk just now."""
    return _helper is not None and _helper.has_tried(_name(function))


def is_compiling() -> bool:
    """Whether another process compiles for this one."""
    return _helper is not None and _helper.is_at_work


@contextmanager
def alone() -> Iterator[None]:
    """While other processes are at work already."""
    global _alone
    _alone += 1
    try:
        yield
    finally:
        _alone -= 1


def _is_alone() -> bool:
    """Whether there is no processor to spare, or no telling how to begin a process; parts of a larger job have none."""
    from tamis.engine.internals import part

    n = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    busy = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    few = n < 2 or busy > n - 1  # on two busy cores a first forest took a fifth longer with a second process
    hidden = getattr(sys, "frozen", False) or not sys.executable
    return bool(_alone or few or hidden or os.environ.get(ALONE) or parent_process() or not part("dispatch"))


def _can_be_kept(kernel: Any) -> bool:
    """Whether the folder of its compiled forms can be written."""
    folder = Path(kernel.stats.cache_path)
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return os.access(folder, os.W_OK)


def _name(function: Callable[..., Any]) -> str:
    return f"{function.__module__}.{function.__name__}"


def _serve() -> None:
    """The process: it compiles what it reads the names of, and writes each when it is on the disk."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is meant for the other, with which this one ends
    announce("")
    names: SimpleQueue[str] = SimpleQueue()
    threading.Thread(target=_listen, args=(names,), daemon=True).start()
    while True:
        home, name = names.get().split()
        module, kernel = name.rsplit(".", 1)
        getattr(import_module(module), kernel).prepare(*import_module(home).prototype(name))
        print(name, flush=True)


def _listen(names: SimpleQueue[str]) -> None:
    """Names that arrive; the process ends at once when nobody holds the other end any more."""
    for line in sys.stdin:
        names.put(line)
    os._exit(0)
