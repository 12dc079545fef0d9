"""First use in a fresh process, kernels cached: seconds from a finished import to a fitted lasso."""

from __future__ import annotations

import subprocess
import sys

CODE = """
import time, numpy as np
import sklearn.linear_model, scipy.sparse, scipy.stats, scipy.linalg
from tamis import LinearRegressor, LinearClassifier
X = np.random.default_rng(0).normal(size=(200, 20)); y = X[:, 0] + X[:, 1] ** 2
start = time.perf_counter(); LinearRegressor().fit(X, y); middle = time.perf_counter()
LinearClassifier(alpha=0.01).fit(X, y > 0.5); print(middle - start, time.perf_counter() - middle)
"""

if __name__ == "__main__":
    for _ in range(4):
        print(subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True).stdout.strip())
