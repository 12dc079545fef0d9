"""Forests as they are, and calibrated out of the bag: Brier score and log loss of new rows, over tables of classes.

    python benchmarks/forest/calibration.py --data ../shared/data/suite held/held_back [--most 1400] [--splits 2]

Each table (at most `--most` of its rows) is split 70/30. A forest of 200 trees and a study's forest on sifted columns
learn from the 70%, with and without `calibration="temperature"`. The same columns need not be kept: halvings are judged
by calibrated shares. The log loss takes no share for smaller than 1e-6. Tables of more than 300 columns, of numbers, or
of a class with fewer than six rows, are left out.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

from tamis import ForestClassifier
from tamis.study.procedures.forest import sifted_forest

MOST_COLUMNS, FEWEST, LEAST = 300, 6, 1e-6


def models(n_rows: int, seed: int) -> dict[str, Any]:
    """The forests, unfitted."""
    study = sifted_forest("classification", n_rows).set_params(estimator__random_state=seed)
    return {
        "forest": ForestClassifier(200, random_state=seed),
        "forest, calibrated": ForestClassifier(200, random_state=seed, calibration="temperature"),
        "study": sifted_forest("classification", n_rows).set_params(
            estimator__random_state=seed, estimator__calibration=None
        ),
        "study, calibrated": study,
    }


def judged(frame: pd.DataFrame, split: int) -> dict[str, float]:
    """The Brier score and the log loss of each, and the temperature of the study's."""
    X, y = frame.drop(columns="target"), pd.factorize(frame["target"], sort=True)[0]
    learn, test = train_test_split(np.arange(len(y)), test_size=0.3, random_state=split, stratify=y)
    found: dict[str, float] = {}
    for name, model in models(len(learn), split).items():
        model.fit(X.iloc[learn], y[learn])
        shares = model.predict_proba(X.iloc[test])
        found[name] = float(((shares - (y[test][:, None] == model.classes_)) ** 2).sum(axis=1).mean())
        true = shares[np.arange(len(test)), np.searchsorted(model.classes_, y[test])]
        found[f"{name}, log loss"] = float(-np.log(np.maximum(true, LEAST)).mean())
    found["temperature"] = model.temperature_
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", nargs="+", default=["../shared/data/suite"])
    parser.add_argument("--most", type=int, default=1_400)
    parser.add_argument("--splits", type=int, default=2)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    rows = {}
    for path in [path for place in options.data for path in sorted(Path(place).glob("*.parquet"))]:
        frame = pd.read_parquet(path)
        if frame.shape[1] > MOST_COLUMNS or frame["target"].dtype.kind == "f":
            continue
        frame = frame.sample(min(options.most, len(frame)), random_state=0)
        if frame["target"].value_counts().min() < FEWEST:
            continue
        rows[path.stem] = pd.DataFrame([judged(frame, split) for split in range(options.splits)]).mean()
        print(path.stem, rows[path.stem].round(4).to_dict(), flush=True)
    table = pd.DataFrame(rows).T
    print(f"\n{len(table)} tables, means:\n{table.mean().round(4).to_string()}")
    for name, loss in [(name, loss) for name in ("forest", "study") for loss in ("", ", log loss")]:
        change = table[f"{name}, calibrated{loss}"] - table[f"{name}{loss}"]
        error = change.std(ddof=1) / np.sqrt(len(change))
        counts = f"better on {(change < 0).sum()}, worse on {(change > 0).sum()}"
        print(
            f"{name}{loss}: {change.mean():+.4f} ± {error:.4f}, {counts}; "
            f"worst {change.idxmax()} {change.max():+.4f}, best {change.idxmin()} {change.min():+.4f}"
        )


if __name__ == "__main__":
    main()
