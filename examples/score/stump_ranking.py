"""
Ranking by stumps
=================

The simplest model of one column is one question: is it above a threshold? A stump's accuracy ranks columns in a
unit that everybody understands. The line is what always answering "benign" gets; columns below it say nothing by
one question alone. A single question about the largest radius of a cell gets nine of ten tumours right.
"""

from bokeh.models import Span
from bokeh.plotting import figure, show
from sklearn.datasets import load_breast_cancer

from tamis import TreeClassifier, score

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
accuracy = score.stump(X, y)
order = accuracy.argsort()
best = X.columns[order[-1]]
tree = TreeClassifier(max_depth=1).fit(X[[best]], y)
print(tree.to_text())
print(f"{best}: {accuracy.max():.3f}; the majority alone {max(y.mean(), 1 - y.mean()):.3f}")

assert 0.90 < accuracy.max() < 0.93
assert accuracy.min() >= y.mean() - 1e-12

chart = figure(
    y_range=[X.columns[j] for j in order],
    title="Accuracy of the best single question",
    x_range=(0.6, 0.95),
    width=720,
    height=640,
)
chart.hbar(y=[X.columns[j] for j in order], left=0.6, right=accuracy[order], height=0.75, color="#2f6fbb")
chart.add_layout(Span(location=y.mean(), dimension="height", line_dash="dashed", line_color="#c2620a", line_width=2))
chart.line([y.mean()], [0], line_dash="dashed", color="#c2620a", line_width=2, legend_label="always benign")
chart.legend.location = "bottom_right"
chart.xaxis.axis_label = "accuracy"
show(chart)
