"""Trees, forests and boosting of two versions of Tamis on the same tables: every difference is listed.

    python benchmarks/tree/oracle.py OLD/src NEW/src [--data ../shared/data/suite] [--rows 400] [--columns 40]
        [--seeds 3] [--tables wine_quality_red yeast] [--times]

Each version runs in a process of its own. Of every table some rows and columns are drawn by the seed; it is fitted as
it is, with holes, with weights, with columns of numbers as words (categories) and with rows in groups (folds of whole
groups). Columns and thresholds of all splits must be equal, predictions equal to 1e-9 of their range. With --times the
processor time of both is compared, each fit by turns.
"""

from __future__ import annotations

import argparse
import json
import os
import pickle
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

VARIANTS = ("plain", "holes", "weights", "words", "groups")


@lru_cache(maxsize=3)
def drawn(path: Path, seed: int, rows: int, columns: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Some rows and columns of a table; classes with fewer than five rows are left out."""
    frame, rng = pd.read_parquet(path), np.random.default_rng(seed)
    frame = frame.iloc[np.sort(rng.permutation(len(frame))[:rows])].reset_index(drop=True)
    y = frame.pop("target").to_numpy()
    frame = frame.iloc[:, np.sort(rng.permutation(frame.shape[1])[:columns])]
    if y.dtype.kind != "f":
        names, codes, counts = np.unique(y.astype(str), return_inverse=True, return_counts=True)
        frequent = counts[codes] >= 5
        return frame[frequent].reset_index(drop=True), names[codes[frequent]]
    return frame, y


def varied(frame: pd.DataFrame, variant: str, seed: int) -> tuple[pd.DataFrame, np.ndarray | None, np.ndarray]:
    """A variant of a table, its weights and the groups of its rows."""
    rng = np.random.default_rng(seed + 1_000)
    groups, weight = np.arange(len(frame)) // 4, None
    if variant == "holes":
        frame = frame.mask(pd.DataFrame(rng.random(frame.shape) < 0.15, columns=frame.columns))
    elif variant == "weights":
        weight = rng.integers(0, 4, len(frame)).astype(float) + 0.25 * (rng.random(len(frame)) < 0.5)
    elif variant == "words":
        few = [name for name in frame if frame[name].nunique() <= 30][::2]
        frame = frame.assign(**{name: "w" + frame[name].astype(str) for name in few})
    return frame, weight, groups


def folds_of(groups: np.ndarray, n: int = 5) -> list[tuple[np.ndarray, np.ndarray]]:
    """Folds of whole groups."""
    fold = groups % n
    return [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(n)]


def models(y: np.ndarray, variant: str, groups: np.ndarray, seed: int) -> Iterator[tuple[str, Any]]:
    """Names and models to compare."""
    import tamis

    cv: Any = folds_of(groups) if variant == "groups" else 5
    if y.dtype.kind == "f":
        tree, forest, boosting = tamis.TreeRegressor, tamis.ForestRegressor, tamis.boosting.BoostingRegressor
        counts = ["poisson"] * bool(y.min() >= 0)
        criteria, others = ["squared_error", "absolute_error", *counts], ["standard_deviation", *counts]
    else:
        tree, forest, boosting = tamis.TreeClassifier, tamis.ForestClassifier, tamis.boosting.BoostingClassifier
        criteria, others = ["gini", "entropy", "gain_ratio", "chi2"], ["entropy", "ordinal"]
        for by in ("brier", "log_loss"):
            yield f"tree, pruned by {by}", tree(prune="cv", prune_by=by, cv=cv, random_state=seed)
    for criterion in criteria:
        yield f"tree by {criterion}", tree(criterion=criterion)
        yield f"tree by {criterion}, missing a category", tree(criterion=criterion, missing="category", max_depth=6)
    yield "tree, pruned", tree(prune="cv", cv=cv, random_state=seed)
    yield "tree, best first", tree(max_leaf_nodes=9, missing="majority", min_samples_leaf=3)
    yield "forest", forest(20, random_state=seed)
    yield "forest, large leaves", forest(10, random_state=seed, min_samples_leaf=7, max_features=None)
    for criterion in others:
        yield f"forest by {criterion}", forest(10, random_state=seed, criterion=criterion)
    yield "forest, random thresholds", forest(10, random_state=seed, thresholds="random")
    yield "boosting", boosting(20, random_state=seed)
    yield "boosting, drawn columns", boosting(15, random_state=seed, max_depth=3, max_features=0.5)


def splits_of(model: Any) -> list[np.ndarray]:
    """Columns and thresholds of all splits."""
    if hasattr(model, "tree_"):
        return [model.tree_.feature, model.tree_.threshold]
    nodes = np.ascontiguousarray(model.trees_.nodes)
    return [
        nodes["left"],
        np.where(nodes["left"] >= 0, nodes["column"], 0),
        np.where(nodes["left"] >= 0, nodes["threshold"], 0),
    ]


def outcome(model: Any, frame: pd.DataFrame, y: np.ndarray, weight: np.ndarray | None) -> dict[str, Any]:
    """What a fitted model holds and answers, and the processor time of its fit; or its error."""
    began = time.process_time()
    try:
        model.fit(frame, y, sample_weight=weight)
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}
    took = time.process_time() - began
    answers = [model.predict(frame)] if y.dtype.kind == "f" else [model.predict_proba(frame)]
    answers += [
        getattr(model, name)
        for name in ("cv_predictions_", "oob_prediction_", "oob_decision_function_")
        if hasattr(model, name)
    ]
    importances = getattr(model, "feature_importances_", None)
    return {
        "splits": splits_of(model),
        "answers": [*answers, *([] if importances is None else [importances])],
        "took": took,
    }


def serve() -> None:
    """Fits what standard input names, and writes outcomes to standard output."""
    warnings.simplefilter("ignore")
    import tamis.boosting  # noqa: F401

    send = sys.stdout.buffer
    for line in sys.stdin:
        path, variant, seed, rows, columns, name = json.loads(line)
        frame, y = drawn(Path(path), seed, rows, columns)
        frame, weight, groups = varied(frame, variant, seed)
        named = dict(models(y, variant, groups, seed))
        result: Any = list(named) if name is None else outcome(named[name], frame, y, weight)
        packed = pickle.dumps(result)
        send.write(len(packed).to_bytes(8, "little") + packed)
        send.flush()


class Version:
    """A version of Tamis in a process of its own."""

    def __init__(self, source: str) -> None:
        surroundings = {**os.environ, "PYTHONPATH": str(Path(source).resolve())}
        self.process = subprocess.Popen(
            [sys.executable, __file__, "--serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=surroundings
        )

    def ask(self, *question: Any) -> Any:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(question).encode() + b"\n")
        self.process.stdin.flush()
        size = int.from_bytes(self.process.stdout.read(8), "little")
        return pickle.loads(self.process.stdout.read(size))


def difference(old: dict[str, Any], new: dict[str, Any]) -> str:
    """What differs between two outcomes, in words; empty when nothing does."""
    if "error" in old or "error" in new:
        return "" if old.get("error") == new.get("error") else f"{old.get('error')} became {new.get('error')}"
    words = []
    if not all(np.array_equal(a, b) for a, b in zip(old["splits"], new["splits"])):
        words.append("splits")
    for a, b in zip(old["answers"], new["answers"]):
        span = max(1.0, float(np.nanmax(np.abs(a), initial=0.0)))
        far = float(np.nanmax(np.abs(np.asarray(a) - b), initial=0.0)) / span
        if far > 1e-9 or not np.array_equal(np.isnan(a), np.isnan(b)):
            words.append(f"answers by {far:.1e}")
    return ", ".join(words)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sources", nargs=2)
    parser.add_argument("--data", default="../shared/data/suite")
    parser.add_argument("--rows", type=int, default=400)
    parser.add_argument("--columns", type=int, default=40)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--tables", nargs="*")
    parser.add_argument("--times", action="store_true")
    asked = parser.parse_args()
    old, new = map(Version, asked.sources)
    paths = [p for p in sorted(Path(asked.data).glob("*.parquet")) if not asked.tables or p.stem in asked.tables]
    n_fits, n_errors, n_different, seconds = 0, 0, 0, {}
    for path in paths:
        before = n_fits, n_different
        for variant in VARIANTS:
            for seed in range(asked.seeds):
                table = (str(path), variant, seed, asked.rows, asked.columns)
                for name in old.ask(*table, None):
                    a, b = old.ask(*table, name), new.ask(*table, name)
                    n_fits, n_errors = n_fits + 1, n_errors + ("error" in a)
                    if words := difference(a, b):
                        n_different += 1
                        print(f"{path.stem}, {variant}, seed {seed}, {name}: {words}", flush=True)
                    if "took" in a and "took" in b:
                        sums = seconds.get(name, (0.0, 0.0))
                        seconds[name] = (sums[0] + a["took"], sums[1] + b["took"])
        print(f"{path.stem}: {n_fits - before[0]} fits, {n_different - before[1]} differences", flush=True)
    print(f"{n_fits:,} fits of {len(paths)} tables ({n_errors:,} refused by both): {n_different:,} differences")
    if asked.times:
        for name, (a, b) in seconds.items():
            print(f"{name}: {a:.2f} s and {b:.2f} s of the processor, {a / b:.2f}")


if __name__ == "__main__":
    if sys.argv[1:] == ["--serve"]:
        serve()
    else:
        main()
