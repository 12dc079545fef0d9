"""Tables larger than memory: time as a multiple of reading the files, and the peak of anonymous memory, beside rivals.

    python benchmarks/scale/scale.py 2000000 [folder] [--short] [--dask] [--only-dask]

Give the number of rows; 20000000 take 3.3 GB of disk.

Every job runs in a process of its own; RssAnon is read from /proc every 20 ms. Kernels are compiled before the clock.
Rivals: scikit-learn's IncrementalPCA and SGDClassifier, fed by batches of the same files.
"""

from __future__ import annotations

import hashlib
import json
import pickle
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
from data import BLOCK, by_command_line, write

NUMBERS = [f"x{j:02d}" for j in range(40)]


def anonymous() -> float:
    """RssAnon of this process in MB."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("RssAnon"):
            return int(line.split()[1]) / 1024
    return float("nan")


class Peak:
    """The largest RssAnon while in the context."""

    def __enter__(self):
        self.most, self._on = anonymous(), True
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()
        return self

    def _watch(self):
        while self._on:
            self.most = max(self.most, anonymous())
            time.sleep(0.02)

    def __exit__(self, *_):
        self._on = False
        self._thread.join()


def batches(pattern: str):
    for path in sorted(Path(pattern).parent.glob("*.parquet")):
        yield from pq.ParquetFile(path).iter_batches(65_536)


def reading(pattern):
    return sum(batch.num_rows for batch in batches(pattern))


def ranking(by, target):
    def job(pattern):
        from tamis.score import rank

        return rank(pattern, target, by=by).to_json()

    return job


def lasso(pattern):
    import tamis

    model = tamis.LinearRegressor(cv=10).fit(tamis.read(pattern, target="y").drop(["class"]), "y")
    return model.coef_.tobytes().hex() + f" {len(model.selected_columns_)} columns"


def logistic(pattern):
    import tamis

    model = tamis.LinearClassifier(cv=5).fit(tamis.read(pattern, target="class").drop(["y"]), "class")
    return model.coef_.tobytes().hex() + f" {len(model.selected_columns_)} columns"


def components(pattern):
    import tamis

    return tamis.PCA(10).fit(tamis.read(pattern).select(NUMBERS)).components_.tobytes().hex()


def incremental_pca(pattern):
    from sklearn.decomposition import IncrementalPCA

    model = IncrementalPCA(10)
    for batch in batches(pattern):
        model.partial_fit(np.column_stack([batch.column(name).to_numpy() for name in NUMBERS]))
    return ""


def sgd(pattern):
    from sklearn.linear_model import SGDClassifier

    model = SGDClassifier(loss="log_loss")
    for batch in batches(pattern):
        X = np.column_stack([batch.column(name).to_numpy() for name in NUMBERS])
        y = np.asarray(batch.column("class").to_pylist())
        model.partial_fit(X, y, classes=["no", "yes"])
    return ""


JOBS = {
    "reading (iter_batches)": reading,
    "rank by pearson": ranking("pearson", "y"),
    "rank by anova": ranking("anova", "class"),
    "rank by mutual_information": ranking("mutual_information", "class"),
    "rank by chi2": ranking("chi2", "class"),
    "lasso, 10-fold CV": lasso,
    "logistic lasso, 5-fold CV": logistic,
    "PCA": components,
    "IncrementalPCA (scikit-learn)": incremental_pca,
    "SGDClassifier, one pass (scikit-learn)": sgd,
}


#: Left out with --short: each reads all rows many times, or learns from them in Python.
SLOW = ("logistic lasso, 5-fold CV", "IncrementalPCA (scikit-learn)", "SGDClassifier, one pass (scikit-learn)")


def one(name: str, pattern: str, small: str) -> None:
    """Run a job once on few rows, which compiles what it needs, then on all, and print what it took."""
    JOBS[name](small)
    with Peak() as peak:
        wall, cpu = time.perf_counter(), time.process_time()
        found = JOBS[name](pattern)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    digest = hashlib.sha256(str(found).encode()).hexdigest()[:12]
    print(json.dumps({"wall": wall, "cpu": cpu, "peak": peak.most, "digest": digest}))


def workers(pattern: str, number: int) -> tuple[float, str, int, int]:
    """Moments of ten folds on so many Dask workers: seconds (the least of three), digest, bytes sent back, partitions.

    What comes back is counted as it is pickled on the way.
    """
    import distributed

    import tamis
    from tamis.engine import use
    from tamis.views.lazy.fold_moments import fold_moments

    with (
        distributed.LocalCluster(
            n_workers=number, threads_per_worker=1, memory_limit=0, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
        use("dask", client=client) as engine,
    ):
        table = tamis.read(pattern, target="y").drop(["class"])
        sizes, each = [], engine.each

        def counted(function, items):
            for value in each(function, items):
                sizes.append(len(pickle.dumps(value, protocol=5)))
                yield value

        partitions = len(table.partitions())  # what finds the levels of categories is behind us
        engine.each = counted
        fold_moments(table, "y", n_folds=10)
        engine.each, taken = each, []
        for _ in range(3):
            start = time.perf_counter()
            found = fold_moments(table, "y", n_folds=10)
            taken.append(time.perf_counter() - start)
    digest = hashlib.sha256(b"".join(part.scatter.tobytes() for part in found.test)).hexdigest()[:12]
    return min(taken), digest, sum(sizes), partitions


def main(rows: int, folder: Path) -> None:

    small = write(folder / "few", BLOCK, 1)
    pattern = str(folder / "all" / "*.parquet") if (folder / "all").exists() else write(folder / "all", rows, 8)
    base = None
    size = sum(file.stat().st_size for file in (folder / "all").iterdir())
    print(f"{rows:,} rows × 40 numbers + 4 categories, {size:,} bytes")
    for name in JOBS if "--only-dask" not in sys.argv else ():
        if "--short" in sys.argv and name in SLOW:
            continue
        told = subprocess.run(
            [sys.executable, __file__, "--job", name, pattern, small], capture_output=True, text=True, check=True
        ).stdout
        found = json.loads(told.splitlines()[-1])
        base = found if base is None else base
        ratio = f"{found['wall'] / base['wall']:5.1f} × wall {found['cpu'] / base['cpu']:5.1f} × processor"
        print(f"{name:40} {found['wall']:7.1f} s {ratio}  RssAnon {found['peak']:6.0f} MB  {found['digest']}")
    if "--dask" in sys.argv or "--only-dask" in sys.argv:
        for number in (1, 2, 4):
            taken, digest, wire, partitions = workers(pattern, number)
            print(
                f"moments of 10 folds, {number} Dask worker(s): {taken:.1f} s  {digest}  "
                f"{wire:,} bytes in {partitions} partitions"
            )


if __name__ == "__main__":
    if sys.argv[1] == "--job":
        one(*sys.argv[2:5])
    else:
        by_command_line(main)
