"""A Dask cluster: every partition is a task that its worker reads for itself; a lost worker's tasks are run again."""

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any, TypeVar

import joblib

from tamis.engine.cluster.use import Engine
from tamis.errors import EngineError

T = TypeVar("T")

_AHEAD = 2  # tasks a worker that are under way or waiting: results that nobody merged yet are few


class Dask(Engine):
    """Tasks on a Dask cluster.

    Parameters
    ----------
    client : a `distributed.Client`; it stays open.
    address : of a scheduler, as in tcp://host:8786.
    workers : of the cluster that is started where neither is given: processes of this machine, one thread each.
    """

    name = "dask"

    def __init__(self, client: Any = None, address: str | None = None, workers: int | None = None) -> None:
        self._client, self._address, self._number = client, address, workers
        self._own: list[Any] = []
        self._joblib: Any = None
        self._lost = False

    def begin(self) -> None:
        distributed = _distributed()
        if self._client is None:
            where = self._address if self._address is not None else self._cluster(distributed)
            try:
                self._client = distributed.Client(where, timeout="10s", set_as_default=False)
            except (OSError, ValueError) as error:
                raise EngineError(
                    f"no Dask scheduler answers at {self._address!r} ({_first_line(error)}); check the address"
                ) from error
            self._own.insert(0, self._client)
        self._joblib = joblib.parallel_config(backend="dask", client=self._client)  # folds, resamples and candidates
        self._joblib.__enter__()

    def _cluster(self, distributed: Any) -> Any:
        """Processes of this machine. Mapped pages count as memory in Dask's watch, so it is switched off."""
        import os

        cluster = distributed.LocalCluster(
            n_workers=self._number or os.cpu_count() or 1,
            threads_per_worker=1,
            memory_limit=0,
            dashboard_address=None,
            scheduler_kwargs={"dashboard": False},
        )
        self._own.append(cluster)
        return cluster

    def end(self) -> None:
        if self._joblib is not None:
            self._joblib.unregister()
        with _silent() if self._lost else nullcontext():  # clients of a lost cluster log tracebacks as they close
            for resource in self._own:
                resource.close()
        self._own.clear()

    @property
    def workers(self) -> int:
        return max(1, sum(self._client.nthreads().values()))

    def each(self, function: Callable[[Any], T], items: Sequence[Any]) -> Iterator[T]:
        """Every task is a function of a module and a description; what comes back is one value a partition."""
        waiting: list[Any] = []
        try:
            max_waiting = _AHEAD * self.workers
            for item in items:
                waiting.append(self._client.submit(function, item, pure=False))
                if len(waiting) > max_waiting:
                    yield waiting.pop(0).result()
            while waiting:
                yield waiting.pop(0).result()
        except Exception as error:
            lost = self.loss(error)
            if lost is None:
                raise
            raise lost from error
        finally:
            for future in waiting:
                future.cancel()

    def loss(self, error: BaseException) -> EngineError | None:
        distributed = _distributed()
        lost = (
            distributed.KilledWorker,
            distributed.comm.CommClosedError,
            distributed.client.FutureCancelledError,
            TimeoutError,
        )
        if not isinstance(error, lost):
            return None
        self._lost = True
        why = "no worker answers" if isinstance(error, TimeoutError) else _first_line(error)
        return EngineError(
            f"the Dask cluster was lost ({why}); run the same again, on another engine if you wish: "
            "what was finished is kept"
        )


@contextmanager
def _silent() -> Iterator[None]:
    """Dask's log of clients, kept quiet."""
    log = logging.getLogger("distributed.client")
    before, log.disabled = log.disabled, True
    try:
        yield
    finally:
        log.disabled = before


def _distributed() -> Any:
    try:
        import distributed
    except ImportError as error:
        raise EngineError("engine='dask' needs Dask, which is not installed; install tamis[dask]") from error
    return distributed


def _first_line(error: BaseException) -> str:
    line = (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")
    return line.rpartition("cancelled for reason: ")[2]  # what was cancelled is nothing the user named
