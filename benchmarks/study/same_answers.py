"""Whether another version of the sources gives the same files, and how their seconds compare.

    python benchmarks/study/same_answers.py --other ../main/src --data ../shared/data/suite [--rows 400] [tables]

Each table is cut to at most so many rows and written to CSV; `tamis run` is run by these sources and by the others, by
turns. Compared are results.json and model.json: equal bytes, or else the largest relative difference of two numbers in
the same place, and the first places where anything but a number differs. Printed are processor seconds of both, too.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
from command import FILES, command
from phases import table

TABLES = (
    *("breast_cancer", "wine", "german", "wine_quality_red", "60 x 3,000 of 3", "251 x 90 of 15", "haberman"),
    *("auto_price", "bodyfat", "hypothyroid", "horse_colic", "lung_small", "swd", "houses", "mushroom"),
)

#: What may differ: when the run was, and how long it took.
IGNORED = ("seconds", "version", "created", "started", "finished_at")


def differences(one: Any, other: Any, where: str = "") -> Iterator[tuple[str, float]]:
    """Places where two JSON documents differ, each with the relative difference of numbers; infinity for all else."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in one.keys() | other.keys():
            if key not in IGNORED:
                yield from differences(one.get(key), other.get(key), f"{where}.{key}")
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for index, (first, second) in enumerate(zip(one, other)):
            yield from differences(first, second, f"{where}[{index}]")
    elif _is_number(one) and _is_number(other):
        if one != other:
            yield where, abs(one - other) / max(abs(one), abs(other), 1e-9)
    elif one != other:
        yield where, float("inf")


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def compared(file: Path, folder: Path, other: str) -> str:
    """A line of the table: seconds of both, and what differs."""
    folders = {"this": folder / "this", "other": folder / "other"}
    changes = {"this": {}, "other": {"PYTHONPATH": str(Path(other).resolve())}}
    seconds = {way: command(file, folders[way], changes[way])[1] for way in ("other", "this")}
    times = f"{seconds['other']:.2f} | {seconds['this']:.2f} | {seconds['other'] / seconds['this']:.2f}"
    first, second = ([(folders[way] / name).read_bytes() for name in FILES] for way in ("this", "other"))
    if first == second:
        return f"{times} | equal bytes |"
    found = [(f"{name}{where}", size) for name, a, b in zip(FILES, first, second) for where, size in _of(a, b)]
    other_kind = [where for where, size in found if size == float("inf")]
    largest = max((pair for pair in found if pair[1] < float("inf")), key=lambda pair: pair[1], default=("", 0.0))
    words = f"{len(found)} numbers, at most {largest[1]:.1e} ({largest[0]})"
    return f"{times} | {words}{'; others: ' + ', '.join(other_kind[:4]) if other_kind else ''} |"


def _of(first: bytes, second: bytes) -> Iterator[tuple[str, float]]:
    return differences(json.loads(first), json.loads(second))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", nargs="*", default=TABLES)
    parser.add_argument("--data", type=Path, default=Path("../shared/data/suite"))
    parser.add_argument("--other", required=True, help="the folder src of another version")
    parser.add_argument("--rows", type=int, default=400)
    options = parser.parse_args()
    print("| table | other: seconds | this: seconds | ratio | files |\n|---|--:|--:|--:|---|")
    for name in options.tables:
        frame: pd.DataFrame = table(name, options.data)
        frame = frame.sample(min(len(frame), options.rows), random_state=0).sort_index()
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "table.csv"
            frame.to_csv(file, index=False)
            print(f"| {name} | {compared(file, Path(folder), options.other)}", flush=True)


if __name__ == "__main__":
    main()
