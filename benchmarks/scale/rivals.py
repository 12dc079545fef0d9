"""Tamis and its rivals on a table of files, each in a process of its own: processor, clock, memory and quality.

    python benchmarks/scale/rivals.py 500000 [folder] [--only forest,linear,pca]

Forests: 20 trees of depth 10 at most, each on a sample of the rows. Linear: a logistic model of 40 numbers with a small
ridge penalty. PCA: ten components of 40 numbers. Rivals, where they are installed: XGBoost from its external memory
(`num_parallel_tree`), LightGBM (`boosting="rf"`, rows in memory), scikit-learn's SGDClassifier and IncrementalPCA by
batches, dask-ml, Spark MLlib. Memory is the peak of RssAnon over the process and its children (Spark's Java is one);
processor seconds are theirs together. Quality is that of 250,000 fresh rows.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
from data import BLOCK, block, by_command_line, write
from scale import NUMBERS, batches
from trees import answers, matrix

TREES, DEPTH, FRESH, RIDGE = 20, 10, 1_000_000, 1e-4


def share(n_rows: int) -> float:
    """Of the rows that a tree draws."""
    return min(0.99, 262_144 / n_rows)


def numbers_of(batch) -> np.ndarray:
    return np.column_stack([batch.column(name).to_numpy() for name in NUMBERS])


# -- forests ---------------------------------------------------------------------------------------------------------
def tamis_forest(pattern, n_rows):
    import tamis

    table = tamis.read(pattern, target="class").drop(["y"])
    model = tamis.ForestClassifier(TREES, max_depth=DEPTH, max_samples=share(n_rows)).fit(table, "class")
    return lambda rows: model.predict_proba(rows.drop_columns(["y", "class"]))[:, 1]


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
        "objective": "binary:logistic", "num_parallel_tree": TREES, "learning_rate": 1.0, "max_depth": DEPTH,
        "subsample": share(n_rows), "colsample_bynode": 44**0.5 / 44, "tree_method": "hist", "nthread": 2,
        "reg_lambda": 0.0, "min_child_weight": 0.5, "base_score": 0.5,
    }  # fmt: skip
    model = xgboost.train(options, data, num_boost_round=1)
    return lambda rows: model.predict(xgboost.DMatrix(matrix(rows), nthread=2))


def lightgbm_forest(pattern, n_rows):
    import lightgbm

    parts = [(matrix(batch), answers(batch)) for batch in batches(pattern)]
    X, y = np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts])
    del parts
    options = {
        "objective": "binary", "boosting": "rf", "bagging_freq": 1, "bagging_fraction": share(n_rows),
        "feature_fraction_bynode": 44**0.5 / 44, "num_leaves": 1 << DEPTH, "max_depth": DEPTH, "min_data_in_leaf": 1,
        "num_threads": 2, "verbose": -1, "deterministic": True, "force_row_wise": True,
    }  # fmt: skip
    model = lightgbm.train(options, lightgbm.Dataset(X, y), num_boost_round=TREES)
    return lambda rows: model.predict(matrix(rows), num_threads=2)


def spark_forest(pattern, n_rows):
    from pyspark.ml.classification import RandomForestClassifier

    frame = assembled(pattern, [*NUMBERS, *(f"i{j}" for j in range(4))])
    forest = RandomForestClassifier(
        numTrees=TREES, maxDepth=DEPTH, maxBins=256, subsamplingRate=share(n_rows), featureSubsetStrategy="sqrt", seed=0
    )
    model = forest.fit(frame)
    return lambda rows: by_spark(model, rows, [*NUMBERS, *(f"i{j}" for j in range(4))])


# -- logistic models -------------------------------------------------------------------------------------------------
def tamis_logistic(pattern, n_rows):
    import tamis

    table = tamis.read(pattern, target="class").select([*NUMBERS, "class"])
    model = tamis.LinearClassifier("ridge", alpha=RIDGE).fit(table, "class")
    return lambda rows: model.predict_proba(rows.select(NUMBERS))[:, 1]


def sgd(pattern, n_rows):
    from sklearn.linear_model import SGDClassifier

    model = SGDClassifier(loss="log_loss", alpha=RIDGE, random_state=0)
    for batch in batches(pattern):
        model.partial_fit(numbers_of(batch), answers(batch), classes=[0.0, 1.0])
    return lambda rows: model.predict_proba(numbers_of(rows))[:, 1]


def dask_logistic(pattern, n_rows):
    from dask_ml.linear_model import LogisticRegression

    X, y = dask_arrays(pattern)
    model = LogisticRegression(penalty="l2", C=1 / (RIDGE * n_rows), solver="lbfgs").fit(X, y)
    return lambda rows: np.asarray(model.predict_proba(numbers_of(rows).astype(np.float64)))[:, 1]


def spark_logistic(pattern, n_rows):
    from pyspark.ml.classification import LogisticRegression

    model = LogisticRegression(regParam=RIDGE, elasticNetParam=0.0).fit(assembled(pattern, NUMBERS))
    return lambda rows: by_spark(model, rows, NUMBERS)


# -- components ------------------------------------------------------------------------------------------------------
def tamis_pca(pattern, n_rows):
    import tamis

    return tamis.PCA(10).fit(tamis.read(pattern).select(NUMBERS)).components_


def incremental_pca(pattern, n_rows):
    from sklearn.decomposition import IncrementalPCA

    model = IncrementalPCA(10)
    for batch in batches(pattern):
        model.partial_fit(numbers_of(batch))
    return model.components_


def dask_pca(pattern, n_rows):
    from dask_ml.decomposition import PCA

    return np.asarray(PCA(10, svd_solver="tsqr").fit(dask_arrays(pattern)[0]).components_)


def spark_pca(pattern, n_rows):
    from pyspark.ml.feature import PCA

    return PCA(k=10, inputCol="features", outputCol="p").fit(assembled(pattern, NUMBERS)).pc.toArray().T


# -- what they share -------------------------------------------------------------------------------------------------
def dask_arrays(pattern):
    """Numbers and answers as arrays of one block a file, each read when it is needed."""
    import dask
    import dask.array as da
    import pyarrow.parquet as pq

    files = sorted(Path(pattern).parent.glob("*.parquet"))
    rows = [pq.ParquetFile(path).metadata.num_rows for path in files]
    X = [dask.delayed(lambda p: numbers_of(pq.read_table(p, columns=NUMBERS)).astype(np.float64))(p) for p in files]
    y = [dask.delayed(lambda p: answers(pq.read_table(p, columns=["class"])).astype(np.float64))(p) for p in files]
    return (
        da.concatenate([da.from_delayed(one, (n, 40), np.float64) for one, n in zip(X, rows)]),
        da.concatenate([da.from_delayed(one, (n,), np.float64) for one, n in zip(y, rows)]),
    )


def session():
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    from pyspark.sql import SparkSession

    made = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    return made.config("spark.driver.memory", "4g").config("spark.ui.showConsoleProgress", "false").getOrCreate()


def assembled(source, columns):
    from pyspark.ml.feature import VectorAssembler
    from pyspark.sql import functions as f

    frame = session().read.parquet(str(Path(source).parent) if "*" in str(source) else str(source))
    for j in range(4):  # a category is the number in its word
        frame = frame.withColumn(f"i{j}", f.substring(f"c{j}", 2, 2).cast("double"))
    frame = frame.withColumn("label", (f.col("class") == "yes").cast("double"))
    return VectorAssembler(inputCols=list(columns), outputCol="features").transform(frame).select("features", "label")


def by_spark(model, rows, columns):
    import pyarrow.parquet as pq
    from pyspark.ml.functions import vector_to_array

    with tempfile.TemporaryDirectory() as folder:
        pq.write_table(rows, Path(folder) / "fresh.parquet")
        made = model.transform(assembled(folder, columns).coalesce(1))
        return np.array([row[0] for row in made.select(vector_to_array("probability")[1]).collect()])


JOBS = {
    "forest": {
        "Tamis": tamis_forest,
        "XGBoost, external memory": xgboost_forest,
        "LightGBM, rows in memory": lightgbm_forest,
        "Spark MLlib": spark_forest,
    },
    "linear": {"Tamis": tamis_logistic, "SGDClassifier": sgd, "dask-ml": dask_logistic, "Spark MLlib": spark_logistic},
    "pca": {"Tamis": tamis_pca, "IncrementalPCA": incremental_pca, "dask-ml": dask_pca, "Spark MLlib": spark_pca},
}


def family(pid: int) -> list[int]:
    """A process and its descendants."""
    out = [pid]
    for one in out:
        for path in Path(f"/proc/{one}/task").glob("*/children"):
            try:
                out += [int(word) for word in path.read_text().split()]
            except OSError:
                continue
    return out


def used() -> tuple[float, float]:
    """RssAnon in MB and processor seconds, of this process and its descendants."""
    memory = seconds = 0.0
    for pid in family(os.getpid()):
        try:
            status, stat = Path(f"/proc/{pid}/status").read_text(), Path(f"/proc/{pid}/stat").read_text()
        except OSError:
            continue
        if "RssAnon:" in status:  # a process that has ended and is not yet waited for has no memory
            memory += int(status.partition("RssAnon:")[2].split()[0]) / 1024
        seconds += sum(map(int, stat.rpartition(")")[2].split()[11:15])) / os.sysconf("SC_CLK_TCK")
    return memory, seconds


class Watch:
    """The largest memory and the processor seconds while in the context."""

    def __enter__(self):
        self.before, self._first = used()
        self.most, self._on, self._start = self.before, True, time.perf_counter()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()
        return self

    def _watch(self):
        while self._on:
            self.most = max(self.most, used()[0])
            time.sleep(0.05)

    def __exit__(self, *_):
        self._on = False
        self._thread.join()
        self.wall, self.cpu = time.perf_counter() - self._start, used()[1] - self._first


def quality(task: str, found) -> str:
    """On fresh rows: Brier score and log loss of probabilities; share of the variance in the components."""
    fresh = block(FRESH)
    if task == "pca":
        X = numbers_of(fresh).astype(np.float64)
        X -= X.mean(axis=0)
        axes = np.linalg.qr(np.asarray(found, dtype=np.float64).T)[0]
        return f"{((X @ axes) ** 2).sum() / (X**2).sum():.5f} of the variance"
    truth, p = answers(fresh), []
    for first in range(0, BLOCK, 50_000):
        p.append(found(fresh.slice(first, 50_000).combine_chunks()))
    p = np.clip(np.concatenate(p), 1e-9, 1 - 1e-9)
    loss = -np.mean(np.where(truth == 1, np.log(p), np.log(1 - p)))
    return f"Brier {np.mean((p - truth) ** 2):.5f}, log loss {loss:.5f}"


def one(task: str, name: str, pattern: str, small: str, n_rows: str) -> None:
    """Run a job on few rows first, where kernels are compiled; then on all, and print what it took."""
    job = JOBS[task][name]
    if name == "Tamis":
        job(small, BLOCK)
    if name == "Spark MLlib":
        session()  # Java is started before the clock
    with Watch() as watch:
        found = job(pattern, int(n_rows))
    said = {"wall": watch.wall, "cpu": watch.cpu, "peak": watch.most, "quality": quality(task, found)}
    print(json.dumps(said))


def main(rows: int, folder: Path) -> None:
    small = write(folder / "few", BLOCK, 1)
    pattern = str(folder / "all" / "*.parquet") if (folder / "all").exists() else write(folder / "all", rows, 8)
    wanted = sys.argv[sys.argv.index("--only") + 1].split(",") if "--only" in sys.argv else list(JOBS)
    print(f"{rows:,} rows × 40 numbers + 4 categories")
    for task in wanted:
        base = None
        for name in JOBS[task]:
            words = [sys.executable, __file__, "--job", task, name, pattern, small, str(rows)]
            told = subprocess.run(words, capture_output=True, text=True)
            if told.returncode:
                print(f"{task:7} {name:26} failed: {(told.stderr.strip().splitlines() or ['no word'])[-1][:150]}")
                continue
            found = json.loads(told.stdout.splitlines()[-1])
            base = base or found
            print(
                f"{task:7} {name:26} processor {found['cpu']:7.1f} s ({found['cpu'] / base['cpu']:5.1f} ×), clock "
                f"{found['wall']:7.1f} s ({found['wall'] / base['wall']:5.1f} ×), RssAnon {found['peak']:6.0f} MB "
                f"({found['peak'] / base['peak']:4.1f} ×), {found['quality']}",
                flush=True,
            )


if __name__ == "__main__":
    if sys.argv[1] == "--job":
        one(*sys.argv[2:7])
    else:
        by_command_line(main)
