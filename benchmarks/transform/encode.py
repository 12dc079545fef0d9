"""Target means of categories, out of fold: Tamis beside scikit-learn's TargetEncoder, on the same table in one run.

Both encode every row by the rows of four other folds. Processor time, the best of three.
"""

from time import process_time

import numpy as np
import pandas as pd
from sklearn.model_selection import KFold
from sklearn.preprocessing import TargetEncoder

from tamis.transform import Encode

N_ROWS, N_COLUMNS = 200_000, 8
FOLDS = KFold(5, shuffle=True, random_state=0)


def table(n_levels, words):
    rng = np.random.default_rng(0)
    codes = rng.integers(0, n_levels, size=(N_ROWS, N_COLUMNS))
    if not words:
        return codes
    names = np.array([f"level {k}" for k in range(n_levels)])
    return pd.DataFrame({f"c{j}": names[codes[:, j]] for j in range(N_COLUMNS)})


def best(make, X, y, repeats=3):
    times = []
    for _ in range(repeats):
        start = process_time()
        make().fit_transform(X, y)
        times.append(process_time() - start)
    return min(times)


def main():
    rng = np.random.default_rng(1)
    targets = {
        "numbers": (rng.normal(size=N_ROWS), "continuous", "numbers"),
        "two classes": (rng.integers(0, 2, N_ROWS), "binary", "classes"),
        "four classes": (rng.integers(0, 4, N_ROWS), "multiclass", "classes"),
    }
    print(f"{N_ROWS:,} rows, {N_COLUMNS} columns, 5 folds; CPU seconds of fit_transform")
    print(f"{'columns':<10}{'levels':>8}  {'target':<14}{'scikit-learn':>13}{'tamis':>8}{'ratio':>8}")
    ratios = []
    for words in (False, True):
        for n_levels in (10, 1_000, 20_000):
            X = table(n_levels, words)
            for name, (y, theirs, ours) in targets.items():
                rival = best(
                    lambda t=theirs: TargetEncoder(target_type=t, cv=KFold(5, shuffle=True, random_state=0)), X, y
                )
                own = best(lambda t=ours: Encode("target", target=t), X, y)
                ratios.append(rival / own)
                kind = "words" if words else "integers"
                print(f"{kind:<10}{n_levels:>8,}  {name:<14}{rival:>13.2f}{own:>8.2f}{ratios[-1]:>8.1f}", flush=True)
    print(f"ratio: median {np.median(ratios):.1f}, smallest {min(ratios):.1f}")


if __name__ == "__main__":
    main()
