"""One tree, bagged trees, bagged lassos, boosted stumps and a forest: error against the number of models.

Run it: scikit-learn's ensembles take Tamis' models as they are; the boosted stumps also choose columns. It prints the
columns chosen and draws bagging.html.
"""

from pathlib import Path

import numpy as np
from bokeh.plotting import figure, output_file, save
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier
from sklearn.feature_selection import SelectFromModel
from sklearn.model_selection import train_test_split

from tamis import ForestClassifier, LinearClassifier, TreeClassifier

SIZES = (1, 2, 5, 10, 20, 50, 100)


def models(size):
    """Ensembles of so many models, by name."""
    return {
        "bagged trees": BaggingClassifier(TreeClassifier(), size, random_state=0),
        "bagged lassos": BaggingClassifier(LinearClassifier(alpha=0.02), size, random_state=0),
        "boosted stumps": AdaBoostClassifier(TreeClassifier(max_depth=1), n_estimators=size, random_state=0),
        "forest": ForestClassifier(size),
    }


def main(folder: Path = Path(__file__).parent) -> Path:
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    train, test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=0)
    errors = {name: [] for name in models(1)}
    for size in SIZES:
        for name, model in models(size).items():
            errors[name].append(1 - model.fit(train, y_train).score(test, y_test))
    chart = figure(
        title="Error on new rows",
        x_axis_label="models",
        y_axis_label="share wrong",
        x_axis_type="log",
        width=640,
        height=380,
    )
    for (name, values), colour in zip(errors.items(), ("#b3552d", "#7d8597", "#d1495b", "#2d6fb3")):
        chart.line(SIZES, values, color=colour, line_width=2, legend_label=name)
        chart.scatter(SIZES, values, color=colour, size=7)
        print(f"{name:15} one model {values[0]:.3f}, {SIZES[-1]} models {values[-1]:.3f}")
    ada = models(50)["boosted stumps"]
    chosen = SelectFromModel(ada, threshold="1.5*mean").fit(train, y_train)
    weight = chosen.estimator_.feature_importances_
    best = np.argsort(-weight)[: chosen.get_support().sum()]
    print("boosted stumps choose:", ", ".join(f"{X.columns[j]} ({weight[j]:.2f})" for j in best))
    path = folder / "bagging.html"
    output_file(path, title="Error on new rows")
    save(chart)
    return path


if __name__ == "__main__":
    print(main())
