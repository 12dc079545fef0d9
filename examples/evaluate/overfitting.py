"""Demonstrations of overfitting on random labels, where every score above chance is an illusion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from tamis.engine import generator
from tamis.evaluate.curves import complexity_curve
from tamis.evaluate.nested import NestedScore, nested_score
from tamis.evaluate.picture import BLUE, GREY, ORANGE

__all__ = ["Demonstration", "columns_on_random_labels", "depth_on_random_labels", "selection_before_folds"]


@dataclass(frozen=True, eq=False)
class Demonstration:
    """Accuracies against complexity on labels that mean nothing.

    Attributes
    ----------
    title, parameter, values : what is shown, against what.
    lines : name -> accuracy at each value; the truth is 0.5 throughout.
    lesson : what to learn from it, in a sentence.
    """

    title: str
    parameter: str
    values: list[int]
    lines: dict[str, np.ndarray]
    lesson: str

    def figure(self, **options: Any) -> Any:
        """A Bokeh figure: the lines, and the truth at one half."""
        from bokeh.models import Span
        from bokeh.plotting import figure

        plot = figure(
            title=self.title,
            x_axis_label=self.parameter,
            y_axis_label="accuracy",
            x_axis_type="log" if max(self.values) > 30 * min(self.values) else "linear",
            y_range=(0.3, 1.03),
            **{"width": 600, "height": 350, "toolbar_location": None, **options},
        )
        for (name, accuracies), colour in zip(self.lines.items(), (ORANGE, BLUE, GREY)):
            plot.line(self.values, accuracies, color=colour, line_width=2, legend_label=name)
            plot.scatter(self.values, accuracies, color=colour, size=6, legend_label=name)
        plot.add_layout(Span(location=0.5, dimension="width", line_dash="dashed", line_color=GREY))
        plot.legend.location = "center_right"
        return plot


def depth_on_random_labels(
    depths: Sequence[int] = (1, 2, 3, 4, 6, 8, 10, 12), *, n_rows: int = 200, n_columns: int = 10, random_state: int = 0
) -> Demonstration:
    """Deeper trees learn random labels by heart, and know nothing of new rows.

    >>> bool(depth_on_random_labels([1, 12]).lines["training rows"][1] > 0.95)
    True
    """
    X, y = _coins(n_rows, n_columns, random_state)
    tree = DecisionTreeClassifier(random_state=0)
    curve = complexity_curve(tree, X, y, "max_depth", depths, random_state=random_state)
    return Demonstration(
        f"Trees on {n_rows} random labels",
        "depth",
        list(depths),
        {"training rows": curve.train.mean(axis=1), "new rows": curve.validation.mean(axis=1)},
        "training accuracy rises to 1 with depth while new rows stay at chance: it measures the tree's size, not truth",
    )


def columns_on_random_labels(
    columns: Sequence[int] = (1, 2, 5, 10, 20, 50, 100, 200), *, n_rows: int = 100, random_state: int = 0
) -> Demonstration:
    """With as many random columns as rows, logistic regression separates any labels.

    >>> columns_on_random_labels([1, 200]).lines["training rows"][1].item()
    1.0
    """
    X, y = _coins(n_rows, max(columns), random_state)
    lines: dict[str, list[float]] = {"training rows": [], "new rows": []}
    for d in columns:
        model = LogisticRegression(C=100.0, max_iter=5000)
        curve = complexity_curve(lambda _, model=model: model, X[:, :d], y, "columns", [d], random_state=random_state)
        lines["training rows"].append(float(curve.train.mean()))
        lines["new rows"].append(float(curve.validation.mean()))
    return Demonstration(
        f"Logistic regression on {n_rows} random labels",
        "random columns",
        list(columns),
        {name: np.array(values) for name, values in lines.items()},
        "once there are about as many columns as rows, every labelling is learned perfectly, and none of it is true",
    )


def selection_before_folds(
    columns: Sequence[int] = (10, 30, 100, 300, 1000, 3000), *, n_rows: int = 40, k: int = 10, random_state: int = 0
) -> Demonstration:
    """Choosing the best columns before cross-validation turns noise into accuracy.

    >>> found = selection_before_folds([10, 2000])
    >>> bool(found.lines["chosen before the folds"][1] > 0.8), bool(found.lines["chosen inside the folds"][1] < 0.7)
    (True, True)
    """
    X, y = _coins(n_rows, max(columns), random_state)
    lines: dict[str, list[float]] = {"chosen before the folds": [], "chosen inside the folds": []}
    for d in columns:
        chosen = SelectKBest(f_classif, k=min(k, d)).fit(X[:, :d], y).get_support()
        before = nested_score(GaussianNB(), X[:, :d][:, chosen], y, repeats=3, random_state=random_state)
        whole = make_pipeline(SelectKBest(f_classif, k=min(k, d)), GaussianNB())
        inside = nested_score(whole, X[:, :d], y, repeats=3, random_state=random_state)
        for name, result in zip(lines, (before, inside)):
            assert isinstance(result, NestedScore)  # one procedure gives one score
            lines[name].append(result.mean)
    return Demonstration(
        f"Best {k} of many random columns, {n_rows} rows",
        "columns to choose from",
        list(columns),
        {name: np.array(values) for name, values in lines.items()},
        "the more columns there are to choose from, the better noise looks when it is chosen before the folds",
    )


def _coins(n_rows: int, n_columns: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    draw = generator(seed, "coins")
    return draw.normal(size=(n_rows, n_columns)), draw.permutation(np.arange(n_rows) % 2)
