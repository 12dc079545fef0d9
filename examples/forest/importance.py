"""Which columns a forest needs: permutation importance with p-values, and columns that could stand for each other.

Run it: five columns make the target, one of them has a near copy. It prints the importances and draws importance.html.
"""

from pathlib import Path

import numpy as np
import pandas as pd
from bokeh.plotting import output_file, save
from sklearn.datasets import make_friedman1

from tamis import ForestRegressor


def main(folder: Path = Path(__file__).parent) -> Path:
    values, y = make_friedman1(500, 12, noise=1.0, random_state=0)
    X = pd.DataFrame(values, columns=[f"g{j}" for j in range(12)])
    X["g203"] = X["g3"] + 0.02 * np.random.default_rng(0).normal(size=len(X))
    forest = ForestRegressor(200, n_jobs=-1).fit(X, y)
    found = forest.permutation_importance(n_permutations=39)
    print(found.to_text())
    path = folder / "importance.html"
    output_file(path, title="Permutation importance")
    save(found.figure())
    return path


if __name__ == "__main__":
    print(main())
