"""
Interactions by chance, and not by chance
=========================================

Forty columns make 780 pairs, and the best of 780 looks good in pure noise. On the left nothing interacts: the best
pair of the table lies well within what the best pair of shuffled targets reaches. On the right, one pair decides
the outcome: it stands far outside. `score.interaction` compares each pair with the best of all pairs on shuffled
targets, so it names a pair of a table without any in one table of twenty.
"""

import numpy as np
from bokeh.layouts import row
from bokeh.models import Span
from bokeh.plotting import figure, show

from tamis import score

rng = np.random.default_rng(2)
X = rng.integers(0, 2, (300, 40))
noise = rng.integers(0, 2, 300)
decided = np.where(rng.random(300) < 0.85, X[:, 3] ^ X[:, 31], noise)


def best_gain(y):
    """The largest I(a, b; y) - I(a; y) - I(b; y) of all pairs, without any correction for chance."""
    alone = score.mutual_information(X, y)
    gains = [
        score.mutual_information((X[:, [a]] * 2 + X[:, a + 1 :]), y) - alone[a] - alone[a + 1 :] for a in range(39)
    ]
    return max(float(part.max()) for part in gains)


charts = []
for title, y in (("nothing interacts", noise), ("columns 3 and 31 decide", decided)):
    shuffled = [best_gain(rng.permutation(y)) for _ in range(40)]
    found, named = best_gain(y), score.top_pairs(X, y)
    print(f"{title}: best pair {found:.3f} nats, shuffled up to {max(shuffled):.3f}; named: {named}")
    chart = figure(
        title=title,
        x_axis_label="nats of the best pair",
        y_axis_label="shuffled targets",
        width=470,
        height=360,
        x_range=(0, 0.45),
    )
    counts, edges = np.histogram(shuffled, np.arange(0, 0.08, 0.004))
    chart.quad(top=counts, bottom=0, left=edges[:-1], right=edges[1:], color="#8a8f98", line_color="white")
    chart.add_layout(Span(location=found, dimension="height", line_color="#c2620a", line_width=3))
    chart.line([found], [0], color="#c2620a", line_width=3, legend_label="best pair of the table")
    chart.legend.location = "top_center"
    charts.append(chart)
    if y is noise:
        assert named == []
        assert found < max(shuffled)
    else:
        assert [(p.first, p.second) for p in named] == [("x3", "x31")]
        assert found > 3 * max(shuffled)
show(row(*charts))
