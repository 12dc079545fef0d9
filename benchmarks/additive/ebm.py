"""Additive models beside the explainable boosting machine (EBM) of interpret with its defaults: time and quality.

Each table is split 70/30. Quality is judged on new rows: 100 times the Brier score (of two classes that of the second;
smaller is better) or R² (larger is better), given as points that Tamis is ahead. EBM has its default 3 pair maps per
column; Tamis is fitted with no map, with at most 5, and with at most 12 columns and 5 maps. Without interpret Tamis
is measured alone.

    python benchmarks/additive/ebm.py FOLDER [--splits 3] [--threads 2] [--cache FILES]

FOLDER holds the parquet files of the suite; --cache keeps EBM's predictions, which take minutes per table.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from time import perf_counter, process_time

import numpy as np
import pandas as pd

from tamis.additive import AdditiveClassifier, AdditiveRegressor

try:
    from interpret.glassbox import ExplainableBoostingClassifier, ExplainableBoostingRegressor
except ImportError:
    ExplainableBoostingClassifier = ExplainableBoostingRegressor = None

CLASSES = [
    "haberman",
    "heart_c",
    "horse_colic",
    "german",
    "ionosphere",
    "sonar",
    "hypothyroid",
    "vehicle",
    "yeast",
    "swd",
]
NUMBERS = ["auto_price", "bodyfat", "pollen", "puma8nh", "wind"]
SETTINGS = {
    "curves": {},
    "5 maps": {"max_pairs": 5},
    "12 columns, 5 maps": {"max_columns": 12, "max_pairs": 5},
}


def read(folder: Path, name: str, split: int):
    """Features, target, rows for training and for judging."""
    frame = pd.read_parquet(folder / f"{name}.parquet")
    y, X = frame["target"].to_numpy(), frame.drop(columns="target")
    order = np.random.default_rng(split).permutation(len(y))
    n_train = int(0.7 * len(y))
    return X, y, order[:n_train], order[n_train:]


def points(predicted: np.ndarray, y: np.ndarray, train: np.ndarray, test: np.ndarray, is_number: bool) -> float:
    """100 R², or minus 100 times the Brier score."""
    if is_number:
        return 100 * (1 - np.mean((predicted - y[test]) ** 2) / np.var(y[test]))
    labels = np.unique(y[train])
    squares = (predicted - (y[test][:, None] == labels)) ** 2
    return -100 * squares.sum(axis=1).mean() / (2 if len(labels) == 2 else 1)


def fitted(model, X, y, train, test, is_number):
    """Predictions on new rows, seconds by the clock and of the processor."""
    wall, used = perf_counter(), process_time()
    model.fit(X.iloc[train], y[train])
    seconds = perf_counter() - wall, process_time() - used
    return (model.predict(X.iloc[test]) if is_number else model.predict_proba(X.iloc[test])), *seconds


def ebm(name, split, arguments, X, y, train, test, is_number):
    """Predictions of EBM, seconds by the clock and of the processor; from the cache where it has them."""
    kept = None if arguments.cache is None else Path(arguments.cache) / f"{name}_{split}.npz"
    if kept is not None and kept.exists():
        with np.load(kept) as saved:
            return saved["p"], float(saved["wall"]), float(saved["cpu"])
    if ExplainableBoostingClassifier is None:
        return None
    kind = ExplainableBoostingRegressor if is_number else ExplainableBoostingClassifier
    model = kind(n_jobs=arguments.threads, random_state=split)
    predicted, wall, used = fitted(model, X, y, train, test, is_number)
    if kept is not None:
        np.savez(kept, p=predicted, wall=wall, cpu=used)
    return predicted, wall, used


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--splits", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--cache")
    arguments = parser.parse_args()
    if ExplainableBoostingClassifier is None and arguments.cache is None:
        print("interpret is not installed: Tamis alone")
    ahead: dict[str, list[float]] = {name: [] for name in SETTINGS}
    faster: dict[str, list[float]] = {name: [] for name in SETTINGS}
    print("table: points of EBM and its seconds by the clock (processor); points ahead, seconds, times faster by both")
    for name in [*CLASSES, *NUMBERS]:
        rows = []
        for split in range(arguments.splits):
            is_number = name in NUMBERS
            data = (*read(arguments.folder, name, split), is_number)
            other = ebm(name, split, arguments, *data)
            row = [np.nan] * 3 if other is None else [points(other[0], *data[1:]), *other[1:]]
            for options in SETTINGS.values():
                model = (AdditiveRegressor if is_number else AdditiveClassifier)(n_jobs=arguments.threads, **options)
                own = fitted(model, *data)
                row += [points(own[0], *data[1:]), *own[1:]]
            rows.append(row)
        mean = np.nanmean(np.array(rows), axis=0)
        words = [f"{name:12} {mean[0]:7.2f} {mean[1]:7.1f} ({mean[2]:6.1f})"]
        for k, label in enumerate(SETTINGS):
            own, wall, used = mean[3 * k + 3 : 3 * k + 6]
            ahead[label].append(own - mean[0])
            faster[label].append(mean[2] / used)
            words.append(
                f"{label}: {own - mean[0]:+6.2f} {wall:6.3f} ({used:6.3f})"
                f" {mean[1] / wall:5.0f}× {mean[2] / used:5.0f}×"
            )
        print("  ".join(words), flush=True)
    for label in SETTINGS:
        ratio = np.exp(np.nanmean(np.log(faster[label])))
        print(f"{label:20} mean points ahead {np.nanmean(ahead[label]):+.2f}; times faster, geometric mean {ratio:.0f}")


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "2")
    main()
