"""The price of reading that a study tells, beside the price on thousands of fresh rows of simulated tables.

    python benchmarks/study/price.py [--tables 40] [--start 0] [--rows 700]

Tables have 8 columns: a sum of curves, products of columns, or a random forest's answer, as numbers with noise or as
two classes. A study learns from `--rows` rows and says what a black box would add; the models of both are then scored
on 6,000 fresh rows. To reach: the 95% interval holds that difference in 90 to 99% of tables.
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np
import pandas as pd
from choice import measured, price
from sklearn.ensemble import RandomForestRegressor

FRESH = 6_000


def curves(X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A sum of three curves, which readable models can follow."""
    return np.sin(2 * X[:, 0]) + X[:, 1] ** 2 / 2 + np.abs(X[:, 2])


def products(X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Products of two and of three columns: reading costs something."""
    return X[:, 0] * X[:, 1] + X[:, 2] * X[:, 3] * X[:, 4]


def forest(X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """What a forest learned from noise: a rough function of all columns."""
    model = RandomForestRegressor(20, max_leaf_nodes=30, random_state=int(rng.integers(1 << 30)))
    return np.asarray(model.fit(X[:2_000], rng.normal(size=2_000)).predict(X)) * 3 + X[:, 0]


def table(seed: int, n_rows: int) -> pd.DataFrame:
    """A table of a kind that the seed decides."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows + FRESH, 8))
    signal = (curves, products, forest)[seed % 3](X, rng)
    signal = (signal - signal.mean()) / signal.std()
    if seed % 2:
        y = np.where(rng.random(len(X)) < 1 / (1 + np.exp(-2 * signal)), "yes", "no")
    else:
        y = signal + rng.normal(size=len(X))
    return pd.DataFrame(X, columns=list("abcdefgh")).assign(target=y)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=40)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--rows", type=int, default=700, help="to learn from")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    told, covered = 0, 0
    for seed in range(options.start, options.start + options.tables):
        found = price(measured(table(seed, options.rows), seed, options.rows, is_compared=True))
        if found is None:
            print(f"{seed}: no price is told", flush=True)
            continue
        told, covered = told + 1, covered + found["covered"]
        low, high = found["interval"]
        print(
            f"{seed}: cost {found['cost']:.3f} ({low:.3f} to {high:.3f}), fresh {found['truth']:.3f}; "
            f"{covered} of {told} covered",
            flush=True,
        )


if __name__ == "__main__":
    main()
