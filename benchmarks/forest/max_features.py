"""The default number of columns tried at a split of ForestRegressor: R² on new rows for several shares, over tables.

python benchmarks/forest/max_features.py [--splits 3] [--trees 100]
Prints the R² on held-out halves for each share and table, scikit-learn's forest at its default (all
columns) beside it, and the mean over the tables; the same splits for all.
"""

from __future__ import annotations

import argparse

import numpy as np
from sklearn.datasets import fetch_california_housing, load_diabetes, make_friedman1, make_friedman2, make_friedman3
from sklearn.ensemble import RandomForestRegressor
from sklearn.model_selection import train_test_split

from tamis import ForestRegressor

SHARES = (0.2, 1 / 3, 0.5, 0.7, 1.0)


def tables():
    """Name -> columns and target: Friedman's three functions, with noise columns, diabetes, sparse and dense sums."""
    rng = np.random.default_rng(0)
    yield "friedman 1", *make_friedman1(600, 10, noise=1.0, random_state=0)
    yield "friedman 1, 40 more", *make_friedman1(600, 50, noise=1.0, random_state=1)
    yield "friedman 2", *make_friedman2(600, noise=100.0, random_state=0)
    yield "friedman 3", *make_friedman3(600, noise=0.2, random_state=0)
    yield "diabetes", *load_diabetes(return_X_y=True)
    X = rng.normal(size=(600, 30))
    yield "sum of 30", X, X.sum(axis=1) + rng.normal(size=600)
    yield "sum of 3 of 60", (Z := rng.normal(size=(600, 60))), Z[:, :3].sum(axis=1) + rng.normal(size=600)
    yield (
        "steps of 2 of 20",
        (W := rng.normal(size=(600, 20))),
        (W[:, 0] > 0) * (W[:, 1] > 0) + 0.3 * rng.normal(size=600),
    )
    C = X @ rng.normal(size=(30, 30)) + 0.5 * rng.normal(size=(600, 30))
    yield "correlated 30", C, C[:, :5].sum(axis=1) + 3 * rng.normal(size=600)
    try:
        housing = fetch_california_housing(return_X_y=True, download_if_missing=False)
    except OSError:
        return
    yield "housing", housing[0][:3000], housing[1][:3000]


def main():
    """Print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--splits", type=int, default=3)
    parser.add_argument("--trees", type=int, default=100)
    given = parser.parse_args()
    heads = [f"{share:.2f}" for share in SHARES] + ["sklearn 1.0"]
    print(f"{'table':22s}" + "".join(f"{head:>12s}" for head in heads))
    every = []
    for name, X, y in tables():
        scores = np.zeros(len(heads))
        for split in range(given.splits):
            parts = train_test_split(X, y, test_size=0.5, random_state=split)
            models = [ForestRegressor(given.trees, max_features=share, random_state=split) for share in SHARES]
            models.append(RandomForestRegressor(given.trees, random_state=split))
            scores += [model.fit(parts[0], parts[2]).score(parts[1], parts[3]) for model in models]
        every.append(scores / given.splits)
        print(f"{name:22s}" + "".join(f"{score:12.3f}" for score in every[-1]), flush=True)
    print(f"{'mean':22s}" + "".join(f"{score:12.3f}" for score in np.mean(every, axis=0)))


if __name__ == "__main__":
    main()
