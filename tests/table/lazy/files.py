"""Files for the tests of lazy tables: one table, cut in any number of parts."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq


def mixed_table(n: int = 5_000, seed: int = 0) -> pa.Table:
    """Numbers, whole numbers, words with holes, yes or no, a date, a target of classes and one of numbers."""
    rng = np.random.default_rng(seed)
    size = rng.normal(3.0, 2.0, n)
    colour = rng.choice(np.array(["red", "green", "blue"]), n)
    y = size + (colour == "red") + rng.normal(0, 0.5, n)
    return pa.table(
        {
            "size": pa.array(size.astype(np.float32)),
            "far": 1e6 + rng.normal(0, 1.0, n),
            "count": rng.integers(0, 40, n),
            "holes": pa.array(np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n)), from_pandas=True),
            "colour": pa.array(colour).filter(pa.array(np.ones(n, dtype=bool))),
            "smokes": pa.array(rng.choice(np.array(["yes", "no"]), n)),
            "seen": pa.array(np.datetime64("2021-01-01", "D") + rng.integers(0, 900, n)),
            "unit": pa.array(["m"] * n),
            "class": pa.array(np.where(y > 3.5, "high", "low")),
            "y": y,
        }
    )


def write_parts(table: pa.Table, folder: Path, parts: int, group: int = 700) -> str:
    """The table in so many Parquet files of unequal length; the glob that finds them."""
    folder.mkdir(parents=True, exist_ok=True)
    n = table.num_rows
    cuts = np.unique(np.round(np.linspace(0, 1, parts + 1) ** 1.5 * n).astype(int))
    for k, (a, b) in enumerate(pairwise(cuts)):
        pq.write_table(table.slice(a, b - a), folder / f"part-{k}.parquet", row_group_size=group)
    return str(folder / "*.parquet")
