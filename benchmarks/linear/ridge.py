"""Ridge with leave-one-out over 100 strengths: Tamis against RidgeCV, and the strengths and errors they find."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np
from sklearn.linear_model import RidgeCV

sys.path.insert(0, str(Path(__file__).parent))
from data import table

from tamis import LinearRegressor

if __name__ == "__main__":
    LinearRegressor(penalty="ridge", alpha="loo").fit(*table(50, 5, k=3))
    for n, p in ((5_000, 500), (500, 5_000)):
        X, y = table(n, p)
        taken = []
        for _ in range(2):
            start = time.perf_counter()
            model = LinearRegressor(penalty="ridge", alpha="loo", rule="min").fit(X, y)
            middle = time.perf_counter()
            other = RidgeCV(alphas=model.path_.alphas * n, store_cv_results=True).fit(X, y)
            taken.append((middle - start, time.perf_counter() - middle))
        ours, theirs = np.min(taken, axis=0)
        errors = other.cv_results_.mean(axis=0)
        apart = np.max(np.abs(errors - model.path_.cv_mean) / errors)
        print(
            f"{n:,} × {p:,}: tamis {ours:.2f} s, RidgeCV {theirs:.2f} s ({theirs / ours:.1f} ×); errors apart by "
            f"{apart:.1e} at most; alpha {model.alpha_:.4g} and {other.alpha_ / n:.4g}"
        )
