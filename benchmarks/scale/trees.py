"""A forest of 100 trees and a pruned tree of a table larger than memory: time, peak of anonymous memory and quality.

    python benchmarks/scale/trees.py 2000000 [folder] [--rivals]

Every job runs in a process of its own, after one on few rows that compiles its kernels; two threads each. Quality is
that of 250,000 fresh rows. Rivals, where they are installed, grow forests on samples of as many rows a tree: XGBoost
from its external memory (`num_parallel_tree`), LightGBM with all rows in memory (`boosting="rf"`). Both stop their
trees by depth or leaves, as they must; categories are codes for them.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from data import BLOCK, WORDS, block, by_command_line, write
from scale import NUMBERS, Peak, batches

TREES, DRAWN, FRESH = 100, 262_144, 1_000_000  # the last: a block that no table of the benchmark has
PLACES = [pa.array(words) for words in WORDS]


def forest(pattern, n_rows):
    import tamis

    table = tamis.read(pattern, target="class").drop(["y"])
    model = tamis.ForestClassifier(TREES).fit(table, "class")
    digest = hashlib.sha256(model.trees_.nodes.tobytes()).hexdigest()[:12]
    return lambda rows: model.predict_proba(rows)[:, 1], f"{digest}, out-of-bag accuracy {model.oob_score_:.4f}"


def pruned_tree(pattern, n_rows):
    import tamis

    table = tamis.read(pattern, target="class").drop(["y"])
    model = tamis.TreeClassifier(prune="cv", prune_by="brier").fit(table, "class")
    digest = hashlib.sha256(model.tree_.threshold.tobytes()).hexdigest()[:12]
    return lambda rows: model.predict_proba(rows)[:, 1], f"{digest}, {model.get_n_leaves():,} leaves"


def matrix(batch) -> np.ndarray:
    """Numbers and codes of categories, float32."""
    columns = [batch.column(name).to_numpy(zero_copy_only=False) for name in NUMBERS]
    for j, places in enumerate(PLACES):
        codes = pc.index_in(batch.column(f"c{j}").cast(pa.string()), places)
        columns.append(codes.to_numpy(zero_copy_only=False))
    return np.column_stack(columns).astype(np.float32, copy=False)


def answers(batch) -> np.ndarray:
    return np.asarray(pc.equal(batch.column("class").cast(pa.string()), "yes")).astype(np.float32)


def xgboost_forest(pattern, n_rows):
    import xgboost

    class Parts(xgboost.DataIter):
        def __init__(self):
            super().__init__(cache_prefix=str(Path(tempfile.mkdtemp()) / "cache"))
            self.reset()

        def next(self, input_data):
            batch = next(self.rows, None)
            if batch is None:
                return False
            input_data(data=matrix(batch), label=answers(batch))
            return True

        def reset(self):
            self.rows = batches(pattern)

    data = xgboost.ExtMemQuantileDMatrix(Parts(), max_bin=256, nthread=2)
    options = {
        "objective": "binary:logistic", "num_parallel_tree": TREES, "learning_rate": 1.0, "max_depth": 16,
        "subsample": min(1.0, DRAWN / n_rows), "colsample_bynode": 44**0.5 / 44, "tree_method": "hist", "nthread": 2,
        "reg_lambda": 0.0, "min_child_weight": 0.5, "base_score": 0.5,
    }  # fmt: skip
    model = xgboost.train(options, data, num_boost_round=1)
    digest = hashlib.sha256(bytes(model.save_raw("ubj"))).hexdigest()[:12]
    return lambda rows: model.predict(xgboost.DMatrix(matrix(rows), nthread=2)), digest


def lightgbm_forest(pattern, n_rows):
    import lightgbm

    parts = [(matrix(batch), answers(batch)) for batch in batches(pattern)]
    X, y = np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts])
    del parts
    options = {
        "objective": "binary", "boosting": "rf", "bagging_freq": 1, "bagging_fraction": min(0.99, DRAWN / n_rows),
        "feature_fraction_bynode": 44**0.5 / 44, "num_leaves": 16_384, "min_data_in_leaf": 1, "num_threads": 2,
        "verbose": -1, "deterministic": True, "force_row_wise": True,
    }  # fmt: skip
    model = lightgbm.train(options, lightgbm.Dataset(X, y), num_boost_round=TREES)
    digest = hashlib.sha256(model.model_to_string().encode()).hexdigest()[:12]
    return lambda rows: model.predict(matrix(rows), num_threads=2), digest


JOBS = {"forest, 100 trees": forest, "pruned tree": pruned_tree}
RIVALS = {"XGBoost, 100 trees of depth 16, from disk": xgboost_forest, "LightGBM, 100 trees": lightgbm_forest}


def quality(predict, with_table: bool) -> dict[str, float]:
    """Brier score and accuracy of fresh rows, and the largest that the truth would have."""
    fresh = block(FRESH)
    truth = answers(fresh)
    found = []
    for first in range(0, BLOCK, 50_000):
        part = fresh.slice(first, 50_000)
        found.append(predict(part.drop_columns(["y", "class"]) if with_table else part.combine_chunks()))
    share = np.concatenate(found)
    return {"brier": float(np.mean((share - truth) ** 2)), "accuracy": float(np.mean((share > 0.5) == truth))}


def one(name: str, pattern: str, small: str, n_rows: str) -> None:
    """Run a job on few rows, then on all, and print what it took."""
    job = {**JOBS, **RIVALS}[name]
    if name in JOBS:
        job(small, BLOCK)
    with Peak() as peak:
        wall, cpu = time.perf_counter(), time.process_time()
        predict, said = job(pattern, int(n_rows))
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    print(json.dumps({"wall": wall, "cpu": cpu, "peak": peak.most, "said": said, **quality(predict, name in JOBS)}))


def main(rows: int, folder: Path) -> None:
    small = write(folder / "few", BLOCK, 1)
    pattern = str(folder / "all" / "*.parquet") if (folder / "all").exists() else write(folder / "all", rows, 8)
    print(f"{rows:,} rows × 40 numbers + 4 categories")
    for name in [*JOBS, *(RIVALS if "--rivals" in sys.argv else ())]:
        told = subprocess.run(
            [sys.executable, __file__, "--job", name, pattern, small, str(rows)], capture_output=True, text=True
        )
        if told.returncode:
            print(f"{name:42} failed: {(told.stderr.strip().splitlines() or ['no word'])[-1]}", flush=True)
            continue
        found = json.loads(told.stdout.splitlines()[-1])
        print(
            f"{name:42} {found['wall']:7.1f} s, processor {found['cpu']:7.1f} s, RssAnon {found['peak']:6.0f} MB, "
            f"Brier {found['brier']:.5f}, accuracy {found['accuracy']:.4f}, {found['said']}",
            flush=True,
        )


if __name__ == "__main__":
    if sys.argv[1] == "--job":
        one(*sys.argv[2:6])
    else:
        by_command_line(main)
