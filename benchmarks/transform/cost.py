"""Time of every transform against rows and columns, and the fitted exponent: 1 is linear.

Time of `fit_transform`, one thread. Products and ratios are of pairs, so their cost is quadratic in columns, up to the
1,000 that are kept.
"""

from time import process_time

import numpy as np

from tamis import transform

TRANSFORMS = [
    transform.Center(),
    transform.Standardize(),
    transform.UnitRange(),
    transform.Clip(2.0),
    transform.Clip(),
    transform.Log(),
    transform.Sigmoid(),
    transform.Rank(),
    transform.Discretize("width"),
    transform.Discretize("count"),
    transform.Discretize("kmeans"),
    transform.Discretize("entropy"),
    transform.Impute(),
    transform.Impute("median", indicator=True),
    transform.Encode("ordinal"),
    transform.Encode("counts"),
    transform.Encode("target"),
    transform.Normalize(),
    transform.Shares(),
    transform.Trim(),
    transform.Monomials(),
    transform.Ratios(),
    transform.Transforms("log,standardize"),
]
ROWS, COLUMNS = (25_000, 50_000, 100_000, 200_000), (10, 20, 40, 80)


def table(kind, n_rows, n_columns):
    rng = np.random.default_rng(0)
    if isinstance(kind, transform.Encode):
        return rng.integers(0, 50, size=(n_rows, n_columns))
    return rng.gamma(2.0, size=(n_rows, n_columns))


def best(kind, n_rows, n_columns, repeats=3):
    X, y = table(kind, n_rows, n_columns), np.random.default_rng(1).integers(0, 2, n_rows)
    times = []
    for _ in range(repeats):
        start = process_time()
        kind.fit_transform(X, y)
        times.append(process_time() - start)
    return min(times)


def fitted(sizes, times):
    return np.polyfit(np.log(sizes), np.log(np.maximum(times, 1e-6)), 1)[0]


def main():
    print("CPU milliseconds: 10 columns and more rows, then 25,000 rows and more columns")
    heads = "".join(f"{n:>9,}" for n in ROWS) + f"{'exponent':>10}" + "".join(f"{d:>7}" for d in COLUMNS)
    print(f"{'transform':<40}{heads}{'exponent':>10}")
    for kind in TRANSFORMS:
        best(kind, 500, 3, 1)  # compiled
        rows = [best(kind, n, COLUMNS[0]) for n in ROWS]
        columns = [best(kind, ROWS[0], d) for d in COLUMNS]
        first = "".join(f"{1e3 * t:>9.1f}" for t in rows) + f"{fitted(ROWS, rows):>10.2f}"
        second = "".join(f"{1e3 * t:>7.0f}" for t in columns) + f"{fitted(COLUMNS, columns):>10.2f}"
        print(f"{kind!r:<40}{first}{second}", flush=True)


if __name__ == "__main__":
    main()
