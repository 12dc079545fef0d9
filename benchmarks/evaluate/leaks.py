"""Leak checks of wide and long tables: seconds of CPU, Tamis alone (no rival says these things in words).

Run: python benchmarks/evaluate/leaks.py
"""

from __future__ import annotations

import time

import numpy as np

from tamis.evaluate import leaks


def main() -> None:
    """Print the CPU seconds for three shapes."""
    rng = np.random.default_rng(0)
    for n, d in ((100, 7000), (10_000, 100), (200_000, 20)):
        X, y = rng.normal(size=(n, d)), rng.permutation(np.arange(n) % 2)
        start = time.process_time()
        found = leaks(X, y)
        print(f"{n:>9,} × {d:<6,} {time.process_time() - start:7.2f} s CPU, {len(found)} leaks")


if __name__ == "__main__":
    main()
