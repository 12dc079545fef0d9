"""Columns that act only together: the 20 columns of largest forest importance, their five directions, and neighbours.

    python benchmarks/study/madelon.py --data ../shared/data/madelon.parquet [--repeats 4]

In `madelon` 20 of 500 columns tell the class, none of them alone; 15 are linear combinations of the other five. All of
it is a public pipeline that is learned in each of five folds anew: a forest keeps 40 columns, a forest of these, in
which noise reaches less far, keeps 20, `PCA("gap")` finds how many directions they have where the spectrum drops, and
seven nearest neighbours, weighted by distance, answer.
Printed is the mean accuracy of every repeat beside the study's own forest and seven neighbours on 20 columns.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.feature_selection import SelectFromModel
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline

from tamis import PCA, ForestClassifier, MirrorSelector
from tamis.transform import Standardize


def sifted(*steps: Any, sizes: tuple[int, ...] = (40, 20)) -> Pipeline:
    """Columns of largest importance in forests of 300 trees, one after another, standardised, and what follows them."""
    forests = [
        SelectFromModel(ForestClassifier(300, random_state=0, n_jobs=-1), max_features=k, threshold=-np.inf)
        for k in sizes
    ]
    return make_pipeline(*forests, Standardize(), *steps)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default="../shared/data/madelon.parquet")
    parser.add_argument("--repeats", type=int, default=4)
    parser.add_argument("--start", type=int, default=200, help="the first seed of the folds")
    options = parser.parse_args()
    frame = pd.read_parquet(options.data)
    target = next(name for name in frame.columns if name.lower() in ("class", "target"))
    X, y = frame.drop(columns=target).to_numpy(float), pd.factorize(frame[target])[0]
    near = KNeighborsClassifier(7, weights="distance")
    ways = {
        "forest on sifted columns": MirrorSelector(ForestClassifier(200), random_state=0, n_jobs=-1),
        "20 columns of one forest, 7 neighbours": sifted(KNeighborsClassifier(7), sizes=(20,)),
        "20 columns of two forests, directions, 7 neighbours": sifted(PCA("gap"), Standardize(), near),
    }
    found: dict[str, list[float]] = {name: [] for name in ways}
    for repeat in range(options.repeats):
        folds = StratifiedKFold(5, shuffle=True, random_state=options.start + repeat)
        for name, way in ways.items():
            right = [
                (clone(way).fit(X[train], y[train]).predict(X[test]) == y[test]).mean()
                for train, test in folds.split(X, y)
            ]
            found[name].append(float(np.mean(right)))
        print(f"repeat {repeat + 1}: " + ", ".join(f"{name} {scores[-1]:.4f}" for name, scores in found.items()))
    print("| way | mean accuracy | lowest and highest repeat |\n|---|---|---|")
    for name, scores in found.items():
        print(f"| {name} | {np.mean(scores):.4f} | {min(scores):.4f}–{max(scores):.4f} |")


if __name__ == "__main__":
    main()
