"""Forests that tune themselves, beside their default, scikit-learn's and fastforest's: quality on new rows, seconds.

    python benchmarks/forest/tune.py [rows] [columns] [--threads 1] [--brief]       default 50,000 × 30

Numbers and four classes. All have 200 trees but fastforest, which has its own default, and again 200; as many threads
each. Seconds are of the processor; `times` is the time of the tuned forest over that of the default one. Then
scikit-learn, and the steps from the default to what tuning chose, one at a time; both are left out with --brief.
fastforest is taken where it is installed.
"""

from __future__ import annotations

import argparse
import os
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

TREES = 200


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


def _clipped(shares: np.ndarray) -> np.ndarray:
    """Shares of at least a millionth, that add up to 1."""
    kept = np.clip(shares.astype(np.float64), 1e-6, 1.0)
    return np.asarray(kept / kept.sum(axis=1, keepdims=True))


def judged(model: Any, X: np.ndarray, y: np.ndarray) -> str:
    """Log loss and accuracy, or R²."""
    if hasattr(model, "predict_proba"):
        shares = np.asarray(model.predict_proba(X))
        return f"log loss {log_loss(y, _clipped(shares)):.3f}, accuracy {(shares.argmax(1) == y).mean():.3f}"
    return f"R² {r2_score(y, np.asarray(model.predict(X))):.3f}"


def rivals(of_classes: bool, brief: bool, threads: int) -> dict[str, Any]:
    """Name -> unfitted model."""
    out: dict[str, Any] = {}
    if fastforest is not None:
        kind = fastforest.FastForestClassifier if of_classes else fastforest.FastForest
        out = {"fastforest, default": kind(seed=0), "fastforest, 200 trees": kind(n_trees=TREES, seed=0)}
    settings: dict[str, Any] = {"n_jobs": threads, "random_state": 0}
    if brief:
        return out
    if of_classes:
        return out | {"scikit-learn, default": RandomForestClassifier(TREES, **settings)}
    # its default, all columns at every split, takes three times as long
    return out | {"scikit-learn, a third": RandomForestRegressor(TREES, max_features=1 / 3, **settings)}


def steps(of_classes: bool, chosen: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Name -> settings of ours, from the default to what was chosen."""
    rows = {name: chosen[name] for name in ("bootstrap", "max_samples") if name in chosen}
    some = {name: chosen[name] for name in ("max_split_samples", "max_features") if name in chosen}
    first = {} if of_classes else {"criterion": chosen["criterion"]}
    out: dict[str, dict[str, Any]] = {} if of_classes else {"criterion": first}
    return out | {"and drawing": first | rows, "and rows and columns looked at": first | rows | some}


def part(n: int, d: int, of_classes: bool, brief: bool, threads: int) -> None:
    """One table: ours by default and tuned; then the rivals, and the steps between."""
    X, y = (classes if of_classes else numbers)(n, d)
    kind = ForestClassifier if of_classes else ForestRegressor

    def forest(**settings: Any) -> Any:
        return kind(TREES, n_jobs=threads, **settings).fit(X[:n], y[:n])

    kind(TREES, tune=True, n_jobs=1).fit(X[:500], y[:500])  # kernels
    plain, model = timed(forest)
    print(f"\n{n:,} × {d}, {'classes' if of_classes else 'numbers'}")
    print(f"  Tamis, default: {judged(model, X[n:], y[n:])}; {plain:.1f} s", flush=True)
    took, model = timed(lambda: forest(tune=True))
    print(
        f"  Tamis, tune=True: {judged(model, X[n:], y[n:])}; {took:.1f} s, {took / plain:.2f} times the default; "
        f"{model.tuned_params_}",
        flush=True,
    )
    if of_classes:
        took, fitted = timed(lambda: forest(tune=True, calibration="temperature"))
        print(
            f"  Tamis, tune=True, calibrated: {judged(fitted, X[n:], y[n:])}; {took:.1f} s",
            flush=True,
        )
    for name, rival in rivals(of_classes, brief, threads).items():
        took, fitted = timed(lambda rival=rival: rival.fit(X[:n], y[:n]))
        print(f"  {name}: {judged(fitted, X[n:], y[n:])}; {took:.1f} s", flush=True)
    for name, settings in {} if brief else steps(of_classes, model.tuned_params_).items():
        took, fitted = timed(lambda settings=settings: forest(**settings))
        print(f"  Tamis, {name}: {judged(fitted, X[n:], y[n:])}; {took:.1f} s", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", nargs="?", type=int, default=50_000)
    parser.add_argument("columns", nargs="?", type=int, default=30)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--brief", action="store_true")
    given = parser.parse_args()
    os.environ["RAYON_NUM_THREADS"] = str(given.threads)  # fastforest reads it when it first grows
    for of_classes in (False, True):
        part(given.rows, given.columns, of_classes, given.brief, given.threads)


if __name__ == "__main__":
    main()
