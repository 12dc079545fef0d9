"""Trees with logistic models in their leaves beside constant ones: log loss, accuracy, leaves, processor seconds.

python benchmarks/tree/logistic_leaves.py FOLDER   # of tables as Parquet files, the class in the column "target"
"""

import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd

from tamis.tree import TreeClassifier

TABLES = ("sonar", "haberman", "heart_c", "ionosphere", "magic", "vehicle")
CONSTANT = TreeClassifier(prune="cv", rule="min", prune_by="log_loss")
LOGISTIC = TreeClassifier(prune="cv", rule="min", leaf="logistic")


def judged(model: TreeClassifier, X: pd.DataFrame, y: np.ndarray, n_train: int) -> str:
    """Figures of one model on the rows after the first `n_train`."""
    start = time.process_time()
    model.fit(X[:n_train], y[:n_train])
    seconds = time.process_time() - start
    truth = np.searchsorted(model.classes_, y[n_train:])
    shares = np.clip(model.predict_proba(X[n_train:]), 1e-3, 1)
    loss = -np.log(shares[np.arange(len(truth)), truth]).mean()
    right = (shares.argmax(axis=1) == truth).mean()
    return f"{loss:.3f} {right:.3f} {model.tree_.n_leaves:3d} leaves {seconds:6.2f} s"


def main(folder: str) -> None:
    """One line a table: constant leaves, then logistic ones."""
    for name in TABLES:
        table = pd.read_parquet(Path(folder) / f"{name}.parquet").sample(frac=1, random_state=1)[:1000]
        y = np.unique(table["target"], return_inverse=True)[1]
        X = table.drop(columns="target").select_dtypes("number")
        n_train = int(0.7 * len(y))
        print(f"{name:12s}", *(judged(model, X, y, n_train) for model in (CONSTANT, LOGISTIC)), sep="  |  ", flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
