"""A forest with out-of-bag permutation importance against R's ranger: 10,000 × 50, 200 trees, two threads.

    python benchmarks/forest/importance.py [rounds]

Both grow 200 trees with the same number of columns tried at a split and leaves of one row, and permute every column
once in every tree; what is timed is fitting and importance together, the table being in memory. Processor time over all
threads is shown beside wall-clock time: it hardly changes when others use the machine.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter, process_time

import numpy as np
from scipy.stats import spearmanr
from sklearn.datasets import make_friedman1

from tamis import ForestClassifier, ForestRegressor

N, D, TREES, THREADS = 10_000, 50, 200, 2

RANGER = """
library(ranger)
n <- {n}; d <- {d}
X <- matrix(readBin("{folder}/X.bin", "double", n * d), n, d)
y <- readBin("{folder}/y.bin", "double", n)
table <- data.frame(X, y = {y})
for (r in 1:{rounds}) {{
  before <- proc.time()
  fit <- ranger(y ~ ., table, num.trees = {trees}, mtry = {tried}, min.node.size = 1, num.threads = {threads},
                importance = "permutation", seed = r)
  after <- proc.time() - before
  cat("time", after[["elapsed"]], after[["user.self"]] + after[["sys.self"]], "\\n")
}}
cat("importance", fit$variable.importance, "\\n")
"""


def classes():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(N, D))
    return X, (X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * X[:, 3] + rng.normal(size=N) > 0).astype(float)


def numbers():
    return make_friedman1(N, D, noise=1.0, random_state=1)


def ours(model, X, y, rounds):
    """(wall-clock, processor) seconds of the best round, and the importances; kernels compiled before."""
    model(5, n_jobs=THREADS).fit(X[:200], y[:200]).permutation_importance(X[:200], y[:200])
    times = []
    for seed in range(rounds):
        wall, work = perf_counter(), process_time()
        forest = model(TREES, n_jobs=THREADS, random_state=seed).fit(X, y)
        found = forest.permutation_importance(interchangeable=None)
        times.append((perf_counter() - wall, process_time() - work))
    return np.min(times, axis=0), found.importance


def ranger(X, y, is_classes, tried, rounds):
    """The same of ranger, or None where R or ranger is absent."""
    if shutil.which("Rscript") is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        np.asfortranarray(X).T.tofile(Path(folder) / "X.bin")
        y.tofile(Path(folder) / "y.bin")
        script = RANGER.format(
            n=N, d=D, folder=folder, y="factor(y)" if is_classes else "y", rounds=rounds, trees=TREES, tried=tried,
            threads=THREADS,
        )  # fmt: skip
        done = subprocess.run(["Rscript", "-e", script], capture_output=True, text=True)
    if done.returncode:
        return None
    lines = [line.split() for line in done.stdout.splitlines()]
    times = [(float(line[1]), float(line[2])) for line in lines if line and line[0] == "time"]
    found = next(line[1:] for line in lines if line and line[0] == "importance")
    return np.min(times, axis=0), np.array(found, dtype=float)


def main(rounds):
    for word, (X, y), model, tried in (
        ("classes", classes(), ForestClassifier, int(np.sqrt(D))),
        ("numbers", numbers(), ForestRegressor, D // 3),
    ):
        (wall, work), mine = ours(model, X, y, rounds)
        print(f"{word}: {N:,} × {D}, {TREES} trees, {THREADS} threads")
        print(f"  tamis   {wall:7.2f} s   processor {work:7.2f} s")
        rival = ranger(X, y, word == "classes", tried, rounds)
        if rival is None:
            print("  ranger is not installed here")
            continue
        (their_wall, their_work), theirs = rival
        top = 4 if word == "classes" else 5
        same = set(np.argsort(-mine)[:top]) == set(np.argsort(-theirs)[:top])
        print(f"  ranger  {their_wall:7.2f} s   processor {their_work:7.2f} s")
        print(f"  ratio   {their_wall / wall:7.1f}     processor {their_work / work:7.1f}")
        alike = spearmanr(mine[:top], theirs[:top])[0]
        print(f"  importances: same first {top}: {same}; rank correlation of these {alike:.2f}")
        print(f"  largest {mine.max():.4f} and {theirs.max():.4f}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2)
