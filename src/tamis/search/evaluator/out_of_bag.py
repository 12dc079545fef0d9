"""Forests and bags by their own out-of-bag score: one fit a set, rows predicted by trees that did not draw them."""

from collections.abc import Sequence

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone

from tamis.engine import workers
from tamis.errors import ParameterError
from tamis.search.estimator_input import refused
from tamis.search.evaluator.evaluator import Evaluator, Values
from tamis.search.evaluator.refit import RefitEvaluator
from tamis.search.evaluator.task import SearchTask

RANK = 10


def of(task: SearchTask) -> Evaluator | None:
    """Whatever has an out-of-bag score, when cv="oob" asks for it."""
    if not (isinstance(task.cv, str) and task.cv == "oob"):
        return None
    if not task.is_model or "oob_score" not in task.estimator.get_params(deep=False):
        raise ParameterError(
            f"cv='oob', but {type(task.estimator).__name__} has no out-of-bag score; give a forest, or cv a number"
        )
    if task.scoring is not None:
        raise ParameterError(
            f"scoring={task.scoring!r} with cv='oob': the model's own score is used; give scoring=None"
        )
    return OutOfBagEvaluator(task)


class OutOfBagEvaluator(RefitEvaluator):
    """Values a set by `oob_score_` of the model fitted on it."""

    def __init__(self, task: SearchTask) -> None:
        super().__init__(task)
        if not self.model.oob_score:
            self.model.set_params(oob_score=True)

    def sets(self, sets: Sequence[np.ndarray]) -> Values:
        jobs = workers(self.task.n_jobs)
        if jobs == 1 or len(sets) == 1:
            scores = [_score(self, columns) for columns in sets]
        else:
            scores = Parallel(n_jobs=self.task.n_jobs)(delayed(_score)(self, columns) for columns in sets)
        return np.array(scores), np.full(len(scores), np.nan)


def _score(evaluator: OutOfBagEvaluator, columns: np.ndarray) -> float:
    task = evaluator.task
    subset = task.columns(columns)
    try:
        model = clone(evaluator.model).fit(subset, task.y, **task.fit_params(np.arange(task.n_rows)))
    except (TypeError, ValueError) as error:
        raise refused(task.estimator, subset, error) from error
    return float(model.oob_score_)
