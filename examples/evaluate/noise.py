"""Choosing columns before cross-validation makes noise look like knowledge: a picture, an audit, and the honest score.

Run: python examples/evaluate/noise.py [out.html]
"""

from __future__ import annotations

import sys

import numpy as np
from bokeh.layouts import column
from bokeh.plotting import output_file, save
from bokeh.resources import INLINE
from overfitting import columns_on_random_labels, depth_on_random_labels, selection_before_folds
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

import tamis


def chosen_before(X: np.ndarray, y: np.ndarray) -> float:
    """What too many papers do: choose columns on all rows, then cross-validate."""
    best = SelectKBest(f_classif, k=10).fit(X, y).get_support()
    return float(cross_val_score(GaussianNB(), X[:, best], y, cv=5).mean())


def main() -> None:
    """Audit the mistake, score the honest pipeline, and draw both with the demonstrations."""
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(40, 2000)), rng.permutation(np.arange(40) % 2)
    print(f"chosen before the folds: {chosen_before(X, y):.2f}")
    verdict = tamis.audit(chosen_before, X, y)
    print(verdict)
    print(tamis.nested_score(make_pipeline(SelectKBest(f_classif, k=10), GaussianNB()), X, y, repeats=3))
    shown = [selection_before_folds(), depth_on_random_labels(), columns_on_random_labels()]
    for one in shown:
        print(f"{one.title}: {one.lesson}")
    place = sys.argv[1] if len(sys.argv) > 1 else "noise.html"
    output_file(place, title="Noise that looks like knowledge", mode="inline")
    save(column(verdict.figure(), *(one.figure() for one in shown)), resources=INLINE)
    print(f"pictures in {place}")


if __name__ == "__main__":
    main()
