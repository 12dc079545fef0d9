"""How far a set of columns settles the class, without a model."""

from collections.abc import Sequence

import numpy as np

from tamis.engine import map_threads
from tamis.search.evaluator.evaluator import Evaluator, Values
from tamis.search.evaluator.task import SearchTask

RANK = 40


def of(task: SearchTask) -> Evaluator | None:
    """The criterion "consistency"."""
    return Consistency(task) if isinstance(task.estimator, str) and task.estimator == "consistency" else None


class Consistency(Evaluator):
    """`tamis.score.consistency` of every set; never falls when a column is added."""

    monotone = True
    batch_size = 256
    resolution = 1e-12

    def __init__(self, task: SearchTask) -> None:
        from tamis.score.groups import Groups
        from tamis.table import Classes

        classes = Classes.of(task.y)
        self.groups = Groups.of(task.table, n_jobs=task.n_jobs)
        self.codes, self.n_classes, self.n_jobs = classes.codes, classes.n_classes, task.n_jobs

    def sets(self, sets: Sequence[np.ndarray]) -> Values:
        from tamis.score.groups import Groups
        from tamis.score.sets.consistency import share_settled

        def value_of(columns: np.ndarray) -> float:
            return share_settled(
                Groups(self.groups.codes[columns], self.groups.sizes[columns]), self.codes, self.n_classes
            )

        scores = np.array(map_threads(value_of, sets, self.n_jobs))
        return scores, np.full(len(scores), np.nan)
