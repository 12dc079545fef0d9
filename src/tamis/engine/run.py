"""Run independent tasks, each with its own seed: on joblib's threads, or the backend the user chose."""

import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import lru_cache
from numbers import Integral
from typing import Any, TypeVar

from joblib import Parallel, delayed
from joblib.parallel import get_active_backend
from threadpoolctl import ThreadpoolController

from tamis.engine.seed import seed_of
from tamis.errors import KindError, ParameterError


@lru_cache(maxsize=1)
def _controller() -> ThreadpoolController:
    import scipy.linalg  # noqa: F401 - brings a BLAS of its own, which must be there to be found

    return ThreadpoolController()  # looking for the libraries takes 3 ms, limiting them 0.05 ms


def one_blas_thread() -> AbstractContextManager[Any]:
    """A context in which BLAS computes on one thread.

    >>> with one_blas_thread():
    ...     pass
    """
    return _controller().limit(limits=1)


T = TypeVar("T")


@dataclass(frozen=True)
class Task:
    """A named piece of work: `function(*args, seed=...)`; its name decides the seed, or `seeded_by` where given."""

    name: str
    function: Callable[..., Any]
    args: tuple[Any, ...] = field(default=())
    seeded_by: str = ""

    def seed(self, seed: int) -> int:
        """The seed of this task under the seed of all."""
        return seed_of(seed, self.seeded_by or self.name)

    def __call__(self, seed: int) -> Any:
        return self.function(*self.args, seed=self.seed(seed))


def workers(n_jobs: int | None) -> int:
    """How many threads `n_jobs` means here: None is 1, -1 every core, as in joblib.

    >>> workers(None)
    1
    """
    if n_jobs is None:
        return 1
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, Integral):
        raise KindError(f"n_jobs={n_jobs!r} must be a whole number, not {type(n_jobs).__name__}; -1 is every core")
    if n_jobs == 0:
        raise ParameterError("n_jobs=0 is no number of threads; give 1 or more, or -1 for every core")
    if n_jobs < 0:
        return max(1, (os.cpu_count() or 1) + 1 + n_jobs)
    return max(1, n_jobs)


def run(
    tasks: Sequence[Task], *, seed: int = 0, n_jobs: int | None = None, stop: Callable[[], bool] | None = None
) -> Iterator[tuple[Task, Any]]:
    """Pairs of (task, result) as tasks finish, in any order. Once `stop` says so, no further task is begun.

    Every task computes on one BLAS thread, so its bits do not depend on how many tasks run beside it. When one fails,
    no further task is begun, those under way are finished and handed out, and then its error is raised.
    """
    failed: list[Exception] = []
    if _alone(n_jobs):
        with one_blas_thread():
            for task in _until(tasks, failed, stop):
                yield task, task(seed)
        return
    pool = Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator_unordered", batch_size=1)
    with one_blas_thread():
        jobs = (delayed(_run_task)(task, seed) for task in _until(tasks, failed, stop))
        for task, result, error in _handed_out(lambda: pool(jobs)):
            if error is not None:
                failed.append(error)
            else:
                yield task, result
    if failed:
        raise failed[0]


def _handed_out(begin: Callable[[], Any]) -> Iterator[tuple[Task, Any, Exception | None]]:
    """Results of joblib as they come; a lost cluster in our words, and no warning where whoever asks stops early."""
    from tamis.engine.cluster.use import current

    results: Any = None
    try:
        results = begin()  # without a worker this fails already
        for result in results:  # noqa: UP028 - `yield from` would close it first, and let it warn
            yield result
    except Exception as error:
        lost = current().loss(error)
        if lost is None:
            raise
        raise lost from error
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of tasks that were cancelled
            if results is not None:
                results.close()


def _alone(n_jobs: int | None) -> bool:
    """Whether tasks run one after another, here: neither `n_jobs` nor a backend the user chose says otherwise."""
    if n_jobs is None:
        backend, n_default = get_active_backend()
        n_jobs = backend.default_n_jobs if n_default is None else n_default
    return n_jobs == 1


def _until(tasks: Sequence[Task], failed: list[Exception], stop: Callable[[], bool] | None) -> Iterator[Task]:
    for task in tasks:
        if failed or (stop is not None and stop()):
            return
        yield task


def _run_task(task: Task, seed: int) -> tuple[Task, Any, Exception | None]:
    try:
        with one_blas_thread():  # again here: a process or a cluster worker has its own pools
            return task, task(seed), None
    except Exception as error:
        return task, None, error


def map_threads(function: Callable[[Any], T], items: Iterable[Any], n_jobs: int | None = None) -> list[T]:
    """`[function(item) for item in items]` on threads, results in order: for kernels that release the GIL.

    >>> map_threads(abs, [-1, 2], n_jobs=2)
    [1, 2]
    """
    inputs = list(items)
    threads = min(workers(n_jobs), len(inputs))
    if threads < 2:
        return [function(item) for item in inputs]
    pool = ThreadPoolExecutor(threads)  # joblib's pool takes 15 ms to begin and end, this one 0.3 ms
    try:
        return list(pool.map(function, inputs))
    finally:
        pool.shutdown(wait=False, cancel_futures=True)  # after an error or Ctrl-C nothing further is begun
