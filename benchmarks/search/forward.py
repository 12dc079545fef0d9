"""Forward and backward search on linear regression against scikit-learn and mlxtend, with the identical subset.

    python benchmarks/search/forward.py

Everybody computes on one thread; times are CPU seconds, so a busy machine does not matter. Tamis' is the median of 9
runs after the kernels are compiled.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import time

import numpy as np
from sklearn.feature_selection import SequentialFeatureSelector
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import KFold

import tamis


def data(n: int, d: int, true: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, d))
    X[:, 1:] += 0.5 * X[:, :-1]
    return X, X[:, random.permutation(d)[:true]] @ random.normal(size=true) + 3 * random.normal(size=n)


def seconds(call) -> tuple[float, object]:
    start = time.process_time()
    found = call()
    return time.process_time() - start, found


def case(n: int, d: int, k: int, forward: bool) -> None:
    X, y = data(n, d, k)
    search = "forward" if forward else "backward"
    ours = tamis.SubsetSelector(LinearRegression(), search=search, k=k, cv=KFold(5))
    ours.fit(X, y)
    best = float(np.median([seconds(lambda: ours.fit(X, y))[0] for _ in range(9)]))
    print(f"{search} {n:,} × {d}, k = {k}: tamis {best * 1e3:.1f} ms", flush=True)
    theirs = SequentialFeatureSelector(LinearRegression(), n_features_to_select=k, direction=search, cv=KFold(5))
    took, _ = seconds(lambda: theirs.fit(X, y))
    same = np.array_equal(theirs.get_support(), ours.support_)
    print(f"  scikit-learn {took:.1f} s, {took / best:,.0f} times slower, same subset: {same}", flush=True)
    try:
        from mlxtend.feature_selection import SequentialFeatureSelector as Mlxtend
    except ImportError:
        print("  mlxtend is absent: pip install mlxtend")
        return
    theirs = Mlxtend(LinearRegression(), k_features=k, forward=forward, cv=KFold(5), scoring="r2")
    took, _ = seconds(lambda: theirs.fit(X, y))
    same = sorted(theirs.k_feature_idx_) == ours.selected_
    print(f"  mlxtend {took:.1f} s, {took / best:,.0f} times slower, same subset: {same}", flush=True)


def large() -> None:
    X, y = data(100_000, 500, 30)
    took, _ = seconds(lambda: tamis.SubsetSelector(LinearRegression(), k=30).fit(X, y))
    print(f"forward 100,000 × 500, k = 30: tamis {took:.1f} s")


if __name__ == "__main__":
    large()
    case(5000, 100, 15, forward=True)
    case(3000, 40, 15, forward=False)
