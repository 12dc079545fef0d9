"""Forests of numbers on columns of few values: many values, ten, two, 3% ones; as numbers and as categories.

python benchmarks/forest/few_values.py [--rows 2344] [--columns 74] [--trees 50]
Prints processor seconds of Tamis and of scikit-learn (which sees the categories' codes) with the same settings, one
thread each, the better of three runs, and their ratio; then the same on the rows of a table of mixed columns, if a CSV
file and its target are given (--table ames.csv Sale_Price).
"""

from __future__ import annotations

import argparse
import time
import warnings

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestRegressor
from sklearn.preprocessing import OrdinalEncoder

from tamis import ForestRegressor


def best(function):
    """The least processor time of three runs."""
    found = []
    for _ in range(3):
        start = time.process_time()
        function()
        found.append(time.process_time() - start)
    return min(found)


def line(name, X, codes, y, trees):
    for leaf in (1, 5):
        settings = {"max_features": 0.5, "min_samples_leaf": leaf, "n_jobs": 1, "oob_score": True, "random_state": 0}
        ours = best(lambda settings=settings: ForestRegressor(trees, **settings).fit(X, y))
        theirs = best(lambda settings=settings: RandomForestRegressor(trees, **settings).fit(codes, y))
        print(
            f"{name:22s} leaf {leaf}: tamis {ours:6.3f} s, scikit-learn {theirs:6.3f} s: {theirs / ours:.1f}×",
            flush=True,
        )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=2344)
    parser.add_argument("--columns", type=int, default=74)
    parser.add_argument("--trees", type=int, default=50)
    parser.add_argument("--table", nargs=2, metavar=("FILE", "TARGET"))
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    random, n, d = np.random.default_rng(0), given.rows, given.columns
    for name, k in (("many values", n), ("ten values", 10), ("two values", 2)):
        X = np.floor(random.normal(size=(n, d)).argsort(axis=0).argsort(axis=0) / n * k)
        y = X[:, :5].sum(axis=1) / k + random.normal(size=n) / 3
        line(name, X, X, y, given.trees)
        if k < n:
            frame = pd.DataFrame({f"c{j}": pd.Categorical(X[:, j].astype(int).astype(str)) for j in range(d)})
            line(f"{name}, categories", frame, X, y, given.trees)
    X = (random.random((n, d)) < 0.03).astype(float)
    line("3% ones", X, X, X[:, :5].sum(axis=1) + random.normal(size=n), given.trees)
    if given.table:
        frame = pd.read_csv(given.table[0])
        y = frame.pop(given.table[1]).to_numpy(float)
        words = [name for name in frame if not pd.api.types.is_numeric_dtype(frame[name])]
        codes = frame.copy()
        codes[words] = OrdinalEncoder().fit_transform(frame[words].astype(str))
        line(f"{given.table[0].rsplit('/')[-1]}", frame, codes.fillna(-1).to_numpy(float), y, given.trees)


if __name__ == "__main__":
    main()
