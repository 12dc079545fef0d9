"""
Training and test error against k
=================================

One neighbour makes no error on its own rows and many on new ones; all neighbours together answer the majority.
Between the two lies the number of neighbours that serves new rows best. The flexible end is on the right, as in
every picture of this kind: the training error always falls towards it, the error on new rows falls and rises again.
"""

import numpy as np
from bokeh.models import Span
from bokeh.plotting import figure, show
from sklearn.neighbors import KNeighborsClassifier

rng = np.random.default_rng(1)


def draw(n):
    """A ring inside a square, every fifth label wrong."""
    X = rng.uniform(-1, 1, (n, 2))
    y = (np.abs(np.hypot(*X.T) - 0.6) < 0.25).astype(int)
    return X, np.where(rng.random(n) < 0.2, 1 - y, y)


X, y = draw(300)
fresh, truth = draw(5_000)
sizes = np.array([1, 2, 3, 5, 8, 12, 18, 25, 35, 50, 75, 110, 160, 230, 299])
errors = {"these rows": [], "new rows": []}
for k in sizes:
    model = KNeighborsClassifier(k).fit(X, y)
    errors["these rows"].append(1 - model.score(X, y))
    errors["new rows"].append(1 - model.score(fresh, truth))
best = int(sizes[np.argmin(errors["new rows"])])
print(f"fewest errors on new rows: {min(errors['new rows']):.3f} with {best} neighbours; 0.2 is what the labels allow")

assert errors["these rows"][0] == 0
assert 5 <= best <= 35
assert min(errors["new rows"]) < errors["new rows"][0] - 0.05

chart = figure(
    title="k nearest neighbours on 300 rows",
    x_axis_label="rows of the table for each neighbour (n / k): flexible models are on the right",
    y_axis_label="share of wrong answers",
    x_axis_type="log",
    width=720,
    height=420,
)
for (name, values), colour in zip(errors.items(), ("#8a8f98", "#2f6fbb")):
    chart.line(300 / sizes, values, color=colour, line_width=3, legend_label=name)
    chart.scatter(300 / sizes, values, color=colour, size=7)
chart.add_layout(Span(location=0.2, dimension="width", line_dash="dashed", line_color="#c2620a", line_width=2))
chart.line([1], [0.2], line_dash="dashed", color="#c2620a", line_width=2, legend_label="labels that are wrong")
chart.legend.location = "bottom_left"
show(chart)
