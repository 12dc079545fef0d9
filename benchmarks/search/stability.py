"""Stability selection of the lasso, 300 × 1,000, 100 resamples, 50 strengths, against loops of scikit-learn.

    python benchmarks/search/stability.py

Two loops: the plain one (a Lasso for every resample and strength) and the best one (lasso_path with warm starts). The
gap is relative to half the variance of the target; scikit-learn's tolerance is chosen to reach the same. Times are CPU
seconds on one thread.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import time

import numpy as np
from sklearn.linear_model import Lasso, lasso_path

import tamis
from tamis.search.resampling.resamples import resamples


def main(n: int = 300, d: int = 1000, parts: int = 5) -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(n, d))
    y = X[:, :10].sum(axis=1) + 3 * random.normal(size=n)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    top = np.abs(X.T @ (y - y.mean())).max() / n
    alphas = np.geomspace(top, 0.3 * top, 50)
    ours = tamis.StabilitySelector(Lasso(alpha=alphas[-1]), alphas=alphas)
    ours.fit(X, y)
    start = time.process_time()
    ours.fit(X, y)
    took = time.process_time() - start
    print(f"tamis {took:.2f} s for 100 resamples; kept {ours.selected_}", flush=True)
    drawn = resamples("complementary", n, 100, 0)[:parts]
    gap, start, found = 0.0, time.process_time(), np.zeros((50, d))
    for rows in drawn:
        A, b = np.asfortranarray(X[rows] - X[rows].mean(axis=0)), y[rows] - y[rows].mean()
        _, coef, gaps = lasso_path(A, b, alphas=alphas, tol=1e-6)
        found += (coef != 0).T
        gap = max(gap, float(np.max(gaps) / (b @ b / 2 / len(b))))
    theirs = (time.process_time() - start) * 100 / parts
    print(f"  lasso_path loop {theirs:.2f} s ({parts} of 100, scaled), gap {gap:.0e}: {theirs / took:.1f} times slower")
    start, gap = time.process_time(), 0.0
    for rows in drawn[:1]:
        for alpha in alphas:
            gap = max(gap, Lasso(alpha=alpha, tol=1e-6).fit(X[rows], y[rows]).dual_gap_ / (y[rows].var() / 2))
    theirs = (time.process_time() - start) * 100
    print(f"  plain loop of Lasso {theirs:.1f} s (1 of 100, scaled), gap {gap:.0e}: {theirs / took:.1f} times slower")


if __name__ == "__main__":
    main()
