"""Transforms and projections beside scikit-learn's and SciPy's of the same name: processor milliseconds on one thread.

    python benchmarks/transform/libraries.py

Printed are both times, their ratio and the largest difference of the results where both compute the same. What follows
from it is in docs/measured/libraries.md.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from scipy import signal
from sklearn import decomposition, impute, kernel_approximation, preprocessing
from threadpoolctl import threadpool_limits

from tamis import project, transform

Make = Callable[[], Any]


def milliseconds(call: Make, rounds: int = 3) -> float:
    """The least processor time of a few calls."""
    best = np.inf
    for _ in range(rounds):
        start = time.process_time()
        call()
        best = min(best, time.process_time() - start)
    return 1e3 * best


def jobs() -> dict[str, tuple[Make, Make]]:
    """Name -> Tamis's call and the rival's."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20_000, 50)), rng.normal(size=20_000)
    few, holes = X[:, :8].copy(), np.where(rng.random(X.shape) < 0.1, np.nan, X)
    words = pd.DataFrame(rng.integers(0, 20, (20_000, 8)).astype(str), columns=list("abcdefgh"))
    spectra, mixed = rng.normal(size=(2_000, 1_000)), rng.normal(size=(500, 20)) @ rng.normal(size=(20, 20))
    rows, wide = rng.normal(size=(800, 10)), rng.normal(size=(1_500, 700))
    factors = decomposition.FactorAnalysis(4, tol=1e-8, max_iter=3_000, svd_method="lapack")
    kernel = decomposition.KernelPCA(5, kernel="rbf", fit_inverse_transform=True)
    return {
        "standardize": _pair(transform.Standardize(), preprocessing.StandardScaler(), X),
        "unit range": _pair(transform.UnitRange(), preprocessing.MinMaxScaler(), X),
        "row norms": _pair(transform.Normalize(), preprocessing.Normalizer(), X),
        "power transform": _pair(transform.Symmetrize(), preprocessing.PowerTransformer(), few),
        "ranks to normal": _pair(
            transform.Rank("normal"), preprocessing.QuantileTransformer(output_distribution="normal"), few
        ),
        "k-bins": _pair(transform.Discretize(), preprocessing.KBinsDiscretizer(encode="ordinal"), X),
        "median imputing": _pair(transform.Impute(), impute.SimpleImputer(strategy="median"), holes),
        "levels as columns": _pair(transform.Encode(), preprocessing.OneHotEncoder(sparse_output=False), words),
        "mean of the target": _pair(transform.Encode("target"), preprocessing.TargetEncoder(), words, y),
        "products": _pair(transform.Monomials(2), preprocessing.PolynomialFeatures(2, include_bias=False), few),
        "kernel features": _pair(transform.KernelFeatures(100), kernel_approximation.Nystroem(n_components=100), few),
        "Savitzky–Golay": (
            lambda: transform.Smooth(window=11, n_jobs=1).fit_transform(spectra),
            lambda: signal.savgol_filter(spectra, 11, 2, axis=1),
        ),
        "factor analysis": (lambda: project.FactorAnalysis(4).fit(mixed), lambda: factors.fit(mixed)),
        "kernel PCA": (lambda: project.KernelPCA(5).fit(rows), lambda: kernel.fit(rows)),
        "truncated SVD": (
            lambda: project.SVD(20).fit(wide),
            lambda: decomposition.TruncatedSVD(20, algorithm="arpack").fit(wide),
        ),
    }


def _pair(ours: Any, theirs: Any, *data: Any) -> tuple[Make, Make]:
    return lambda: ours.fit_transform(*data), lambda: theirs.fit_transform(*data)


def main() -> None:
    warnings.simplefilter("ignore")
    print("| | Tamis, ms | scikit-learn or SciPy, ms | ratio |\n|---|--:|--:|--:|")
    with threadpool_limits(1):
        for name, (ours, theirs) in jobs().items():
            mine, rival = milliseconds(ours), milliseconds(theirs)
            print(f"| {name} | {mine:.1f} | {rival:.1f} | {rival / mine:.2f} |", flush=True)


if __name__ == "__main__":
    main()
