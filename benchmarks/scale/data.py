"""The table of the benchmarks of scale: 40 numbers, 4 categories, a numeric target and classes, in Parquet.

20,000,000 rows are about 3.5 GB. Rows are made in blocks, each from a seed of its own, so that any number of files
holds the same table.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

BLOCK = 250_000  # rows made at a time
WORDS = [[f"{letter}{k}" for k in range(n)] for letter, n in zip("pqrs", (3, 5, 8, 12))]


def block(number: int, rows: int = BLOCK) -> pa.Table:
    """One block of rows: ten of the numbers and two of the categories matter."""
    rng = np.random.default_rng([7, number])
    X = rng.standard_normal((40, rows), dtype=np.float32)
    X[20:] = 0.5 * X[:20] + np.float32(0.75**0.5) * X[20:]  # each of the last twenty goes with one of the first
    codes = [rng.integers(0, len(words), rows) for words in WORDS]
    signal = X[:10].T @ np.linspace(1.0, 0.1, 10, dtype=np.float32) + 0.5 * (codes[0] == 1) - 0.3 * (codes[2] == 3)
    y = signal + rng.standard_normal(rows, dtype=np.float32)
    columns = {f"x{j:02d}": pa.array(X[j]) for j in range(40)}
    for j, (words, code) in enumerate(zip(WORDS, codes)):
        columns[f"c{j}"] = pa.DictionaryArray.from_arrays(pa.array(code.astype(np.int8)), pa.array(words)).cast(
            pa.string()
        )
    columns["y"] = pa.array(y.astype(np.float32))
    columns["class"] = pa.array(np.where(signal + rng.logistic(size=rows) > 0, "yes", "no"))
    return pa.table(columns)


def write(folder: Path, rows: int, files: int = 4) -> str:
    """The table of so many rows in so many files; the glob that finds them."""
    folder.mkdir(parents=True, exist_ok=True)
    blocks = rows // BLOCK
    for k, numbers in enumerate(np.array_split(np.arange(blocks), files)):
        writer = None
        for number in numbers:
            part = block(int(number))
            if writer is None:
                options = {"use_dictionary": [f"c{j}" for j in range(4)] + ["class"], "compression": "none"}
                writer = pq.ParquetWriter(folder / f"part-{k:03d}.parquet", part.schema, **options)
            writer.write_table(part)
        if writer is not None:
            writer.close()
    return str(folder / "*.parquet")


def by_command_line(main: Callable[[int, Path], None]) -> None:
    """Call a benchmark with the rows and the folder that the command line names; else with a folder that goes again."""
    given = [word for word in sys.argv[1:] if not word.startswith("-")]
    if len(given) > 1:
        main(int(given[0]), Path(given[1]))
        return
    with tempfile.TemporaryDirectory(prefix="tamis-scale-") as place:
        main(int(given[0]), Path(place))
