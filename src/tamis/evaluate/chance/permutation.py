"""Is the score of a whole procedure more than luck?"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from tamis.check import count
from tamis.engine import seed_from
from tamis.evaluate.chance.p_value import as_good, shuffle_p_value
from tamis.evaluate.chance.permuted_target import Runner
from tamis.table.like import TableLike
from tamis.typing import Folding, RandomState, Scoring


@dataclass(frozen=True, eq=False)
class PermutationTest:
    """The score, the scores on shuffled targets, and the p-value (1 + hits) / (1 + shuffles)."""

    score: float
    null: np.ndarray
    p_value: float
    stopped_early: bool

    def figure(self, **options: Any) -> Any:
        """A Bokeh figure: scores on shuffled targets, and the score found."""
        from tamis.evaluate.picture import null_figure

        title = f"score {self.score:.3g}, p = {self.p_value:.2g}"
        return null_figure(self.null, self.score, float(self.null.mean()), title=title, **options)


def permutation_test(
    procedure: BaseEstimator,
    X: TableLike,
    y: ArrayLike,
    *,
    n_permutations: int = 100,
    scoring: Scoring = None,
    outer: Folding = 5,
    groups: ArrayLike | None = None,
    time: ArrayLike | None = None,
    stop_after: int | None = 10,
    random_state: RandomState = 0,
    n_jobs: int | None = None,
) -> PermutationTest:
    """Score the whole procedure, choosing of columns and tuning included, on shuffled targets too.

    Parameters
    ----------
    procedure, X, y, scoring, outer, groups, time, random_state, n_jobs : as in `audit`.
    n_permutations : shuffles at most.
    stop_after : stop once so many shuffled targets have scored at least as well: the p-value is then large, and hits
        divided by shuffles estimates it without bias towards either side. None never stops.

    References
    ----------
    Besag, Clifford: Sequential Monte Carlo p-values. Biometrika 78 (1991).
    Ojala, Garriga: Permutation tests for studying classifier performance. JMLR 11 (2010).

    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> permutation_test(GaussianNB(), *load_iris(return_X_y=True), n_permutations=19).p_value
    0.05
    """
    max_permutations = count("n_permutations", n_permutations)
    n_stop = max_permutations if stop_after is None else count("stop_after", stop_after)
    runner = Runner(
        procedure,
        X,
        y,
        outer=outer,
        scoring=scoring,
        groups=groups,
        time=time,
        seed=seed_from(random_state),
        n_jobs=n_jobs,
    )
    score = runner.real().score
    null = np.empty(0)
    while len(null) < max_permutations:
        null = np.concatenate([null, runner.null(range(len(null), min(max_permutations, len(null) + 10)))])
        exceedances = np.flatnonzero(as_good(runner.metric, null, score))
        if stop_after is not None and len(exceedances) >= n_stop and len(null) < max_permutations:
            # the count ends with the shuffle that brought the last hit, not with the batch it came in
            null = null[: exceedances[n_stop - 1] + 1]
            return PermutationTest(score, null, n_stop / len(null), True)
    return PermutationTest(score, null, shuffle_p_value(runner.metric, null, score), False)
