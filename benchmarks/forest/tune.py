"""Forests that tune themselves, beside their default, scikit-learn's and fastforest's: quality on new rows, seconds.

    python benchmarks/forest/tune.py [rows] [columns]        default 50,000 × 30, four classes and numbers

All have 500 trees but fastforest, which has its own default, and again 500; two threads. Seconds are of the processor.
`times` is the time of the tuned forest over that of the default one and over that of a forest grown at once with the
settings it chose. fastforest is taken where it is installed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from time import process_time
from typing import Any

import numpy as np
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.metrics import log_loss, r2_score

from tamis import ForestClassifier, ForestRegressor

try:
    import fastforest
except ImportError:
    fastforest = None

TREES = 500


def classes(n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    """Four classes in clusters, ten columns of signal, one row in ten of a random class."""
    return make_classification(
        2 * n, d, n_informative=10, n_redundant=5, n_classes=4, n_clusters_per_class=4, flip_y=0.1, random_state=0
    )


def numbers(n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    """Products and steps of eight columns, with as much noise as a quarter of the variance."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2 * n, d))
    signal = X[:, 0] * X[:, 1] + np.sin(2 * X[:, 2]) + (X[:, 3] > 0.5) * X[:, 4] + 0.5 * X[:, 5] + X[:, 6] * X[:, 7]
    return X, signal + 0.58 * signal.std() * rng.normal(size=2 * n)


def timed(fit: Callable[[], Any]) -> tuple[float, Any]:
    """Processor seconds of all threads, and what came of them."""
    start = process_time()
    out = fit()
    return process_time() - start, out


def judged(model: Any, X: np.ndarray, y: np.ndarray) -> str:
    """Log loss and accuracy, or R²."""
    if hasattr(model, "predict_proba"):
        shares = np.asarray(model.predict_proba(X))
        return f"log loss {log_loss(y, np.clip(shares, 1e-6, 1)):.3f}, accuracy {(shares.argmax(1) == y).mean():.3f}"
    return f"R² {r2_score(y, np.asarray(model.predict(X))):.3f}"


def rivals(of_classes: bool) -> dict[str, Any]:
    """Name -> unfitted model."""
    made = (RandomForestClassifier if of_classes else RandomForestRegressor)(TREES, n_jobs=2, random_state=0)
    out = {"scikit-learn, default": made}
    if not of_classes:
        out["scikit-learn, a third of the columns"] = RandomForestRegressor(
            TREES, max_features=1 / 3, n_jobs=2, random_state=0
        )
    if fastforest is not None:
        kind = fastforest.FastForestClassifier if of_classes else fastforest.FastForest
        out |= {"fastforest, default": kind(seed=0), "fastforest, 500 trees": kind(n_trees=TREES, seed=0)}
    return out


def main() -> None:
    given = [int(word.replace(",", "")) for word in sys.argv[1:]]
    n, d = (*given, *(50_000, 30)[len(given) :])
    for of_classes in (True, False):
        X, y = (classes if of_classes else numbers)(n, d)
        kind = ForestClassifier if of_classes else ForestRegressor
        kind(TREES, tune=True, n_jobs=2).fit(X[:500], y[:500])  # kernels
        plain, model = timed(lambda: kind(TREES, n_jobs=2).fit(X[:n], y[:n]))
        print(f"\n{n:,} × {d}, {'classes' if of_classes else 'numbers'}")
        print(f"  Tamis, default: {judged(model, X[n:], y[n:])}; {plain:.1f} s")
        took, model = timed(lambda: kind(TREES, tune=True, n_jobs=2).fit(X[:n], y[:n]))
        settings = {"max_features": model.max_features_, "min_samples_leaf": model.min_samples_leaf_}
        alone, _ = timed(lambda: kind(TREES, n_jobs=2, **settings).fit(X[:n], y[:n]))
        print(
            f"  Tamis, tune=True: {judged(model, X[n:], y[n:])}; {took:.1f} s, {took / plain:.1f} times the default, "
            f"{took / alone:.1f} times a forest of {settings}"
        )
        for name, rival in rivals(of_classes).items():
            took, fitted = timed(lambda rival=rival: rival.fit(X[:n], y[:n]))
            print(f"  {name}: {judged(fitted, X[n:], y[n:])}; {took:.1f} s", flush=True)


if __name__ == "__main__":
    main()
