"""Running tasks: threads on this machine, or any joblib backend the user chooses; a fixed seed per task."""

from tamis.engine.blas import one_blas_thread
from tamis.engine.run import Task, map_threads, run, workers
from tamis.engine.seed import drawn_seed, generator, seed_from, seed_of, seeds_of

__all__ = [
    "Task",
    "drawn_seed",
    "generator",
    "map_threads",
    "one_blas_thread",
    "run",
    "seed_from",
    "seed_of",
    "seeds_of",
    "workers",
]
