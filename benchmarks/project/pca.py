"""PCA beside scikit-learn: tall, wide, large both ways, streaming, and how the cost grows.

python benchmarks/project/pca.py [--rows 1000000] [--rounds 3]
"""

from __future__ import annotations

import argparse

import numpy as np
from sklearn.decomposition import PCA as Reference
from sklearn.decomposition import IncrementalPCA
from timing import by_turns, exponent, show

from tamis import PCA


def table(n: int, p: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    X *= np.linspace(3, 0.5, p)
    X[:, : min(p, 10)] += X[:, [0]]
    return X


def largest_difference(a: np.ndarray, b: np.ndarray) -> str:
    size = min(len(a), len(b))
    return f"largest difference of a variance {np.abs(a[:size] / b[:size] - 1).max():.1e}"


def tall(n: int, rounds: int) -> None:
    X = table(n, 100)
    jobs = {
        "tamis": lambda: PCA().fit(X),
        "scikit-learn, covariance": lambda: Reference(svd_solver="covariance_eigh").fit(X),
        "scikit-learn, full": lambda: Reference(svd_solver="full").fit(X),
    }
    expected = Reference(svd_solver="full").fit(X).explained_variance_
    note = {"tamis": largest_difference(PCA().fit(X).spectrum_, expected)}
    show(f"tall: {n:,} × 100", by_turns(jobs, rounds), note)
    X += 1e3
    jobs.pop("scikit-learn, full")
    ours, theirs = PCA().fit(X).spectrum_, Reference(svd_solver="covariance_eigh").fit(X).explained_variance_
    note = {
        "tamis": largest_difference(ours, expected),
        "scikit-learn, covariance": largest_difference(theirs, expected),
    }
    show(f"the same far from 0 (+1,000): {n:,} × 100", by_turns(jobs, rounds), note)


def wide(rounds: int) -> None:
    X = table(200, 20_000)
    jobs = {"tamis": lambda: PCA().fit(X)}
    for solver in ("full", "randomized", "arpack"):
        k = 10 if solver != "full" else None
        jobs[f"scikit-learn, {solver}{', 10 components' if k else ''}"] = lambda solver=solver, k=k: Reference(
            k, svd_solver=solver, random_state=0
        ).fit(X)
    note = {"tamis": largest_difference(PCA().fit(X).spectrum_[:199], Reference().fit(X).explained_variance_[:199])}
    show("wide: 200 × 20,000, all components", by_turns(jobs, rounds), note)


def large(rounds: int) -> None:
    rng = np.random.default_rng(0)
    n, p, k = 6_000, 4_000, 10
    X = rng.standard_normal((n, 40)) * np.linspace(8, 1, 40) @ rng.standard_normal((40, p))
    X += rng.standard_normal((n, p))
    jobs = {
        "tamis": lambda: PCA(k).fit(X),
        "scikit-learn, randomized": lambda: Reference(k, svd_solver="randomized", random_state=0).fit(X),
        "scikit-learn, arpack": lambda: Reference(k, svd_solver="arpack", random_state=0).fit(X),
    }
    exact = Reference(k, svd_solver="arpack", random_state=0).fit(X).explained_variance_
    random = Reference(k, svd_solver="randomized", random_state=0).fit(X).explained_variance_
    note = {
        "tamis": largest_difference(PCA(k).fit(X).spectrum_, exact),
        "scikit-learn, randomized": largest_difference(random, exact),
    }
    show(f"large both ways: {n:,} × {p:,}, {k} components", by_turns(jobs, min(rounds, 2)), note)


def streaming(rounds: int) -> None:
    X = table(100_000, 100)
    exact = Reference(10, svd_solver="full").fit(X).explained_variance_

    def stream(model, size):
        for start in range(0, len(X), size):
            model.partial_fit(X[start : start + size])
        return model

    for size in (200, 2_000):
        jobs = {
            "tamis": lambda size=size: stream(PCA(10), size).components_,
            "scikit-learn, IncrementalPCA": lambda size=size: stream(IncrementalPCA(10), size).components_,
        }
        note = {
            "tamis": largest_difference(stream(PCA(10), size).spectrum_[:10], exact),
            "scikit-learn, IncrementalPCA": largest_difference(
                stream(IncrementalPCA(10), size).explained_variance_, exact
            ),
        }
        show(f"streaming: 100,000 × 100 in batches of {size:,}", by_turns(jobs, rounds), note)


def growth() -> None:
    rows = [20_000, 40_000, 80_000, 160_000, 320_000]
    tables = {n: table(n, 50) for n in rows}
    found = by_turns({str(n): lambda n=n: PCA(solver="moments").fit(tables[n]) for n in rows}, 3)
    print(f"growth with rows (20,000 to 320,000 × 50): exponent {exponent(rows, [found[str(n)][0] for n in rows]):.2f}")
    columns = [2_000, 4_000, 8_000, 16_000, 32_000]
    tables = {p: table(150, p) for p in columns}
    found = by_turns({str(p): lambda p=p: PCA(solver="gram").fit(tables[p]) for p in columns}, 3)
    slope = exponent(columns, [found[str(p)][0] for p in columns])
    print(f"growth with columns (150 × 2,000 to 32,000): exponent {slope:.2f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    parts = {
        "tall": lambda: tall(given.rows, given.rounds),
        "wide": lambda: wide(given.rounds),
        "large": lambda: large(given.rounds),
        "streaming": lambda: streaming(given.rounds),
        "growth": growth,
    }
    for name, part in parts.items():
        if given.only in ("", name):
            part()
