"""How often the 95% interval of a score holds the truth: the table in docs/reference/evaluation.md.

The truth is the score, on 100,000 fresh rows, of the procedure refitted on all rows of the table. Folds, fits and
interval are those of nested_score, without its bootstrap.

Run: python benchmarks/evaluate/coverage.py [tables, 500] [word of a setting ...]
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import sklearn
from sklearn.base import clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.dummy import DummyClassifier
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from threadpoolctl import threadpool_limits

from tamis.evaluate.cross_validate import cross_validate, named_folds
from tamis.evaluate.fold.outcome import outcome_of
from tamis.evaluate.problem import problem_of
from tamis.metrics import METRICS, Metric, prepare
from tamis.metrics.intervals.bootstrap_metrics import bootstrap_metric
from tamis.metrics.intervals.interval import Interval, score_interval, tallies_of
from tamis.split import folds

FRESH = 100_000

Made = tuple[np.ndarray, np.ndarray, np.ndarray | None]
Make = Callable[[np.random.Generator, int], Made]


@dataclass(frozen=True)
class Setting:
    """A procedure, tables of n rows for it, and the metrics it is judged by."""

    model: Any
    make: Make
    n: int
    metrics: tuple[str, ...]
    outer: int = 5
    repeats: int = 1


def classes(share: float = 0.5, shift: float = 0.6, informative: int = 5, d: int = 5) -> Make:
    """Two normal classes, the second shifted in the informative columns; each row's class is drawn."""

    def make(rng: np.random.Generator, n: int) -> Made:
        y = (rng.random(n) < share).astype(int)
        X = rng.normal(size=(n, d))
        X[:, :informative] += shift * y[:, None]
        return X, y, None

    return make


def line(outliers: float = 0.0, times: float = 5.0) -> Make:
    """A sum of three of five normal columns and unit noise, a share of it `times` as large."""

    def make(rng: np.random.Generator, n: int) -> Made:
        X = rng.normal(size=(n, 5))
        noise = rng.normal(size=n) * np.where(rng.random(n) < outliers, times, 1.0)
        return X, X[:, :3].sum(axis=1) + noise, None

    return make


def groups_of(kind: str, size: int = 10) -> Make:
    """Groups of rows: of one class and alike, or with an offset of the target in common."""

    def make(rng: np.random.Generator, n: int) -> Made:
        group = np.arange(n) // size
        m = int(group[-1]) + 1
        if kind == "classes":
            y = rng.integers(0, 2, m)
            X = (rng.normal(size=(m, 4)) + 0.7 * y[:, None])[group] + 0.5 * rng.normal(size=(n, 4))
            return X, y[group], group
        X = rng.normal(size=(n, 4))
        return X, X[:, :2].sum(axis=1) + rng.normal(size=m)[group] + rng.normal(size=n), group

    return make


LDA = LinearDiscriminantAnalysis()
BEST_5 = make_pipeline(SelectKBest(f_classif, k=5), LinearDiscriminantAnalysis())
TREE = DecisionTreeClassifier(max_depth=3, random_state=0)
LINE = LinearRegression()

ACCURACY = ("accuracy",)
LABELS = ("accuracy", "balanced_accuracy", "roc_auc")
RARE = ("accuracy", "balanced_accuracy", "roc_auc", "average_precision", "f1", "matthews", "brier", "log_loss")
NUMBERS = ("mse", "r2", "mae")

SETTINGS = {
    "accuracy 0.97": [Setting(LDA, classes(shift=2.2, informative=3, d=3), n, LABELS) for n in (30, 100, 1000)],
    "accuracy 0.97, 3 repeats": [Setting(LDA, classes(shift=2.2, informative=3, d=3), 30, ACCURACY, repeats=3)],
    "discriminant": [Setting(LDA, classes(), n, LABELS) for n in (30, 100, 300, 1000)],
    "discriminant, 10 folds": [Setting(LDA, classes(), 100, ACCURACY, outer=10)],
    "best 5 of 50": [Setting(BEST_5, classes(d=50), n, (*LABELS, "brier")) for n in (30, 100, 1000)],
    "best 5 of 50, 3 repeats": [Setting(BEST_5, classes(d=50), 100, (*LABELS, "brier"), repeats=3)],
    "tree of depth 3": [Setting(TREE, classes(), n, (*LABELS, "log_loss")) for n in (30, 100, 1000)],
    "90/10": [Setting(LDA, classes(share=0.1, shift=1.0), n, RARE) for n in (100, 300, 1000)],
    "90/10, 3 repeats": [Setting(LDA, classes(share=0.1, shift=1.0), 100, RARE, repeats=3)],
    "least squares": [Setting(LINE, line(), n, NUMBERS) for n in (30, 100, 300, 1000)],
    "5% outliers, 5 times": [Setting(LINE, line(0.05), n, NUMBERS) for n in (30, 100, 300, 1000)],
    "5% outliers, 3 repeats": [Setting(LINE, line(0.05), 100, NUMBERS, repeats=3)],
    "1% outliers, 10 times": [Setting(LINE, line(0.01, 10.0), n, NUMBERS) for n in (30, 100, 300, 1000)],
    "tree of depth 3, numbers": [Setting(DecisionTreeRegressor(max_depth=3, random_state=0), line(), 100, NUMBERS)],
    "groups of 10": [
        *(Setting(LDA, groups_of("classes"), n, LABELS) for n in (200, 500)),
        *(Setting(LINE, groups_of("numbers"), n, ("mse", "r2")) for n in (200, 500)),
    ],
    "constant": [
        Setting(DummyClassifier(), classes(share=0.3), n, ("accuracy", "balanced_accuracy")) for n in (50, 1000)
    ],
    "perfect": [Setting(LDA, classes(shift=20.0), 30, LABELS)],
}


def intervals(setting: Setting, X: np.ndarray, y: np.ndarray, groups: Any, seed: int) -> dict[str, Interval]:
    """The interval that nested_score gives for each metric."""
    task = problem_of([setting.model], X, y, groups=groups)
    asked = METRICS["brier" if "mse" not in setting.metrics else "mse"]
    pairs = folds(
        setting.outer, y, groups=groups, classifier=task.of_classes, seed=seed, repeats=setting.repeats, complete=False
    )
    keep, parts = partial(outcome_of, metric=asked), named_folds(pairs, setting.repeats)
    outcomes = cross_validate(task, {"it": setting.model}, parts, keep, seed=seed, n_jobs=1)["it"]
    judged = [outcome.judged for outcome in outcomes]
    tallies = tallies_of(asked, task.y, judged, task.classes, groups=groups)
    sizes = [float(np.mean([len(part) for part in parts])) for parts in zip(*pairs)]
    found = {}
    for name in setting.metrics:
        metric = METRICS[name]
        scores = [value(metric, y[fold.rows], fold.answer) for fold in judged]
        found[name] = score_interval(metric, tallies, scores, *sizes, seed=seed)
    return found


def value(metric: Metric, y: np.ndarray, given: np.ndarray) -> float:
    """The score of probabilities, of the labels that are most probable, or of numbers."""
    of_labels = given.ndim == 2 and metric.needs == "labels"
    labels = np.arange(2) if metric.task == "classification" else None
    prepared = prepare(metric, y, given.argmax(axis=1) if of_labels else given, labels)
    return float(
        bootstrap_metric(metric, *prepared, np.ones((1, len(y))))[0]
    )  # scikit-learn's own take 10 times as long


def coverage(setting: Setting, tables: int = 500) -> dict[str, dict[str, float]]:
    """By metric: share of tables whose interval holds the truth, mean truth, median width, share with an interval."""
    X_new, y_new, _ = setting.make(np.random.default_rng(2**31), FRESH)
    kept: dict[str, list[tuple[bool, float, float]]] = {name: [] for name in setting.metrics}
    with threadpool_limits(1), sklearn.config_context(assume_finite=True, skip_parameter_validation=True):
        for seed in range(tables):
            X, y, groups = setting.make(np.random.default_rng(seed), setting.n)
            if "mse" not in setting.metrics and np.bincount(y, minlength=2).min() < setting.outer:
                continue  # folds without a class
            fitted = clone(setting.model).fit(X, y)
            given = fitted.predict(X_new) if "mse" in setting.metrics else fitted.predict_proba(X_new)
            for name, found in intervals(setting, X, y, groups, seed).items():
                if not np.isnan(found.low):
                    truth = value(METRICS[name], y_new, given)
                    kept[name].append((truth in found, truth, found.high - found.low))
    return {name: _summary(np.array(told, dtype=float), tables) for name, told in kept.items() if told}


def _summary(told: np.ndarray, tables: int) -> dict[str, float]:
    held, truth, width = told.T
    return {"held": held.mean(), "truth": truth.mean(), "width": np.median(width), "given": len(held) / tables}


def main() -> None:
    """Print the table in Markdown, a line a setting."""
    warnings.simplefilter("ignore")
    tables = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    words, start = sys.argv[2:], time.process_time()
    print("| tables | rows | with an interval | metric: coverage (mean true score, median width) |")
    print("|---|---|---|---|")
    for name, settings in SETTINGS.items():
        for setting in settings:
            if not words or any(word in name for word in words):
                found = coverage(setting, tables)
                given = min(told["given"] for told in found.values())
                cells = [
                    f"{metric}: **{told['held']:.3f}** ({told['truth']:.3g}, {told['width']:.2g})"
                    for metric, told in found.items()
                ]
                print(f"| {name} | {setting.n:,} | {given:.0%} | {'; '.join(cells)} |", flush=True)
    print(f"{time.process_time() - start:.0f} s CPU")


if __name__ == "__main__":
    main()
