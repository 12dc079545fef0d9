"""Forests on images: 4,000 × 784 grey values, ten digits, many of them 0; processor seconds on one thread.

    python benchmarks/forest/images.py

Images are scikit-learn's digits of 8 × 8, enlarged to 28 × 28, moved by up to two places, with noise; values below a
level are 0, so that two fifths or three quarters of the cells are.
"""

from __future__ import annotations

from time import process_time

import numpy as np
from scipy.ndimage import zoom
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier

from tamis import ForestClassifier

N, TREES = 4000, 100


def images(level: float) -> tuple[np.ndarray, np.ndarray]:
    """Grey values from 0 to 255 (rows × 784), and the digits."""
    data, rng = load_digits(), np.random.default_rng(0)
    which = rng.integers(0, len(data.images), 2 * N)
    out = np.stack([zoom(image, 3.5, order=1) for image in data.images[which]]) * (255 / 16)
    moved = np.stack([np.roll(image, rng.integers(-2, 3, 2), (0, 1)) for image in out])
    noisy = np.clip(moved + rng.normal(0, 12, moved.shape) * (moved > level), 0, 255).round()
    noisy[noisy < level] = 0
    return noisy.reshape(2 * N, -1), data.target[which]


def main() -> None:
    for level in (20.0, 120.0):
        X, y = images(level)
        ForestClassifier(5, n_jobs=1).fit(X[:200], y[:200])  # kernels
        took: dict[str, list[float]] = {}
        for _ in range(2):
            for name, model in {
                "Tamis": ForestClassifier(TREES, n_jobs=1, oob_score=False),
                "Tamis, with out-of-bag error": ForestClassifier(TREES, n_jobs=1),
                "scikit-learn": RandomForestClassifier(TREES, n_jobs=1, random_state=0),
            }.items():
                start = process_time()
                model.fit(X[:N], y[:N])
                took.setdefault(name, []).append(process_time() - start)
                took.setdefault(f"{name} accuracy", []).append(model.score(X[N:], y[N:]))
        print(f"{(X == 0).mean():.0%} zeros: " + "; ".join(f"{name} {min(times):.3f}" for name, times in took.items()))
        print(f"  {min(took['scikit-learn']) / min(took['Tamis']):.1f} times as fast as scikit-learn")


if __name__ == "__main__":
    main()
