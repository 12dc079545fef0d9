"""What the rules inside two procedures give over many tables: pruning by another score, leaves of a forest.

    python benchmarks/study/rules.py --data ../shared/data/suite [--most 4000]

Trees: accuracy, Brier score and log loss (of shares smoothed by one row a class) on held-out thirds, pruned by error,
Brier score or log loss in 5 folds. Forests on sifted columns: the same (or R²) with leaves of one row, and chosen.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

from tamis import ForestClassifier, ForestRegressor, MirrorSelector, TreeClassifier


def scores(model: Any, X: Any, y: np.ndarray, n_train: int) -> list[float]:
    """Accuracy, Brier score and smoothed log loss, or R²."""
    if not hasattr(model, "classes_"):
        return [1 - float(((model.predict(X) - y) ** 2).mean() / y.var())]
    shares, truth = model.predict_proba(X), y[:, None] == model.classes_
    smooth = (shares * n_train + 1) / (n_train + len(model.classes_))
    right = float((model.classes_[shares.argmax(axis=1)] == y).mean())
    return [right, float(((shares - truth) ** 2).sum(axis=1).mean()), float(-np.log(smooth[truth]).mean())]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default="../shared/data/suite")
    parser.add_argument("--most", type=int, default=4_000, help="rows of a table")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    found: dict[str, list[list[float]]] = {}
    for path in sorted(Path(options.data).glob("*.parquet")):
        frame = pd.read_parquet(path)
        frame = frame.sample(min(options.most, len(frame)), random_state=0)
        X, y = frame.drop(columns="target"), frame["target"].to_numpy()
        numbers = y.dtype.kind == "f"
        if not numbers and min(np.unique(y, return_counts=True)[1]) < 6:
            continue
        parts = train_test_split(X, y, test_size=1 / 3, random_state=0, stratify=None if numbers else y)
        models: dict[str, Any] = {}
        if not numbers:
            for rule in ("error", "brier", "log_loss"):
                models[f"tree by {rule}"] = TreeClassifier(prune="cv", cv=5, rule="min", prune_by=rule)
        forest: Any = ForestRegressor(200, max_features=0.5) if numbers else ForestClassifier(200)
        models["forest, leaves of 1"] = MirrorSelector(forest, leaves=1)
        models["forest, leaves chosen"] = MirrorSelector(forest)
        line = []
        for name, model in models.items():
            fitted = model.fit(parts[0], parts[2])
            one = scores(fitted, parts[1], parts[3], len(parts[0]))
            found.setdefault(name + (", numbers" if numbers else ""), []).append(one)
            line.append(f"{name} " + "/".join(f"{value:.3f}" for value in one))
        print(f"{path.stem}: {'; '.join(line)}", flush=True)
    for name, values in found.items():
        means = np.mean(values, axis=0)
        print(f"{name}: {len(values)} tables, mean " + " / ".join(f"{value:.4f}" for value in means))


if __name__ == "__main__":
    main()
