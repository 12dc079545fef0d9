"""Model trees beside constant trees and Cubist: share of the variance left on new rows, leaves, seconds.

    python benchmarks/tree/model_tree.py --data ../shared/data/suite [tables]

Each table (at most 2,000 rows) is split 70/30 twice; numeric columns only, holes filled by means, so that all take the
same rows. Trees are pruned by cross-validation. Cubist (taken where it is installed) has one committee and no
neighbours: a single rule model.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import pandas as pd

from tamis import ForestRegressor, TreeRegressor

TABLES = ["auto_price", "bodyfat", "cpu_act", "house_16h", "houses", "pol", "pollen", "puma8nh", "wind", "turn"]


def turning(n: int = 1000) -> tuple[np.ndarray, np.ndarray]:
    """y = ±3 x₂ by the sign of x₁, with noise."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 6))
    return X, np.where(X[:, 1] > 0, 3.0, -3.0) * X[:, 2] + rng.normal(size=n)


def table(place: Path, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Numeric columns, and the target."""
    if name == "turn":
        return turning()
    frame = pd.read_parquet(place / f"{name}.parquet")
    frame = frame.sample(min(2000, len(frame)), random_state=0)
    X = frame.drop(columns="target").select_dtypes("number")
    return X.fillna(X.mean()).to_numpy(float), frame["target"].to_numpy(float)


def models() -> dict[str, Callable[[], Any]]:
    """Name -> how to make an unfitted model."""
    out: dict[str, Callable[[], Any]] = {
        "constant": lambda: TreeRegressor(prune="cv", rule="min"),
        "linear": lambda: TreeRegressor(prune="cv", rule="min", leaf="linear"),
        "forest": lambda: ForestRegressor(200, tune=True),
    }
    try:
        from cubist import Cubist

        out["Cubist"] = lambda: Cubist(n_committees=1, neighbors=None, random_state=0)
    except ImportError:
        pass
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", nargs="*", default=TABLES)
    parser.add_argument("--data", default="../shared/data/suite")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    sums: dict[str, list[tuple[float, float]]] = {}
    for name in options.tables:
        X, y = table(Path(options.data), name)
        said = []
        for label, make in models().items():
            left, took, leaves = [], 0.0, ""
            for split in range(2):
                order = np.random.default_rng(split).permutation(len(y))
                learn, test = order[: int(0.7 * len(y))], order[int(0.7 * len(y)) :]
                start = process_time()
                model = make().fit(X[learn], y[learn])
                took += (process_time() - start) / 2
                left.append(((np.asarray(model.predict(X[test])) - y[test]) ** 2).mean() / y[test].var())
                leaves = f", {model.get_n_leaves()} leaves" if hasattr(model, "get_n_leaves") else ""
            sums.setdefault(label, []).append((float(np.mean(left)), took))
            said.append(f"{label} {np.mean(left):.4f} ({took:.2f} s{leaves})")
        print(f"{name}: {'; '.join(said)}", flush=True)
    for label, found in sums.items():
        print(f"mean of {len(found)} tables, {label}: {np.mean(found, axis=0).round(4).tolist()}")


if __name__ == "__main__":
    main()
