"""Best subset of every size, 1,000 × 35 correlated columns: Tamis against R's leaps, residual sums compared."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np

from tamis import LinearRegressor
from tamis.linear.fit import Job
from tamis.linear.losses.squared import Squared
from tamis.linear.penalties.elastic_net import Penalty
from tamis.linear.solvers.subset_path import subset_path


def table(rho, seed=0, n=1_000, p=35):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) @ np.linalg.cholesky(rho ** np.abs(np.subtract.outer(range(p), range(p)))).T
    return X, X @ np.where(np.arange(p) % 3 == 0, rng.normal(size=p), 0.0) + 2 * rng.normal(size=n)


def leaps(X, y):
    """Residual sums by size, and seconds."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        X.T.tofile(home / "X")
        y.tofile(home / "y")
        n, p = X.shape
        script = f"""
suppressMessages(library(leaps)); X <- matrix(readBin("{home}/X", "double", {n * p}), {n}, {p})
y <- readBin("{home}/y", "double", {n}); t <- proc.time()
r <- regsubsets(X, y, nvmax = {p}, really.big = TRUE, method = "exhaustive"); cat(sum((proc.time() - t)[1:2]), "\\n")
cat(format(r$ress[, 1], digits = 15), "\\n")
"""
        lines = subprocess.run(
            ["Rscript", "-e", script], capture_output=True, text=True, check=True
        ).stdout.splitlines()
    return np.array(lines[1].split(), dtype=float), float(lines[0])


if __name__ == "__main__":
    LinearRegressor(penalty="subset", k=2).fit(*table(0.5, p=6))
    for rho in (0.5, 0.9, 0.97):
        X, y = table(rho)
        job = Job(X, Squared(y), np.ones(len(y)), Penalty(0.0, np.ones(35)), True, True)
        start = time.process_time()
        found = subset_path(job, np.arange(36), 35, None)
        ours = time.process_time() - start
        line = f"correlation {rho}: tamis {ours:.3f} s, all sizes proved: {bool(found.optimal.all())}"
        if shutil.which("Rscript"):
            sums, theirs = leaps(X, y)
            apart = np.max(np.abs(2 * len(y) * found.value - sums) / sums)
            line += f"; leaps {theirs:.3f} s ({theirs / ours:.0f} ×), residual sums apart by {apart:.1e} at most"
        else:
            line += "; R is not here, so leaps is left out"
        print(line)
