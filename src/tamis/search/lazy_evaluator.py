"""Plain and ridge regression on a lazy table: the algebra of `moments`, from one pass over the rows."""

from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from tamis import check
from tamis.engine import one_blas_thread, seed_from
from tamis.errors import ParameterError
from tamis.metrics import in_their_words
from tamis.search.evaluator.linear import SCORINGS, linear_of, score_from
from tamis.search.evaluator.moments import MomentsEvaluator
from tamis.split.pairs import is_whole
from tamis.table import LazyTable
from tamis.typing import Scoring
from tamis.views.lazy.fold_moments import fold_moments, in_units
from tamis.views.moments import FoldMoments, Moments


class LazyEvaluator(MomentsEvaluator):
    """Values sets of columns of a lazy table; a set of nearly dependent columns by the pseudo-inverse of its scatter.

    Parameters
    ----------
    estimator : a linear model of squared loss.
    table : the columns, in the order that breaks ties, all of them numbers.
    target : the name of the target in `whole`.
    """

    def __init__(
        self, estimator: BaseEstimator, lazy_table: LazyTable, names: Sequence[str], target: str, **options: Any
    ) -> None:
        model, word = linear_of(estimator), _word(options["scoring"])
        if model is None or word is None:
            raise ParameterError(
                "a lazy table is searched with a linear model of squared loss (penalty None, or ridge with a number "
                f"for alpha) and one of {', '.join(SCORINGS)}; give these, or a sample: table.sample(100_000)"
            )
        if options["cv"] is not None and not is_whole(options["cv"]):
            raise ParameterError(f"cv={options['cv']!r} names rows, which a lazy table cannot take; give a number")
        self.task: Any = SimpleNamespace(estimator=estimator, n_jobs=options["n_jobs"])
        self.model, self.word, self.monotone = model, word, False
        n_folds = 5 if options["cv"] is None else check.count("cv", options["cv"], low=2)
        rows = lazy_table.select([*names, target])
        seed = seed_from(options["seed"])
        with one_blas_thread():
            self._take(_in_common_units(fold_moments(rows, target, n_folds=n_folds, seed=seed)), model, word)

    @property
    def refit(self) -> Any:
        return self

    def fold_scores(self, sets: Sequence[np.ndarray]) -> np.ndarray:
        """Scores of sets (sets × folds) by the pseudo-inverse of each fold's scatter."""
        errors = np.empty((len(sets), len(self.A)))
        for s, columns in enumerate(sets):
            for f, (A, B) in enumerate(zip(self.A, self.B)):
                inner = A[np.ix_(columns, columns)]
                w = np.append(np.linalg.pinv(inner, rcond=1e-12, hermitian=True) @ A[columns, -1], -1.0)
                columns_and_target = np.append(columns, len(A) - 1)
                errors[s, f] = w @ B[np.ix_(columns_and_target, columns_and_target)] @ w
        return score_from(errors * self.unit[-1] ** 2, self.word, self.rows, self.spread)

    def weights(self, columns: np.ndarray) -> np.ndarray:
        """How much the model fitted on the first training part leans on each column, in standard deviations."""
        A = self.A[0]
        w = np.linalg.pinv(A[np.ix_(columns, columns)], rcond=1e-12, hermitian=True) @ A[columns, -1]
        return np.abs(w) * np.sqrt(np.diagonal(A)[columns])

    def finish(self) -> None:
        """Nothing was refitted."""


def _word(scoring: Scoring) -> str | None:
    if scoring is None:
        return "r2"
    word = in_their_words(scoring) if isinstance(scoring, str) else None
    return word if word in SCORINGS else None


def _in_common_units(moments: FoldMoments) -> FoldMoments:
    """All folds in one scale, by powers of two; the test rows of a fold about the shift of its training rows."""
    scale = moments.total.scale
    train = [in_units(moments_of_fold, scale) for moments_of_fold in moments.train]
    test = [
        _about(in_units(moments_of_fold, scale), train_moments.shift)
        for moments_of_fold, train_moments in zip(moments.test, train)
    ]
    return FoldMoments(in_units(moments.total, scale), train, test)


def _about(moments: Moments, shift: np.ndarray) -> Moments:
    mean = moments.unit_mean + (moments.shift - shift) / moments.scale
    return replace(moments, shift=shift, unit_mean=mean)
