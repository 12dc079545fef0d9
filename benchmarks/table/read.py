"""Reading a large CSV file: time and peak memory of `tamis.table.read` against a plain `pyarrow.csv.read_csv`.

    python benchmarks/table/read.py [--rows 1000000] [--repeats 7]

The file has 20 mixed columns: decimals (some missing), whole numbers, words, countries with NA among them, yes/no,
codes with leading zeros, dates, times and a row number. Both read the same file in turn with two threads; the ratio is
that of the medians. Memory is the growth of the resident set at its peak, in a process of its own for each, in units
of the Arrow table that the plain reading gives.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as csv

THREADS = 2


def write(path: Path, n: int, seed: int = 0) -> None:
    """The mixed table of n rows."""
    rng = np.random.default_rng(seed)
    gaps = rng.random(n) < 0.05
    columns: dict[str, Any] = {
        f"f{j}": pa.array(np.round(rng.normal(size=n) * 10**j, 4), mask=gaps if j == 0 else None) for j in range(7)
    }
    for name, low, high in (("age", 18, 95), ("count", 0, 10**5), ("flag", 0, 2), ("score", 1, 6), ("big", 0, 10**9)):
        columns[name] = rng.integers(low, high, n)
    words = {
        "colour": ["red", "green", "blue", "yellow"],
        "city": [f"city {i}" for i in range(400)],
        "country": ["US", "FR", "DE", "NA", "GB", "IT"],
        "agreed": ["yes", "no"],
        "zip": [f"{i:05d}" for i in range(0, 90_000, 97)],
    }
    for name, levels in words.items():
        columns[name] = np.array(levels)[rng.integers(0, len(levels), n)]
    columns["when"] = (np.datetime64("2015-01-01") + rng.integers(0, 3000, n)).astype(str)
    columns["stamp"] = (np.datetime64("2015-01-01T00:00:00") + rng.integers(0, 10**8, n)).astype(str)
    columns["id"] = np.arange(1, n + 1)
    csv.write_csv(pa.table(columns), path, csv.WriteOptions(quoting_style="none"))


def plain(path: str) -> Any:
    return csv.read_csv(path)


def ours(path: str) -> Any:
    from tamis.table import read

    return read(path)


def seconds(job: Callable[[str], Any], path: str) -> float:
    start = time.perf_counter()
    job(path)
    return time.perf_counter() - start


def peak(job: str, path: str) -> int:
    """Bytes by which the resident set of a fresh process grows at its peak."""
    run = subprocess.run([sys.executable, __file__, "--peak", job, path], capture_output=True, text=True, check=True)
    return int(run.stdout)


def print_peak(job: Callable[[str], Any], path: str, warm: str) -> None:
    pa.set_cpu_count(THREADS)
    job(warm)  # imports and thread pools are not the table's memory
    before = status("VmRSS")
    kept = job(path)
    print(status("VmHWM") - before)  # getrusage would give the parent's peak, which a child inherits
    del kept


def status(field: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(field))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--peak", nargs=2)
    given = parser.parse_args()
    if given.peak:
        print_peak({"plain": plain, "ours": ours}[given.peak[0]], given.peak[1], f"{given.peak[1]}.small.csv")
        return
    pa.set_cpu_count(THREADS)
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/mixed.csv"
        write(Path(path), given.rows)
        write(Path(f"{path}.small.csv"), 1_000)
        times: dict[str, list[float]] = {"plain": [], "ours": []}
        for _ in range(given.repeats):
            times["plain"].append(seconds(plain, path))
            times["ours"].append(seconds(ours, path))
        arrow = plain(path).nbytes
        theirs, own = (statistics.median(times[name]) for name in ("plain", "ours"))
        print(
            f"{given.rows:,} × 20, {Path(path).stat().st_size / 1e6:.0f} MB of text, Arrow table {arrow / 1e6:.0f} MB"
        )
        print(f"time    pyarrow.csv {theirs:.2f} s   tamis {own:.2f} s   ratio {own / theirs:.2f} (asked: at most 2)")
        if sys.platform == "linux":
            theirs_peak, own_peak = peak("plain", path), peak("ours", path)
            print(
                f"memory  pyarrow.csv {theirs_peak / arrow:.2f} × Arrow table   tamis {own_peak / arrow:.2f} × "
                "(asked: at most 3)"
            )
        else:
            print("memory  not measured: needs Linux")


if __name__ == "__main__":
    main()
