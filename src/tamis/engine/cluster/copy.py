"""A forked copy of this process that answers questions: it has all that this one has, and sends back answers alone.

A copy ends where it meets an error, cannot send an answer or would have to compile a kernel; whoever asked then does
the work itself, and meets the error itself. It ends with this process, too. Only the command makes copies: a fork of
somebody else's program would copy threads and locks that are not ours.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing import Pipe
from queue import SimpleQueue
from typing import Any, NoReturn

from joblib import cpu_count
from threadpoolctl import ThreadpoolController

from tamis.engine.announce import leave_instead

#: Set to anything, the command works in one process.
ONE_PROCESS = "TAMIS_ONE_PROCESS"

_allowed = False


@contextmanager
def forking(allowed: bool = True) -> Iterator[None]:
    """A context within which copies of this process may be made."""
    global _allowed
    before, _allowed = _allowed, allowed
    try:
        yield
    finally:
        _allowed = before


def may_fork() -> bool:
    """Whether copies may be made, and a processor may have time for one."""
    if not _allowed or sys.platform != "linux" or os.environ.get(ONE_PROCESS):
        return False
    return threading.current_thread() is threading.main_thread() and cpu_count() > 1


class Copy:
    """The process.

    answer : from a question to what is sent back, called in the copy.
    others : copies that were made before; this one does not hold on to them.
    prepare : called in the copy before the first question.
    """

    def __init__(
        self, answer: Callable[[Any], Any], others: Sequence[Copy] = (), prepare: Callable[[], Any] | None = None
    ) -> None:
        self._end, its_end = Pipe()
        held = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)  # of threads: ours wait for signals, or draw
                self.pid = os.fork()
            if not self.pid:
                for copy in (self, *others):
                    copy._end.close()
                _serve(answer, prepare, its_end)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, held)
        its_end.close()

    def ask(self, question: Any) -> Any:
        """The answer, waited for; an error where the copy is gone."""
        self._end.send(question)
        answer, warned = pickle.loads(self._end.recv_bytes())
        for message, category, file, line in warned:
            warnings.warn_explicit(message, category, file, line, registry=_said)
        return answer

    def kill(self) -> None:
        """End it, whatever it is doing."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)

    def bury(self) -> None:
        """Leave nothing of it, once nobody asks it any more."""
        self.kill()
        with suppress(ChildProcessError):
            os.waitpid(self.pid, 0)
        self._end.close()


_said: dict[Any, Any] = {}


def _serve(answer: Callable[[Any], Any], prepare: Callable[[], Any] | None, end: Any) -> NoReturn:
    """A copy: an answer for every question that it reads."""
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is meant for the other, with which this one ends
        signal.set_wakeup_fd(-1)
        sys.stdout = sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - their locks may be held
        os.environ["OMP_NUM_THREADS"] = "1"
        leave_instead()
        questions: SimpleQueue[Any] = SimpleQueue()
        threading.Thread(target=_listen, args=(end, questions), daemon=True).start()
        with (
            ThreadpoolController().limit(limits=1),
        ):  # threads of OpenMP are not copied, and would be waited for
            if prepare is not None:
                prepare()
            while True:
                question = questions.get()
                with warnings.catch_warnings(record=True) as warned:
                    found = answer(question)
                said = [(str(one.message), one.category, one.filename, one.lineno) for one in warned]
                end.send_bytes(pickle.dumps((found, said), protocol=pickle.HIGHEST_PROTOCOL))
    finally:
        os._exit(0)


def _listen(end: Any, questions: SimpleQueue[Any]) -> None:
    """Questions that arrive; the copy ends at once when nobody holds the other end any more."""
    with suppress(EOFError, OSError):
        while True:
            questions.put(end.recv())
    os._exit(0)
