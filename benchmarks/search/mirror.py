"""What a `MirrorSelector` gains by choosing leaves, and columns tried at a split: loss on rows held out, seconds.

    python benchmarks/search/mirror.py --data ../shared/data/suite [tables]

Each table (at most 1,200 rows of it) is split 70/30 twice. Given are the Brier score (classes) or the share of the
variance that is left (numbers), processor seconds, the leaf and the multiple of max_features chosen, when nothing is
chosen, leaves alone, or both.
"""

from __future__ import annotations

import argparse
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

from tamis.forest import ForestClassifier, ForestRegressor
from tamis.search import MirrorSelector
from tamis.table import Table

TABLES = [
    "haberman",
    "german",
    "sonar",
    "yeast",
    "wine_quality_red",
    "hypothyroid",
    "heart_c",
    "vehicle",
    "car_evaluation",
    "ionosphere",
    "swd",
    "auto_price",
    "bodyfat",
    "wind",
    "pollen",
    "puma8nh",
    "cpu_act",
    "pol",
]


WAYS = {"nothing": {"leaves": 1, "features": 1}, "leaves": {"features": 1}, "both": {}}


def loss_of(frame: pd.DataFrame, split: int, way: str) -> tuple[float, float, int, int]:
    """Loss on the 30%, processor seconds, smallest leaf, multiple of max_features."""
    features, target = frame.drop(columns="target"), frame["target"]
    numbers = pd.api.types.is_numeric_dtype(target)
    y = target.to_numpy(float) if numbers else pd.factorize(target, sort=True)[0]
    order = np.random.default_rng(split).permutation(len(y))
    learn, test = order[: int(0.7 * len(y))], order[int(0.7 * len(y)) :]
    forest = (ForestRegressor if numbers else ForestClassifier)(200, random_state=0)
    start = time.process_time()
    model = MirrorSelector(forest, random_state=0, **WAYS[way]).fit(Table.of(features.iloc[learn]), y[learn])
    seconds, new = time.process_time() - start, Table.of(features.iloc[test])
    if numbers:
        loss = ((model.predict(new) - y[test]) ** 2).mean() / y[test].var()
    else:
        shares = np.zeros((len(test), y.max() + 1))
        shares[:, model.classes_] = model.predict_proba(new)
        loss = ((shares - np.eye(y.max() + 1)[y[test]]) ** 2).sum(axis=1).mean()
    return float(loss), seconds, model.min_samples_leaf_, model.features_


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", nargs="*", default=TABLES)
    parser.add_argument("--data", default="../shared/data/suite")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    sums: dict[tuple[bool, str], list[tuple[float, float]]] = {}
    for name in options.tables:
        frame = pd.read_parquet(Path(options.data) / f"{name}.parquet")
        frame = frame.sample(min(1200, len(frame)), random_state=0).reset_index(drop=True)
        numbers, said = pd.api.types.is_numeric_dtype(frame["target"]), []
        for way in WAYS:
            runs = [loss_of(frame, split, way) for split in range(2)]
            loss, seconds = np.mean([run[0] for run in runs]), np.mean([run[1] for run in runs])
            sums.setdefault((numbers, way), []).append((float(loss), float(seconds)))
            said.append(f"{way} {loss:.4f} ({seconds:.2f} s, {[run[2:] for run in runs]})")
        print(f"{name}: {'; '.join(said)}", flush=True)
    for (numbers, way), found in sums.items():
        loss, seconds = np.mean(found, axis=0)
        print(f"{'numbers' if numbers else 'classes'}, {way}: {loss:.4f}, {seconds:.2f} s ({len(found)} tables)")


if __name__ == "__main__":
    main()
