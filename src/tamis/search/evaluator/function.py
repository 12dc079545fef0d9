"""A function (X, y) -> number as the worth of a set."""

from collections.abc import Sequence

import numpy as np

from tamis.engine import map_threads, workers
from tamis.search.evaluator.evaluator import Evaluator, Values
from tamis.search.evaluator.task import SearchTask

RANK = 60


def of(task: SearchTask) -> Evaluator | None:
    """Functions that are no models."""
    return Function(task) if callable(task.estimator) and not task.is_model else None


class Function(Evaluator):
    """Calls the function on the columns of each set and on the target."""

    def __init__(self, task: SearchTask) -> None:
        self.task = task
        self.batch_size = 16 * workers(task.n_jobs)

    @property
    def name(self) -> str:
        return getattr(self.task.estimator, "__name__", "the function")

    def sets(self, sets: Sequence[np.ndarray]) -> Values:
        def value_of(columns: np.ndarray) -> float:
            return float(self.task.estimator(self.task.columns(columns), self.task.y))

        scores = np.array(map_threads(value_of, sets, self.task.n_jobs), dtype=np.float64)
        return scores, np.full(len(scores), np.nan)
