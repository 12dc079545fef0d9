"""Logistic regression of two classes: every set's optimum on every fold by Newton steps, without refitting a model."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from tamis import _core
from tamis.engine import map_threads, workers
from tamis.linear import LinearClassifier
from tamis.search.evaluator.evaluator import Evaluator, Values, mean_and_error
from tamis.search.evaluator.refit import WithRefits
from tamis.search.evaluator.task import SearchTask
from tamis.table import Classes, refuse_extreme

RANK = 25
SCORINGS = ("accuracy", "neg_log_loss", "neg_brier_score")
_SOLVERS = ("lbfgs", "newton-cg", "newton-cholesky")
_MOST_NUMBERS = 100_000_000  # decisions of a part, sets × folds × rows, and the standardised table


@dataclass(frozen=True)
class LogisticModel:
    """Minimise Σ log(1 + exp(-y Xw)) + ½ ridge · Σ (unit · w)²; terms as in `linear.Linear`."""

    ridge: float
    per_row: bool = False
    scaled: bool = False
    intercept: bool = True


def logistic_of(estimator: BaseEstimator) -> LogisticModel | None:
    """The logistic model that an estimator is, or None."""
    kind = type(estimator)
    if kind is Pipeline:
        steps = [step for _, step in estimator.steps if step not in (None, "passthrough")]
        if len(steps) != 2 or type(steps[0]) is not StandardScaler or not (steps[0].with_mean and steps[0].with_std):
            return None
        inner = logistic_of(steps[1]) if type(steps[1]) is LogisticRegression else None
        return None if inner is None or not inner.intercept else LogisticModel(inner.ridge, scaled=True)
    if kind is LogisticRegression:
        plain = estimator.class_weight is None and estimator.solver in _SOLVERS and not estimator.l1_ratio
        old = estimator.penalty not in ("deprecated", "l2")
        return None if old or not plain else LogisticModel(1.0 / estimator.C, intercept=estimator.fit_intercept)
    if kind is LinearClassifier:
        return _of_tamis(estimator)
    return None


def _of_tamis(estimator: BaseEstimator) -> LogisticModel | None:
    params = estimator.get_params(deep=False)
    if params["loss"] != "logistic" or params.get("class_weight") is not None:
        return None
    if params["penalty"] is None:
        return LogisticModel(0.0, intercept=bool(params["fit_intercept"]))
    if params["penalty"] == "ridge" and isinstance(params["alpha"], (int, float)) and params["alpha"] >= 0:
        return LogisticModel(float(params["alpha"]), True, bool(params["standardize"]), bool(params["fit_intercept"]))
    return None


def of(task: SearchTask) -> Evaluator | None:
    """Two classes, a table of finite numbers, a score that is a mean over rows."""
    model = logistic_of(task.estimator)
    word = "accuracy" if task.scoring is None else task.word
    if model is None or word is None or word not in SCORINGS or task.cv == "oob":
        return None
    table = task.table
    if task.params or not table.is_numeric or table.is_sparse or table.n_rows * table.n_columns > _MOST_NUMBERS:
        return None
    X, classes = table.numbers(), Classes.of(task.y)
    if classes.n_classes != 2 or not np.isfinite(X).all():
        return None
    refuse_extreme(table)
    has_both_classes = all(len(np.unique(classes.codes[train])) == 2 for train, _ in task.pairs)
    return LogisticEvaluator(task, model, word, X, classes.codes) if has_both_classes else None


class LogisticEvaluator(WithRefits):
    """Scores sets at the optimum of the penalised log loss, found by Newton's method to a gradient of 1e-11.

    A fit starts from the coefficients of the last base. Sets without a safe optimum (columns nearly dependent,
    separated classes) are refitted.
    """

    def __init__(self, task: SearchTask, model: LogisticModel, word: str, X: np.ndarray, codes: np.ndarray) -> None:
        self.task, self.model, self.word, self.codes = task, model, word, codes
        n, d = X.shape
        middle = X.mean(axis=0) if model.intercept else np.zeros(d)
        unit = X.std(axis=0)
        unit = np.where(unit > 0, unit, 1.0)
        self.Z = np.vstack([((X - middle) / unit).T, np.full(n, float(model.intercept))])
        self.y = np.where(codes == 1, 1.0, -1.0)
        self.learned = np.zeros((len(task.pairs), n))
        for f, (train, _) in enumerate(task.pairs):
            np.add.at(self.learned[f], train, 1.0)
        self.ridge = np.zeros((len(task.pairs), d + 1))
        for f, (train, _) in enumerate(task.pairs):
            spread = X[train].std(axis=0) if model.scaled else np.ones(d)
            self.ridge[f, :d] = model.ridge * (len(train) if model.per_row else 1.0) * (spread / unit) ** 2
        self.starts = np.zeros_like(self.ridge)
        self.batch_size = int(np.clip(_MOST_NUMBERS // (4 * n * len(task.pairs)), 4 * workers(task.n_jobs), 1024))

    def additions(self, base: np.ndarray, columns: np.ndarray) -> Values:
        self._begin(base)
        return super().additions(base, columns)

    def removals(self, base: np.ndarray, columns: np.ndarray) -> Values:
        self._begin(base)
        return super().removals(base, columns)

    def sets(self, sets: Sequence[np.ndarray]) -> Values:
        cuts = np.linspace(0, len(sets), min(len(sets), 8 * workers(self.task.n_jobs)) + 1).astype(int)

        def some(bounds: tuple[int, int]) -> np.ndarray:
            first, last = bounds
            return self._scores(self._solve(sets[first:last])[1])

        scores = np.concatenate(map_threads(some, list(pairwise(cuts)), self.task.n_jobs))
        unsafe = np.flatnonzero(np.isnan(scores).any(axis=1))
        if unsafe.size:
            scores[unsafe] = self.refit.fold_scores([sets[int(i)] for i in unsafe])
        return mean_and_error(scores)

    def _begin(self, base: np.ndarray) -> None:
        """Fit the base, so that its neighbours begin near their optimum."""
        betas, decisions, chosen = self._solve([base])
        starts = np.zeros_like(self.starts)
        safe = np.flatnonzero(~np.isnan(decisions[0]).any(axis=1))
        starts[np.ix_(safe, chosen[0])] = betas[0][safe][:, : len(chosen[0])]
        self.starts = starts

    def _solve(self, sets: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        last = len(self.Z) - 1
        width = max(len(columns) for columns in sets) + 1
        padded, sizes = np.full((len(sets), width), last, dtype=np.int64), np.empty(len(sets), dtype=np.int64)
        for s, columns in enumerate(sets):
            padded[s, : len(columns)] = columns
            sizes[s] = len(columns) + int(self.model.intercept)
        folds, n = self.learned.shape
        betas, decisions = np.zeros((len(sets), folds, width)), np.zeros((len(sets), folds, n))
        _core.fit_logistic_sets(self.Z, self.y, self.learned, self.ridge, padded, sizes, self.starts, betas, decisions)
        return betas, decisions, padded[:, : sizes[0]]

    def _scores(self, decisions: np.ndarray) -> np.ndarray:
        """Scores, sets × folds, of the test rows' decision values."""
        scores = np.empty(decisions.shape[:2])
        for f, (_, test) in enumerate(self.task.pairs):
            eta, y = decisions[:, f, test], self.y[test]
            wrong = y * eta
            if self.word == "accuracy":
                value = ((eta > 0) == (y > 0)).mean(axis=1)
            elif self.word == "neg_log_loss":
                value = -np.logaddexp(0.0, -wrong).mean(axis=1)
            else:
                value = -((1.0 / (1.0 + np.exp(np.minimum(wrong, 700.0)))) ** 2).mean(axis=1)
            scores[:, f] = np.where(np.isnan(eta).any(axis=1), np.nan, value)
        return scores
