"""Kernel PCA of 100,000 rows by 500 landmarks, beside scikit-learn's Nystroem and PCA; and of 2,000 rows exactly."""

from __future__ import annotations

import numpy as np
from sklearn.decomposition import PCA as Linear
from sklearn.decomposition import KernelPCA as Reference
from sklearn.kernel_approximation import Nystroem
from sklearn.pipeline import make_pipeline
from timing import by_turns, exponent, show

from tamis.project import KernelPCA

if __name__ == "__main__":
    X = np.random.default_rng(0).normal(size=(100_000, 10))
    theirs = make_pipeline(Nystroem(gamma=0.1, n_components=500, random_state=0), Linear(5))
    jobs = {
        "tamis, scores and the way back": lambda: KernelPCA(5, gamma=0.1, landmarks=500).fit_transform(X),
        "scikit-learn, Nystroem and PCA": lambda: theirs.fit_transform(X),
    }
    show("100,000 × 10, 500 landmarks, 5 components", by_turns(jobs, 2))
    small = X[:2_000]
    jobs = {
        "tamis, scores and the way back": lambda: KernelPCA(5, gamma=0.1).fit_transform(small),
        "scikit-learn, dense": lambda: Reference(5, kernel="rbf", gamma=0.1, eigen_solver="dense").fit_transform(small),
        "scikit-learn, with the way back": lambda: Reference(
            5, kernel="rbf", gamma=0.1, fit_inverse_transform=True
        ).fit_transform(small),
    }
    show("2,000 × 10, every pair, 5 components", by_turns(jobs, 2))
    rows = [6_000, 12_000, 24_000, 48_000, 96_000]
    found = by_turns({str(n): lambda n=n: KernelPCA(5, landmarks=200).fit(X[:n]) for n in rows}, 2)
    print(f"growth with rows (6,000 to 96,000): exponent {exponent(rows, [found[str(n)][0] for n in rows]):.2f}")
