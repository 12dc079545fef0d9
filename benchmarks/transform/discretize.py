"""Cuts by entropy and description length (Fayyad and Irani): Tamis beside Orange and imodels, in one run.

The rivals are timed on a few columns, imodels on few rows, and their times scaled to all columns: their cost is linear
in columns. Every time is the best of three. The cuts are compared, too. A rival that is not installed is left out.
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


def imodels(X, y):
    """The same of imodels."""
    try:
        import pandas as pd
        from imodels.discretization.mdlp import MDLPDiscretizer
    except ImportError:
        return None
    names = [f"x{j}" for j in range(X.shape[1])]
    frame = pd.DataFrame(X, columns=names)
    start = process_time()
    made = MDLPDiscretizer(frame.assign(y=y), class_label="y", features=names)
    return process_time() - start, [made._cuts[name] for name in names]


RIVALS = {"Orange": (orange, 10**9), "imodels": (imodels, 2_000)}  # and the most rows


def main(sizes):
    print(f"{N_COLUMNS} columns, three classes; CPU seconds, and seconds on the clock with two threads")
    print(f"{'rows':>9}{'tamis':>8}{'clock':>8}  rivals")
    Discretize("entropy").fit(*table(1_000))  # compiled
    for n_rows in sizes:
        X, y = table(n_rows)
        own = clock = np.inf
        for _ in range(3):
            start, begun = process_time(), perf_counter()
            ours = Discretize("entropy", n_jobs=2).fit(X, y)
            own, clock = min(own, process_time() - start), min(clock, perf_counter() - begun)
        words = []
        for name, (rival, most) in RIVALS.items():
            several = [rival(X[:, :THEIRS], y) for _ in range(3)] if n_rows <= most else [None]
            found = several[0]
            if found is not None:
                seconds = min(one[0] for one in several if one) * N_COLUMNS / THEIRS
                same = all(len(a) == len(b) and np.allclose(a, b) for a, b in zip(ours.cuts_, found[1]))
                cuts = "the same cuts" if same else "other cuts"
                words.append(f"{name} {seconds:.2f} s, {seconds / own:.0f} times, {cuts}")
        print(f"{n_rows:>9,}{own:>8.3f}{clock:>8.2f}  {'; '.join(words)}", flush=True)


if __name__ == "__main__":
    main([int(n) for n in sys.argv[1:]] or (1_000, 2_000, 10_000, 100_000))
