"""Which engine works on the parts of a large table: chosen once, for all that is done within a context."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from tamis import check
from tamis.errors import EngineError, ParameterError

T = TypeVar("T")

ENGINES = ("local", "dask", "spark")

_TAKES = {"local": {"n_jobs"}, "dask": {"client", "address", "workers"}, "spark": {"session", "master"}}


class Engine(ABC):
    """Calls a function for many items, wherever its workers are."""

    name = ""

    @property
    @abstractmethod
    def workers(self) -> int:
        """How many items are worked on at a time."""

    @abstractmethod
    def each(self, function: Callable[[Any], T], items: Sequence[Any]) -> Iterator[T]:
        """The results in the order of the items; the first error in that order is raised."""

    def loss(self, error: BaseException) -> EngineError | None:
        """What to say where an error means that the workers are lost; None where it does not."""
        return None

    def begin(self) -> None:  # noqa: B027 - threads need neither
        """Reach the workers."""

    def end(self) -> None:  # noqa: B027
        """Let go of what `begin` started."""


_inner: list[Engine] = []


def current() -> Engine:
    """The engine of the innermost context; threads of this machine, one a core, outside of any."""
    if _inner:
        return _inner[-1]
    from tamis.engine.cluster.local import Local

    return Local()


@contextmanager
def use(name: str = "local", **options: Any) -> Iterator[Engine]:
    """A context within which large tables are worked on by the engine named.

    Parameters
    ----------
    name : "local" (threads of this machine), "dask" or "spark".
    n_jobs : of "local", the number of threads; every core by default.
    client, address : of "dask", a client, or the address of a scheduler; without either a cluster of this machine's own
        processes is started, and ended with the context. `workers` is how many it has.
    session, master : of "spark", a session, or the master of one to be started; local[*] by default.

    >>> with use("local", n_jobs=2) as engine:
    ...     engine.workers
    2
    """
    engine = _engine(name, {option: value for option, value in options.items() if value is not None})
    engine.begin()
    _inner.append(engine)
    try:
        yield engine
    finally:
        _inner.remove(engine)
        engine.end()


def _engine(name: str, options: dict[str, Any]) -> Engine:
    check.one_of("engine", name, ENGINES)
    for option in options:
        if option not in _TAKES[name]:
            engine_name = next(
                (candidate for candidate, options_taken in _TAKES.items() if option in options_taken), None
            )
            way_out = f"it is for engine={engine_name!r}" if engine_name else f"give {', '.join(sorted(_TAKES[name]))}"
            raise ParameterError(f"{option}= is no option of engine={name!r}; {way_out}")
    if name == "dask":
        from tamis.engine.cluster.dask import Dask

        return Dask(**options)
    if name == "spark":
        from tamis.engine.cluster.spark import Spark

        return Spark(**options)
    from tamis.engine.cluster.local import Local

    return Local(**options)
