"""Panels of at most 20 columns on wide tables, beside ridge, lasso and a forest on all columns.

    python benchmarks/study/panels.py [--data ../shared/data] [--splits 5] [--seed 0] [tables]

Every table is split 70/30, stratified. Printed are the mean accuracy on test rows in percent, the seconds of the
processor of one fit with all its inner folds (5), and Nogueira's stability of the columns over splits. "own size" is
the model of the size that did best in the inner folds. Nearest shrunken centroids take the columns of largest
standardised difference between a class and all rows.
To reach: panels of 20 columns within 2 points of the ridge on average, as stable as the lasso.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit
from sklearn.neighbors import NearestCentroid
from sklearn.preprocessing import StandardScaler

from tamis import LinearClassifier
from tamis.evaluate.fold.selection_stability import stability
from tamis.study.procedures.models.sized import SizedFormulas, SizedPanels

TABLES = ("lung_small", "warppie10p", "nci9", "pcmac", "yale", "prostate", "colon", "madelon")
SIZES = (5, 12, 20)


@dataclass
class Figures:
    """Of one model on one table: accuracies, seconds and columns, a value per split."""

    accuracies: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    columns: list[list[str]] = field(default_factory=list)


Split = tuple[pd.DataFrame, np.ndarray, pd.DataFrame, np.ndarray]
Result = tuple[str, np.ndarray, float, list[str]]


def read(folder: Path, name: str) -> tuple[pd.DataFrame, np.ndarray]:
    """Columns and class of every row."""
    path = folder / "suite" / f"{name}.parquet"
    frame = pd.read_parquet(path if path.exists() else folder / f"{name}.parquet")
    return frame.iloc[:, :-1].astype(np.float64), frame.iloc[:, -1].astype(str).to_numpy()


def timed(fit: Callable[[], Any]) -> tuple[Any, float]:
    began = time.process_time()
    model = fit()
    return model, time.process_time() - began


def all_columns(split: Split, pairs: list[Any]) -> Iterator[Result]:
    """Models that may use every column."""
    X, y, X_test, _ = split
    for penalty in ("ridge", "lasso"):
        model, seconds = timed(lambda penalty=penalty: LinearClassifier(penalty, rule="min", cv=pairs).fit(X, y))
        yield penalty, model.predict(X_test), seconds, list(model.selected_columns_)
    forest, seconds = timed(lambda: RandomForestClassifier(500, random_state=0).fit(X, y))
    yield "forest", forest.predict(X_test), seconds, list(X.columns)


def sized(split: Split, pairs: list[Any]) -> Iterator[Result]:
    """The kinds of readable models that a study fits, at several sizes."""
    X, y, X_test, _ = split
    for name, kind in (("formula", SizedFormulas), ("panel", SizedPanels)):
        model, seconds = timed(lambda kind=kind: kind(max_columns=max(SIZES), cv=pairs).fit(X, y))
        models = {f"{name} {size}": model.models_[size] for size in SIZES} | {f"{name} own size": model.fitted_}
        for label, fitted in models.items():
            yield label, fitted.predict(X_test), seconds, used(fitted)


def used(model: Any) -> list[str]:
    return list(getattr(model, "steps", [("model", model)])[-1][1].selected_columns_)


def centroids(split: Split, pairs: list[Any]) -> Iterator[Result]:
    """Nearest centroids on the columns of largest standardised difference."""
    X, y, X_test, _ = split
    for size in SIZES:
        began = time.process_time()
        names = list(X.columns[np.argsort(-largest_difference(X.to_numpy(), y), kind="stable")[:size]])
        scaler = StandardScaler().fit(X[names])
        model = NearestCentroid().fit(scaler.transform(X[names]), y)
        seconds = time.process_time() - began
        yield f"centroids {size}", model.predict(scaler.transform(X_test[names])), seconds, names


def largest_difference(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Largest difference of a class mean from the mean of each column, in standard errors (Tibshirani et al. 2002)."""
    classes, codes, counts = np.unique(y, return_inverse=True, return_counts=True)
    means = np.array([X[codes == c].mean(axis=0) for c in range(len(classes))])
    pooled = np.sqrt(((X - means[codes]) ** 2).sum(axis=0) / (len(y) - len(classes)))
    factors = np.sqrt(1 / counts - 1 / len(y))[:, None]
    return np.abs((means - X.mean(axis=0)) / (factors * (pooled + np.median(pooled)) + 1e-12)).max(axis=0)


def measure(X: pd.DataFrame, y: np.ndarray, n_splits: int, seed: int) -> dict[str, Figures]:
    """Model -> figures."""
    figures: dict[str, Figures] = {}
    for train, test in StratifiedShuffleSplit(n_splits, test_size=0.3, random_state=seed).split(X, y):
        split = (X.iloc[train].reset_index(drop=True), y[train], X.iloc[test], y[test])
        pairs = list(StratifiedKFold(5, shuffle=True, random_state=0).split(split[0], split[1]))
        for fits in (all_columns, sized, centroids):
            for name, predicted, seconds, columns in fits(split, pairs):
                entry = figures.setdefault(name, Figures())
                entry.accuracies.append(100 * float(np.mean(predicted == y[test])))
                entry.seconds.append(seconds)
                entry.columns.append(columns)
    return figures


def show(name: str, X: pd.DataFrame, y: np.ndarray, figures: dict[str, Figures]) -> None:
    print(f"\n{name}: {len(X):,} rows, {X.shape[1]:,} columns, {len(np.unique(y))} classes", flush=True)
    for model, entry in figures.items():
        n_columns = np.mean([len(columns) for columns in entry.columns])
        index = stability(entry.columns, X.shape[1])[0]
        print(
            f"  {model:18} {np.mean(entry.accuracies):5.1f}%  {n_columns:7.1f} columns  stability {index:5.2f}  "
            f"{np.mean(entry.seconds):6.2f} s",
            flush=True,
        )


def averages(tables: dict[str, dict[str, Figures]], widths: dict[str, int]) -> None:
    print("\nmeans over tables: accuracy minus that of the ridge on all columns, stability")
    for model in next(iter(tables.values())):
        differences = [np.mean(f[model].accuracies) - np.mean(f["ridge"].accuracies) for f in tables.values()]
        indices = [stability(f[model].columns, widths[name])[0] for name, f in tables.items()]
        print(
            f"  {model:18} {np.mean(differences):+5.1f} points (median {np.median(differences):+.1f})  "
            f"stability {np.mean(indices):.2f}"
        )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("tables", nargs="*", default=TABLES)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--seed", type=int, default=0, help="of the splits")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    tables, widths = {}, {}
    for name in options.tables:
        X, y = read(options.data, name)
        tables[name], widths[name] = measure(X, y, options.splits, options.seed), X.shape[1]
        show(name, X, y, tables[name])
    averages(tables, widths)


if __name__ == "__main__":
    main()
