"""Threads of this machine: readers and kernels release the interpreter's lock."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from tamis.engine.cluster.use import Engine
from tamis.engine.run import one_blas_thread, workers

T = TypeVar("T")


class Local(Engine):
    """Threads, each with one item at a time; a result that is not yet asked for keeps the next item waiting.

    >>> list(Local(n_jobs=2).each(abs, [-1, 2, -3]))
    [1, 2, 3]
    """

    name = "local"

    def __init__(self, n_jobs: int | None = -1) -> None:
        self._threads = workers(n_jobs)

    @property
    def workers(self) -> int:
        return self._threads

    def each(self, function: Callable[[Any], T], items: Sequence[Any]) -> Iterator[T]:
        with one_blas_thread():  # around all threads: the limit is one of the process
            if min(self._threads, len(items)) < 2:
                yield from map(function, items)
                return
            yield from self._threaded(function, items)

    def _threaded(self, function: Callable[[Any], T], items: Sequence[Any]) -> Iterator[T]:
        pool = ThreadPoolExecutor(self._threads)
        waiting: deque[Future[T]] = deque()
        try:
            for item in items:
                waiting.append(pool.submit(function, item))
                if len(waiting) > self._threads:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
