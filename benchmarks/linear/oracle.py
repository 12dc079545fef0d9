"""Linear models of two versions of Tamis on the same tables: every difference is listed.

    python benchmarks/linear/oracle.py OLD/src NEW/src [--data ../shared/data/suite] [--rows 200] [--columns 30]
        [--tables wine_quality_red yeast]

Each version runs in a process of its own. Of every table some rows and columns are drawn, missing values are filled by
the mean and columns standardised. Compared are the strength chosen by folds (relative 1e-9), coefficients and
intercepts at it (1e-9 of the largest), the columns used and the errors of the folds along the path (relative 1e-5; the
path is solved to a gap of 1e-5) and at the chosen strength the predictions (1e-9).
"""

from __future__ import annotations

import argparse
import os
import pickle
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd


def drawn(path: Path, rows: int, columns: int) -> tuple[np.ndarray, np.ndarray]:
    """Some rows and columns of a table as standardised numbers; classes with fewer than ten rows are left out."""
    frame, rng = pd.read_parquet(path), np.random.default_rng(0)
    frame = frame.iloc[np.sort(rng.permutation(len(frame))[:rows])].reset_index(drop=True)
    y = frame.pop("target").to_numpy()
    frame = frame.iloc[:, np.sort(rng.permutation(frame.shape[1])[:columns])]
    words = [name for name in frame if not pd.api.types.is_numeric_dtype(frame[name])]
    frame = frame.assign(**{name: frame[name].astype("category").cat.codes for name in words})
    X = frame.fillna(frame.mean()).to_numpy(dtype=float)
    spread = X.std(axis=0)
    X = np.ascontiguousarray(((X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0))[:, spread > 0])
    if y.dtype.kind == "f":
        return X, y
    names, codes, counts = np.unique(y.astype(str), return_inverse=True, return_counts=True)
    frequent = counts[codes] >= 10
    return X[frequent], names[codes[frequent]]


def models(y: np.ndarray) -> Iterator[tuple[str, Any]]:
    """Names and models to compare."""
    from tamis import LinearClassifier, LinearRegressor

    options: dict[str, Any] = {"cv": 5, "n_alphas": 30}
    kind = LinearRegressor if y.dtype.kind == "f" else LinearClassifier
    losses = ["squared", "huber"] if y.dtype.kind == "f" else ["logistic"]
    if y.dtype.kind != "f" and len(np.unique(y)) == 2:
        losses.append("squared_hinge")
    for loss in losses:
        for penalty in ("lasso", "ridge", "elastic-net"):
            yield f"{loss}, {penalty}", kind(penalty, loss=loss, rule="min", **options)


def outcomes(path: Path, rows: int, columns: int) -> dict[str, Any]:
    """What every model holds and answers, and the processor time of its fit; or its error."""
    X, y = drawn(path, rows, columns)
    results: dict[str, Any] = {}
    for name, model in models(y):
        began = time.process_time()
        try:
            model.fit(X, y)
        except Exception as error:
            results[name] = {"error": f"{type(error).__name__}: {error}"}
            continue
        results[name] = {
            "seconds": time.process_time() - began,
            "alpha": np.atleast_1d(model.alpha_),
            "coef": np.asarray(model.coef_),
            "intercept": np.atleast_1d(model.intercept_),
            "columns": np.asarray(model.coef_) != 0,
            "errors": np.asarray(model.path_.cv_mean),
            "predicted": model.predict(X)
            if y.dtype.kind == "f"
            else model.predict_proba(X)
            if hasattr(model, "predict_proba")
            else model.decision_function(X),
        }
    return results


LIMITS = {"alpha": 1e-9, "coef": 1e-9, "intercept": 1e-9, "errors": 1e-5, "predicted": 1e-9}


def differences(old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    """What differs between two outcomes of a model."""
    if "error" in old or "error" in new:
        return [] if old.get("error") == new.get("error") else [f"{old.get('error')} / {new.get('error')}"]
    told = [] if np.array_equal(old["columns"], new["columns"]) else ["other columns"]
    for part, limit in LIMITS.items():
        n = min(len(old[part]), len(new[part])) if part == "errors" else len(old[part])
        first, second = old[part][:n], new[part][:n]
        if first.shape != second.shape:
            told.append(f"{part}: other shapes")
            continue
        apart = float(np.abs(first - second).max(initial=0.0) / max(np.abs(first).max(initial=0.0), 1e-300))
        if apart > limit:
            told.append(f"{part}: {apart:.1e}")
    return told


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sources", nargs=2, help="the folders src of both versions")
    parser.add_argument("--data", type=Path, default=Path("../shared/data/suite"))
    parser.add_argument("--rows", type=int, default=200)
    parser.add_argument("--columns", type=int, default=30)
    parser.add_argument("--tables", nargs="*")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    tables = options.tables or sorted(path.stem for path in options.data.glob("*.parquet"))
    if options.one:
        found = {name: outcomes(options.data / f"{name}.parquet", options.rows, options.columns) for name in tables}
        Path(options.one).write_bytes(pickle.dumps(found))
        return
    results = []
    for number, source in enumerate(options.sources):
        kept = Path(f"oracle-linear-{os.getpid()}-{number}.pickle")
        words = [sys.executable, __file__, *options.sources, "--one", str(kept), "--data", str(options.data)]
        words += ["--rows", str(options.rows), "--columns", str(options.columns), "--tables", *tables]
        environment = {**os.environ, "PYTHONPATH": str(Path(source).resolve())}
        subprocess.run(words, env=environment, check=True)
        results.append(pickle.loads(kept.read_bytes()))  # written by the process above
        kept.unlink()
    n_fits = n_different = n_refused = 0
    seconds = np.zeros(2)
    for name in tables:
        for model, old in results[0][name].items():
            new = results[1][name][model]
            n_fits += 1
            n_refused += "error" in old and "error" in new
            told = differences(old, new)
            seconds += [old.get("seconds", 0.0), new.get("seconds", 0.0)]
            if told:
                n_different += 1
                print(f"{name}: {model}: {'; '.join(told)}", flush=True)
    print(f"{n_fits} fits on {len(tables)} tables, {n_refused} refused by both, {n_different} differ")
    print(f"processor s {seconds[0]:.1f} / {seconds[1]:.1f}")


if __name__ == "__main__":
    main()
