"""pearson, anova and variance on 1,000,000 × 50 against one X.sum(axis=0) for each sum they need; at most 2.

variance needs two sums (x, x²), anova two (x by class, x²), pearson three (x, x², xy).
"""

from time import perf_counter

import numpy as np

from tamis.score import anova, pearson, variance


def best(function, repeats=5):
    times = []
    for _ in range(repeats):
        start = perf_counter()
        function()
        times.append(perf_counter() - start)
    return min(times)


def main(n=1_000_000, d=50):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    y = X[:, 0] + rng.normal(size=n)
    classes = (y > 0).astype(int)
    scores = {
        "variance": (2, lambda X, jobs: variance(X, n_jobs=jobs)),
        "anova": (2, lambda X, jobs: anova(X, classes, n_jobs=jobs)),
        "pearson": (3, lambda X, jobs: pearson(X, y, n_jobs=jobs)),
    }
    print(f"{n:,} rows × {d} columns, best of 5; ratio: time over (sums needed × one X.sum(axis=0))")
    print(f"{'layout':<10}{'score':<10}{'sum s':>8}{'1 thread s':>12}{'ratio':>7}{'2 threads s':>13}{'ratio':>7}")
    for layout, matrix in (("rows", X), ("columns", np.asfortranarray(X))):
        for name, (sums, function) in scores.items():
            function(matrix, 1)  # compile
            one = best(lambda matrix=matrix: matrix.sum(axis=0))
            times = [best(lambda jobs=jobs, f=function, m=matrix: f(m, jobs)) for jobs in (1, 2)]
            shown = "".join(f"{t:>{w}.3f}{t / sums / one:>7.2f}" for t, w in zip(times, (12, 13)))
            print(f"{layout:<10}{name:<10}{one:8.3f}{shown}")


if __name__ == "__main__":
    main()
