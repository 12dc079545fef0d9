"""The best subset of every size among 35 correlated columns, against R's leaps.

python benchmarks/search/branch_and_bound.py
"""

import shutil
import subprocess
import tempfile
import time

import numpy as np
from sklearn.linear_model import LinearRegression

import tamis

R = """
suppressMessages(library(leaps)); a <- as.matrix(read.csv("{file}", header = FALSE)); d <- ncol(a) - 1
t <- proc.time(); r <- regsubsets(a[, 1:d], a[, d + 1], nvmax = d, really.big = TRUE, method = "exhaustive")
cat(sum((proc.time() - t)[1:2]), summary(r)$rss, sep = "\\n")
"""


def main(n: int = 1000, d: int = 35) -> None:
    random = np.random.default_rng(0)
    mix = np.linalg.cholesky(0.5 ** np.abs(np.subtract.outer(range(d), range(d))))
    X = random.normal(size=(n, d)) @ mix.T
    y = X @ (random.normal(size=d) * (random.random(d) < 0.5) * 0.3) + 3 * random.normal(size=n)
    ours = tamis.SubsetSelector(LinearRegression(), search="branch-and-bound", k=(1, d), cv="train")
    ours.fit(X, y)
    start = time.process_time()
    ours.fit(X, y)
    took = time.process_time() - start
    total = ((y - y.mean()) ** 2).sum()
    rss = (1 - ours.history_.curve()["score"]) * total
    print(f"{n:,} × {d}, every size: tamis {took * 1e3:.0f} ms, optimal: {ours.optimal_}")
    if shutil.which("Rscript") is None:
        print("Rscript is absent")
        return
    with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
        np.savetxt(file, np.column_stack([X, y]), delimiter=",")
        file.flush()
        done = subprocess.run(["Rscript", "-e", R.format(file=file.name)], capture_output=True, text=True, check=False)
    if done.returncode:
        print("R's leaps is absent:", done.stderr.strip().splitlines()[-1])
        return
    elapsed, *theirs = (float(line) for line in done.stdout.split())
    worst = np.max(np.abs(rss / np.array(theirs) - 1))
    print(f"  leaps {elapsed:.2f} s, {elapsed / took:.0f} times slower; largest relative difference of RSS {worst:.1e}")


if __name__ == "__main__":
    main()
