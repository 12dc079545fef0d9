"""Nested evaluation and audit of rank selection + lasso on 100 × 7,000: Tamis and scikit-learn side by side.

Run: python benchmarks/evaluate/nested.py [--quick]
"""

from __future__ import annotations

import sys
import time
import warnings

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


def timed(label: str, run: object) -> tuple[float, object]:
    """Run once, print the seconds."""
    start = time.perf_counter()
    found = run()  # type: ignore[operator]
    seconds = time.perf_counter() - start
    print(f"{label:<66} {seconds:8.2f} s   {found!r}".splitlines()[0], flush=True)
    return seconds, found


def main() -> None:
    """Print the seconds of both, and their ratio."""
    quick = "--quick" in sys.argv
    warnings.simplefilter("ignore")
    X, y = table()
    tamis.nested_score(with_tamis(), X[:, :200], y, outer=2)  # compile first
    mine = {}
    for outer, repeats in ((5, 1), (10, 5)):
        label = f"tamis   nested_score outer={outer} × {repeats}, inner {INNER}"
        mine[outer], _ = timed(
            label, lambda o=outer, r=repeats: tamis.nested_score(with_tamis(), X, y, outer=o, repeats=r, n_jobs=2)
        )
    theirs, _ = timed(
        f"sklearn pieces, nested_score outer=5 × 1, inner {INNER}",
        lambda: tamis.nested_score(with_sklearn(), X, y, outer=5, n_jobs=2),
    )
    print(f"ratio sklearn / tamis, outer=5: {theirs / mine[5]:.1f}")
    most = 20 if quick else 100
    _, noise = timed(
        f"tamis   audit, at most {most} permutations, signal in the table",
        lambda: tamis.audit(with_tamis(), X, y, n_permutations=most, n_jobs=2),
    )
    print(f"  permutations run: {noise.n_permutations}, leaks: {noise.leaks}")  # type: ignore[attr-defined]
    _, full = timed(
        f"tamis   permutation_test, {most} permutations, none left out",
        lambda: tamis.evaluate.permutation_test(with_tamis(), X, y, n_permutations=most, stop_after=None, n_jobs=2),
    )
    print(f"  permutations run: {len(full.null)}, p = {full.p_value:.3g}")  # type: ignore[attr-defined]


if __name__ == "__main__":
    main()
