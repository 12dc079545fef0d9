"""Running tasks: threads on this machine, or any joblib backend the user chooses; a fixed seed per task.

Read `run` and `seed`; `cluster/` (parts of large tables: threads, Dask or Spark); `hash` (digests of rows).
"""

from tamis.engine.cluster.reduce import reduce
from tamis.engine.cluster.use import current, use
from tamis.engine.run import Task, map_threads, one_blas_thread, run, workers
from tamis.engine.seed import drawn_seed, generator, seed_from, seed_of, seeds_of

__all__ = [
    "Task",
    "current",
    "drawn_seed",
    "generator",
    "map_threads",
    "one_blas_thread",
    "reduce",
    "run",
    "seed_from",
    "seed_of",
    "seeds_of",
    "use",
    "workers",
]
