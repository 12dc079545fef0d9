"""Small trees by search beside greedy ones of as many leaves: training and held-out loss over many tables, seconds.

    python benchmarks/tree/optimal.py --data ../shared/data/suite [tables]

Each table (at most 1,000 rows) is split into five folds. Both trees have at most three levels, as many leaves and at
least 5 rows in each leaf; losses are Brier scores, or squared errors as shares of the variance. Then the size is
chosen by cross-validation inside the training rows. Last, 50,000 rows × 30 columns with two levels.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

from tamis import TreeClassifier, TreeRegressor

SIZES = (3, 4, 5, 6, 8)


def table(path: Path) -> tuple[pd.DataFrame, np.ndarray, bool]:
    """Columns, target, and whether it holds classes."""
    frame = pd.read_parquet(path)
    frame = frame.sample(min(1000, len(frame)), random_state=0).reset_index(drop=True)
    target = frame.pop("target")
    is_class = not pd.api.types.is_float_dtype(target)
    return frame, target.astype(str).to_numpy() if is_class else target.to_numpy(float), is_class


def loss(model: Any, X: pd.DataFrame, y: np.ndarray, is_class: bool, spread: float) -> float:
    """Brier score, or squared error by the variance of the training rows."""
    if is_class:
        truth = y[:, None] == model.classes_
        return float(((model.predict_proba(X) - truth) ** 2).sum(axis=1).mean())
    return float(((model.predict(X) - y) ** 2).mean() / spread)


def compare(path: Path) -> dict[str, tuple[float, float, float, float]]:
    """Per size: training loss greedy and searched, held-out loss greedy and searched."""
    X, y, is_class = table(path)
    kind: Any = TreeClassifier if is_class else TreeRegressor
    folds = StratifiedKFold(5, shuffle=True, random_state=0) if is_class else KFold(5, shuffle=True, random_state=0)
    settings: dict[str, dict[str, Any]] = {str(size): {"max_leaf_nodes": size} for size in SIZES}
    settings["cv"] = {"prune": "cv", "cv": 5} | ({"prune_by": "brier"} if is_class else {})
    losses: dict[str, list[list[float]]] = {name: [] for name in settings}
    for train, test in folds.split(X, y):
        spread = 1.0 if is_class else float(np.var(y[train]))
        for name, setting in settings.items():
            row = []
            for search in ("greedy", "optimal"):
                model = kind(search=search, max_depth=3, min_samples_leaf=5, **setting).fit(X.iloc[train], y[train])
                row += [loss(model, X.iloc[part], y[part], is_class, spread) for part in (train, test)]
            losses[name].append(row)
    means = {name: np.mean(rows, axis=0) for name, rows in losses.items()}
    return {name: (mean[0], mean[2], mean[1], mean[3]) for name, mean in means.items()}


def two_levels() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50_000, 30))
    y = (X[:, 3] > 0) ^ (X[:, 7] > 0.5) ^ (rng.random(len(X)) < 0.2)
    for name, model in (
        ("scikit-learn, greedy", DecisionTreeClassifier(max_depth=2)),
        ("search of two levels", TreeClassifier(search="optimal", max_depth=2)),
    ):
        start = process_time()
        model.fit(X, y)
        print(f"50,000 x 30, {name}: accuracy {model.score(X, y):.3f}, {process_time() - start:.2f} s")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("tables", nargs="*")
    arguments = parser.parse_args()
    paths = [
        path
        for path in sorted(arguments.data.glob("*.parquet"))
        if not arguments.tables or path.stem in arguments.tables
    ]
    rows = []
    for path in paths:
        for name, (train, train_searched, test, test_searched) in compare(path).items():
            rows.append((name, train, train_searched, test, test_searched))
            losses = f"training {train:.3f} {train_searched:.3f}  held out {test:.3f} {test_searched:.3f}"
            print(f"{path.stem:16} {name:>2}: {losses}", flush=True)
    frame = pd.DataFrame(rows, columns=["size", "train", "train_searched", "test", "test_searched"])
    print(
        (frame["train_searched"] > frame["train"] * (1 + 1e-9)).groupby(frame["size"]).sum().rename("worse in training")
    )
    gain = (frame["test"] - frame["test_searched"]).groupby(frame["size"])
    print(
        pd.DataFrame(
            {
                "held-out gain": gain.mean(),
                "standard error": gain.sem(),
                "better in": gain.apply(lambda g: (g > 0).mean()),
            }
        )
    )
    two_levels()


if __name__ == "__main__":
    main()
