"""
Decisions by cost, compared honestly
====================================

A letter lost as spam costs ten times a spam let through. `nested_score` with a loss matrix lets every model give
the answer of least expected cost under its probabilities, and judges it by what its mistakes cost on rows it has
not seen. A full tree is right in 85 of 100 rows, hardly fewer than logistic regression, and costs more than twice
as much, more than never answering "spam": its pure leaves are sure of everything. Pruned for the log loss, the same
tree costs less than half.
"""

from bokeh.models import ColumnDataSource, Span, Whisker
from bokeh.plotting import figure, show
from sklearn.datasets import make_classification
from sklearn.naive_bayes import GaussianNB

import tamis
from tamis import ForestClassifier, LinearClassifier, TreeClassifier

X, codes = make_classification(1_500, 12, n_informative=5, class_sep=1.5, flip_y=0.08, weights=[0.6], random_state=0)
y = ["spam" if code else "letter" for code in codes]
loss = {"letter": {"spam": 10}, "spam": {"letter": 1}}
models = {
    "logistic": LinearClassifier("ridge", alpha=0.01),
    "naive Bayes": GaussianNB(),
    "tree, full": TreeClassifier(),
    "tree, pruned": TreeClassifier(prune="cv", prune_by="log_loss", rule="min", min_samples_leaf=20),
    "forest": ForestClassifier(50),
}
costs = tamis.nested_score(models, X, y, loss=loss)
right = tamis.nested_score(models, X, y)
print(costs)
never = y.count("spam") / len(y)
for name in models:
    print(f"{name:<14} cost {costs[name].mean:.2f}, accuracy {right[name].mean:.2f}")

assert right["tree, full"].mean > 0.84
assert costs["tree, full"].mean > 2 * max(costs["tree, pruned"].mean, never)
assert max(costs[name].mean for name in models if name != "tree, full") < never

names = list(models)
source = ColumnDataSource(
    {
        "name": names,
        "cost": [costs[name].mean for name in names],
        "low": [costs[name].interval[0] for name in names],
        "high": [costs[name].interval[1] for name in names],
        "words": [f"{right[name].mean:.0%} right" for name in names],
    }
)
chart = figure(x_range=names, title="What mistakes cost on rows not seen (95% intervals)", width=760, height=420)
chart.vbar("name", top="cost", width=0.6, source=source, color="#2f6fbb")
chart.add_layout(Whisker(source=source, base="name", lower="low", upper="high", line_width=2))
centred = {"text_align": "center", "text_baseline": "bottom", "text_color": "white", "text_font_size": "14px"}
chart.text("name", 0.02, text="words", source=source, **centred)
chart.add_layout(Span(location=never, dimension="width", line_dash="dashed", line_color="#c2620a", line_width=2))
chart.line([names[0]], [never], color="#c2620a", line_dash="dashed", line_width=2, legend_label="never answering spam")
chart.y_range.start, chart.y_range.end, chart.yaxis.axis_label = 0, 1.1, "cost a mail"
show(chart)
