"""How often the 95% interval of a score holds the truth: the table in docs/evaluation.md.

The truth is the score, on 100,000 fresh rows, of the procedure refitted on all rows of the table. Folds, fits and interval are
those of nested_score, without its bootstrap.

Run: python benchmarks/evaluate/coverage.py [tables, 500] [word of a setting ...]
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.dummy import DummyClassifier
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from threadpoolctl import threadpool_limits

from tamis.evaluate.interval import Interval, score_interval, tallies_of
from tamis.evaluate.judge import answer, judge, problem
from tamis.evaluate.metrics import prepare
from tamis.split import folds

FRESH = 100_000

Made = tuple[np.ndarray, np.ndarray, np.ndarray | None]
Make = Callable[[np.random.Generator, int], Made]


@dataclass(frozen=True)
class Setting:
    """A procedure, tables of n rows for it, and the metric it is judged by."""

    model: Any
    make: Make
    n: int
    scoring: str
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

SETTINGS = {
    "accuracy 0.97": [Setting(LDA, classes(shift=2.2, informative=3, d=3), n, "accuracy") for n in (30, 100, 1000)],
    "accuracy 0.97, 3 repeats": [Setting(LDA, classes(shift=2.2, informative=3, d=3), 30, "accuracy", repeats=3)],
    "discriminant": [Setting(LDA, classes(), n, "accuracy") for n in (30, 100, 300, 1000)],
    "discriminant, 10 folds": [Setting(LDA, classes(), 100, "accuracy", outer=10)],
    "best 5 of 50": [Setting(BEST_5, classes(d=50), n, "accuracy") for n in (30, 100, 1000)],
    "best 5 of 50, 3 repeats": [Setting(BEST_5, classes(d=50), 100, "accuracy", repeats=3)],
    "tree of depth 3": [Setting(TREE, classes(), n, "accuracy") for n in (30, 100, 1000)],
    "90/10": [
        Setting(LDA, classes(share=0.1, shift=1.0), n, scoring)
        for scoring in ("accuracy", "balanced_accuracy", "roc_auc", "average_precision", "f1", "matthews", "brier")
        for n in ((100, 300, 1000) if scoring in ("accuracy", "balanced_accuracy", "roc_auc") else (100, 1000))
    ],
    "90/10, 3 repeats": [
        Setting(LDA, classes(share=0.1, shift=1.0), 100, scoring, repeats=3) for scoring in ("balanced_accuracy", "roc_auc")
    ],
    "least squares": [
        *(Setting(LINE, line(), n, scoring) for scoring in ("mse", "r2") for n in (30, 100, 1000)),
        Setting(LINE, line(), 100, "mae"),
    ],
    "5% outliers, 5 times": [
        *(Setting(LINE, line(0.05), n, scoring) for scoring in ("mse", "r2") for n in (30, 100, 300, 1000)),
        Setting(LINE, line(0.05), 100, "mae"),
    ],
    "1% outliers, 10 times": [
        *(Setting(LINE, line(0.01, 10.0), n, scoring) for scoring in ("mse", "r2") for n in (100, 1000)),
        Setting(LINE, line(0.01, 10.0), 100, "mae"),
    ],
    "tree of depth 3, numbers": [
        Setting(DecisionTreeRegressor(max_depth=3, random_state=0), line(), 100, scoring) for scoring in ("mse", "r2")
    ],
    "groups of 10": [
        *(
            Setting(LDA, groups_of("classes"), n, scoring)
            for scoring in ("accuracy", "balanced_accuracy", "roc_auc")
            for n in (200, 500)
        ),
        *(Setting(LINE, groups_of("numbers"), n, scoring) for scoring in ("mse", "r2") for n in (200, 500)),
    ],
    "constant": [
        *(Setting(DummyClassifier(), classes(share=0.3), n, "accuracy") for n in (30, 1000)),
        Setting(DummyClassifier(), classes(share=0.3), 100, "balanced_accuracy"),
    ],
    "perfect": [
        *(Setting(LDA, classes(shift=20.0), 30, scoring) for scoring in ("accuracy", "balanced_accuracy", "roc_auc")),
    ],
}


def interval(setting: Setting, X: np.ndarray, y: np.ndarray, groups: Any, seed: int) -> Interval:
    """The interval that nested_score gives."""
    task = problem([setting.model], X, y, setting.scoring)
    pairs = folds(
        setting.outer, y, groups=groups, classifier=task.classes, seed=seed, repeats=setting.repeats, complete=False
    )
    outcomes = judge(setting.model, task, pairs, groups=groups, seed=seed, repeats=setting.repeats, n_jobs=1)
    tallies = tallies_of(task.metric, task.y, [outcome.judged for outcome in outcomes], task.labels, groups=groups)
    sizes = (float(np.mean([len(part) for part in parts])) for parts in zip(*pairs))
    return score_interval(task.metric, tallies, [outcome.score for outcome in outcomes], *sizes, seed=seed)


def coverage(setting: Setting, tables: int = 500) -> dict[str, float]:
    """Share of tables whose interval holds the truth, mean truth and width, share of tables with an interval."""
    X_new, y_new, _ = setting.make(np.random.default_rng(2**31), FRESH)
    held, truths, widths = [], [], []
    with threadpool_limits(1):
        for seed in range(tables):
            X, y, groups = setting.make(np.random.default_rng(seed), setting.n)
            if setting.scoring not in ("mse", "r2", "mae") and np.bincount(y, minlength=2).min() < setting.outer:
                continue  # folds without a class have no such score
            found = interval(setting, X, y, groups, seed)
            if np.isnan(found.low):
                continue
            fitted = clone(setting.model).fit(X, y)
            task = problem([setting.model], X, y, setting.scoring)
            given = prepare(task.metric, y_new, answer(fitted, X_new, task.metric, task.labels), task.labels)
            truth = float(task.metric.value(*given))
            held.append(truth in found)
            truths.append(truth)
            widths.append(found.high - found.low)
    return {
        "held": float(np.mean(held)),
        "truth": float(np.mean(truths)),
        "width": float(np.median(widths)),
        "given": len(held) / tables,
    }


def main() -> None:
    """Print the table in Markdown, a line a setting."""
    warnings.simplefilter("ignore")
    tables = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    words, start = sys.argv[2:], time.process_time()
    print("| tables | metric | rows | mean true score | median width | coverage | tables with an interval |")
    print("|---|---|---|---|---|---|---|")
    for name, settings in SETTINGS.items():
        for setting in settings:
            if words and not any(word in f"{name} {setting.scoring} {setting.n}" for word in words):
                continue
            found = coverage(setting, tables)
            print(
                f"| {name} | {setting.scoring} | {setting.n:,} | {found['truth']:.3f} | {found['width']:.3f} "
                f"| {found['held']:.3f} | {found['given']:.0%} |",
                flush=True,
            )
    print(f"{time.process_time() - start:.0f} s CPU")


if __name__ == "__main__":
    main()
