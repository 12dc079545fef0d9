"""How often a target stored as whole numbers is taken for a count: codes of classes of a suite of tables, and counts.

    python benchmarks/study/target_task.py SUITE

Class codes of every table of the suite (parquet files with a column `target`) as they are and in 1,000 random orders,
which codes without an order might have had as well; then 1,000 drawn Poisson and negative binomial targets a setting.
Prints the share taken as counts: it should be 0 for codes and 1 for counts of at least five values.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pandas as pd

from tamis.study.target.decide import is_count_target

ORDERS = 1_000


def suite(folder: Path) -> None:
    """The share of orders of the codes of each table that is taken as a count."""
    for path in sorted(folder.glob("*.parquet")):
        target = pd.read_parquet(path, columns=["target"])["target"]
        if target.dtype.kind == "f":
            print(f"{path.stem:20} numbers: {'count' if is_count_target(target.to_numpy()) else 'no count'}")
            continue
        codes = np.unique(target.astype(str), return_inverse=True)[1]
        n, rng = codes.max() + 1, np.random.default_rng(0)
        shares = [np.mean([is_count_target(rng.permutation(n)[codes] + low) for _ in range(ORDERS)]) for low in (0, 1)]
        print(f"{path.stem:20} {n:3} classes: as coded {is_count_target(codes)}, other orders {max(shares):.3f}")


def drawn() -> None:
    """The share of drawn counts, of a mean that depends on the row, that is taken as a count."""
    for n in (60, 200, 1000):
        for mean in (0.5, 1.0, 3.0, 10.0):
            for dispersion in (np.inf, 1.0):
                rng, taken, asked = np.random.default_rng(1), 0, 0
                for _ in range(ORDERS):
                    mu = mean * np.exp(0.5 * rng.normal(size=n) - 0.125)
                    mu = mu if np.isinf(dispersion) else mu * rng.gamma(dispersion, 1 / dispersion, n)
                    y = rng.poisson(mu)
                    if len(np.unique(y)) >= 5:
                        asked, taken = asked + 1, taken + is_count_target(y.astype(float))
                kind = "Poisson" if np.isinf(dispersion) else "negative binomial"
                print(f"{kind:18} mean {mean:4}, {n:5} rows: {taken / max(1, asked):.3f} of {asked}")


if __name__ == "__main__":
    suite(Path(sys.argv[1]))
    drawn()
