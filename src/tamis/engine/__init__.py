"""Running tasks: threads on this machine, or any joblib backend the user chooses; a fixed seed per task."""

from tamis.engine.run import Task, map_threads, run, workers
from tamis.engine.seed import generator, seed_of

__all__ = ["Task", "generator", "map_threads", "run", "seed_of", "workers"]
