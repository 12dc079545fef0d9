"""Boosting of small trees beside a study's forest and scikit-learn's boosting at its defaults: scores on new rows.

    python benchmarks/study/booster.py numbers --data ../shared/data/suite
    python benchmarks/study/booster.py classes

R² for numbers; accuracy and Brier score for classes. Seconds are those of the processor, on one thread.
"""

from __future__ import annotations

import argparse
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

from tamis.study.procedures.forest import sifted_forest
from tamis.study.procedures.models.boosting import Boosting
from tamis.study.requested import chosen
from tamis.table import Table

SPLITS, MOST_TESTED, MOST_COLUMNS = 2, 3_000, 100


def models(task: str, rows: int) -> dict[str, Any]:
    """What is compared: rounds by folds, as in a study, or fixed; `kept` below 1 leaves columns out."""
    tuned = next(one for one in chosen(["booster"], shape=(rows, 5)) if one.name == "booster")
    small = {"max_leaf_nodes": 8, "min_samples_leaf": 5, "rounds": 200 if task == "regression" else 100}
    rival = HistGradientBoostingRegressor if task == "regression" else HistGradientBoostingClassifier
    return {
        "forest": sifted_forest(task, rows),
        "booster": tuned.make(task),
        "fixed rounds": Boosting(task, kept=0.995, **small),
        "all columns": Boosting(task, **small),
        "100 × 31 leaves": Boosting(task),
        "scikit-learn": rival(early_stopping=False),
    }


def judged(frame: pd.DataFrame, task: str, size: int, split: int) -> dict[str, float]:
    """Scores, seconds and columns of all models on one split."""
    order = np.random.default_rng(split + 1).permutation(len(frame))
    learned, tested = frame.iloc[order[:size]], frame.iloc[order[size : size + MOST_TESTED]]
    X, Z = (Table.of(part.drop(columns="target")) for part in (learned, tested))
    y, truth = learned["target"].to_numpy(), tested["target"].to_numpy()
    found: dict[str, float] = {}
    for name, model in models(task, size).items():
        rows, new = (X.numbers(), Z.numbers()) if name == "scikit-learn" else (X, Z)
        start = time.process_time()
        model.fit(rows, y)
        found[f"{name} s"] = time.process_time() - start
        if task == "regression":
            found[name] = float(1 - ((model.predict(new) - truth) ** 2).mean() / truth.var())
        else:
            shares = model.predict_proba(new)
            found[name] = float((model.classes_[shares.argmax(axis=1)] == truth).mean())
            found[f"{name} Brier"] = float(((shares - (truth[:, None] == model.classes_)) ** 2).sum(axis=1).mean())
        if name == "booster":
            found["columns kept"] = len(model.selected_columns_) / X.n_columns
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("task", choices=["regression", "classification"])
    parser.add_argument("--data", default="../shared/data/suite")
    parser.add_argument("--rows", type=int, nargs="+", default=[1000, 3000])
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    rows = []
    for path in sorted(Path(options.data).glob("*.parquet")):
        frame = pd.read_parquet(path)
        is_number = pd.api.types.is_numeric_dtype(frame["target"])
        if is_number != (options.task == "regression") or frame.shape[1] > MOST_COLUMNS or len(frame) < 1_400:
            continue
        if not is_number:  # classes of few rows would be missing from some folds
            frame = frame[frame["target"].map(frame["target"].value_counts()) >= 60]
        for size in options.rows:
            if 1.25 * size > len(frame):
                continue
            many = [judged(frame, options.task, size, split) for split in range(SPLITS)]
            rows += [{"table": path.stem, "rows": size, **one} for one in many]
        print(
            pd.DataFrame([row for row in rows if row["table"] == path.stem])
            .drop(columns="table")
            .mean()
            .round(3)
            .to_dict()
        )
    table = pd.DataFrame(rows).drop(columns="table")
    print(table.groupby("rows").mean().round(4).T.to_string())


if __name__ == "__main__":
    main()
