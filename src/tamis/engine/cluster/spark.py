"""Spark: a table of descriptions, one partition each, through `mapInArrow`; workers read their own rows."""

import pickle
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from tamis.engine.cluster.use import Engine
from tamis.errors import EngineError, cause

T = TypeVar("T")

_TASKS, _RESULTS = "place long, item binary", "place long, result binary, failed boolean"


class Spark(Engine):
    """Tasks on Spark.

    Parameters
    ----------
    session : a `pyspark.sql.SparkSession`; it stays open.
    master : of the session that is started where none is given, as in spark://host:7077; local[*] by default.
    """

    name = "spark"

    def __init__(self, session: Any = None, master: str = "local[*]") -> None:
        self._session, self._master, self._owns = session, master, session is None

    def begin(self) -> None:
        if self._session is None:
            self._session = _started(self._master)

    def end(self) -> None:
        if self._owns and self._session is not None:
            self._session.stop()
            self._session = None

    @property
    def workers(self) -> int:
        return max(1, int(self._session.sparkContext.defaultParallelism))

    def each(self, function: Callable[[Any], T], items: Sequence[Any]) -> Iterator[T]:
        if not items:
            return
        from pyspark.errors import PySparkException

        rows = [(index, pickle.dumps(item)) for index, item in enumerate(items)]
        try:
            tasks = self._session.createDataFrame(rows, _TASKS).repartitionByRange(len(rows), "place")
            results = tasks.mapInArrow(Worker(pickle.dumps(function)), _RESULTS).collect()
        except Exception as error:
            if not isinstance(error, PySparkException) and type(error).__module__.partition(".")[0] != "py4j":
                raise
            raise EngineError(
                f"Spark lost the work ({cause(error)}); run the same again, on another engine if you wish: what "
                "was finished is kept"
            ) from error
        for row in sorted(results, key=lambda row: row["place"]):
            value = pickle.loads(row["result"])
            if row["failed"]:
                raise value
            yield value


class Worker:
    """What Spark calls with batches of the table of descriptions."""

    def __init__(self, function: bytes) -> None:
        self.function = function

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        function = pickle.loads(self.function)
        for batch in batches:
            for index, item in zip(batch.column(0).to_pylist(), batch.column(1).to_pylist()):
                try:
                    result, failed = function(pickle.loads(item)), False
                except Exception as error:
                    result, failed = error, True
                yield pa.RecordBatch.from_pydict(
                    {"place": [index], "result": [pickle.dumps(result)], "failed": [failed]},
                    schema=pa.schema([("place", pa.int64()), ("result", pa.binary()), ("failed", pa.bool_())]),
                )


def _started(master: str) -> Any:
    """A session of our own: no page of its own, and workers that run the same Python as this process."""
    import os
    import sys

    try:
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise EngineError("engine='spark' needs pyspark, which is not installed; install tamis[spark]") from error
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    try:
        return (
            SparkSession.builder.master(master)
            .appName("tamis")
            .config("spark.ui.enabled", "false")
            .config("spark.ui.showConsoleProgress", "false")
            .getOrCreate()
        )
    except Exception as error:  # Java's own errors come in many classes
        raise EngineError(f"Spark does not start ({cause(error)}); it needs Java 17 or later") from error
