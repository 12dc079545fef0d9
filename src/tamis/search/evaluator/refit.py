"""Any scikit-learn estimator: fitted on the training rows of each fold, scored on the others."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.dummy import DummyClassifier, DummyRegressor

from tamis.engine import workers
from tamis.errors import ParameterError, TamisWarning
from tamis.search.estimator_input import refused, seeded
from tamis.search.evaluator.evaluator import Evaluator, Values, mean_and_error
from tamis.search.evaluator.task import SearchTask
from tamis.search.weights import column_weights, has_weights
from tamis.table import take
from tamis.table.like import TableLike

RANK = 100


def of(task: SearchTask) -> Evaluator | None:
    """Refits value whatever can be fitted."""
    return RefitEvaluator(task) if task.is_model else None


def empty_set_value(task: SearchTask) -> tuple[float, float]:
    """Score and standard error of no column: of predicting the mean or the class shares; 0 where no model is used."""
    if not task.is_model:
        return 0.0, float("nan")
    model = DummyClassifier(strategy="prior") if is_classifier(task.estimator) else DummyRegressor()
    scores, errors = RefitEvaluator(replace(task, estimator=model)).sets([np.zeros(0, dtype=np.int64)])
    return float(scores[0]), float(errors[0])


@dataclass
class Failure:
    """A fit that raised."""

    columns: np.ndarray
    fold: int
    error: Exception


class RefitEvaluator(Evaluator):
    """Fits a clone for every set and fold, in parallel over sets.

    A clone without a seed of its own gets the search's, the same for every set: sets then differ by their columns and
    not by their luck. A fit that fails costs its set that fold; only when every fit of a part fails does the search
    stop.
    """

    def __init__(self, task: SearchTask) -> None:
        self.task = task
        self.model = seeded(task.estimator, task.seed)
        self.failures: list[Failure] = []
        self.n_fits = 0
        self.pooled = task.is_r2 and min(len(test) for _, test in task.pairs) < 2
        self.batch_size = 16 * workers(task.n_jobs)
        if not self.pooled:
            _ = task.scorer

    @property
    def name(self) -> str:
        return type(self.task.estimator).__name__

    def fold_scores(self, sets: Sequence[np.ndarray]) -> np.ndarray:
        """Scores, sets × folds; NaN where the fit failed."""
        jobs = workers(self.task.n_jobs)
        if jobs == 1 or len(sets) == 1:
            results = [_folds_of(self, columns) for columns in sets]
        else:
            results = Parallel(n_jobs=self.task.n_jobs)(delayed(_folds_of)(self, columns) for columns in sets)
        scores = np.array([fold for fold, _ in results])
        failures = [failure for _, some in results for failure in some]
        self.failures += failures
        self.n_fits += scores.size
        self._refuse(scores, failures)
        if len(failures) == scores.size:
            raise self._all_failed(failures[0]) from failures[0].error
        return scores

    def _refuse(self, scores: np.ndarray, failures: list[Failure]) -> None:
        """Name the column that the model cannot take, rather than leave every set with it out of the search."""
        if not np.isnan(scores).all(axis=1).any():
            return
        for failure in failures:
            names = [self.task.table.names[j] for j in failure.columns]
            refusal = refused(self.task.estimator, self.task.columns(failure.columns), failure.error, names)
            if refusal is not failure.error:
                raise refusal from failure.error

    def sets(self, sets: Sequence[np.ndarray]) -> Values:
        return mean_and_error(self.fold_scores(sets))

    def weights(self, columns: np.ndarray) -> np.ndarray:
        task = self.task
        model = clone(self.model).fit(task.columns(columns), task.y, **task.fit_params(np.arange(task.n_rows)))
        if not has_weights(model):
            return super().weights(columns)
        size = column_weights(model, len(columns))
        bare = not hasattr(model, "steps") and not hasattr(model, "feature_importances_")
        return size * _spread(task.columns(columns)) if bare else size

    def finish(self) -> None:
        if self.failures:
            first = self.failures[0]
            warnings.warn(
                f"{self.name} failed in {len(self.failures):,} of {self.n_fits:,} fits, first on fold "
                f"{first.fold} of the columns {self._spell(first.columns)} ({type(first.error).__name__}: "
                f"{first.error}); these folds were left out of their scores",
                TamisWarning,
                stacklevel=4,
            )

    def _all_failed(self, failure: Failure) -> Exception:
        if str(failure.error).startswith("scoring="):  # it is not the model that failed
            return ParameterError(f"{failure.error} (on fold {failure.fold} of {self._spell(failure.columns)})")
        return ParameterError(
            f"{self.name} failed on every fold of every set, first on fold {failure.fold} of the columns "
            f"{self._spell(failure.columns)}: {failure.error}"
        )

    def _spell(self, columns: np.ndarray) -> str:
        return ", ".join(repr(self.task.table.names[j]) for j in columns)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "failures": [], "n_fits": 0}


class WithRefits(Evaluator):
    """Values sets of columns of a model by a formula, and refits the model where the formula is not safe."""

    task: SearchTask

    @property
    def name(self) -> str:
        return type(self.task.estimator).__name__

    @cached_property
    def refit(self) -> RefitEvaluator:
        """The plain way: for columns that are nearly dependent, rows that decide alone, classes that are separated."""
        return RefitEvaluator(self.task)

    def weights(self, columns: np.ndarray) -> np.ndarray:
        return self.refit.weights(columns)

    def finish(self) -> None:
        if "refit" in self.__dict__:
            self.refit.finish()


def _folds_of(evaluator: RefitEvaluator, columns: np.ndarray) -> tuple[list[float], list[Failure]]:
    task = evaluator.task
    X, y = task.columns(columns), task.y
    scores: list[float] = []
    failures: list[Failure] = []
    for fold, (train, test) in enumerate(task.pairs):
        try:
            model = clone(evaluator.model).fit(take(X, rows=train), y[train], **task.fit_params(train))
            scores.append(_score(evaluator, model, take(X, rows=test), y[test], test))
        except Exception as error:
            scores.append(np.nan)
            failures.append(Failure(columns, fold, error))
            continue
        if np.isnan(scores[-1]):
            raise ParameterError(
                f"the score of the columns {evaluator._spell(columns)} is NaN on fold {fold}; give a scoring that "
                "always has a value"
            )
    return scores, failures


def _score(evaluator: RefitEvaluator, model: BaseEstimator, X: TableLike, y: np.ndarray, rows: np.ndarray) -> float:
    task = evaluator.task
    if evaluator.pooled:  # R² of single rows, pooled: their mean is one minus the mean squared error over the variance
        residual = np.asarray(y, dtype=np.float64) - np.asarray(model.predict(X), dtype=np.float64)
        return 1.0 - float(np.mean(residual**2) / np.var(np.asarray(task.y, dtype=np.float64)))
    weight = task.params.get("sample_weight")
    if weight is not None:
        return float(task.scorer(model, X, y, sample_weight=np.asarray(weight)[rows]))  # type: ignore[call-arg]
    return float(task.scorer(model, X, y))


def _spread(X: TableLike) -> np.ndarray:
    """Standard deviation of each column, so that a weight does not depend on its column's unit."""
    from tamis.table import Table

    table = Table.of(X)
    return np.array([np.nanstd(table.column(j).values) for j in range(table.n_columns)])
