"""ReliefF against skrebate's, the same variant: processor time, and the largest difference of the weights.

On 2,000 × 100 the ratio should be at least 100 with weights equal to 1e-6; 50,000 × 100 with 1,000 draws should take
less than 20 seconds.
"""

from time import process_time

import numpy as np

from tamis.score import relief


def data(n, d, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, (X[:, 0] * X[:, 1] + 0.5 * X[:, 2] + 0.3 * rng.normal(size=n) > 0).astype(int)


def timed(function, repeats):
    best, found = np.inf, None
    for _ in range(repeats):
        start = process_time()
        found = function()
        best = min(best, process_time() - start)
    return best, found


def main():
    X, y = data(2_000, 100)
    relief(X[:50], y[:50])  # compile
    ours, weights = timed(lambda: relief(X, y, k=10, n_jobs=2), 3)
    print(f"2,000 × 100, k = 10, all rows   tamis {ours:7.3f} s")
    try:
        from skrebate import ReliefF
    except ImportError:
        print("skrebate is not installed (see benchmarks/requirements.txt): no comparison")
    else:
        theirs, rival = timed(lambda: ReliefF(n_neighbors=10, n_jobs=1).fit(X.copy(), y).feature_importances_, 1)
        gap = np.abs(weights - rival).max()
        print(f"{'skrebate':>38} {theirs:7.3f} s   ratio {theirs / ours:.0f}   largest gap {gap:.1e}")
    X, y = data(50_000, 100)
    large, _ = timed(lambda: relief(X, y, draws=1_000, n_jobs=2), 1)
    print(f"50,000 × 100, 1,000 draws       tamis {large:7.3f} s   (limit 20)")


if __name__ == "__main__":
    main()
