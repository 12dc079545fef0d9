"""What tuning a forest is worth, and how much better more columns at a split must be: loss on rows held out, seconds.

    python benchmarks/forest/margin.py --data ../shared/data/suite [tables]

Each table of at most 400 columns (at most 2,000 rows of it) is split 60/40 twice; forests of 200 trees. Given are the
Brier score (classes) or the share of the variance left (numbers), and processor seconds: by default, with leaves alone
tuned, and with all that tune=True may vary at several margins.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import pandas as pd

from tamis import ForestClassifier, ForestRegressor
from tamis.forest import tune
from tamis.table import Table

WAYS: dict[str, tuple[Any, float]] = {
    "default": (False, 0.0),
    "leaves": ({"min_samples_leaf": tune.LEAVES}, 0.0),
    "all, margin 0": (True, 0.0),
    "all, margin 0.25": (True, 0.25),
    "all, margin 1": (True, 1.0),
}


def loss_of(X: pd.DataFrame, y: np.ndarray, numbers: bool, split: int, way: str) -> tuple[float, float]:
    """Loss on the 40%, and processor seconds."""
    order, n = np.random.default_rng(split).permutation(len(y)), int(0.6 * len(y))
    learn, test = order[:n], order[n:]
    chosen, tune.MARGIN = WAYS[way]
    start = process_time()
    model = (ForestRegressor if numbers else ForestClassifier)(200, tune=chosen, n_jobs=1)
    model.fit(Table.of(X.iloc[learn]), y[learn])
    seconds, new = process_time() - start, Table.of(X.iloc[test])
    if numbers:
        return float(((model.predict(new) - y[test]) ** 2).mean() / y[test].var()), seconds
    shares = np.zeros((len(test), y.max() + 1))
    shares[:, model.classes_] = model.predict_proba(new)
    return float(((shares - np.eye(y.max() + 1)[y[test]]) ** 2).sum(axis=1).mean()), seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", nargs="*")
    parser.add_argument("--data", default="../shared/data/suite")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    sums: dict[tuple[bool, str], list[tuple[float, float]]] = {}
    for path in sorted(Path(options.data).glob("*.parquet")):
        if options.tables and path.stem not in options.tables:
            continue
        frame = pd.read_parquet(path)
        if frame.shape[1] > 401:
            continue
        frame = frame.sample(min(2000, len(frame)), random_state=0).reset_index(drop=True)
        X, target = frame.drop(columns="target"), frame["target"]
        numbers = bool(pd.api.types.is_numeric_dtype(target))
        y = target.to_numpy(float) if numbers else pd.factorize(target, sort=True)[0]
        said = []
        for way in WAYS:
            runs = np.array([loss_of(X, y, numbers, split, way) for split in range(2)])
            sums.setdefault((numbers, way), []).append((float(runs[:, 0].mean()), float(runs[:, 1].mean())))
            said.append(f"{way} {runs[:, 0].mean():.4f} ({runs[:, 1].mean():.2f} s)")
        print(f"{path.stem}: {'; '.join(said)}", flush=True)
    for (numbers, way), found in sums.items():
        loss, seconds = np.mean(found, axis=0)
        print(f"{'numbers' if numbers else 'classes'}, {way}: {loss:.4f}, {seconds:.2f} s ({len(found)} tables)")


if __name__ == "__main__":
    main()
