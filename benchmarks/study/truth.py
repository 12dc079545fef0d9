"""What the main job says about simulated tables whose truth is known: how often it is false, beside what is asked.

    python benchmarks/study/truth.py --jobs 2                          every cell (hours)
    python benchmarks/study/truth.py --only "noise" --tables 60 --start 1000
    python benchmarks/study/truth.py --list

A cell is one kind of table (`truth_cells/`, a file a topic). Studies run with default settings. "within chance": beyond
the figure asked, but by no more than chance explains with so many tables (one-sided, 5%). No other library states
whether there is a signal, so none stands beside.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from pkgutil import iter_modules
from zlib import crc32

import numpy as np
import truth_cells
from truth_cells.cell import Cell


def cells() -> dict[str, Cell]:
    """Every cell by topic and name, in the order of the files."""
    modules = [import_module(f"truth_cells.{info.name}") for info in iter_modules(truth_cells.__path__)]
    return {f"{cell.topic} | {cell.name}": cell for module in modules for cell in getattr(module, "CELLS", ())}


def compute(key: str, seed: int) -> Mapping[str, float]:
    """The numbers of one table; tables of different cells are independent."""
    return cells()[key].compute(np.random.default_rng([seed, crc32(key.encode())]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=0, help="tables per cell; by default what the cell says")
    parser.add_argument("--start", type=int, default=0, help="the first seed")
    parser.add_argument("--only", nargs="*", default=[""], help="cells whose topic and name hold one of these")
    parser.add_argument("--jobs", type=int, default=1, help="tables side by side")
    parser.add_argument("--list", action="store_true", help="print the cells and the figures asked")
    options = parser.parse_args()
    selected = {key: cell for key, cell in cells().items() if any(word in key for word in options.only)}
    if options.list:
        for key, cell in selected.items():
            print(key, "; ".join(f"{name} {figure.asked()}" for name, figure in cell.figures.items()), sep=": ")
        return
    for key, cell in selected.items():
        tables = options.tables or cell.tables
        seeds, start = range(options.start, options.start + tables), time.time()
        if options.jobs == 1:
            results = [compute(key, seed) for seed in seeds]
        else:
            with ProcessPoolExecutor(options.jobs) as pool:
                results = list(pool.map(compute, [key] * tables, seeds))
        print(*cell.lines(results), sep="\n", flush=True)
        print(f"    {(time.time() - start) / tables:.1f} s per table", flush=True)


if __name__ == "__main__":
    main()
