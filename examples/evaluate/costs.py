"""Ham lost as spam costs ten times spam let through: decisions by cost, a learning curve, and the size to take.

Run: python examples/evaluate/costs.py [out.html]
"""

from __future__ import annotations

import sys

from bokeh.layouts import column
from bokeh.plotting import output_file, save
from bokeh.resources import INLINE
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import tamis
from tamis.evaluate import complexity_curve, grow


def main() -> None:
    """Compare three procedures by cost, then draw how depth and rows change a tree."""
    X, codes = make_classification(600, 12, n_informative=5, flip_y=0.1, weights=[0.6], random_state=0)
    y = ["spam" if code else "ham" for code in codes]
    loss = {"ham": {"spam": 10}, "spam": {"ham": 1}}
    models = {
        "logistic": LogisticRegression(max_iter=1000),
        "bayes": GaussianNB(),
        "tree": DecisionTreeClassifier(min_samples_leaf=10),
    }
    print(tamis.nested_score(models, X, y, loss=loss, repeats=2))
    depth = complexity_curve(DecisionTreeClassifier(random_state=0), X, codes, "max_depth", [1, 2, 3, 4, 6, 8, 12])
    print(f"best depth {depth.best}, simplest within one standard error {depth.one_se}")
    rows = complexity_curve(DecisionTreeClassifier(max_depth=4), X, codes, "rows", [20, 50, 100, 200, 400])
    grown = grow(lambda size: DecisionTreeClassifier(max_depth=size, random_state=0), X, codes)
    print(f"the wrapper stopped at depth {grown.curve.values[-1]} and chose {grown.size}")
    place = sys.argv[1] if len(sys.argv) > 1 else "costs.html"
    output_file(place, title="Costs and curves", mode="inline")
    save(column(depth.figure(), rows.figure()), resources=INLINE)
    print(f"pictures in {place}")


if __name__ == "__main__":
    main()
