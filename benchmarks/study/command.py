"""The command by the clock: `tamis run` on small tables beside another version.

    python benchmarks/study/command.py --data ../shared/data/suite [--turns 3] [--other ../main/src] [tables]

Each table is written to CSV, and `python -m tamis run FILE --target target --folder FRESH --json` is run by turns: by
these sources, and by those of another version where `--other` names them. Printed are the medians of clock and
processor seconds, children included, and the clock in scikit-learn forests of 500 trees (n_jobs=2) on the same rows. A
first run is not counted. Files that differ are an error.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

import pandas as pd
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline

TABLES = ("breast_cancer", "wine", "sonar", "german", "haberman", "wine_quality_red")
BUNDLED = {"breast_cancer": load_breast_cancer, "wine": load_wine}
FILES = ("results.json", "model.json")


def table(name: str, data: Path) -> pd.DataFrame:
    """The rows, with a column "target"."""
    if name not in BUNDLED:
        return pd.read_parquet(data / f"{name}.parquet")
    made = BUNDLED[name](as_frame=True)
    return made.frame.assign(target=made.target_names[made.target])


def installed() -> dict[str, str]:
    """The environment of an installed package, whose files Python has compiled."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def command(file: Path, folder: Path, changes: dict[str, str]) -> tuple[float, float]:
    """Clock and processor seconds of the command."""
    words = [sys.executable, "-m", "tamis", "run", str(file), "--target", "target", "--folder", str(folder), "--json"]
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(words, env={**installed(), **changes}, stdout=subprocess.DEVNULL, check=True)
    clock, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return clock, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def forest_seconds(frame: pd.DataFrame) -> tuple[float, float]:
    """Clock and processor seconds of a forest of 500 trees; texts as codes."""
    X = frame.drop(columns="target")
    X = X.assign(**{c: X[c].astype("category").cat.codes for c in X if not pd.api.types.is_numeric_dtype(X[c])})
    numbers = pd.api.types.is_float_dtype(frame["target"])
    model = (RandomForestRegressor if numbers else RandomForestClassifier)(500, n_jobs=2, random_state=0)
    start, busy = time.perf_counter(), time.process_time()
    make_pipeline(SimpleImputer(), model).fit(X, frame["target"])
    return time.perf_counter() - start, time.process_time() - busy


def measured(frame: pd.DataFrame, ways: dict[str, dict[str, str]], turns: int) -> tuple[dict[str, Any], float]:
    """For each way the medians of clock and processor seconds; and those of the forest."""
    found: dict[str, list[tuple[float, float]]] = {way: [] for way in ways}
    forests = []
    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / "table.csv"
        frame.to_csv(file, index=False)
        for turn in range(-1, turns):
            written = set()
            for way, changes in ways.items():
                folder = Path(place) / f"{way} {turn}"
                seconds = command(file, folder, changes)
                written.add(tuple((folder / name).read_bytes() for name in FILES))
                if turn >= 0:
                    found[way].append(seconds)
            assert len(written) == 1, "the ways give different answers"
            forests.append(forest_seconds(frame)[0])
    return {way: [median(part) for part in zip(*taken)] for way, taken in found.items()}, median(forests)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", nargs="*", default=TABLES)
    parser.add_argument("--data", type=Path, default=Path("../shared/data/suite"))
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--other", help="the folder src of another version")
    given = parser.parse_args()
    ways: dict[str, dict[str, str]] = {"this version": {}}
    if given.other:
        ways = {"other version": {"PYTHONPATH": str(Path(given.other).resolve())}, **ways}
    heads = [f"{way}: {part}" for way in ways for part in ("clock", "processor", "forests")]
    print(f"| table | rows | columns | {' | '.join(heads)} |\n|---|{'--:|' * (2 + len(heads))}")
    for name in given.tables:
        frame = table(name, given.data)
        found, unit = measured(frame, ways, given.turns)
        cells = [f"{clock:.2f} | {busy:.2f} | {clock / unit:.1f}" for clock, busy in found.values()]
        print(f"| {name} | {len(frame):,} | {frame.shape[1] - 1:,} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
