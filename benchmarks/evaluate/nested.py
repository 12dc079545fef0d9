"""Nested evaluation and audit of rank selection + lasso on 100 × 7,000: Tamis and scikit-learn side by side.

Run: python benchmarks/evaluate/nested.py [--quick]
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.linear_model import LogisticRegressionCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import tamis

K, INNER = 100, 10


def table(seed: int = 0, n: int = 100, d: int = 7000, informative: int = 10) -> tuple[np.ndarray, np.ndarray]:
    """Two classes told by ten of seven thousand columns."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = rng.permutation(np.arange(n) % 2)
    X[:, :informative] += 0.8 * y[:, None]
    return X, y


def with_tamis() -> object:
    """Rank selection by analysis of variance, then the lasso path with 10 inner folds."""
    return make_pipeline(tamis.RankSelector("anova", k=K), tamis.LinearClassifier("lasso", cv=INNER, rule="min"))


def with_sklearn() -> object:
    """The same of scikit-learn: SelectKBest, then an l1 logistic path of 100 strengths with 10 inner folds."""
    path = LogisticRegressionCV(
        Cs=100, cv=INNER, l1_ratios=(1.0,), solver="liblinear", scoring="neg_log_loss", use_legacy_attributes=False
    )
    return make_pipeline(SelectKBest(f_classif, k=K), StandardScaler(), path)


def timed(label: str, run: Callable[[], Any]) -> tuple[float, Any]:
    """Run once; print wall and CPU seconds (on a busy machine only the latter, and ratios, mean anything)."""
    wall, cpu = time.perf_counter(), time.process_time()
    found = run()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    print(f"{label:<62} {wall:8.2f} s wall {cpu:8.2f} s CPU   {str(found).splitlines()[0]}", flush=True)
    return cpu, found


def main() -> None:
    """Print the seconds of both, and their ratio. --quick leaves out repeats and most permutations."""
    quick = "--quick" in sys.argv
    warnings.simplefilter("ignore")
    X, y = table()
    tamis.nested_score(with_tamis(), X[:, :200], y, outer=2)  # compile first
    mine, _ = timed(
        f"tamis   nested_score, outer 5, inner {INNER}", lambda: tamis.nested_score(with_tamis(), X, y, n_jobs=2)
    )
    theirs, _ = timed(
        f"sklearn nested_score, outer 5, inner {INNER}", lambda: tamis.nested_score(with_sklearn(), X, y, n_jobs=2)
    )
    print(f"ratio sklearn / tamis in CPU seconds: {theirs / mine:.1f}")
    most = 10 if quick else 100
    _, verdict = timed(
        f"tamis   audit, at most {most} permutations",
        lambda: tamis.audit(with_tamis(), X, y, n_permutations=most, n_jobs=2),
    )
    print(f"  permutations run: {verdict.n_permutations}, leaks: {verdict.leaks}")
    if not quick:
        timed(
            f"tamis   nested_score, outer 10 × 5 repeats, inner {INNER}",
            lambda: tamis.nested_score(with_tamis(), X, y, outer=10, repeats=5, n_jobs=2),
        )


if __name__ == "__main__":
    main()
