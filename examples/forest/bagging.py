"""
Error against the number of models
==================================

One tree, and many: bagged trees, a forest, boosted stumps, bagged lassos. Averaging models that err in different
ways takes away what varies between them, so trees, which vary much, gain most, and the lasso, which varies little,
gains least. Boosting gains in another way: each stump looks at what the others got wrong. scikit-learn's ensembles
take Tamis's models as they are.
"""

import numpy as np
from bokeh.plotting import figure, show
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier
from sklearn.model_selection import ShuffleSplit

from tamis import ForestClassifier, LinearClassifier, TreeClassifier

X, y = load_breast_cancer(return_X_y=True)
sizes = (1, 3, 10, 30)


def models(size, seed):
    """Ensembles of so many models, by name."""
    return {
        "bagged trees": BaggingClassifier(TreeClassifier(), size, random_state=seed),
        "bagged lassos": BaggingClassifier(LinearClassifier(alpha=0.02), size, random_state=seed),
        "boosted stumps": AdaBoostClassifier(TreeClassifier(max_depth=1), n_estimators=size, random_state=seed),
        "forest": ForestClassifier(size, random_state=seed),
    }


errors = {name: np.zeros(len(sizes)) for name in models(1, 0)}
splits = list(ShuffleSplit(2, test_size=0.5, random_state=0).split(X))
for train, test in splits:
    for k, size in enumerate(sizes):
        for name, model in models(size, 0).items():
            errors[name][k] += (1 - model.fit(X[train], y[train]).score(X[test], y[test])) / len(splits)
for name, values in errors.items():
    print(f"{name:15} one model {values[0]:.3f}, {sizes[-1]} models {values[-1]:.3f}")

assert errors["bagged trees"][-1] < errors["bagged trees"][0] - 0.015
assert errors["forest"][-1] < errors["forest"][0] - 0.02
gain = {name: values[0] - values[-1] for name, values in errors.items()}
assert min(gain, key=gain.get) == "bagged lassos"

chart = figure(
    title="Half of the tumour table, judged on the other half",
    x_axis_label="models",
    y_axis_label="share of wrong answers",
    x_axis_type="log",
    width=740,
    height=420,
)
for (name, values), colour in zip(errors.items(), ("#c2620a", "#8a8f98", "#3d8b5f", "#2f6fbb")):
    chart.line(sizes, values, color=colour, line_width=3, legend_label=name)
    chart.scatter(sizes, values, color=colour, size=8)
show(chart)
