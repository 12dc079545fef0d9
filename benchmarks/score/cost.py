"""Time of every score against rows and columns, and the fitted exponent: 1 is linear.

relief asks a fixed number of rows (draws), as one does on large tables; with all rows its cost is quadratic in rows.
interaction looks at every pair, so it is quadratic in columns, and is fitted on fewer.
"""

from time import process_time

import numpy as np

from tamis import score
from tamis.score.criteria.interaction import Interaction
from tamis.score.criterion import score_columns


def pairs(X, y):
    return score_columns(Interaction(), X, y)


SCORES = {
    "pearson": (score.pearson, 1),
    "variance": (score.variance, 1),
    "dispersion": (score.dispersion, 1),
    "anova": (score.anova, 1),
    "mutual_information": (score.mutual_information, 1),
    "gain_ratio": (score.gain_ratio, 1),
    "gini": (score.gini, 1),
    "chi2": (score.chi2, 1),
    "symmetric_uncertainty": (score.symmetric_uncertainty, 1),
    "stump": (score.stump, 1),
    "consistency": (score.consistency, 1),
    "relief (draws=100)": (lambda X, y: score.relief(X, y, draws=100), 1),
    "interaction (no null)": (pairs, 8),
}


def best(function, X, y, repeats=3):
    times = []
    for _ in range(repeats):
        start = process_time()
        function(X, y)
        times.append(process_time() - start)
    return min(times)


def fitted(sizes, times):
    return np.polyfit(np.log(sizes), np.log(times), 1)[0]


def main():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400_000, 160))
    y = (X[:, 0] > 0).astype(int)
    rows, columns = (50_000, 100_000, 200_000, 400_000), (20, 40, 80, 160)
    print("CPU milliseconds, one thread: 20 columns and more rows, then 50,000 rows and more columns")
    print("(interaction: an eighth of the rows; half of the columns left, a quarter right)")
    print(
        f"{'score':<24}"
        + "".join(f"{n:>9,}" for n in rows)
        + f"{'exponent':>10}"
        + "".join(f"{d:>8}" for d in columns)
        + f"{'exponent':>10}"
    )
    for name, (function, less) in SCORES.items():
        function(X[:100, :2], y[:100])  # compile
        tall = [
            best(function, np.ascontiguousarray(X[: n // less, : 20 // min(less, 2)]), y[: n // less]) for n in rows
        ]
        wide = [
            best(function, np.ascontiguousarray(X[: 50_000 // less, : d // min(less, 4)]), y[: 50_000 // less])
            for d in columns
        ]
        shown = "".join(f"{1e3 * t:9.1f}" for t in tall) + f"{fitted(rows, tall):10.2f}"
        print(
            f"{name:<24}{shown}" + "".join(f"{1e3 * t:8.1f}" for t in wide) + f"{fitted(columns, wide):10.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
