"""Baselines by asymmetric least squares: Tamis beside pybaselines, on the same signals, with the largest difference.

10,000 signals of 1,000 positions with ten iterations, then the defaults of both; seconds of the processor and by the
clock. pybaselines takes a signal at a time and is timed on a part of the rows.
"""

import sys
import warnings
from time import perf_counter, process_time

import numpy as np

from tamis.transform.signals import Baseline


def signals(rows, n, seed=0):
    """Peaks of random height on random slopes, with noise."""
    rng = np.random.default_rng(seed)
    t = np.linspace(0, 1, n)
    peaks = sum(rng.uniform(1, 9, (rows, 1)) * np.exp(-(((t - c) / 0.01) ** 2)) for c in rng.uniform(size=8))
    return 5 + rng.normal(size=(rows, 1)) * t - 2 * t**2 + peaks + 0.1 * rng.normal(size=(rows, n))


def timed(function, rounds=3):
    """The best of some rounds: processor time, time by the clock, and the result."""
    best = []
    for _ in range(rounds):
        cpu, clock = process_time(), perf_counter()
        result = function()
        best.append((process_time() - cpu, perf_counter() - clock))
    return min(seconds for seconds, _ in best), min(seconds for _, seconds in best), result


def main(rows=10_000, n=1_000, part=200):
    warnings.simplefilter("ignore")
    X = signals(rows, n)
    Baseline().fit(X[:40])  # compile
    try:
        from pybaselines import Baseline as Rival
    except ImportError:
        Rival = None
        print("pybaselines is absent")
    print(f"{rows:,} × {n:,}: seconds of the processor, by the clock")
    for label, given, theirs in (
        ("10 iterations", {"max_iter": 9, "tol": 0.0}, {"max_iter": 9, "tol": -1.0}),
        ("defaults", {}, {}),
    ):
        seconds = {}
        for n_jobs in (1, 2):
            transform = Baseline(**given, n_jobs=n_jobs).fit(X[:1])
            cpu, clock, corrected = timed(lambda transform=transform: transform.transform(X))
            seconds[n_jobs] = cpu
            print(f"  {label:<14} tamis, {n_jobs} thread(s)  {cpu:7.2f} {clock:7.2f}", flush=True)
        if Rival is None:
            continue
        fitter = Rival(np.arange(n))

        def all_theirs(fitter=fitter, theirs=theirs):
            return np.array([fitter.asls(x, **theirs)[0] for x in X[:part]])

        cpu, clock, baselines = timed(all_theirs, 1)
        cpu, clock = cpu * rows / part, clock * rows / part
        difference = np.abs(X[:part] - corrected[:part] - baselines).max()
        print(f"  {label:<14} pybaselines         {cpu:7.2f} {clock:7.2f}  ({part} rows, scaled up)")
        print(f"  {label:<14} {cpu / seconds[1]:.0f} times; largest difference {difference:.1e}", flush=True)


if __name__ == "__main__":
    main(*(int(word) for word in sys.argv[1:]))
