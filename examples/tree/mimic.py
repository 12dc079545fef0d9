"""
A small tree that mimics a forest
=================================

Two hundred trees cannot be read. A small tree that learns the forest's *answers*, instead of the target, can; how
well it mimics the forest is measured on rows kept apart, and rises with its size. Four leaves repeat 97 of 100
answers. The tree explains the model, not the world: where the forest is wrong, so is the mimic.
"""

from bokeh.plotting import figure, show
from sklearn.datasets import load_breast_cancer

from tamis import ForestClassifier
from tamis.tree import mimic

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
forest = ForestClassifier(200).fit(X, y)
sizes = [2, 3, 4, 6, 8, 12, 16]
found = [mimic(forest, X, max_leaf_nodes=size) for size in sizes]
fidelity = [one.fidelity for one in found]
print(found[2].tree.to_text())
print(f"out of the bag {forest.oob_score_:.3f}; fidelity of 4 leaves {fidelity[2]:.3f}, of 16 {fidelity[-1]:.3f}")

assert fidelity[2] > 0.96
assert max(fidelity) > 0.93
assert found[2].tree.get_n_leaves() == 4

chart = figure(
    title="How often a small tree gives the forest's answer",
    x_axis_label="leaves",
    y_axis_label="share of held-out rows answered alike",
    y_range=(0.8, 1),
    width=720,
    height=420,
)
chart.line(sizes, fidelity, color="#2f6fbb", line_width=3)
chart.scatter(sizes, fidelity, color="#2f6fbb", size=9)
show(chart)
