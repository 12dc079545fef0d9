"""Gradient boosting beside scikit-learn, LightGBM and XGBoost: processor time and the loss on new rows, equal settings.

All have 100 rounds of rate 0.1, 31 leaves, best first, 20 rows a leaf, 255 bins, no early stopping, no drawing of rows
or columns. What counts is processor time over all threads, best of the rounds, tables in memory in each rival's own
form. XGBoost counts the weight of a leaf by its hessian and not by rows, so its trees are others. Losses are log losses
or mean squared errors over the variance, on rows held out.

    python benchmarks/boosting/boosting.py [1] [2] [TABLE]   seconds and losses, on one thread and on two
    python benchmarks/boosting/boosting.py quality FOLDER    losses over a folder of parquet files
"""

import os
import sys
from pathlib import Path
from time import perf_counter, process_time

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer, make_classification
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from threadpoolctl import threadpool_limits

from tamis.boosting import BoostingClassifier, BoostingRegressor

try:
    import lightgbm
except (ImportError, OSError):
    lightgbm = None
try:
    import xgboost
except (ImportError, OSError):
    xgboost = None

BEST_OF = 5


def demo():
    X, y = load_breast_cancer(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    return X[order], y[order], 455


def made(n, d, n_classes, n_train, informative=8):
    X, y = make_classification(
        n, d, n_informative=informative, n_redundant=min(3, d - informative), n_classes=n_classes, flip_y=0.1,
        n_clusters_per_class=1, class_sep=0.7, random_state=0,
    )  # fmt: skip
    return X, y, n_train


def numbers(n, d, n_train):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    y = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + X[:, 3] + rng.normal(size=n)
    return X, y, n_train


TABLES = {
    "455 × 30, 2 classes": demo,
    "1,100 × 11, 6 classes": lambda: made(1_600, 11, 6, 1_100),
    "50 × 7,000, 2 classes": lambda: made(250, 7_000, 2, 50, 40),
    "5,000 × 40, numbers": lambda: numbers(8_000, 40, 5_000),
    "50,000 × 30, 2 classes": lambda: made(60_000, 30, 2, 50_000, 12),
}


def models(classes, threads):
    """Name -> an unfitted model, at equal settings."""
    shared = {"learning_rate": 0.1, "random_state": 0}
    own = {"n_estimators": 100, "n_jobs": threads}
    sklearn = HistGradientBoostingClassifier if classes else HistGradientBoostingRegressor
    found = {
        "tamis": (BoostingClassifier if classes else BoostingRegressor)(**shared, **own),
        "scikit-learn": sklearn(max_iter=100, early_stopping=False, **shared),
    }
    if lightgbm:
        kind = lightgbm.LGBMClassifier if classes else lightgbm.LGBMRegressor
        found["LightGBM"] = kind(num_leaves=31, min_child_samples=20, max_bin=255, verbose=-1, **shared, **own)
    if xgboost:
        kind = xgboost.XGBClassifier if classes else xgboost.XGBRegressor
        found["XGBoost"] = kind(
            tree_method="hist", grow_policy="lossguide", max_leaves=31, max_depth=0, max_bin=255, reg_lambda=0.0,
            **shared, **own,
        )  # fmt: skip
    return found


def loss(model, X, y, classes):
    if not classes:
        return np.mean((model.predict(X) - y) ** 2) / y.var()
    shares = np.clip(model.predict_proba(X), 1e-15, 1)
    return -np.log(shares[np.arange(len(y)), np.searchsorted(model.classes_, y)]).mean()


def times(model, X, y):
    """Least processor and wall seconds of a fit."""
    found = []
    for _ in range(BEST_OF):
        wall, start = perf_counter(), process_time()
        model.fit(X, y)
        found.append((process_time() - start, perf_counter() - wall))
    return np.min(found, axis=0)


def speed():
    asked = [word for word in sys.argv[1:] if word not in "12"]
    for threads in [int(word) for word in sys.argv[1:] if word in "12"] or [1, 2]:
        print(f"\n{threads} thread(s): milliseconds of the processor (by the clock), times Tamis's, loss on new rows")
        for name, make in TABLES.items():
            if asked and name not in asked:
                continue
            X, y, n = make()
            classes = y.dtype.kind == "i"
            first = None
            print(f"  {name}")
            for who, model in models(classes, threads).items():
                with threadpool_limits(threads, "openmp"):
                    model.fit(X[:n], y[:n])  # compiles, and brings libraries in
                    used, wall = times(model, X[:n], y[:n])
                first = first or used
                lost = loss(model, X[n:], y[n:], classes)
                print(f"    {who:13} {1e3 * used:9.1f} ({1e3 * wall:9.1f})  {used / first:6.2f}×  {lost:.4f}")


def read(path, most=3_000):
    """Features as numbers and codes, and the target, of at most so many rows; which columns are categories."""
    frame = pd.read_parquet(path)
    frame = frame.sample(min(len(frame), most), random_state=0)
    y, X = frame["target"], frame.drop(columns="target")
    words = [j for j, kind in enumerate(X.dtypes) if not pd.api.types.is_numeric_dtype(kind)]
    codes = X.copy()
    for j in words:
        values = X.iloc[:, j].astype("category").cat.codes.astype(float)
        codes.isetitem(j, values.where(values >= 0))
    return X, codes.to_numpy(dtype=float), y, words


def quality(folder):
    print("log loss and Brier score, or share of the variance left, of Tamis and scikit-learn; 70/30, three times")
    gaps = []
    for path in sorted(Path(folder).glob("*.parquet")):
        X, codes, y, words = read(path)
        classes = not (pd.api.types.is_float_dtype(y) and y.nunique() > 20)
        y = np.unique(y.astype(str), return_inverse=True)[1] if classes else y.to_numpy(dtype=float)
        rows = []
        for seed in range(3):
            order = np.random.default_rng(seed).permutation(len(y))
            train, test = order[: int(0.7 * len(y))], order[int(0.7 * len(y)) :]
            test = test[np.isin(y[test], y[train])] if classes else test
            theirs = HistGradientBoostingClassifier if classes else HistGradientBoostingRegressor
            few = [j for j in words if len(np.unique(codes[:, j])) <= 255]
            for model, x in (
                ((BoostingClassifier if classes else BoostingRegressor)(), X),
                (theirs(early_stopping=False, categorical_features=few), codes),
            ):
                part = x.iloc if isinstance(x, pd.DataFrame) else x
                model.fit(part[train], y[train])
                rows.append((loss(model, part[test], y[test], classes), _brier(model, part[test], y[test], classes)))
        ours, theirs = np.mean(rows[::2], axis=0), np.mean(rows[1::2], axis=0)
        gaps.append((*ours, *theirs, classes))
        told = "  ".join(f"{one:.4f} {other:.4f}" for one, other in zip(ours, theirs))
        print(f"  {path.stem:20} {len(y):6} × {X.shape[1]:5}  {told}", flush=True)
    found = np.array(gaps, dtype=float)
    for what, which in (("classes", found[:, 4] == 1), ("numbers", found[:, 4] == 0)):
        print(f"{what}: {which.sum()} tables, means", found[which, :4].mean(axis=0).round(4))


def _brier(model, X, y, classes):
    if not classes:
        return loss(model, X, y, classes)
    told = model.predict_proba(X)
    told[np.arange(len(y)), np.searchsorted(model.classes_, y)] -= 1
    return (told**2).sum(axis=1).mean()


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "2")
    if sys.argv[1:2] == ["quality"]:
        quality(sys.argv[2])
    else:
        speed()
