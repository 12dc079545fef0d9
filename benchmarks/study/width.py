"""A study of one stump on a very wide and on a very long table: seconds of the clock and of the processor.

Run `python benchmarks/study/width.py [columns] [rows]`; 100,000 columns × 20 rows and 5,000,000 rows × 3 columns unless
told otherwise. Both are to finish within 60 seconds on two cores. On a machine that others use, the processor's seconds
are those to compare.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as csv

COLUMNS, ROWS = 100_000, 5_000_000


def wide(path: Path, n_columns: int, n_rows: int = 20) -> None:
    """Columns of numbers without a meaning, and two classes."""
    X = np.random.default_rng(0).normal(size=(n_rows, n_columns)).round(3)
    with path.open("w") as file:
        file.write(",".join([*(f"g{j}" for j in range(n_columns)), "y"]) + "\n")
        for i, row in enumerate(X.tolist()):
            file.write(",".join(map(str, row)) + f",{'ab'[i % 2]}\n")


def long(path: Path, n_rows: int) -> None:
    """Three columns of numbers, one of which tells the class of most rows."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, 3)).round(3)
    y = np.array(["no", "yes"])[(X[:, 0] + rng.normal(size=n_rows) > 0).astype(int)]
    csv.write_csv(pa.table({"a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "y": y}), path)


def measure(path: Path, folder: Path) -> tuple[float, float]:
    """Seconds of the clock and of the processor that `tamis run` takes."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    command = [sys.executable, "-m", "tamis", "run", str(path), "--target", "y", "--procedures", "stump"]
    subprocess.run([*command, "--folder", str(folder), "-j", "2"], check=True, stdout=subprocess.DEVNULL)
    after, clock = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter() - began
    return clock, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    n_columns, n_rows = (int(text) for text in (sys.argv[1:] + [str(COLUMNS), str(ROWS)][len(sys.argv) - 1 :]))
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for name, make, size in (("wide", wide, n_columns), ("long", long, n_rows)):
            make(folder / f"{name}.csv", size)
            clock, processor = measure(folder / f"{name}.csv", folder / name)
            print(f"{name:5} {size:>10,}: {clock:6.1f} s, {processor:6.1f} s of the processor")


if __name__ == "__main__":
    main()
