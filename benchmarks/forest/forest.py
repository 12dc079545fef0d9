"""Forests against scikit-learn, ydf, and R's ranger and randomForest: seconds and held-out quality at equal settings.

Every forest has the same number of trees, the same number of columns tried at a split and leaves of one row, grown on
two threads (randomForest has one). What counts is processor time over all threads, best of the rounds: it hardly
changes when others use the machine. Tables are in memory, in each rival's own form: converting them is not timed.

    python benchmarks/forest/forest.py              every part
    python benchmarks/forest/forest.py grow         the five tables; also: quality, predict, growth, file
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
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.preprocessing import OneHotEncoder

from tamis import ForestClassifier, ForestRegressor

try:
    import ydf
except ImportError:
    ydf = None

THREADS = 2


def seconds(function, clock=process_time):
    """Processor time of all threads, or wall-clock time; and what the function gives back."""
    start = clock()
    out = function()
    return clock() - start, out


def classes(n, d, k, seed=0, informative=10):
    X, y = make_classification(
        n, d, n_informative=informative, n_redundant=5, n_classes=k, n_clusters_per_class=1 if k > 8 else 2,
        flip_y=0.05, random_state=seed,
    )  # fmt: skip
    return pd.DataFrame(X, columns=[f"x{j}" for j in range(d)]), y


def numbers(n, d, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n, d))
    y = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2 + 10 * X[:, 3] + 5 * X[:, 4]
    return pd.DataFrame(X, columns=[f"x{j}" for j in range(d)]), y + rng.normal(size=n)


def mixed(n, d, seed=0):
    """Classes; three columns of ten become categories of 8 levels, in no order."""
    frame, y = classes(n, d, 3, seed)
    rng = np.random.default_rng(seed)
    for j in range(0, d, 10):
        for k in (j, j + 1, j + 2):
            parts = pd.qcut(frame[f"x{k}"], 8, labels=False).to_numpy()
            frame[f"x{k}"] = pd.Categorical(np.array([f"l{c}" for c in rng.permutation(8)])[parts])
    return frame, y


def halves(frame, y, n_train):
    return frame.iloc[:n_train], y[:n_train], frame.iloc[n_train:], y[n_train:]


TABLES = {
    "classes 50,000 × 30": (lambda: halves(*classes(60_000, 30, 3), 50_000), 50),
    "numbers 30,000 × 30": (lambda: halves(*numbers(40_000, 30), 30_000), 50),
    "wide 200 × 7,000": (lambda: halves(*classes(400, 7_000, 3, informative=40), 200), 200),
    "26 classes 20,000 × 16": (lambda: halves(*classes(25_000, 16, 26), 20_000), 50),
    "mixed 50,000 × 30": (lambda: halves(*mixed(60_000, 30), 50_000), 50),
}


def is_class(y):
    return y.dtype.kind != "f"


def columns_tried(frame, y):
    d = frame.shape[1]
    return max(1, int(np.sqrt(d))) if is_class(y) else max(1, d // 3)


def quality(truth, answer):
    """Accuracy, or R², in points."""
    if is_class(truth):
        return 100 * np.mean(np.asarray(answer).astype(truth.dtype) == truth)
    return 100 * (1 - np.mean((truth - answer) ** 2) / np.var(truth))


def plain(frame):
    """Columns as they are when all are numbers; else indicators, which is what scikit-learn's forests take."""
    words = [name for name in frame if frame[name].dtype == "category"]
    return (frame.to_numpy(), None) if not words else (None, words)


def for_tamis(frame):
    """The table as it is: an array when all are numbers, else the frame."""
    return frame if plain(frame)[1] else np.ascontiguousarray(frame.to_numpy())


def for_sklearn(train, test):
    """Arrays; categories become indicators."""
    words = plain(train)[1]
    if not words:
        return train.to_numpy(), np.ascontiguousarray(test.to_numpy())
    encoder = OneHotEncoder(sparse_output=False, handle_unknown="ignore").fit(train[words])
    numeric = [name for name in train if name not in words]
    return tuple(np.column_stack([f[numeric].to_numpy(), encoder.transform(f[words])]) for f in (train, test))


def run_tamis(train, y, test, t, n_trees, **settings):
    kind = ForestClassifier if is_class(y) else ForestRegressor
    forest = kind(n_trees, max_features=columns_tried(train, y), n_jobs=THREADS, **settings)
    X, T = for_tamis(train), for_tamis(test)
    kind(2).fit(X[:300], y[:300])  # compile
    took, _ = seconds(partial(forest.fit, X, y))
    return took, quality(t, forest.predict(T))


def run_tamis_alone(*given):
    return run_tamis(*given, oob_score=False)


def run_sklearn(train, y, test, t, n_trees):
    kind = RandomForestClassifier if is_class(y) else RandomForestRegressor
    X, T = for_sklearn(train, test)
    tried = columns_tried(pd.DataFrame(X[:1]), y)
    forest = kind(n_trees, max_features=tried, n_jobs=THREADS, random_state=0)
    took, _ = seconds(partial(forest.fit, X, y))
    return took, quality(t, forest.predict(T))


def run_ydf(train, y, test, t, n_trees):
    task = ydf.Task.CLASSIFICATION if is_class(y) else ydf.Task.REGRESSION
    learner = ydf.RandomForestLearner(
        label="y", task=task, num_trees=n_trees, max_depth=-1, min_examples=1, winner_take_all=False,
        num_candidate_attributes=columns_tried(train, y), num_threads=THREADS, compute_oob_performances=False,
    )  # fmt: skip
    ydf.verbose(0)
    frame = train.assign(y=y)
    for name in plain(train)[1] or []:
        frame[name] = frame[name].astype(str)
        test = test.assign(**{name: test[name].astype(str)})
    semantics = [("y", ydf.Semantic.CATEGORICAL)] if is_class(y) else [("y", ydf.Semantic.NUMERICAL)]
    data = ydf.create_vertical_dataset(frame, columns=semantics, include_all_columns=True, max_vocab_count=-1)
    took, forest = seconds(lambda: learner.train(data))
    out = forest.predict(test)
    if is_class(y):
        labels = np.array(forest.label_classes()).astype(int)
        out = labels[(out > 0.5).astype(int)] if out.ndim == 1 else labels[out.argmax(axis=1)]
    return took, quality(t, out)


CALL = {
    "ranger": """time <- system.time(fit <- ranger(dependent.variable.name = "y", data = train, num.trees = {n},
        mtry = {mtry}, min.node.size = 1, num.threads = {threads}, probability = {classes},
        respect.unordered.factors = "order"))
        p <- predict(fit, test, num.threads = {threads})$predictions
        if ({classes}) p <- colnames(p)[max.col(p, "first")]""",
    "randomForest": """x <- train[, names(train) != "y"]
        time <- system.time(fit <- randomForest(x, train$y, ntree = {n}, mtry = {mtry}, nodesize = 1))
        p <- predict(fit, test)""",
}


OPEN = """suppressMessages(library({package}))
        train <- read.csv("train.csv", stringsAsFactors = TRUE)
        test <- read.csv("test.csv", stringsAsFactors = TRUE)
        if ({classes}) train$y <- factor(train$y)"""
CLOSE = """write.table(as.character(p), "out", row.names = FALSE, col.names = FALSE, quote = FALSE)
        cat(time["user.self"] + time["sys.self"])"""


def run_r(package, train, y, test, t, n_trees):
    with tempfile.TemporaryDirectory() as folder:
        write_csv(train.assign(y=y), Path(folder) / "train.csv")
        write_csv(test, Path(folder) / "test.csv")
        facts = {"n": n_trees, "mtry": columns_tried(train, y), "threads": THREADS, "package": package,
                 "classes": "TRUE" if is_class(y) else "FALSE"}  # fmt: skip
        script = "\n".join([part.format(**facts) for part in (OPEN, CALL[package], CLOSE)])
        ran = subprocess.run(["Rscript", "-e", script], cwd=folder, capture_output=True, text=True, check=False)
        if ran.returncode:
            raise RuntimeError(ran.stderr.strip().splitlines()[-1] if ran.stderr.strip() else "R failed")
        answers = np.loadtxt(Path(folder) / "out", dtype=y.dtype)
        return float(ran.stdout.split()[-1]), quality(t, answers)


def write_csv(frame, path):
    frame.to_csv(path, index=False)


def has_r(package):
    if shutil.which("Rscript") is None:
        return False
    asked = ["Rscript", "-e", f'quit(status = !requireNamespace("{package}", quietly = TRUE))']
    return subprocess.run(asked, capture_output=True, check=False).returncode == 0


def rivals():
    out = {"tamis": run_tamis_alone, "tamis + out-of-bag": run_tamis, "scikit-learn": run_sklearn}
    if ydf is not None:
        out["ydf"] = run_ydf
    else:
        print("ydf is absent: left out")
    for package in CALL:
        if has_r(package):
            out[package] = partial(run_r, package)
        else:
            print(f"R's {package} is absent: left out")
    return out


def grow(names=None, rounds=1, only=None):
    """Seconds of fit and held-out quality for the five tables."""
    known = {name: run for name, run in rivals().items() if only is None or name in only}
    for name, (make, n_trees) in TABLES.items():
        if names and name not in names:
            continue
        data = make()
        print(f"\n{name}, {n_trees} trees, {THREADS} threads: best of {rounds}")
        best, found = {}, {}
        for round_ in range(rounds):
            order = list(known) if round_ % 2 == 0 else list(known)[::-1]
            for rival in order:
                if best.get(rival, 0.0) > 100:
                    continue  # slow enough to be known
                try:
                    took, good = known[rival](*data, n_trees)
                except Exception as error:
                    print(f"  {rival}: {error}")
                    known = {k: v for k, v in known.items() if k != rival}
                    continue
                best[rival], found[rival] = min(took, best.get(rival, np.inf)), good
        for rival, took in best.items():
            ratio = took / best["tamis"]
            print(f"  {rival:20s} {took:8.2f} s   {ratio:5.1f}× tamis   {found[rival]:6.2f} points", flush=True)


def qualities(n_trees=200):
    """Held-out quality on ten tables, minus scikit-learn's."""
    from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_wine
    from sklearn.model_selection import RepeatedKFold

    def real(load):
        X, y = load(return_X_y=True)
        return pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])]), y

    tables = {
        "breast_cancer": real(load_breast_cancer), "wine": real(load_wine), "digits": real(load_digits),
        "diabetes": real(load_diabetes), "3 classes": classes(4_000, 30, 3), "8 classes": classes(4_000, 20, 8),
        "26 classes": classes(6_000, 16, 26), "Friedman": numbers(3_000, 10), "wide": classes(300, 1_000, 3, 1, 20),
        "mixed": mixed(3_000, 30),
    }  # fmt: skip
    gaps = []
    for name, (frame, y) in tables.items():
        rows = []
        for train, test in RepeatedKFold(n_splits=3, n_repeats=2, random_state=0).split(frame):
            data = frame.iloc[train], y[train], frame.iloc[test], y[test]
            rows.append([run(*data, n_trees)[1] for run in (run_tamis_alone, run_sklearn)])
        ours, theirs = np.mean(rows, axis=0)
        error = np.std([a - b for a, b in rows]) / np.sqrt(len(rows))
        gaps.append(ours - theirs)
        print(
            f"  {name:15s} tamis {ours:6.2f}   scikit-learn {theirs:6.2f}   {ours - theirs:+.2f} ± {error:.2f}",
            flush=True,
        )
    print(f"mean over {len(gaps)} tables: {np.mean(gaps):+.2f} points")


def predict(n=100_000, n_trees=100):
    """Batch prediction of numbers only, of a table with categories (indicators for scikit-learn), and of one row."""
    for name, (frame, y) in {"classes": classes(150_000, 30, 3), "mixed": mixed(150_000, 30)}.items():
        train, test, answers = frame.iloc[:50_000], frame.iloc[50_000 : 50_000 + n], y[:50_000]
        mine = ForestClassifier(n_trees, n_jobs=THREADS, oob_score=False).fit(for_tamis(train), answers)
        wide, big = for_sklearn(train, test)
        other = RandomForestClassifier(n_trees, n_jobs=THREADS, random_state=0).fit(wide, answers)
        own = for_tamis(test)
        mine.predict_proba(own[:1_000])
        a = min(seconds(partial(mine.predict_proba, own))[0] for _ in range(4))
        b = min(seconds(partial(other.predict_proba, big))[0] for _ in range(4))
        print(f"\npredict {n:,} rows, {name}, {n_trees} trees: tamis {a:.2f} s, scikit-learn {b:.2f} s, "
              f"{b / a:.1f}× faster")  # fmt: skip
        if name == "classes":
            one, alone = own[:1].copy(), mine.set_params(n_jobs=None)
            times = [seconds(partial(alone.predict_proba, one), perf_counter)[0] for _ in range(2_000)]
            print(f"one row, {n_trees} trees: {1e3 * np.median(times):.3f} ms")


def growth():
    """Exponents of time in trees and in rows (n log n has an exponent a little above 1)."""
    frame, y = classes(160_000, 30, 3)
    X = frame.to_numpy()
    trees = [20, 40, 80, 160]
    took = [min(seconds(partial(fit, X[:10_000], y[:10_000], k))[0] for _ in range(3)) for k in trees]
    print(f"\ntime in trees: {took[0]:.2f} to {took[-1]:.2f} s, exponent {slope(trees, took):.2f}")
    rows = [10_000, 20_000, 40_000, 80_000, 160_000]
    took = [min(seconds(partial(fit, X[:n], y[:n], 10))[0] for _ in range(2)) for n in rows]
    law = [n * np.log(n) for n in rows]
    print(f"time in rows: {took[0]:.2f} to {took[-1]:.2f} s, exponent {slope(rows, took):.2f}, "
          f"in n log n {slope(law, took):.2f}")  # fmt: skip


def fit(X, y, n_trees):
    return ForestClassifier(n_trees, n_jobs=THREADS, oob_score=False).fit(X, y)


def slope(x, y):
    return np.polyfit(np.log(x), np.log(y), 1)[0]


def file(n_trees=1_000):
    """Writing and reading a thousand trees; bytes a node."""
    X, y = classes(5_000, 30, 3)
    forest = ForestClassifier(n_trees, n_jobs=THREADS, oob_score=False).fit(X.to_numpy(), y)
    with tempfile.TemporaryDirectory() as folder:
        wrote, _ = seconds(lambda: forest.save(Path(folder) / "forest"), perf_counter)
        read, _ = seconds(lambda: ForestClassifier.load(Path(folder) / "forest"), perf_counter)
    nodes = forest.trees_.nodes
    print(f"\n{n_trees:,} trees, {len(nodes):,} nodes: "
          f"saved in {wrote:.2f} s, loaded in {read:.2f} s; "
          f"{nodes.nbytes / len(nodes):.0f} bytes a node, "
          f"{forest.trees_.nbytes / len(nodes):.2f} with leaf tables")  # fmt: skip


if __name__ == "__main__":
    parts = {"grow": grow, "quality": qualities, "predict": predict, "growth": growth, "file": file}
    for part in sys.argv[1:2] or list(parts):
        parts[part](*([sys.argv[2:]] if len(sys.argv) > 2 else []))
