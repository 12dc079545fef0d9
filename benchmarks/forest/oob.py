"""Out-of-bag accuracy beside scikit-learn's and R's randomForest's: mean and range over ten seeds, 500 trees.

python benchmarks/forest/oob.py
"""

import subprocess
import tempfile
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.ensemble import RandomForestClassifier

from forest import THREADS, has_r
from tamis import ForestClassifier

TREES, SEEDS = 500, 10
SCRIPT = """suppressMessages(library(randomForest))
table <- read.csv("table.csv")
x <- table[, names(table) != "y"]
y <- factor(table$y)
for (seed in seq_len({seeds})) {{
    set.seed(seed)
    fit <- randomForest(x, y, ntree = {trees}, mtry = floor(sqrt(ncol(x))))
    cat(1 - fit$err.rate[{trees}, "OOB"], "\\n")
}}"""


def ours_or_scikits(kind, X, y):
    """Out-of-bag accuracy for every seed."""
    settings = {"max_features": "sqrt", "oob_score": True, "n_jobs": THREADS}
    return [kind(TREES, random_state=seed, **settings).fit(X, y).oob_score_ for seed in range(SEEDS)]


def random_forest(X, y):
    """The same in R."""
    with tempfile.TemporaryDirectory() as folder:
        pd.DataFrame(X).add_prefix("x").assign(y=y).to_csv(Path(folder) / "table.csv", index=False)
        script = SCRIPT.format(trees=TREES, seeds=SEEDS)
        ran = subprocess.run(["Rscript", "-e", script], cwd=folder, capture_output=True, text=True, check=True)
        return [float(line) for line in ran.stdout.split()]


if __name__ == "__main__":
    rivals = {
        "tamis": partial(ours_or_scikits, ForestClassifier),
        "scikit-learn": partial(ours_or_scikits, RandomForestClassifier),
    }
    if has_r("randomForest"):
        rivals["randomForest"] = random_forest
    else:
        print("R's randomForest is absent: left out")
    for load in (load_breast_cancer, load_wine, load_digits):
        X, y = load(return_X_y=True)
        print(f"out of bag, {load.__name__[5:]}:", end="")
        for name, run in rivals.items():
            found = 100 * np.array(run(X, y))
            print(f"   {name} {found.mean():.2f} ({found.min():.2f} to {found.max():.2f})", end="", flush=True)
        print()
