"""Tasks on copies of this process: for tables so small that threads wait for the interpreter's lock.

Copies are made when tasks begin, so that they have all that tasks need. This process hands out tasks, does some itself,
and does what a copy leaves undone.
"""

from __future__ import annotations

import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any

from joblib import cpu_count

from tamis.engine.announce import has_announced
from tamis.engine.cluster.copy import Copy, forking, may_fork
from tamis.engine.cluster.use import current

if TYPE_CHECKING:
    from tamis.engine.run import Task

LONGEST = 60.0  # seconds that the last tasks of copies are waited for when there is nothing else to do

#: Seconds after which a task here lets go of the interpreter for the threads that hand out others: with the usual 5 ms
#: a copy waited for 20 ms between two tasks.
INTERVAL = 0.0002


def copies(n_tasks: int, n_workers: int) -> int:
    """How many copies to make for so many tasks; none where they may not be made, or kernels are being compiled."""
    if not may_fork() or current().name != "local" or has_announced():
        return 0
    return max(0, min(n_tasks, n_workers, cpu_count()) - 1)


def run_forked(
    tasks: Sequence[Task], seed: int, n_copies: int, stop: Callable[[], bool] | None
) -> Iterator[tuple[Task, Any]]:
    """What `run` gives, by this process and its copies."""
    work = _Work(tasks, stop)
    made: list[Copy] = []
    threads: list[threading.Thread] = []
    interval = sys.getswitchinterval()
    try:
        with suppress(OSError):  # no room for another process
            for _ in range(n_copies):
                made.append(Copy(lambda place: tasks[place](seed), made))
        threads = [threading.Thread(target=_hand_out, args=(copy, work), daemon=True) for copy in made]
        sys.setswitchinterval(INTERVAL)
        for thread in threads:
            thread.start()
        yield from _shared(work, seed, made)
    finally:
        work.failed = True  # no further task is begun
        sys.setswitchinterval(interval)
        for copy in made:
            copy.kill()
        for thread in threads:
            thread.join()
        for copy in made:
            copy.bury()


class _Work:
    """Tasks to be done by whoever takes them, and what is done: places and results; None where a copy is at its end."""

    def __init__(self, tasks: Sequence[Task], stop: Callable[[], bool] | None) -> None:
        self.tasks, self._stop = tasks, stop
        self.done: SimpleQueue[tuple[int, Any] | None] = SimpleQueue()
        self.failed = False
        self._new, self._undone = iter(range(len(tasks))), deque[int]()
        self._lock = threading.Lock()

    def take(self, *, undone: bool = False) -> int | None:
        """The place of the next task, or of one that a copy left undone; None where nothing is to be begun."""
        with self._lock:
            if self.failed:
                return None
            if undone and self._undone:
                return self._undone.popleft()
            return None if self._stop is not None and self._stop() else next(self._new, None)

    def give_back(self, place: int) -> None:
        with self._lock:
            self._undone.append(place)


def _hand_out(copy: Copy, work: _Work) -> None:
    """Give a copy one task after another."""
    while (place := work.take()) is not None:
        try:
            work.done.put((place, copy.ask(place)))
        except Exception:  # it is gone, or what it sent cannot be read
            work.give_back(place)
            break
    work.done.put(None)


def _shared(work: _Work, seed: int, made: list[Copy]) -> Iterator[tuple[Task, Any]]:
    """Do tasks as long as there are any, and hand out what this process and the copies have done."""
    error, at_work = None, len(made)
    while True:
        place = work.take(undone=True)
        if place is not None:
            try:
                with forking(False):  # tasks within tasks stay where they are
                    work.done.put((place, work.tasks[place](seed)))
            except Exception as met:
                error, work.failed = error or met, True
        elif not at_work:
            break
        waits = place is None
        while waits or not work.done.empty():
            try:
                found = work.done.get(timeout=LONGEST if waits else 0)
            except Empty:  # a copy hangs
                for copy in made:
                    copy.kill()
                continue
            waits = False
            if found is None:
                at_work -= 1
            else:
                yield work.tasks[found[0]], found[1]
    if error is not None:
        raise error
