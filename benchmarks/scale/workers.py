"""What a pass over a table costs on some workers: predicted by a small model, beside what was measured.

    python benchmarks/scale/workers.py 2000000 [folder]

The pass makes the moments of ten folds. The model has four numbers: the processor seconds of a cell (one worker, the
smallest table), those of the driver for a partition (a task, its answer, a merge), and the capacity of the cores for
two and for four processes that share nothing, side by side. Partitions are then dealt to workers in their order, as the
engine does; k busy workers run at capacity(k) / k of the speed of one. Bytes sent back are those of half a symmetric
matrix and three vectors a fold and partition. Where others use the machine the clock follows them; processor seconds
do not.

At the end the same model says what 10⁹ rows × 100 numbers take on 100 workers with a core each; the seconds of a cell
of 100 columns are measured on a table of four such cells.
"""

from __future__ import annotations

import hashlib
import heapq
import multiprocessing
import pickle
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from data import by_command_line, write

FOLDS, WORKERS, PASSES = 10, (1, 2, 4), 3


def read(pattern: str):
    import tamis

    table = tamis.read(pattern, target="y")
    return table.drop(["class"]) if "class" in table.names else table


def moments(table):
    from tamis.views.lazy.fold_moments import fold_moments

    return fold_moments(table, "y", n_folds=FOLDS)


def least(function, times: int = 3) -> float:
    """The least of the seconds that some calls take."""
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        function()
        taken.append(time.perf_counter() - start)
    return min(taken)


def alone(pattern: str, started, out) -> None:
    """One thread over a table, when all that run beside it are ready."""
    from tamis.engine import use

    with use("local", n_jobs=1):
        table = read(pattern)
        moments(table)
        started.wait()
        out.put(least(lambda: moments(table)))


def capacity(pattern: str, n: int) -> float:
    """How much work n processes that share nothing do side by side, in units of what one does alone: n at most."""
    context = multiprocessing.get_context("spawn")
    seconds = {}
    for number in (1, n):
        started, out = context.Barrier(number), context.Queue()
        made = [context.Process(target=alone, args=(pattern, started, out)) for _ in range(number)]
        for process in made:
            process.start()
        seconds[number] = statistics.mean(out.get() for _ in made)
        for process in made:
            process.join()
    return n * seconds[1] / seconds[n]


def measured(pattern: str, number: int) -> dict[str, Any]:
    """The pass on so many Dask workers: the clock, processor seconds of workers and driver, bytes that come back."""
    import distributed

    from tamis.engine import use

    with (
        distributed.LocalCluster(
            n_workers=number, threads_per_worker=1, memory_limit=0, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
        use("dask", client=client) as engine,
    ):
        table = read(pattern)
        partitions = len(table.partitions())
        sizes, each = [], engine.each

        def counted(function, items):
            for value in each(function, items):
                sizes.append(len(pickle.dumps(value, protocol=5)))
                yield value

        engine.each = counted
        found = moments(table)
        engine.each = each
        workers, driver = sum(client.run(time.process_time).values()), time.process_time()
        clock = least(lambda: moments(table), PASSES)
        driver = (time.process_time() - driver) / PASSES
        workers = (sum(client.run(time.process_time).values()) - workers) / PASSES
    digest = hashlib.sha256(b"".join(part.scatter.tobytes() for part in found.test)).hexdigest()[:12]
    return {
        "clock": clock, "workers": workers, "driver": driver, "bytes": sum(sizes), "partitions": partitions,
        "digest": digest, "width": len(found.test[0].scatter),
    }  # fmt: skip


def cells_of_partitions(n_rows: int, cell: int, workers: int) -> list[float]:
    """How many cells each partition has, as `GridSource.partitions` cuts them."""
    cells = -(-n_rows // cell)
    share = max(1, cells // (4 * workers))
    rows = cell << (share.bit_length() - 1)
    return [min(rows, n_rows - first) / cell for first in range(0, n_rows, rows)]


def simulated(tasks: list[float], workers: int, driver: float, speed: Callable[[int], float]) -> float:
    """Seconds until the last partial result is merged; `tasks` are processor seconds of partitions.

    The workers that are busy share the cores: with k of them each runs at speed(k).
    """
    waiting, busy, now, merged = list(reversed(tasks)), [], 0.0, 0.0
    while waiting or busy:
        while waiting and len(busy) < workers:
            heapq.heappush(busy, waiting.pop())
        left = busy[0]
        now += left / speed(len(busy))
        busy = [other - left for other in busy[1:]]
        heapq.heapify(busy)
        merged = max(now, merged) + driver
    return merged


def bytes_back(partitions: int, width: int) -> int:
    """Half of a symmetric matrix and three vectors of 8 bytes a number, a fold and partition."""
    return partitions * FOLDS * (4 * width * (width + 1) + 24 * width)


def hundred_columns(folder: Path) -> tuple[float, int]:
    """Processor seconds of a cell of 100 numbers and a target, and its rows."""
    from tamis.engine import use
    from tamis.table.lazy.grid import cell_rows

    rows = 4 * cell_rows(101)
    rng = np.random.default_rng(0)
    columns = {f"x{j:03d}": pa.array(rng.standard_normal(rows, dtype=np.float32)) for j in range(100)}
    folder.mkdir(exist_ok=True)
    pq.write_table(pa.table({**columns, "y": rng.normal(size=rows)}), folder / "0.parquet", compression="none")
    with use("local", n_jobs=1):
        table = read(str(folder / "*.parquet"))
        moments(table)
        start = time.process_time()
        for _ in range(3):
            moments(table)
        return (time.process_time() - start) / 12, cell_rows(101)


def main(rows: int, folder: Path) -> None:
    sizes = [rows // 4, rows // 2, rows]
    patterns = {n: write(folder / str(n), n, 4) for n in sizes}
    power = {1: 1.0, 2: capacity(patterns[sizes[0]], 2), 4: capacity(patterns[sizes[0]], 4)}
    print(
        f"side by side, sharing nothing: 2 processes do the work of {power[2]:.2f}, 4 that of {power[4]:.2f}",
        flush=True,
    )

    def speed(k: int) -> float:
        return min(1.0, float(np.interp(k, list(power), list(power.values()))) / k)

    cell, each, driver = read(patterns[sizes[0]]).source.cell, 0.0, 0.0
    for n in sizes:
        alone = 0.0
        for w in WORKERS:
            cells, one = cells_of_partitions(n, cell, w), measured(patterns[n], w)
            each = each or one["workers"] / sum(cells)
            driver = driver or one["driver"] / len(cells)
            alone = alone or one["clock"]
            clock = simulated([each * c for c in cells], w, driver, speed)
            print(
                f"{n:>10,} rows, {w} worker(s): processor of workers {each * sum(cells):5.2f} s predicted, "
                f"{one['workers']:5.2f} measured, of the driver {driver * len(cells):5.2f}, {one['driver']:5.2f}; "
                f"clock {clock:5.2f}, {one['clock']:5.2f} ({alone / one['clock']:.2f} × one worker); "
                f"partitions {len(cells)}, {one['partitions']}; MB back "
                f"{bytes_back(len(cells), one['width']) / 1e6:5.2f}, {one['bytes'] / 1e6:5.2f}; {one['digest']}",
                flush=True,
            )
    hundred, cell = hundred_columns(folder / "hundred")
    cells = cells_of_partitions(10**9, cell, 100)
    seconds = simulated([hundred * c for c in cells], 100, driver * (101 / one["width"]) ** 2, lambda k: 1.0)
    print(
        f"10⁹ rows × 100 numbers, 100 workers: a cell of {cell:,} rows {1e3 * hundred:.0f} ms, {len(cells)} partitions "
        f"of {cells[0]:.0f} cells, {seconds:.0f} s besides the disks, {bytes_back(len(cells), 101) / 1e6:.0f} MB back"
    )


if __name__ == "__main__":
    by_command_line(main)
