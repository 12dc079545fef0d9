"""Cuts by entropy and description length (Fayyad and Irani): Tamis beside Orange, on the same table in one run.

Orange is timed on a few columns, and its time scaled to all: its cost is linear in columns. The cuts are compared, too.
Without Orange only Tamis is timed.
"""

import sys
from time import perf_counter, process_time

import numpy as np

from tamis.transform import Discretize

N_COLUMNS, THEIRS = 50, 2


def table(n_rows):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, N_COLUMNS))
    y = np.digitize(X[:, :10].sum(axis=1) + 3 * rng.normal(size=n_rows), [-2.0, 2.0])
    return X, y


def orange(X, y):
    """Seconds for the first columns, and their cuts; None where Orange is not installed."""
    try:
        from Orange.data import ContinuousVariable, DiscreteVariable, Domain, Table
        from Orange.preprocess.discretize import EntropyMDL
    except ImportError:
        return None
    variables = [ContinuousVariable(f"x{j}") for j in range(X.shape[1])]
    labels = DiscreteVariable("y", values=tuple(map(str, np.unique(y))))
    data = Table.from_numpy(Domain(variables, labels), X, y.astype(float))
    start = process_time()
    found = [EntropyMDL()(data, variable).compute_value.points for variable in variables]
    return process_time() - start, found


def main(sizes):
    print(f"{N_COLUMNS} columns, three classes; CPU seconds, and seconds on the clock with two threads")
    print(f"{'rows':>9}{'tamis':>8}{'clock':>8}{'Orange':>9}{'ratio':>8}  cuts")
    Discretize("entropy").fit(*table(1_000))  # compiled
    for n_rows in sizes:
        X, y = table(n_rows)
        start, clock = process_time(), perf_counter()
        ours = Discretize("entropy", n_jobs=2).fit(X, y)
        own, clock = process_time() - start, perf_counter() - clock
        found = orange(X[:, :THEIRS], y)
        if found is None:
            print(f"{n_rows:>9,}{own:>8.2f}{clock:>8.2f}{'-':>9}{'-':>8}", flush=True)
            continue
        seconds = found[0] * N_COLUMNS / THEIRS
        same = all(len(a) == len(b) and np.allclose(a, b) for a, b in zip(ours.cuts_, found[1]))
        words = "the same" if same else f"{[len(c) for c in ours.cuts_[:THEIRS]]} {[len(c) for c in found[1]]}"
        print(f"{n_rows:>9,}{own:>8.2f}{clock:>8.2f}{seconds:>9.1f}{seconds / own:>8.0f}  {words}", flush=True)


if __name__ == "__main__":
    main([int(n) for n in sys.argv[1:]] or (1_000, 10_000, 100_000))
