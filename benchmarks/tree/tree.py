"""Full trees and their predictions against scikit-learn; pruning with surrogates against rpart; growth in size.

Trees are compared with missing="majority" against scikit-learn, which has no surrogates. CPU time, best of the repeats.

    python benchmarks/tree/tree.py [pruning] [predict] [levels] [full] [SEEDS]
"""

import shutil
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path
from time import perf_counter, process_time

import numpy as np
import pandas as pd
from sklearn.datasets import make_classification, make_regression
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from tamis import TreeClassifier, TreeRegressor


def timed(function, repeats=1, clock=process_time):
    times = []
    for _ in range(repeats):
        start = clock()
        out = function()
        times.append(clock() - start)
    return min(times), out


def full_trees(n=100_000, d=30, seeds=10):
    print(f"\nfull tree, {n:,} × {d}: seconds and held-out score")
    kinds = {
        "classes": (lambda s: make_classification(int(n * 1.25), d, n_informative=10, flip_y=0.1, random_state=s),
                    TreeClassifier, DecisionTreeClassifier),
        "numbers": (lambda s: make_regression(int(n * 1.25), d, n_informative=10, noise=50, random_state=s),
                    TreeRegressor, DecisionTreeRegressor),
    }  # fmt: skip
    for name, (make, ours, theirs) in kinds.items():
        ratios, gaps = [], []
        for seed in range(seeds):
            X, T, y, t = train_test_split(*make(seed), test_size=0.2, random_state=seed)
            if seed == 0:
                ours(missing="majority").fit(X[:500], y[:500])  # compile
            a, mine = timed(partial(ours(missing="majority").fit, X, y))
            b, other = timed(partial(theirs(random_state=seed).fit, X, y))
            ratios.append(b / a)
            gaps.append(mine.score(T, t) - other.score(T, t))
            if seed == 0:
                print(f"{name}: tamis {a:.2f} s, scikit-learn {b:.2f} s")
        print(f"{name}: {np.median(ratios):.1f}× faster (median of {seeds}), score minus theirs {np.mean(gaps):+.4f} "
              f"(from {min(gaps):+.4f} to {max(gaps):+.4f})")  # fmt: skip


def predictions(n=1_000_000, d=30):
    X, y = make_classification(100_000, d, n_informative=10, flip_y=0.1, random_state=0)
    big = np.tile(X, (n // len(X), 1)) + 1e-3 * np.random.default_rng(0).normal(size=(n, d))
    mine, other = TreeClassifier(missing="majority").fit(X, y), DecisionTreeClassifier(random_state=0).fit(X, y)
    mine.predict(big[:1000])
    a, _ = timed(lambda: mine.predict(big), 5)
    b, _ = timed(lambda: other.predict(big), 5)
    print(f"\npredict {n:,} rows: tamis {a:.3f} s, scikit-learn {b:.3f} s, {b / a:.1f}× faster")


RPART = """
library(rpart)
train <- read.csv("train.csv"); test <- read.csv("test.csv")
train$y <- factor(train$y)
rules <- rpart.control(minsplit = 20, minbucket = 7, cp = CP, xval = 10, maxsurrogate = 5, usesurrogate = 2)
time <- system.time(fit <- rpart(y ~ ., data = train, control = rules))
best <- which.min(fit$cptable[, "xerror"])
limit <- fit$cptable[best, "xerror"] + fit$cptable[best, "xstd"]
cp <- fit$cptable[which(fit$cptable[, "xerror"] <= limit)[1], "CP"]
small <- prune(fit, cp = cp)
right <- mean(predict(small, test, type = "class") == test$y)
cat(time["user.self"] + time["sys.self"], time["elapsed"], right, sum(small$frame$var == "<leaf>"))
"""


def rpart(train, y, test, t, cp="0"):
    """CPU seconds, seconds on the clock, held-out accuracy and leaves; None without R."""
    if shutil.which("Rscript") is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        for name, data, target in (("train", train, y), ("test", test, t)):
            pd.DataFrame(data).add_prefix("x").assign(y=target).to_csv(Path(folder) / f"{name}.csv", index=False)
        script = RPART.replace("cp = CP", f"cp = {cp}")
        run = subprocess.run(["Rscript", "-e", script], cwd=folder, capture_output=True, text=True)
    if run.returncode:
        print("rpart: failed:", run.stderr.strip().splitlines()[-1:])
        return None
    return [float(part) for part in run.stdout.split()]


def pruned_with_surrogates(n=20_000, d=20, share=0.1, seeds=10):
    """Both grow with rpart's limits (20 rows to split, 7 in a leaf, cp 0), 5 surrogates, 10 folds and 1 SE.

    rpart has one thread: CPU time is compared on one thread each, the clock also with two threads of Tamis.
    """
    print(f"\n5 surrogates and 10-fold pruning, {n:,} × {d}, {share:.0%} missing, {seeds} seeds")
    params = {"min_samples_split": 20, "min_samples_leaf": 7, "prune": "cv"}
    cpu, clock, gaps = [], [], []
    for seed in range(seeds):
        X, y = make_classification(2 * n, d, n_informative=8, n_redundant=6, flip_y=0.1, random_state=seed)
        X[np.random.default_rng(seed).random(X.shape) < share] = np.nan
        train, test, y, t = X[:n], X[n:], y[:n], y[n:]
        if seed == 0:
            TreeClassifier(**params).fit(train[:500], y[:500])  # compile
        a, mine = timed(partial(TreeClassifier(**params).fit, train, y), 3)
        two, _ = timed(partial(TreeClassifier(**params, n_jobs=2).fit, train, y), 3, perf_counter)
        score = mine.score(test, t)
        theirs = rpart(train, y, test, t)
        if theirs is None:
            print(f"tamis: {a:.2f} s, held-out accuracy {score:.4f}; rpart: R is not installed here, or failed")
            return
        cpu.append(theirs[0] / a)
        clock.append(theirs[1] / two)
        gaps.append(100 * (score - theirs[2]))
        print(f"seed {seed}: tamis {a:.2f} s of one thread, {two:.2f} s on two; rpart {theirs[0]:.2f} s; accuracy "
              f"{score:.4f} and {theirs[2]:.4f}; {mine.get_n_leaves()} and {theirs[3]:.0f} leaves")  # fmt: skip
    print(f"one thread each: {np.median(cpu):.1f}× faster (from {min(cpu):.1f} to {max(cpu):.1f}); two threads of "
          f"tamis, by the clock: {np.median(clock):.1f}×; points of accuracy beyond rpart: mean {np.mean(gaps):+.2f}, "
          f"worst {min(gaps):+.2f}")  # fmt: skip


def exponent(sizes, times):
    return np.polyfit(np.log(sizes), np.log(times), 1)[0]


def levels(n=50_000):
    print(f"\n100 levels × 5 classes, {n:,} rows, depth 8")

    def table(rows, columns):
        rng = np.random.default_rng(0)
        code = rng.integers(0, 100, (rows, columns))
        y = (code[:, 0] // 20 + (rng.random(rows) < 0.3)) % 5
        return pd.DataFrame({f"c{j}": pd.Categorical(code[:, j].astype(str)) for j in range(columns)}), y

    def seconds(rows, columns):
        X, y = table(rows, columns)
        from tamis.table import Table

        given = Table.of(X)
        return timed(lambda: TreeClassifier(max_depth=8, missing="majority").fit(given, y), 2)[0]

    seconds(500, 2)
    rows = [n // 4, n // 2, n, 2 * n]
    by_rows = [seconds(r, 5) for r in rows]
    columns = [2, 4, 8, 16]
    by_columns = [seconds(n // 2, c) for c in columns]
    print("rows", rows, [f"{s:.2f}" for s in by_rows], f"exponent {exponent(rows, by_rows):.2f}")
    print("columns", columns, [f"{s:.2f}" for s in by_columns], f"exponent {exponent(columns, by_columns):.2f}")


if __name__ == "__main__":
    start = perf_counter()
    parts = {"pruning": pruned_with_surrogates, "predict": predictions, "levels": levels, "full": full_trees}
    seeds = next((int(word) for word in sys.argv[1:] if word.isdigit()), 10)
    for name in [word for word in sys.argv[1:] if word in parts] or parts:
        parts[name](**({"seeds": seeds} if name in ("pruning", "full") else {}))
    print(f"\nall in {perf_counter() - start:.0f} s")
