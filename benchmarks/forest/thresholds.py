"""The best thresholds, random ones, or those of the two that do better out of the bag: loss on new rows, over tables.

    python benchmarks/forest/thresholds.py --data ../shared/data/suite --rows 400 900 2000

For each table, size and split a study's forest learns from the first rows and predicts at most 3,000 others. Loss: the
Brier score for classes, the share of the variance left for numbers. Seconds are those of the processor.
"""

from __future__ import annotations

import argparse
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from tamis.study.procedures.forest import sifted_forest

KINDS: dict[str, Any] = {"best": "best", "random": "random", "chosen": ("best", "random")}
SPLITS, MOST_TESTED, MOST_COLUMNS = 2, 3_000, 1_100


def judged(frame: pd.DataFrame, size: int, split: int) -> dict[str, float]:
    """Loss and seconds of each kind, learned from `size` rows."""
    numbers = pd.api.types.is_numeric_dtype(frame["target"])
    order = np.random.default_rng(split + 1).permutation(len(frame))
    learned, tested = frame.iloc[order[:size]], frame.iloc[order[size : size + MOST_TESTED]]
    X, y, Z, truth = (
        part for one in (learned, tested) for part in (one.drop(columns="target"), one["target"].to_numpy())
    )
    found: dict[str, float] = {}
    for name, kinds in KINDS.items():
        model = sifted_forest("regression" if numbers else "classes", size)
        model.set_params(random_state=split, thresholds=kinds)
        start = time.process_time()
        model.fit(X, y)
        found[f"{name} s"] = time.process_time() - start
        if numbers:
            found[name] = float(((model.predict(Z) - truth) ** 2).mean() / truth.var())
        else:
            found[name] = float(((model.predict_proba(Z) - (truth[:, None] == model.classes_)) ** 2).sum(axis=1).mean())
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default="../shared/data/suite")
    parser.add_argument("--rows", type=int, nargs="+", default=[400, 900, 2000])
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    rows = []
    for path in sorted(Path(options.data).glob("*.parquet")):
        frame = pd.read_parquet(path)
        if frame.shape[1] > MOST_COLUMNS:
            continue
        for size in options.rows:
            if size > min(options.rows) and 1.25 * size > len(frame):
                continue  # a small table is judged once, by 70% of its rows
            for split in range(SPLITS):
                rows.append({"size": size, **judged(frame, min(size, int(0.7 * len(frame))), split)})
        print(path.stem, flush=True)
    table = pd.DataFrame(rows)
    print(table.groupby("size").mean().round(4).to_string())
    print(table.drop(columns="size").mean().round(4).to_string())


if __name__ == "__main__":
    main()
