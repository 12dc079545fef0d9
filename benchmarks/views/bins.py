"""Binning a million rows against sorting every column once: the ratio must stay below 3."""

from time import perf_counter

import numpy as np

from tamis.views.bins import Bins


def best(function, repeats=3):
    times = []
    for _ in range(repeats):
        start = perf_counter()
        function()
        times.append(perf_counter() - start)
    return min(times)


def main(n=1_000_000, d=30):
    rng = np.random.default_rng(0)
    tables = {
        "normal": rng.normal(size=(n, d)),
        "log-normal": rng.lognormal(sigma=2.0, size=(n, d)),
        "200 values": rng.integers(0, 200, size=(n, d)).astype(float),
        "5,000 values": rng.integers(0, 5_000, size=(n, d)) / 8,
    }
    Bins.of(tables["normal"][:100_000, :1]), Bins.of(tables["200 values"][:1000, :1])  # compile
    print(f"{n:,} rows × {d} columns, seconds (best of 3)\n{'values':<14}{'np.sort':>9}{'Bins':>9}{'ratio':>8}")
    for name, X in tables.items():
        sort = best(lambda X=X: [np.sort(X[:, j]) for j in range(d)])
        bins = best(lambda X=X: Bins.of(X))
        print(f"{name:<14}{sort:9.2f}{bins:9.2f}{bins / sort:8.2f}")


if __name__ == "__main__":
    main()
