"""How often the audit flags leaking and honest procedures, for each metric, way of returning and balance of classes.

Tables are noise, 60 × 300. Everything takes the 10 columns most correlated with the target, then fits a naive Bayes
classifier (or least squares on the sum of the chosen columns), in 5 folds. The leaking function chooses columns before
the folds; the leaking estimator chooses them on every row it has met in earlier folds as well. Run on both,
the audit sees an estimator, a function that returns its predictions by fold, or one that returns only its score.

Run: python benchmarks/evaluate/audit.py [--tables 100] [--start 0] [--jobs 1] [--only kappa:85/15 r2:numbers]
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.model_selection import KFold, StratifiedKFold
from threadpoolctl import threadpool_limits

import tamis
from tamis.metrics import find, prepare
from tamis.metrics.intervals.bootstrap_metrics import bootstrap_metric

N, D, K = 60, 300, 10
CLASSES = (
    *("accuracy", "balanced_accuracy", "f1", "f1_macro", "f1_micro", "f1_weighted", "average_precision", "roc_auc"),
    *("matthews", "kappa", "neg_log_loss", "neg_brier"),
)
NUMBERS = ("r2", "neg_mse", "neg_mae")


def best_columns(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The columns most correlated with the target."""
    centred = y - y.mean()
    r = np.abs(centred @ X) / np.sqrt(X.var(axis=0) + 1e-30)
    return np.argsort(-r, kind="stable")[:K]


class _Chosen(BaseEstimator):
    """Columns are chosen on the training rows, or (`peek`) on all rows the class has ever been given."""

    met: ClassVar[dict[bytes, tuple[np.ndarray, float]]] = {}

    def __init__(self, peek: bool = False):
        self.peek = peek

    def _choose(self, X: np.ndarray, y: np.ndarray) -> None:
        if not self.peek:
            self.columns_ = best_columns(X, y)
            return
        self.met.update({row.tobytes(): (row, target) for row, target in zip(X, y)})
        rows, targets = zip(*self.met.values())
        self.columns_ = best_columns(np.array(rows), np.array(targets, dtype=float))


class Bayes(ClassifierMixin, _Chosen):
    """Naive Bayes of the chosen columns, with one variance for both classes."""

    def fit(self, X: np.ndarray, y: np.ndarray) -> Bayes:
        """Means of both classes, the common variance and the shares."""
        self._choose(X, y)
        self.classes_ = np.array([0, 1])
        chosen, one = X[:, self.columns_], y == 1
        means = np.array([chosen[~one].mean(axis=0), chosen[one].mean(axis=0)])
        spread = (chosen - means[one.astype(int)]).var(axis=0) + 1e-12
        self.slope_ = (means[1] - means[0]) / spread
        self.level_ = -float(means.mean(axis=0) @ self.slope_) + np.log(one.mean() / (1 - one.mean()))
        return self

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """Probabilities of both classes."""
        p = 1 / (1 + np.exp(-np.clip(X[:, self.columns_] @ self.slope_ + self.level_, -30, 30)))
        return np.column_stack([1 - p, p])

    def predict(self, X: np.ndarray) -> np.ndarray:
        """The likelier class."""
        return (self.predict_proba(X)[:, 1] > 0.5).astype(int)


class Line(RegressorMixin, _Chosen):
    """Least squares on the sum of the chosen columns, each turned to point with the target."""

    def fit(self, X: np.ndarray, y: np.ndarray) -> Line:
        """Signs, slope and level."""
        self._choose(X, y)
        chosen = X[:, self.columns_]
        self.signs_ = np.sign((y - y.mean()) @ chosen)
        z = chosen @ self.signs_
        self.slope_ = float((z - z.mean()) @ (y - y.mean()) / max(((z - z.mean()) ** 2).sum(), 1e-12))
        self.level_ = float(y.mean() - self.slope_ * z.mean())
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        """The line."""
        return X[:, self.columns_] @ self.signs_ * self.slope_ + self.level_


def by_fold(X: np.ndarray, y: np.ndarray, leak: bool, needs: str, classes: bool) -> list[tuple[Any, Any]]:
    """Truth and predictions of every fold; the leak is that columns are chosen before."""
    if leak:
        X = X[:, best_columns(X, y)]
    cut = (StratifiedKFold if classes else KFold)(5, shuffle=True, random_state=0)
    found = []
    for train, test in cut.split(X, y):
        model = (Bayes() if classes else Line()).fit(X[train], y[train])
        found.append((y[test], model.predict(X[test]) if needs == "labels" else model.predict_proba(X[test])))
    return found


def procedure(kind: str, leak: bool, scoring: str, classes: bool) -> Any:
    """The estimator or function to be audited."""
    if kind == "estimator":
        return Bayes(peek=leak) if classes else Line(peek=leak)
    metric = find(scoring, classes=classes)

    def predictions(X: np.ndarray, y: np.ndarray) -> list[tuple[Any, Any]]:
        return by_fold(X, y, leak, metric.needs, classes)

    def number(X: np.ndarray, y: np.ndarray) -> float:
        labels = np.array([0, 1]) if classes else None
        folds = [prepare(metric, truth, given, labels) for truth, given in predictions(X, y)]
        return float(np.mean([bootstrap_metric(metric, *fold, np.ones((1, len(fold[0]))))[0] for fold in folds]))

    return predictions if kind == "predictions" else number


def verdicts(job: tuple[str, str, str, bool, int, int]) -> tuple[int, int, float]:
    """Of so many tables: flagged, not decided, and the mean number of shuffles."""
    scoring, kind, target, leak, start, tables = job
    flagged, open_, runs = 0, 0, 0
    warnings.simplefilter("ignore")
    for seed in range(start, start + tables):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(N, D))
        shares = {"balanced": 30, "85/15": 9}
        y = rng.normal(3, 2, size=N) if target == "numbers" else rng.permutation(np.arange(N) < shares[target]) * 1
        _Chosen.met.clear()
        told = {"scoring": scoring} if kind != "number" else {}
        with threadpool_limits(1):
            found = tamis.audit(procedure(kind, leak, scoring, target != "numbers"), X, y, random_state=seed, **told)
        flagged, open_, runs = flagged + found.leaks, open_ + (not found.decided), runs + found.n_permutations
    return flagged, open_, runs / tables


def main() -> None:
    """Print a table: flagged (and not decided) of the leaking and of the honest."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--tables", type=int, default=100)
    parser.add_argument("--start", type=int, default=0, help="the first seed")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only", nargs="*", default=[], metavar="METRIC:TARGET", help="these settings alone")
    given = parser.parse_args()
    settings = [(m, t) for t in ("balanced", "85/15") for m in CLASSES] + [(m, "numbers") for m in NUMBERS]
    settings = [(m, t) for m, t in settings if not given.only or f"{m}:{t}" in given.only]
    kinds = ("estimator", "predictions", "number")
    print(f"of {given.tables} tables, leaking / honest flagged (a + b?: b more could not be told); shuffles run\n")
    print(f"| metric | target | {' | '.join(kinds)} |\n|---|---|---|---|---|", flush=True)
    run: Callable[..., Any]
    with ProcessPoolExecutor(given.jobs) as pool:
        run = pool.map if given.jobs > 1 else map
        for metric, target in settings:
            jobs = [(metric, kind, target, leak, given.start, given.tables) for kind in kinds for leak in (True, False)]
            found = list(run(verdicts, jobs))
            cells = [" / ".join(_cell(one) for one in found[i : i + 2]) for i in range(0, 6, 2)]
            print(f"| {metric} | {target} | {' | '.join(cells)} |", flush=True)


def _cell(found: tuple[int, int, float]) -> str:
    flagged, open_, _ = found
    return f"{flagged}" + (f" + {open_}?" if open_ else "")


if __name__ == "__main__":
    main()
