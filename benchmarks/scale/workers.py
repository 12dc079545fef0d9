"""What a pass over a table costs on some workers: predicted by a small model, beside what was measured.

    python benchmarks/scale/workers.py 2000000 [folder]

The pass makes the moments of ten folds. The model has four numbers: the processor seconds of a cell (one worker, the
smallest table), the seconds of a task that does nothing, those of merging two partial results on the driver, and the
capacity of the cores, which is measured by processes that share nothing, side by side. Partitions are then dealt to
workers in their order, as the engine does; k busy workers run at capacity(k) / k of the speed of one. Bytes sent back
are those of half a symmetric matrix and three vectors a fold and partition.

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
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from data import by_command_line, write

FOLDS, WORKERS = 10, (1, 2, 4)


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


def measured(pattern: str, number: int) -> dict[str, float | str]:
    """The pass on so many Dask workers: seconds, bytes that come back, partitions, digest; and an empty task's."""
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
        seconds = least(lambda: moments(table))
        empty = least(lambda: list(each(abs, range(40)))) / 40
    digest = hashlib.sha256(b"".join(part.scatter.tobytes() for part in found.test)).hexdigest()[:12]
    return {"seconds": seconds, "bytes": sum(sizes), "partitions": partitions, "digest": digest, "empty": empty}


def cells_of_partitions(n_rows: int, cell: int, workers: int) -> list[float]:
    """How many cells each partition has, as `GridSource.partitions` cuts them."""
    cells = -(-n_rows // cell)
    share = max(1, cells // (4 * workers))
    rows = cell << (share.bit_length() - 1)
    return [min(rows, n_rows - first) / cell for first in range(0, n_rows, rows)]


def simulated(tasks: list[float], workers: int, task: float, merge: float, speed) -> float:
    """Seconds until the last partial result is merged; `tasks` are processor seconds of partitions.

    The workers that are busy share the cores: with k of them each runs at speed(k).
    """
    waiting, busy, now, merged = list(reversed(tasks)), [], 0.0, 0.0
    while waiting or busy:
        while waiting and len(busy) < workers:
            heapq.heappush(busy, waiting.pop() + task)
        rate = speed(len(busy))
        left = busy[0]
        now += left / rate
        busy = [other - left for other in busy[1:]]
        heapq.heapify(busy)
        merged = max(now, merged) + merge
    return merged


def bytes_back(partitions: int, width: int) -> int:
    """Half of a symmetric matrix and three vectors of 8 bytes a number, a fold and partition."""
    return partitions * FOLDS * (4 * width * (width + 1) + 24 * width)


def seconds_of_merge(pattern: str) -> tuple[float, int]:
    """Seconds of merging two partial results of ten folds, and the width of their matrices."""
    from tamis.views.lazy.fold_moments import merge

    found = moments(read(pattern)).test
    return least(lambda: [merge(tuple(found), tuple(found)) for _ in range(20)]) / 20, len(found[0].scatter)


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
    print(f"side by side, sharing nothing: 2 processes do the work of {power[2]:.2f}, 4 that of {power[4]:.2f}")

    def speed(k: int) -> float:
        return min(1.0, float(np.interp(k, list(power), list(power.values()))) / k)

    merge, width = seconds_of_merge(patterns[sizes[0]])
    cell = read(patterns[sizes[0]]).source.cell
    found = {(n, w): measured(patterns[n], w) for n in sizes for w in WORKERS}
    task = found[sizes[0], 1]["empty"]
    first = cells_of_partitions(sizes[0], cell, 1)
    each = (found[sizes[0], 1]["seconds"] - len(first) * (task + merge)) / sum(first)
    print(f"a cell {1e3 * each:.1f} ms, an empty task {1e3 * task:.1f} ms, a merge {1e3 * merge:.1f} ms")
    for n in sizes:
        for w in WORKERS:
            cells, one = cells_of_partitions(n, cell, w), found[n, w]
            predicted = simulated([each * c for c in cells], w, task, merge, speed)
            back, gain = bytes_back(len(cells), width), found[n, 1]["seconds"] / one["seconds"]
            print(
                f"{n:>11,} rows, {w} worker(s): {predicted:6.2f} s predicted, {one['seconds']:6.2f} measured "
                f"({gain:.2f} × one worker); {len(cells)} partitions, {one['partitions']} measured; "
                f"{back / 1e6:6.2f} MB predicted, {one['bytes'] / 1e6:6.2f} measured; {one['digest']}",
                flush=True,
            )
    hundred, cell = hundred_columns(folder / "hundred")
    cells = cells_of_partitions(10**9, cell, 100)
    seconds = simulated([hundred * c for c in cells], 100, task, merge * (101 / width) ** 2, lambda k: 1.0)
    print(
        f"10⁹ rows × 100 numbers, 100 workers: a cell of {cell:,} rows {1e3 * hundred:.0f} ms, {len(cells)} partitions "
        f"of {cells[0]:.0f} cells, {seconds:.0f} s besides the disks, {bytes_back(len(cells), 101) / 1e6:.0f} MB back"
    )


if __name__ == "__main__":
    by_command_line(main)
