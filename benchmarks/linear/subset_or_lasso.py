"""Best subset, forward stepwise or lasso? The medium setting of Hastie, Tibshirani & Tibshirani (2020).

500 rows, 100 columns of correlation 0.35^|i - j|, five coefficients of 1, ten signal-to-noise ratios from 0.05 to 6.
For every method: relative test error (error variance of new rows over that of the noise; 1 is the truth), number of
columns, and F of precision and recall of the five columns, averaged over ratios and repeats. Beside Tamis:
scikit-learn's LassoCV and, where R is there, glmnet's relaxed lasso.

    python benchmarks/linear/subset_or_lasso.py [repeats]
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from sklearn.linear_model import LassoCV
from sklearn.preprocessing import StandardScaler

from tamis import LinearRegressor

N, P, S, RHO = 500, 100, 5, 0.35
RATIOS = np.exp(np.linspace(np.log(0.05), np.log(6), 10))
SIGMA = RHO ** np.abs(np.subtract.outer(np.arange(P), np.arange(P)))
BETA = np.where(np.arange(P) < S, 1.0, 0.0)
PUBLISHED = {"relaxed lasso": (1.020, 6.8, 0.85)}  # of the paper, tuned on 500 further rows


def table(ratio: float, seed: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Columns, target and noise variance."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N, P)) @ np.linalg.cholesky(SIGMA).T
    noise = float(BETA @ SIGMA @ BETA) / ratio
    return X, X @ BETA + np.sqrt(noise) * rng.normal(size=N), noise


def judged(coef: np.ndarray, intercept: float, noise: float) -> tuple[float, float, float]:
    """Relative test error, number of columns, F."""
    apart = coef - BETA
    error = (float(apart @ SIGMA @ apart) + intercept**2 + noise) / noise
    chosen = coef != 0
    hits = np.count_nonzero(chosen & (BETA != 0))
    return error, float(chosen.sum()), 2 * hits / (chosen.sum() + S)


def tamis(**options):
    def fit(X: np.ndarray, y: np.ndarray):
        model = LinearRegressor(**options).fit(X, y)
        return model.coef_, model.intercept_

    return fit


def scikit_learn(X: np.ndarray, y: np.ndarray):
    scaler = StandardScaler().fit(X)
    model = LassoCV(cv=10, alphas=100).fit(scaler.transform(X), y)
    coef = model.coef_ / scaler.scale_
    return coef, model.intercept_ - coef @ scaler.mean_


def glmnet(X: np.ndarray, y: np.ndarray):
    """cv.glmnet(relax = TRUE) at its least error."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        X.T.tofile(home / "X")
        y.tofile(home / "y")
        script = f"""
suppressMessages(library(glmnet)); X <- matrix(readBin("{home}/X", "double", {N * P}), {N}, {P})
y <- readBin("{home}/y", "double", {N}); m <- cv.glmnet(X, y, relax = TRUE, nfolds = 10)
cat(format(as.numeric(coef(m, s = "lambda.min", gamma = "gamma.min")), digits = 15), "\\n")
"""
        out = subprocess.run(["Rscript", "-e", script], capture_output=True, text=True, check=True).stdout
    coef = np.array(out.split(), dtype=float)
    return coef[1:], coef[0]


METHODS = {
    "lasso, min": tamis(rule="min"),
    "lasso, 1se": tamis(rule="1se"),
    "relaxed lasso, min": tamis(relax="cv", rule="min"),
    "relaxed lasso, 1se": tamis(relax="cv", rule="1se"),
    "scikit-learn LassoCV": scikit_learn,
}

if __name__ == "__main__":
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    methods = dict(METHODS)
    if shutil.which("Rscript"):
        methods["glmnet relaxed, min"] = glmnet
    found: dict[str, list[tuple[float, float, float]]] = {name: [] for name in methods}
    seconds = dict.fromkeys(methods, 0.0)
    for r, ratio in enumerate(RATIOS):
        for repeat in range(repeats):
            X, y, noise = table(ratio, 1000 * r + repeat)
            for name, method in methods.items():
                start = time.process_time()
                coef, intercept = method(X, y)
                seconds[name] += time.process_time() - start
                found[name].append(judged(np.asarray(coef), float(intercept), noise))
    print(f"{'':24}{'rel. test error':>16}{'columns':>10}{'F':>8}{'seconds':>10}")
    for name, values in found.items():
        error, size, f = np.mean(values, axis=0)
        clock = f"{seconds[name] / len(values):10.3f}" if name != "glmnet relaxed, min" else f"{'in R':>10}"
        print(f"{name:24}{error:16.3f}{size:10.1f}{f:8.2f}{clock}")
    for name, (error, size, f) in PUBLISHED.items():
        print(f"{name + ', published':24}{error:16.3f}{size:10.1f}{f:8.2f}")
