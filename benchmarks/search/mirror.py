"""How many trees it takes to choose the leaves of a `MirrorSelector`: loss on rows held out, and processor seconds.

    python benchmarks/search/mirror.py --data ../shared/data/suite [--trees 200 50 30] [tables]

Each table (at most 1,200 rows of it) is split 70/30 twice. Given are the Brier score (classes) or the share of the
variance that is left (numbers), the smallest leaf chosen and the columns kept, for so many `tuning_trees`.
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


def loss_of(frame: pd.DataFrame, split: int, trees: int) -> tuple[float, float, int, int]:
    """Loss on the 30%, processor seconds, smallest leaf, number of columns."""
    features, target = frame.drop(columns="target"), frame["target"]
    numbers = pd.api.types.is_numeric_dtype(target)
    y = target.to_numpy(float) if numbers else pd.factorize(target, sort=True)[0]
    order = np.random.default_rng(split).permutation(len(y))
    learn, test = order[: int(0.7 * len(y))], order[int(0.7 * len(y)) :]
    forest = (
        ForestRegressor(200, max_features=0.5, random_state=0) if numbers else ForestClassifier(200, random_state=0)
    )
    start = time.process_time()
    model = MirrorSelector(forest, tuning_trees=trees, random_state=0).fit(Table.of(features.iloc[learn]), y[learn])
    seconds, new = time.process_time() - start, Table.of(features.iloc[test])
    if numbers:
        loss = ((model.predict(new) - y[test]) ** 2).mean() / y[test].var()
    else:
        shares = np.zeros((len(test), y.max() + 1))
        shares[:, model.classes_] = model.predict_proba(new)
        loss = ((shares - np.eye(y.max() + 1)[y[test]]) ** 2).sum(axis=1).mean()
    return float(loss), seconds, model.min_samples_leaf_, len(model.selected_columns_)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", nargs="*", default=TABLES)
    parser.add_argument("--data", default="../shared/data/suite")
    parser.add_argument("--trees", type=int, nargs="*", default=[200, 50, 30])
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    sums: dict[tuple[bool, int], list[tuple[float, float]]] = {}
    for name in options.tables:
        frame = pd.read_parquet(Path(options.data) / f"{name}.parquet")
        frame = frame.sample(min(1200, len(frame)), random_state=0).reset_index(drop=True)
        numbers, said = pd.api.types.is_numeric_dtype(frame["target"]), []
        for trees in options.trees:
            runs = [loss_of(frame, split, trees) for split in range(2)]
            loss, seconds = np.mean([run[0] for run in runs]), np.mean([run[1] for run in runs])
            sums.setdefault((numbers, trees), []).append((float(loss), float(seconds)))
            said.append(f"{trees} trees {loss:.4f} ({seconds:.2f} s, leaves {[run[2] for run in runs]})")
        print(f"{name}: {'; '.join(said)}", flush=True)
    for (numbers, trees), found in sums.items():
        loss, seconds = np.mean(found, axis=0)
        print(
            f"{'numbers' if numbers else 'classes'}, {trees} trees: {loss:.4f}, {seconds:.2f} s ({len(found)} tables)"
        )


if __name__ == "__main__":
    main()
